from typing import Any

from accounts.models import Account
from fitness.api import fields
from fitness.api.serializers import StrictSerializer


class ProfileSerializer(StrictSerializer):
    """The account that owns the API key. The profile is edited in the app; what is empty is null."""

    id = fields.StringField()
    display_name = fields.StringField(allow_null=True, help_text="What the person wants to be called.")
    email = fields.StringField(help_text="The address that the person signs in with.")
    height_cm = fields.NumberField(allow_null=True, help_text="Body height in centimetres.")
    birth_date = fields.DayField(allow_null=True)
    gender = fields.ChoiceField(Account.Gender, allow_null=True)
    goal = fields.ChoiceField(
        Account.TrainingGoal, help_text="What the training is for; `maintain` until another is chosen."
    )
    created_at = fields.TimestampField(help_text="When the account was opened.")

    def to_representation(self, account: Account) -> dict[str, Any]:
        profile = super().to_representation(account)
        return {name: None if value == "" else value for name, value in profile.items()}
