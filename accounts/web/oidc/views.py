"""To the provider, and back."""

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_GET, require_safe

from accounts import audit, factors
from accounts.invitations import Invitation
from accounts.models import ProviderTie
from accounts.models.provider_tie import digest
from accounts.oidc import asking, authorization, discovery, identity, people, roles
from accounts.oidc.asking import Conversation, ProviderError
from accounts.oidc.discovery import Metadata
from accounts.oidc.identity import Identity
from accounts.web import fresh
from accounts.web.consent import keep_opener
from accounts.web.oidc import flows, problems, ties
from accounts.web.oidc.flows import Flow
from accounts.web.sign_in import PendingSignIn, ProviderSession, begin_second_step, complete_sign_in
from fitness.api import rate_limits
from fitness.api.exceptions import RateLimited
from fitness.middleware import opens_without_factor
from fitness.web.shortcuts import next_address, too_many_requests

TOO_MANY = gettext_lazy("Many sign-ins came back from your network.")
SOMEBODY_ELSE = gettext_lazy(
    "You are signed in here, and somebody else is at {provider}. Sign out there first."
)
NOT_ASKED = gettext_lazy("{provider} did not ask who you are. Sign out there, and come back.")


@require_safe
@never_cache
def begin(request: HttpRequest) -> HttpResponse:
    """Leads to the provider. A link, as browsers apply the `form-action` of a page to redirects as well."""
    address = next_address(request, reverse("home"))
    if request.user.is_authenticated:
        return HttpResponseRedirect(address)
    invitation = Invitation.objects.look_up(request.GET.get("invitation", ""))
    return lead(request, flows.SIGN_IN, address, invitation)


@opens_without_factor
@require_safe
@login_required
@never_cache
def begin_confirmation(request: HttpRequest) -> HttpResponse:
    """In place of the password, before what needs a fresh sign-in."""
    return lead(request, flows.CONFIRM, next_address(request, reverse("account")))


@require_safe
@login_required
@never_cache
@fresh.required
def begin_tie(request: HttpRequest) -> HttpResponse:
    return lead(request, flows.TIE, reverse("account"))


def lead(
    request: HttpRequest, purpose: str, address: str, invitation: Invitation | None = None
) -> HttpResponse:
    try:
        metadata = discovery.metadata_in_memory() or asking.in_time(discovery.metadata)
    except ProviderError as error:
        return keep_opener(problems.refused(request, error, address), address)
    flow = flows.begin(request, purpose, address, invitation.pk if invitation else None)
    there = authorization.address(metadata, flow, asks_again=purpose == flows.CONFIRM)
    return keep_opener(redirect(there), address)


@opens_without_factor
@require_GET
@never_cache
@sensitive_variables()
def arrive(request: HttpRequest) -> HttpResponse:
    """The redirect URI."""
    flow = flows.take(request, request.GET.get("state", ""))
    if flow is None:
        return problems.not_begun(request)
    try:
        rate_limits.count(request, "provider", rate_limits.client_address(request))
        who = asking.in_time(lambda conversation: identified(conversation, request, flow))
    except RateLimited as error:  # whoever brings codes of their own would keep both places of `asking`
        return too_many_requests(request, error.wait, str(TOO_MANY))
    except ProviderError as error:
        return keep_opener(problems.refused(request, error, flow.next), flow.next)
    response = {flows.SIGN_IN: sign_in, flows.CONFIRM: confirm, flows.TIE: ties.propose_from_settings}
    return keep_opener(response[flow.purpose](request, flow, who), flow.next)


def identified(conversation: Conversation, request: HttpRequest, flow: Flow) -> Identity:
    """Raises ProviderError."""
    metadata = discovery.metadata(conversation)
    answer = request.GET
    check_issuer(answer.get("iss"), metadata)
    if "error" in answer:
        raise ProviderError(
            f"it answered {answer['error'][:100]}: {answer.get('error_description', '')[:200]}"
        )
    code = answer.get("code", "")
    if not 0 < len(code) <= authorization.MAX_CODE:
        raise ProviderError("the answer has no code")
    return identity.identity_of(conversation, metadata, code, flow)


def check_issuer(named: str | None, metadata: Metadata) -> None:
    """An answer names no other issuer; that of a provider which always names itself, this one (RFC 9207)."""
    is_left_out = named is None and not metadata.names_itself
    if named != metadata.issuer and not is_left_out:
        raise ProviderError("the answer names another issuer, or none (RFC 9207)")


def sign_in(request: HttpRequest, flow: Flow, who: Identity) -> HttpResponse:
    invitation = Invitation.objects.filter(pk=flow.invitation).first() if flow.invitation else None
    try:
        tie = people.tie_of(who, invitation)
    except people.NotAdmitted as error:
        return problems.not_admitted(request, error, who.subject, flow.next)
    if tie is None:
        return ties.ask_to_sign_in(request, flow.next, who)
    roles.follow(tie, who.groups)
    ProviderTie.objects.filter(pk=tie.pk).update(last_used_at=timezone.now())
    return signed_in(request, flow, tie, session_of(who))


def session_of(who: Identity) -> ProviderSession:
    """Without a `sid` all sessions of somebody count as one."""
    named = digest(who.issuer, "sid", who.sid) if who.sid else digest(who.issuer, who.subject)
    return ProviderSession(named, who.id_token, who.proved_at)


def signed_in(request: HttpRequest, flow: Flow, tie: ProviderTie, session: ProviderSession) -> HttpResponse:
    account = tie.account
    if settings.OIDC_ASK_FACTOR and factors.has_factor(account):
        begin_second_step(request, PendingSignIn(account, flow.next, session))
        return redirect("factor")
    audit.log_event(audit.Event.SIGNED_IN, account, detail=f"with {settings.OIDC_NAME}")
    with_factor = not settings.OIDC_ASK_FACTOR  # the provider asks for one, or the household wants none
    return complete_sign_in(request, account, flow.next, with_factor=with_factor, provider=session)


def confirm(request: HttpRequest, flow: Flow, who: Identity) -> HttpResponse:
    tie = ProviderTie.objects.look_up(who.issuer, who.subject)
    if not request.user.is_authenticated or tie is None or tie.account != request.user:
        text = format_lazy(SOMEBODY_ELSE, provider=settings.OIDC_NAME)
        return problems.turned_away(request, _("That was somebody else"), text, who.subject, flow.next)
    if not fresh.is_recent(who.proved_at):
        text = format_lazy(NOT_ASKED, provider=settings.OIDC_NAME)
        return problems.turned_away(request, _("That was too long ago"), text, who.subject, flow.next)
    fresh.mark(request, who.proved_at)
    return HttpResponseRedirect(flow.next)
