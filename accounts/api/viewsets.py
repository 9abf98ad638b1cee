from accounts.models import Account
from fitness.api.viewsets import ApiViewSet


class AccountViewSet(ApiViewSet):
    """A viewset of what belongs to an account: the one that owns the key, or for which a tool is called."""

    account: Account
