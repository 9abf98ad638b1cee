"""API keys on requests. A session cookie never authenticates the API."""

from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import SAFE_METHODS, BasePermission

from accounts import keys
from accounts.models import ApiKey
from fitness.api.exceptions import ExpiredKey, InsufficientScope, InvalidKey


def authenticate(request):
    """The ApiKey record (with its account) that a Django request carries.

    Raises InvalidKey or ExpiredKey.
    """
    key = presented_key(request)
    api_key = ApiKey.objects.presented(key) if keys.is_well_formed(key) else None
    if api_key is None or api_key.revoked_at or not api_key.account.is_active:
        raise InvalidKey()
    if api_key.is_expired:
        raise ExpiredKey()
    request.key_hint = api_key.hint
    api_key.touch()
    return api_key


def presented_key(request):
    """The key in either header; two headers that differ are as good as none."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    presented = set()
    if scheme.lower() == "bearer":
        presented.add(token.strip())
    if "api-key" in request.headers:
        presented.add(request.headers["api-key"].strip())
    return presented.pop() if len(presented) == 1 else ""


class KeyAuthentication(BaseAuthentication):
    def authenticate(self, request):
        api_key = authenticate(request._request)
        return api_key.account, api_key

    def authenticate_header(self, request):
        return "Bearer"


class KeyScope(BasePermission):
    """Reading needs any key, writing one with read and write scope."""

    def has_permission(self, request, view):
        if request.method not in SAFE_METHODS and not request.auth.may_write:
            raise InsufficientScope()
        return True
