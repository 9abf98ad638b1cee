"""The page of a link that signs in (`manage.py sign_in_link`).

It asks first: programs that look at links, such as those of chats, would use it up. The link takes the place
of the password, and a second factor is asked for after it.
"""

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from accounts import audit, factors, links
from accounts.models import Account
from accounts.models.account import store_last_login
from accounts.web.recovery import keeps_address_private
from accounts.web.sign_in import PendingSignIn, begin_second_step, complete_sign_in


@never_cache
def open_link(request: HttpRequest) -> HttpResponseBase:
    if request.method == "POST":
        account = use(request)
        response = sign_in(request, account) if account else render_used_link(request)
    else:
        response = ask(request)
    return keeps_address_private(response)


def ask(request: HttpRequest) -> HttpResponse:
    account = links.account_of_sign_in_link(request.GET, Account.objects.all())
    if account is None:
        return render_used_link(request)
    return render(request, "accounts/sign_in_link.html", {"email": account.email})


def use(request: HttpRequest) -> Account | None:
    """The account of the link, which ends by it; None where it does not work any more."""
    with transaction.atomic():
        # Of two that use the link at once the second waits for the lock, and finds the link used.
        if found := links.account_of_sign_in_link(request.GET, Account.objects.all()):
            found.lock()
        account = found and links.account_of_sign_in_link(request.GET, Account.objects.all())
        if account:
            store_last_login(account)
    return account


def sign_in(request: HttpRequest, account: Account) -> HttpResponse:
    if factors.has_factor(account):
        begin_second_step(request, PendingSignIn(account, reverse("home")))
        return redirect("factor")
    audit.log_event(audit.Event.SIGNED_IN, account, detail="with a link of staff")
    return complete_sign_in(request, account, reverse("home"), with_factor=False)


def render_used_link(request: HttpRequest) -> HttpResponse:
    text = _(
        "A link that signs in works once, within %(minutes)s minutes, and ends with any other sign-in; or a "
        "part of it is missing. Ask whoever runs this service for a new one."
    )
    context = {
        "title": _("This link does not work any more"),
        "text": text % {"minutes": links.SIGN_IN_SECONDS // 60},
    }
    return render(request, "accounts/notice.html", context, status=403)
