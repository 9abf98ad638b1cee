from accounts.api.authentication import authenticate
from accounts.models import Account, ApiKey
from fitness.api import rate_limits
from fitness.api.viewsets import ApiViewSet


class AccountViewSet(ApiViewSet):
    """A viewset of an account's data. `account` owns the key of the request, or of the tool call."""

    account: Account
    api_key: ApiKey

    def authenticate(self) -> None:
        self.api_key = authenticate(self.request)
        self.account = self.api_key.account
        rate_limits.count(self.request, "key", str(self.api_key.pk))
