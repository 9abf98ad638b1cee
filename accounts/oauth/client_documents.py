"""Clients that are known by the address of their own document (draft-ietf-oauth-client-id-metadata-document).

Off unless OAUTH_CLIENT_DOCUMENTS is on, as the service then asks addresses that strangers name. So:

1. The address is https, of a name, at port 443, with a path and nothing behind it.
2. Every address that the name resolves to is public, and the connection goes to one that was looked at.
   Example: https://intranet.example.org/client.json resolves to 10.0.0.7 -> refused, nothing is asked.
3. No redirects, 3 seconds in all, 8 KB, JSON. Two at once; ten an hour from one address of a browser.
4. The document names its own address as `client_id`, and asks for no secret.
5. It is kept as long as it says, from 5 minutes to 24 hours; while its host fails, for 7 days more.
"""

import datetime
import http.client
import re
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import SplitResult

from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.oauth.errors import OAuthError
from accounts.oauth.models import MAX_ADDRESS, OAuthClient
from accounts.oauth.redirects import FORBIDDEN, PLAIN
from accounts.oauth.registration import acceptable_redirect_uris, claimed_name
from fitness.addresses import split
from fitness.api import rate_limits
from fitness.api.exceptions import RateLimited
from fitness.api.parsers import loads
from fitness.outbound import NotPublic, connection_to, may_be_named

SECONDS = 3.0
MAX_BYTES = 8_192
FAILED_SECONDS = 60  # for which a failure is remembered
STALE_FOR = datetime.timedelta(days=7)
SHORTEST, LONGEST = 300, 86_400  # seconds for which a document is kept
DOT_SEGMENT = re.compile(r"/(\.|%2e){1,2}(/|$)", re.IGNORECASE)

fetchers = ThreadPoolExecutor(2, thread_name_prefix="client-document")


class Unusable(Exception):
    """The document cannot be had, or is not acceptable. The text is for the person.

    It is lazy: the thread that reads the document does not know their language.
    """


class Busy(Unusable):
    """Nothing is wrong with the document: as many others as may be are being read."""


def client(request: HttpRequest, client_id: str) -> OAuthClient | None:
    """The client with this id: a registered one, or that of a document. Raises Unusable."""
    stored = OAuthClient.objects.look_up(client_id)
    if stored and not stored.has_document:
        return stored
    if not settings.OAUTH_CLIENT_DOCUMENTS or not client_id.startswith("https://"):
        return None
    if stored and stored.has_document_of(timezone.now()):
        return stored
    try:
        return fetched(request, client_id)
    except Unusable:
        if stored and stored.has_document_of(timezone.now() - STALE_FOR):
            return stored
        raise


def fetched(request: HttpRequest, address: str) -> OAuthClient:
    """The client of the document at an address, stored. Raises Unusable."""
    check_address(address)
    failed = f"client-document:{address}"
    if 0 <= time.time() - caches["default"].get(failed, 0) < FAILED_SECONDS:  # also if the clock was set back
        raise Unusable(
            _("The document of the program could not be read a moment ago. Try again in a minute.")
        )
    try:
        rate_limits.count(request, "client-document", rate_limits.client_address(request))
        document, seconds = fetch_in_time(address)
        facts = facts_of(address, document)
    except RateLimited:
        raise Unusable(
            _("Many documents of programs were asked for from your network. Try again later.")
        ) from None
    except Busy:
        raise
    except Unusable:
        caches["default"].set(failed, time.time(), FAILED_SECONDS)
        raise
    ends = timezone.now() + datetime.timedelta(seconds=seconds)
    stored, _is_new = OAuthClient.objects.update_or_create(
        client_id=address, defaults={**facts, "document_expires_at": ends}
    )
    return stored


def check_address(address: str) -> SplitResult:
    """The parts of an acceptable address of a document (step 1). Raises Unusable."""
    parts = split(address) if PLAIN.fullmatch(address) and not FORBIDDEN.search(address) else None
    if (
        parts is None
        or len(address) > MAX_ADDRESS
        or not may_be_named(parts)
        or parts.path in ("", "/")
        or "?" in address
        or DOT_SEGMENT.search(parts.path)
    ):
        raise Unusable(_("The program names an address for its document that is not acceptable."))
    return parts


def fetch_in_time(address: str) -> tuple[Mapping[str, Any], int]:
    """What `fetch` returns, if it does so in time: nothing else bounds the resolution of a name."""
    future = fetchers.submit(fetch, address)
    try:
        return future.result(SECONDS)
    except TimeoutError as error:
        if future.cancel():  # it never began, so nothing is known of the document
            raise Busy(_("Other documents of programs are being read. Try again in a moment.")) from error
        raise Unusable(_("The document of the program takes too long. Try again later.")) from error
    except NotPublic:
        raise Unusable(_("The document of the program is not at a public address.")) from None
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise Unusable(
            _("The document of the program cannot be read at the moment. Try again later.")
        ) from error


def fetch(address: str) -> tuple[Mapping[str, Any], int]:
    """The document at an address, and for how many seconds it may be kept.

    Raises Unusable, NotPublic, OSError, ValueError and HTTPException.
    """
    parts = check_address(address)
    with connection_to(parts.hostname or "", SECONDS) as connection:
        connection.request("GET", parts.path, headers={"Accept": "application/json"})
        response = connection.getresponse()
        content_type = response.headers.get_content_type()
        if response.status != 200 or not content_type.endswith(("/json", "+json")):
            raise Unusable(_("The document of the program is not there, or is no JSON."))
        text = response.read(MAX_BYTES + 1)
    if len(text) > MAX_BYTES:
        raise Unusable(_("The document of the program is too long."))
    return loads(text), kept_seconds(response.headers.get("Cache-Control", ""))


def kept_seconds(cache_control: str) -> int:
    found = re.search(r"(?:^|[\s,])max-age=(\d{1,9})", cache_control)
    return min(max(int(found[1]) if found else SHORTEST, SHORTEST), LONGEST)


def facts_of(address: str, document: object) -> dict[str, Any]:
    """What is stored of a document (step 4). Raises Unusable."""
    if not isinstance(document, dict) or document.get("client_id") != address:
        raise Unusable(_("The document of the program does not name its own address as client_id."))
    method = document.get("token_endpoint_auth_method", "none")
    others = document.get("token_endpoint_auth_methods_supported", [])
    takes_none = method == "none" or (isinstance(others, list) and "none" in others)
    if not takes_none or any(name.startswith("client_secret") for name in document):
        raise Unusable(_("The program wants to use a secret, which this service does not give out."))
    try:
        redirect_uris = acceptable_redirect_uris(document.get("redirect_uris"))
        return {
            "redirect_uris": redirect_uris,
            "name": claimed_name(document.get("client_name"), redirect_uris),
        }
    except OAuthError as error:
        text = _("The document of the program is not acceptable: %(reason)s")
        raise Unusable(text % {"reason": error.description}) from None
