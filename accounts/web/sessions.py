"""The list of the browsers in which somebody is signed in, and signing them out."""

import datetime
from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from accounts import audit, browsers
from accounts.models import Account
from accounts.sessions import Session
from accounts.web.requests import AccountRequest

MAX_SHOWN = 50


@dataclass(frozen=True)
class SessionFacts:
    """A session as the settings show it. `mark` names it, as its key would open the account."""

    mark: str
    name: str
    address: str
    signed_in_at: datetime.datetime | None
    last_seen_at: datetime.datetime | None
    is_current: bool


def session_facts(account: Account, current_key: str | None) -> list[SessionFacts]:
    """The current session, and then the others, those that were seen last first."""
    sessions = account.sessions.filter(expire_date__gt=timezone.now())
    newest = sessions.order_by("-last_seen_at")[:MAX_SHOWN]
    facts = [facts_of(session, session.pk == current_key) for session in newest]
    return sorted(facts, key=lambda session: not session.is_current)


def facts_of(session: Session, is_current: bool) -> SessionFacts:
    return SessionFacts(
        mark=mark_of(session.pk),
        name=browsers.name_of(session.browser),
        address=session.address,
        signed_in_at=session.signed_in_at,
        last_seen_at=session.last_seen_at,
        is_current=is_current,
    )


def mark_of(session_key: str) -> str:
    return salted_hmac("accounts.web.sessions", session_key).hexdigest()[:32]


@login_required
@require_POST
def end_session(request: AccountRequest) -> HttpResponse:
    """Signs one browser out. One that is signed out already stays so."""
    mark = request.POST.get("session", "")
    for session_key in request.user.sessions.values_list("pk", flat=True):
        if constant_time_compare(mark_of(session_key), mark):
            with transaction.atomic():
                request.user.sessions.filter(pk=session_key).delete()
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
