from django.views.generic import View
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from accounts.models import ApiKey


class HasScope(BasePermission):
    """A key that may only read gets a 403 for whatever is not a GET."""

    message = (
        "This API key may only read. Create a key with read and write scope in the app under "
        "Settings, Developer."
    )

    def has_permission(self, request: Request, view: View) -> bool:
        key = request.auth
        return request.method in SAFE_METHODS or (isinstance(key, ApiKey) and key.may_write)
