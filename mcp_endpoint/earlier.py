"""Reads what a write replaces or repeats, for its summary.

Each function takes the account and the validated arguments of a tool. It runs before the write,
so that nothing is stored when it fails. It takes one statement (log_workout three) whose cost
does not grow with the history.
"""

import datetime
from typing import NamedTuple
from uuid import UUID

import orjson
from django.db.models import OuterRef, Subquery
from django.utils import timezone

from accounts.models import Account
from body.models import Goal, Measurement, WeightLog
from fitness.api.serializers import Values
from fitness.json import JsonObject
from nutrition.models import NutritionDay
from supplements.models import Supplement
from training import stats
from training.api.serializers.references import is_uuid

LAST_MINUTES = datetime.timedelta(minutes=10)  # in which an equal workout is probably the same one
MAX_LAST = 5  # workouts of them that are compared


class EarlierTraining(NamedTuple):
    same_start: JsonObject | None  # a workout that started at exactly the same time, as clients read it
    equal: JsonObject | None  # where there is none: one of the last minutes with the same sets
    bests: dict[str, tuple[float, int]]  # (weight_kg, reps) of the heaviest set so far, by exercise


def training(account: Account, values: Values) -> EarlierTraining:
    started_then = account.workouts.filter(started_at=values["started_at"]).order_by("-id")
    document = started_then.values_list("document", flat=True).first()
    same_start = orjson.loads(document) if document else None
    equal = None if same_start else equal_to(account, values)
    ids = {entry["exercise"].id for entry in values["exercises"]}
    return EarlierTraining(same_start, equal, stats.best_sets_by_exercise(account, ids))


def equal_to(account: Account, values: Values) -> JsonObject | None:
    """A workout of the last minutes with the same title, exercises and sets, as clients read it."""
    since = timezone.now() - LAST_MINUTES
    documents = account.workouts.filter(updated_at__gte=since).order_by("-updated_at")
    sets = [(entry["exercise"].id, entry["sets"]) for entry in values["exercises"]]
    for document in documents.values_list("document", flat=True)[:MAX_LAST]:
        other: JsonObject = orjson.loads(document)
        same_sets = [(entry["exercise_id"], entry["sets"]) for entry in other["exercises"]] == sets
        if same_sets and other["title"] == values["title"]:
            return other
    return None


def active_plan(account: Account, values: Values) -> str | None:
    """The name of the plan that a new active one retires."""
    if not values.get("active"):
        return None
    name: str | None = account.plans.active().values_list("name", flat=True).first()
    return name


def weight(account: Account, values: Values) -> WeightLog | None:
    """The latest weight log up to the time of this one."""
    logs = account.weight_logs.filter(logged_at__lte=values["logged_at"])
    return logs.order_by("-logged_at", "-id").first()


def measurement(account: Account, values: Values) -> Measurement | None:
    """The latest tape measurements up to the time of these."""
    logs = account.measurements.filter(logged_at__lte=values["logged_at"])
    return logs.order_by("-logged_at", "-id").first()


def nutrition_day(account: Account, values: Values) -> NutritionDay | None:
    return account.nutrition_days.filter(day=values["day"]).first()


def supplement(account: Account, values: Values) -> Supplement | None:
    """The supplement, with `taken_at` of its tick for the day, or None where it has no tick."""
    if not is_uuid(values["supplement_id"]):
        return None
    ticks = account.supplement_logs.filter(supplement=OuterRef("pk"), day=values["day"])
    supplements = account.supplements.filter(pk=UUID(values["supplement_id"]))
    return supplements.annotate(taken_at=Subquery(ticks.values("taken_at"))).first()


def goal(account: Account, values: Values) -> Goal | None:
    """The current goal, which the new one replaces."""
    return account.goals.newest()
