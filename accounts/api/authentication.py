"""Authentication by API key, and by access token where a view takes those: /mcp alone.

A session cookie never authenticates a request to the API.
"""

from django.http import HttpRequest
from rest_framework.authentication import BaseAuthentication

from accounts import keys
from accounts.key_days import KeyCounts, KeyRequest
from accounts.key_use import store_use
from accounts.models import ApiKey
from accounts.oauth import tokens
from fitness import logs
from fitness.api.exceptions import ExpiredKey, InvalidKey
from fitness.api.parsers import header


def authenticate(request: HttpRequest, *, takes_tokens: bool = False) -> ApiKey:
    """The ApiKey, with its account, of the key in a Django request; with `takes_tokens` also of a connection.

    Raises InvalidKey for a missing, unknown or revoked key and for one of an inactive account, ExpiredKey for
    an expired one or an expired token.
    """
    key = key_from_headers(request)
    api_key = None
    if keys.is_well_formed(key):
        api_key = ApiKey.look_up(key)
    elif takes_tokens and keys.is_well_formed(key, keys.ACCESS_PREFIX):
        api_key = tokens.look_up(key)
    if api_key is None or api_key.revoked_at or not api_key.account.is_active:
        raise InvalidKey()
    if api_key.is_expired:
        raise ExpiredKey()
    logs.note(key=api_key.hint, account=str(api_key.account_id))
    request.key_request = KeyRequest(api_key, KeyCounts(requests=1))  # type: ignore[attr-defined]  # for CountKeyUse
    store_use(api_key)
    return api_key


def key_from_headers(request: HttpRequest) -> str:
    """The key in `Authorization: Bearer` or in `api-key`, "" without one.

    If two different keys are sent, both are rejected, because nobody knows which one is meant.
    """
    scheme, _, token = (header(request, "Authorization") or "").partition(" ")
    keys_sent = set()
    if scheme.lower() == "bearer":
        keys_sent.add(token.strip())
    if (api_key := header(request, "api-key")) is not None:
        keys_sent.add(api_key.strip())
    return keys_sent.pop() if len(keys_sent) == 1 else ""


class KeyAuthentication(BaseAuthentication):
    """Stands for `authenticate` in the OpenAPI document (accounts/api/schema.py)."""
