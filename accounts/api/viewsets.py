from accounts.models import Account
from fitness.api.viewsets import ApiViewSet


class AccountViewSet(ApiViewSet):
    """A viewset of an account's data. `account` owns the key of the request, or of the tool call."""

    account: Account
