from django.views.generic import View
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from accounts.models import ApiKey
from fitness.api.exceptions import BeingRestored


class HasScope(BasePermission):
    """A key that may only read gets a 403 for whatever is not a GET.

    With one that may write, an account that is being restored gets a 503 (BeingRestored).
    """

    message = (
        "This API key may only read. Create a key with read and write scope in the app under "
        "Settings, Developer."
    )

    def has_permission(self, request: Request, view: View) -> bool:
        if request.method in SAFE_METHODS:
            return True
        key = request.auth
        if not (isinstance(key, ApiKey) and key.may_write):
            return False
        if key.account.is_being_restored:
            raise BeingRestored()
        return True
