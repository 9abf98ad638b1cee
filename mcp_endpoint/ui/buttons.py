"""What a person may press in a page: taking back what a tool has just saved, and following a new plan.

A button holds a signed token, which names the record and expires. Models do not get it: it is in `_meta` of
the result, and the tool that takes it is one that only pages may call (MCP Apps, "Visibility").
"""

from collections.abc import Callable
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
from mcp_endpoint.tool import Tool, rest
from training.api.views.plan import PlanViewSet
from training.api.views.workout import WorkoutViewSet

SALT = "mcp_endpoint.ui.buttons"
LIFETIME = timedelta(days=1)
EXPIRED = "is no button of this account, or older than a day. Correct the record in the app."


class ButtonArguments(QuerySerializer):
    button = fields.StringField(help_text="Of the `_meta` of a result.")


class PressedSerializer(StrictSerializer):
    message = fields.StringField()


def workout_buttons(account: Account, workout: JsonObject) -> dict[str, str]:
    return {"undo": token(account, "remove_workout", workout["id"])}


def plan_buttons(account: Account, plan: JsonObject, followed: str | None) -> dict[str, str]:
    """`followed` is the id of the plan that was active before."""
    undo = {"undo": token(account, "remove_plan", plan["id"], followed if plan["active"] else None)}
    return undo if plan["active"] else {**undo, "follow": token(account, "follow_plan", plan["id"])}


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
        return {"message": ACTIONS[action](self.account, pk, before)}


def remove_workout(account: Account, pk: str, _: str | None) -> str:
    WorkoutViewSet.perform("destroy", account, {}, workout_id=pk)
    return "The workout is taken back."


def remove_plan(account: Account, pk: str, before: str | None) -> str:
    """Takes a plan back; the one that it has retired is active again, where it still exists."""
    with transaction.atomic():
        PlanViewSet.perform("destroy", account, {}, plan_id=pk)
        former = account.plans.filter(pk=before).first() if before else None
        if former is None or account.plans.active().exists():
            return "The plan is taken back."
        former.activate()
        return f"The plan is taken back; {former.name} is active again."


def follow_plan(account: Account, pk: str, _: str | None) -> str:
    plan = PlanViewSet.perform("activate", account, {}, plan_id=pk)
    return f"{plan['name']} is the active plan now."


ACTIONS: dict[str, Callable[[Account, str, str | None], str]] = {
    "remove_workout": remove_workout,
    "remove_plan": remove_plan,
    "follow_plan": follow_plan,
}


PRESS_BUTTON = Tool(
    name="press_button",
    description="Carries out a button that the user has pressed in a page of this server.",
    arguments=ButtonArguments,
    operation=rest(ButtonViewSet, "press", "button"),
    line=lambda pressed, account: str(pressed["message"]).removesuffix("."),
    done="",
    missing="its record is gone already.",
    destructive=True,
)
