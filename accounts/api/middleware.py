"""Counts the requests with a key, for staff (accounts/key_days.py)."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.permissions import SAFE_METHODS

from accounts.key_days import KeyCounts, unstored
from accounts.models import ApiKey
from fitness.api.middleware import Middleware, is_api


class CountKeyUse(Middleware):
    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        api_key: ApiKey | None = getattr(request, "auth", None)  # set by DRF, and by the tool endpoint
        if api_key:
            count_outcome(api_key.use, request, response.status_code)
            unstored.add(api_key.account_id, api_key.pk, api_key.use)
        return response


def count_outcome(use: KeyCounts, request: HttpRequest, status: int) -> None:
    """Counts a write or a refusal. Tools have counted theirs (mcp_endpoint/methods.py)."""
    if 400 <= status < 500:
        use.refusals = max(use.refusals, 1)
    elif status < 300 and is_api(request) and request.method not in SAFE_METHODS:
        use.writes = 1
