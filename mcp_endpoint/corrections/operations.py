"""How corrections are carried out: what one changes is read first, and is part of the answer.

One transaction, which locks the account: nothing of it changes between what is read and what is stored.
REST only reads the schedule of supplements, so its changes are operations without an address.
"""

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from django.db import transaction
from rest_framework.exceptions import ValidationError

from accounts.api.viewsets import AccountViewSet
from accounts.models import Account
from body.api.serializers import MeasurementSerializer, WeightLogSerializer
from fitness.api.operations import operation
from fitness.api.serializers import Values
from fitness.api.viewsets import ApiViewSet, delete_instance, parse_uuid
from fitness.json import JsonObject, timestamp, without_fragments
from mcp_endpoint.corrections.serializers import SupplementChange, SupplementToAdd
from mcp_endpoint.tool import ChangedSince, Found, RestOperation, rest
from nutrition.api.serializers import MealTickSerializer
from nutrition.api.views import NutritionViewSet
from supplements.api.serializers import SupplementLogSerializer, SupplementSerializer
from supplements.models import MAX_SUPPLEMENTS, Supplement
from training.api.views.plan import PlanViewSet
from training.api.views.progression import ProgressionViewSet, RoutineProgressionViewSet
from training.api.views.routine import RoutineViewSet
from training.api.views.workout import WorkoutViewSet

FULL = f"There are {MAX_SUPPLEMENTS} supplements, and more do not fit on a page: remove one first."

Reader: TypeAlias = Callable[[Account, Values], JsonObject]  # of what the arguments name, as clients read it


@dataclass(frozen=True, kw_only=True)
class Correction(RestOperation):
    """An operation that changes or deletes what `read` finds before.

    The result is the record, with what has changed of it as it was in `before`; of a deletion, what there was
    in `deleted`.
    """

    read: Reader

    def __call__(self, account: Account, values: Values) -> JsonObject:
        with transaction.atomic():
            account.lock()
            before = self.read(account, values)
            after = super().__call__(account, values)
            if after is None:
                return {"deleted": before}
            record = without_fragments(after)
            return {**record, "before": what_changed(before, record, values)}


def what_changed(before: JsonObject, after: JsonObject, values: Values) -> JsonObject:
    """Of a record before a change what the arguments have changed; with days or exercises also the rules.

    Of the days of a plan those that have changed.
    """
    changed = {name: old for name, old in before.items() if name in values and old != after[name]}
    if "rules" in before and not changed.keys().isdisjoint(("days", "exercises")):
        changed["rules"] = before["rules"]
    if "days" in changed:
        changed["days"] = [day for day in before["days"] if day not in after["days"]]
    return changed


def correcting(read: Reader, view: type[ApiViewSet], action: str, *path: str) -> Correction:
    return Correction(view, action, path, read=read)


def activate_plan(account: Account, values: Values) -> Found:
    """Makes a plan the active one. The result is the plan, with the one that was in `retired`.

    A notice says every how many weeks it is lighter, if it is: the count begins now.
    """
    with transaction.atomic():
        account.lock()
        former = account.plans.active().first()
        plan = rest(PlanViewSet, "activate", "plan_id")(account, values)
        is_another = former is not None and str(former.pk) != plan["id"]
        retired = {"id": str(former.pk), "name": former.name} if former and is_another else None
        deload_every = account.plans.active().get().progressions.deload_every
        lighter = f"Every {deload_every} weeks one is a deload; this week is the first."
        return Found({**plan, "retired": retired}, [lighter] if deload_every else [])


# --- What is there before -----------------------------------------------------------------------


def workout(account: Account, values: Values) -> JsonObject:
    """Raises ChangedSince where `if_updated_at` is not the time of its latest change."""
    found: JsonObject = without_fragments(rest(WorkoutViewSet, "retrieve", "workout_id")(account, values))
    expected = values.get("if_updated_at")
    if expected and datetime.datetime.fromisoformat(found["updated_at"]) != expected:
        raise ChangedSince(found)
    return found


def routine(account: Account, values: Values) -> JsonObject:
    found: JsonObject = rest(RoutineViewSet, "retrieve", "routine_id")(account, values)
    return found | rules(rest(RoutineProgressionViewSet, "retrieve", "routine_id")(account, values))


def plan(account: Account, values: Values) -> JsonObject:
    found: JsonObject = rest(PlanViewSet, "retrieve", "plan_id")(account, values)
    return found | rules(rest(ProgressionViewSet, "retrieve", "plan_id")(account, values))


def rules(progression: JsonObject) -> JsonObject:
    """The rules of a plan or routine, as clients of REST read them; nothing without any."""
    return {"rules": progression} if progression["rules"] else {}


def weight_log(account: Account, values: Values) -> JsonObject:
    """Locks its row: REST changes it without the lock of the account."""
    logs = account.weight_logs.select_for_update()
    return WeightLogSerializer.rendered(logs.get(pk=parse_uuid(values["weight_id"])))


def measurement(account: Account, values: Values) -> JsonObject:
    """Locks its row, as above."""
    logs = account.measurements.select_for_update()
    return MeasurementSerializer.rendered(logs.get(pk=parse_uuid(values["measurement_id"])))


def supplement(account: Account, values: Values) -> JsonObject:
    return SupplementSerializer.rendered(locked_supplement(account, values))


def supplement_with_ticks(account: Account, values: Values) -> JsonObject:
    found = locked_supplement(account, values)
    ticks = found.logs.order_by("day").values_list("day", "taken_at")
    taken = {str(day): timestamp(taken_at) for day, taken_at in ticks}
    return {**SupplementSerializer.rendered(found), "ticks": taken}


def tick(account: Account, values: Values) -> JsonObject:
    ticks = locked_supplement(account, values).logs
    return SupplementLogSerializer.rendered(ticks.get(day=values["day"]))


def locked_supplement(account: Account, values: Values) -> Supplement:
    """Locks its row: pages change it without the lock of the account."""
    return account.supplements.select_for_update().get(pk=parse_uuid(values["supplement_id"]))


def nutrition_day(account: Account, values: Values) -> JsonObject:
    found = rest(NutritionViewSet, "retrieve", "day")(account, values)
    ticks = account.meal_ticks.filter(nutrition_day__day=values["day"]).select_related("nutrition_day")
    return {**found, "meals": MealTickSerializer.rendered_list(ticks.order_by("id"))}


# --- The schedule of supplements ------------------------------------------------------------------


class ScheduleViewSet(AccountViewSet):
    tag = "Supplements"
    instance: Supplement

    def get_object(self, supplement_id: str) -> Supplement:
        return self.account.supplements.get(pk=parse_uuid(supplement_id))

    @operation("add_supplement", method="POST", body=SupplementToAdd, responses={201: SupplementSerializer})
    def create(self) -> dict[str, Any]:
        with transaction.atomic():
            self.account.lock()
            if self.account.supplements.count() >= MAX_SUPPLEMENTS:
                raise ValidationError({"arguments": [FULL]})
            return SupplementSerializer.rendered(self.account.supplements.create(**self.body))

    @operation(
        "update_supplement", method="PATCH", body=SupplementChange, responses={200: SupplementSerializer}
    )
    def partial_update(self) -> dict[str, Any]:
        for name, value in self.body.items():
            setattr(self.instance, name, value)
        self.instance.save(update_fields=list(self.body))
        return SupplementSerializer.rendered(self.instance)

    @operation("remove_supplement", method="DELETE", responses={204: None})
    def destroy(self) -> None:
        delete_instance(self.instance)
