"""What people do with links by mail (accounts/links.py): a new password, a new email, a confirmation.

Pages answer alike whether there is an account with an email or not; the mail says which.
"""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from accounts import audit, factors, links, mail
from accounts.models import Account, CalendarFeed, ProviderTie
from accounts.web import fresh
from accounts.web.recovery_forms import AskForLinkForm, ChangeEmailForm, LinkPasswordForm
from accounts.web.requests import AccountRequest
from fitness.api import rate_limits
from fitness.api.exceptions import RateLimited
from fitness.web.language import in_language_of
from fitness.web.shortcuts import too_many_requests

NOT_SENT = gettext_lazy("The mail could not be sent. Try again later, or ask whoever runs this service.")


def mail_at_most(request: HttpRequest, template: str, email: str, **context: object) -> None:
    """Sends a mail that anybody can cause, unless five such went to this email within the hour.

    Each template counts for itself: else somebody could use up those that the owner needs. Raises NotSent.
    """
    try:
        rate_limits.count(request, "mail", f"{template} {email}")
    except RateLimited:
        return  # the page is the same
    mail.send(template, email, **context)


def mail_owner(request: HttpRequest, owner: Account) -> None:
    """Tells an account that somebody, perhaps somebody else, has entered its email for another one."""
    with in_language_of(owner):
        mail_at_most(request, "email_taken", owner.email)


@never_cache
def reset_password(request: HttpRequest) -> HttpResponse:
    """Mails a link with which the reader sets a new password."""
    if settings.OIDC_ONLY:
        text = _("Sign in with %(provider)s.") % {"provider": settings.OIDC_NAME}
        notice = {"title": _("No password is needed"), "text": text}
        return render(request, "accounts/provider_problem.html", notice)
    if not settings.SENDS_MAIL:
        return render(request, "accounts/reset_without_mail.html")
    form = AskForLinkForm(request.POST or None)
    if form.is_valid():
        email = form.cleaned_data["email"]
        try:
            rate_limits.count(request, "reset", rate_limits.client_address(request))
            mail_reset(request, email)
        except RateLimited as error:
            return too_many_requests(request, error.wait, _("Many links were asked for from your network."))
        except mail.NotSent:
            form.add_error(None, NOT_SENT)
        else:
            return render_sent(request, email, sets_password=True)
    return render(request, "accounts/reset_password.html", {"form": form})


def mail_reset(request: HttpRequest, email: str) -> None:
    """An email without an account gets a mail as well: a page that is slower for some would name them."""
    account = Account.objects.filter(email=email, is_active=True).first()
    audit.log_event(audit.Event.RESET_ASKED, account)
    if account:
        with in_language_of(account):  # who asks may be somebody else
            mail_at_most(request, "reset_password", email, link=links.PASSWORD.link(account))
    else:
        mail_at_most(request, "no_account", email)


def render_sent(request: HttpRequest, email: str, *, sets_password: bool) -> HttpResponse:
    context = {"email": email, "sets_password": sets_password}
    return render(request, "accounts/mail_sent.html", context)


def keeps_address_private(response: HttpResponseBase) -> HttpResponseBase:
    """For pages with a token in their address: it is not sent to what they load and link to."""
    response.headers["Referrer-Policy"] = "strict-origin"
    return response


@sensitive_post_parameters()
@never_cache
def set_password(request: HttpRequest) -> HttpResponseBase:
    """The page of `links.PASSWORD`. It signs nobody in: a second factor may be asked for there."""
    account = links.PASSWORD.account_of(request.GET)
    if account is None or not account.may_use_password:
        return keeps_address_private(render_used_link(request))
    form = LinkPasswordForm(account, request.POST or None)
    if form.is_valid():
        if not form.use(request.GET):
            return keeps_address_private(render_used_link(request))
        mail.notify("password_changed", account)
        said = [_("Your new password is set. Sign in with it."), *what_stays(account)]
        messages.success(request, " ".join(said))
        return redirect("sign-in")
    context = {"form": form, "account": account}
    return keeps_address_private(render(request, "accounts/set_password.html", context))


def render_used_link(request: HttpRequest) -> HttpResponse:
    text = _(
        "A link works once, within %(hours)s hours, and ends when the password or the email changes; or a "
        "part of it is missing."
    )
    context = {"title": _("This link does not work any more"), "text": text % {"hours": links.HOURS_VALID}}
    return render(request, "accounts/used_link.html", context, status=403)


def what_stays(account: Account) -> list[str]:
    """What a new password does not end, in sentences."""
    sentences = []
    if count := account.api_keys.pasted().active().count():
        keep_working = ngettext(
            "Your API key keeps working: revoke what you do not know.",
            "Your %(count)s API keys keep working: revoke what you do not know.",
            count,
        )
        sentences.append(keep_working % {"count": count})
    if CalendarFeed.objects.filter(account=account).exists():
        sentences.append(_("So does the address of your calendar: end it if others may know it."))
    if factors.has_factor(account):
        sentences.append(_("Your second factors stay as well: remove those that you do not know."))
    if ProviderTie.objects.of(account):
        still_opens = _("%(provider)s still opens your account: disconnect it if that is not you.")
        sentences.append(still_opens % {"provider": settings.OIDC_NAME})
    return sentences


@login_required
@never_cache
@fresh.required
def change_email(request: AccountRequest) -> HttpResponse:
    """Mails a link to the new email; the email changes when it is opened.

    Whoever has the email gets a new password, so the old one is asked for.
    """
    form = ChangeEmailForm(request.user, request.POST or None) if settings.SENDS_MAIL else None
    if form and form.is_valid():
        email = form.cleaned_data["email"]
        try:
            rate_limits.count(request, "reset", str(request.user.pk))
            mail_new_email(request, email)
        except RateLimited as error:
            return too_many_requests(request, error.wait, _("You asked for many links."))
        except mail.NotSent:
            form.add_error(None, NOT_SENT)
        else:
            return render_sent(request, email, sets_password=False)
    return render(request, "accounts/change_email.html", {"form": form})


def mail_new_email(request: AccountRequest, email: str) -> None:
    account = request.user
    if owner := Account.objects.filter(email=email).first():
        mail_owner(request, owner)
    else:
        mail_at_most(
            request, "confirm_new_email", email, new_email=email, link=links.EmailTokens(email).link(account)
        )
    audit.log_event(audit.Event.EMAIL_CHANGE_ASKED, account, detail=email)
    mail.notify("email_change_asked", account, new_email=email)


@login_required
@require_POST
def mail_confirmation(request: AccountRequest) -> HttpResponse:
    """Mails the link that confirms the email of the account once more."""
    account = request.user
    try:
        rate_limits.count(request, "mail", f"again {account.pk}")
        mail.send("confirm_email", account.email, link=links.EmailTokens(account.email).link(account))
        text = _("We wrote to %(email)s. Open the link in that mail.") % {"email": account.email}
        messages.success(request, text)
    except RateLimited as error:
        return too_many_requests(request, error.wait, _("You got this mail several times."))
    except mail.NotSent:
        messages.error(request, NOT_SENT)
    return redirect("account")


@never_cache
def confirm_email(request: HttpRequest) -> HttpResponseBase:
    """The page of `links.EmailTokens`. Opening it changes nothing: programs open the links of mails, too."""
    account = links.EmailTokens(request.GET.get("email", "")).account_of(request.GET)
    if account is None:
        return keeps_address_private(render_used_link(request))
    email = request.GET["email"]
    if request.method == "POST":
        if not use_email_link(request, account):
            return keeps_address_private(render_used_link(request))
        messages.success(request, _("%(email)s is confirmed.") % {"email": email})
        return redirect("account")
    return keeps_address_private(
        render(request, "accounts/confirm_email.html", {"account": account, "email": email})
    )


def use_email_link(request: HttpRequest, before: Account) -> bool:
    """Confirms the email, or makes it that of the account. False if the link does not work any more."""
    email = request.GET["email"]
    try:
        with transaction.atomic():
            accounts = Account.objects.select_for_update(no_key=True)
            account = links.EmailTokens(email).account_of(request.GET, accounts)
            if account is None:
                return False
            account.email, account.email_confirmed_at = email, timezone.now()
            account.save(update_fields=["email", "email_confirmed_at"])
            if email == before.email:
                audit.log_event(audit.Event.EMAIL_CONFIRMED, account)
            else:
                audit.log_event(audit.Event.EMAIL_CHANGED, account, detail=f"{before.email} → {email}")
    except IntegrityError:  # somebody else has an account with it since
        return False
    if email != before.email:
        mail.notify("email_changed", before, new_email=email)
    return True
