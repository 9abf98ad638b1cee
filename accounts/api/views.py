from typing import Any

from accounts.api.serializers import ProfileSerializer
from accounts.api.viewsets import AccountViewSet
from fitness.api.operations import operation


class ProfileViewSet(AccountViewSet):
    """The account that owns the API key."""

    tag = "Profile"

    @operation("get_profile", responses={200: ProfileSerializer})
    def retrieve(self) -> dict[str, Any]:
        """Get the profile

        Fields that the person has left empty are null. The profile is edited in the app.
        """
        return ProfileSerializer.rendered(self.account)
