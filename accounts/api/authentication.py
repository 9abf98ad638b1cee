"""Authentication by API key, and by access token where a view takes those: /mcp alone.

A session cookie never authenticates a request to the API.
"""

from django.http import HttpRequest
from rest_framework.authentication import BaseAuthentication

from accounts import keys
from accounts.key_days import KeyCounts
from accounts.key_use import store_use
from accounts.models import Account, ApiKey
from accounts.oauth import tokens
from fitness import logs
from fitness.api.errors import CHALLENGE
from fitness.api.exceptions import ExpiredKey, InvalidKey
from fitness.api.parsers import header


class KeyAuthentication(BaseAuthentication):
    """The key of a request becomes its `auth`, and the key's account its `user`."""

    def authenticate(self, request: HttpRequest) -> tuple[Account, ApiKey]:
        """Raises InvalidKey for a missing, unknown or revoked key and for one of an inactive account,
        ExpiredKey for an expired one.
        """
        api_key = self.look_up(key_from_headers(request))
        if api_key is None or api_key.revoked_at or not api_key.account.is_active:
            raise InvalidKey()
        if api_key.is_expired:
            raise ExpiredKey()
        api_key.use = KeyCounts(requests=1)
        logs.note(key=api_key.hint, account=str(api_key.account_id))
        store_use(api_key)
        return api_key.account, api_key

    def look_up(self, key: str) -> ApiKey | None:
        return ApiKey.look_up(key) if keys.is_well_formed(key) else None

    def authenticate_header(self, request: HttpRequest) -> str:
        """Makes DRF answer 401, and not 403. Which error it was, fitness.api.errors adds to it."""
        return CHALLENGE


class KeyOrTokenAuthentication(KeyAuthentication):
    """Takes access tokens, too: their connections are keys. Raises ExpiredToken for an expired one."""

    def look_up(self, key: str) -> ApiKey | None:
        if keys.is_well_formed(key, keys.ACCESS_PREFIX):
            return tokens.look_up(key)
        return super().look_up(key)


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
