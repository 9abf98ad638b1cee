"""What a person may press in a page: taking back what a tool has just saved, and following a new plan.

A button holds a signed token, which names the record and expires. Models do not get it: it is in `_meta` of
the result, and the tool that takes it is one that only pages may call (MCP Apps, "Visibility").
"""

from datetime import timedelta
from typing import Any

from django.core import signing
from django.db import transaction
from rest_framework.exceptions import ValidationError

from accounts.api.viewsets import AccountViewSet
from accounts.models import Account
from fitness.api import fields
from fitness.api.operations import operation
from fitness.api.serializers import QuerySerializer, StrictSerializer
from fitness.json import JsonObject
from mcp_endpoint.serializers import extended
from mcp_endpoint.tool import Tool, rest
from training.api.views.plan import PlanViewSet
from training.api.views.workout import WorkoutViewSet

SALT = "mcp_endpoint.ui.buttons"
LIFETIME = timedelta(days=1)
EXPIRED = "is no button of this account, or older than a day. Correct the record in the app."


class PressedSerializer(StrictSerializer):
    message = fields.StringField()


def token(account: Account, action: str, pk: str, before: str | None = None) -> str:
    return signing.dumps([str(account.pk), action, pk, before], salt=SALT)


class ButtonViewSet(AccountViewSet):
    tag = "Buttons"
    instance: list[Any]  # the action, the record's id, and the id of the plan that was active before

    def get_object(self, button: str) -> Any:
        """Raises ValidationError for a button that is not the account's or has expired."""
        try:
            owner, *instance = signing.loads(button, salt=SALT, max_age=LIFETIME)
        except signing.BadSignature:
            owner = None
        if owner != str(self.account.pk):
            raise ValidationError({"path": {"button": [EXPIRED]}})
        return instance

    @operation("press_button", method="POST", responses={200: PressedSerializer})
    def press(self) -> JsonObject:
        action, pk, before = self.instance
        match action:
            case "remove_workout":
                WorkoutViewSet.perform("destroy", self.account, {}, workout_id=pk)
                return {"message": "The workout is taken back."}
            case "follow_plan":
                plan = PlanViewSet.perform("activate", self.account, {}, plan_id=pk)
                return {"message": f"{plan['name']} is the active plan now."}
            case _:
                return {"message": self.remove_plan(pk, before)}

    def remove_plan(self, pk: str, before: str | None) -> str:
        """Takes a plan back; the one that it has retired is active again, where it still exists."""
        with transaction.atomic():
            PlanViewSet.perform("destroy", self.account, {}, plan_id=pk)
            former = self.account.plans.filter(pk=before).first() if before else None
            if former is None or self.account.plans.active().exists():
                return "The plan is taken back."
            former.activate()
            return f"The plan is taken back; {former.name} is active again."


PRESS_BUTTON = Tool(
    name="press_button",
    description="Carries out a button that the user has pressed in a page of this server.",
    arguments=extended(QuerySerializer, button=fields.StringField(help_text="Of the `_meta` of a result.")),
    operation=rest(ButtonViewSet, "press", "button"),
    line=lambda pressed, account: str(pressed["message"]).removesuffix("."),
    done="",
    missing="its record is gone already.",
    destructive=True,
)
