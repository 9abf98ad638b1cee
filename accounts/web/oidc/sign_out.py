"""Signing out, here and at the provider, whichever of the two somebody begins with."""

import hashlib
import logging
import threading
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.contrib.auth.views import LogoutView
from django.core.cache import caches
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from accounts import audit
from accounts.models import ProviderTie, Session
from accounts.models.provider_tie import digest
from accounts.oauth.redirects import with_parameters
from accounts.oidc import asking, discovery
from accounts.oidc.asking import Conversation, Memory, NotInMemory, ProviderError
from accounts.web.consent import keep_opener
from accounts.web.oidc.problems import RETRY_SECONDS
from accounts.web.sign_in import ID_TOKEN
from fitness.addresses import public_address

log = logging.getLogger("fitness.provider")

Claims = dict[str, Any]
REMEMBERED_SECONDS = 900  # longer than a notice of a logout is taken

may_ask = threading.Lock()


class SignOutView(LogoutView):
    """Ends the session here first, so that it is over whatever the provider does."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        id_token = request.session.get(ID_TOKEN)
        response = super().post(request, *args, **kwargs)
        address = end_session_address(id_token, response.headers["Location"]) if id_token else ""
        if not address:
            return response
        # A page that goes on by itself: a redirect would be held against this page's `form-action`.
        context = {"address": address, "name": settings.OIDC_NAME}
        return render(request, "accounts/provider_sign_out.html", context)


def end_session_address(id_token: str, following: str) -> str:
    """Where the browser ends the provider's session; "" where there is none, or it does not answer.

    `following` is the page after that.
    """
    try:
        metadata = discovery.metadata_in_memory() or asking.in_time(discovery.metadata)
    except ProviderError as error:
        log.warning("provider: %s", error)
        return ""
    if not metadata.end_session_endpoint:
        return ""
    query = {
        "id_token_hint": id_token,
        "client_id": settings.OIDC_CLIENT_ID,
        "post_logout_redirect_uri": f"{public_address()}{reverse('provider-left')}",
        "state": following,
    }
    return with_parameters(metadata.end_session_endpoint, query)


@require_safe
@never_cache
def left(request: HttpRequest) -> HttpResponse:
    """Where the provider sends the browser back to, with the page after that."""
    following = request.GET.get("state", "")
    is_own = url_has_allowed_host_and_scheme(following, request.get_host(), request.is_secure())
    return keep_opener(HttpResponseRedirect(following if is_own else reverse("sign-in")), following)


@csrf_exempt
@require_POST
@never_cache
@sensitive_post_parameters()
def from_provider(request: HttpRequest) -> HttpResponse:
    """Ends the sessions of somebody who has signed out at the provider (Back-Channel Logout 1.0)."""
    token = request.POST.get("logout_token", "")
    try:
        count = end(checked(token))
    except ProviderError as error:
        return not_ended(error)
    log.info("provider: it ended %s sessions", count)
    return HttpResponse()


def not_ended(error: ProviderError) -> HttpResponse:
    log.warning("provider: nobody is signed out: %s", error)
    body = {"error": "invalid_request", "error_description": "The log of the service says why."}
    response = JsonResponse(body, status=503 if error.is_down else 400)
    if error.is_down:
        response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response


def checked(token: str) -> Claims:
    """The claims of a logout token. Anybody may send some: one at a time may ask the provider for its key.

    Raises ProviderError.
    """
    from accounts.oidc import tokens  # 10 MB with joserfc

    def claims(conversation: Conversation) -> Claims:
        return tokens.logout_claims(conversation, discovery.metadata(conversation), token)

    with suppress(NotInMemory):
        return claims(Memory())
    if not may_ask.acquire(blocking=False):
        raise ProviderError("another logout token waits for the provider already", is_down=True)
    try:
        return asking.in_time(claims)
    finally:
        may_ask.release()


def is_first(claims: Claims) -> bool:
    """Whether the token was not used before, as far as the counters remember."""
    name = hashlib.sha256(claims["jti"].encode()).hexdigest()
    return caches["counters"].add(f"provider-logout:{name}", 1, REMEMBERED_SECONDS)


def sessions_of(claims: Claims) -> QuerySet[Session]:
    """The sessions that began with the provider's session, or with any one of somebody."""
    issuer, subject, sid = (claims.get(name) or "" for name in ("iss", "sub", "sid"))
    begun = Session.objects.exclude(provider_session="").filter(account__isnull=False)
    if subject:
        tie = ProviderTie.objects.look_up(issuer, subject)
        begun = begun.filter(account=tie.account) if tie else begun.none()
    if not sid:
        return begun
    names = [digest(issuer, "sid", sid), *([digest(issuer, subject)] if subject else [])]
    return begun.filter(provider_session__in=names)


def end(claims: Claims) -> int:
    """Returns how many sessions have ended. An account that is signed out has an event."""
    with transaction.atomic():
        ended = list(sessions_of(claims).select_related("account"))
        Session.objects.filter(pk__in=[session.pk for session in ended]).delete()
        if not is_first(claims):  # after the deletion: if it fails, the provider may send the token again
            raise ProviderError("the logout token was used before")
        for account in {session.account for session in ended if session.account}:
            audit.log_event(audit.Event.SESSIONS_ENDED, account, detail=f"by {settings.OIDC_NAME}")
    return len(ended)
