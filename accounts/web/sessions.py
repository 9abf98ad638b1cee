"""The list of the browsers in which somebody is signed in, and signing them out."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from accounts import audit
from accounts.models import Account
from accounts.sessions import Session
from accounts.web.requests import AccountRequest

MAX_SHOWN = 50


def shown_sessions(account: Account, current_key: str | None) -> list[Session]:
    """The current session, and then the others, those that were seen last first."""
    sessions = account.sessions.filter(expire_date__gt=timezone.now())
    newest = sessions.order_by("-last_seen_at")[:MAX_SHOWN]
    return sorted(newest, key=lambda session: session.pk != current_key)


@login_required
@require_POST
def end_session(request: AccountRequest) -> HttpResponse:
    """Signs one browser out. One that is signed out already stays so."""
    mark = request.POST.get("session", "")
    for session in request.user.sessions.only("pk"):
        if constant_time_compare(session.mark, mark):
            with transaction.atomic():
                request.user.sessions.filter(pk=session.pk).delete()
                audit.log_event(audit.Event.SESSIONS_ENDED, request.user)
    messages.success(request, _("Signed out there."))
    return redirect("account")


@login_required
@require_POST
def end_sessions(request: AccountRequest) -> HttpResponse:
    """Signs all browsers out but this one."""
    with transaction.atomic():
        count = request.user.end_sessions(but=request.session.session_key)
        if count:
            audit.log_event(audit.Event.SESSIONS_ENDED, request.user)
    text = ngettext(
        "Signed out of %(count)s other browser.", "Signed out of %(count)s other browsers.", count
    )
    messages.success(request, text % {"count": count})
    return redirect("account")
