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
    record = ApiKey.objects.presented(key) if keys.is_well_formed(key) else None
    if record is None or record.revoked_at or not record.account.is_active:
        raise InvalidKey()
    if record.is_expired:
        raise ExpiredKey()
    request.key_hint = record.hint
    record.touch()
    return record


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
        record = authenticate(request._request)
        return record.account, record

    def authenticate_header(self, request):
        return "Bearer"


class KeyScope(BasePermission):
    """Reading needs any key, writing one with read and write scope."""

    def has_permission(self, request, view):
        if request.method not in SAFE_METHODS and not request.auth.may_write:
            raise InsufficientScope()
        return True
