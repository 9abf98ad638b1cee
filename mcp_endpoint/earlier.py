"""Reads what a write replaces or repeats, for its summary.

Each function takes the account and the validated arguments of a tool. It runs before the write: where it
fails, the call is an error, so nothing may be stored yet. It takes one statement (log_workout two) whose cost
does not grow with the history.
"""

import datetime
from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeVar
from uuid import UUID

import orjson
from django.db.models import OuterRef, QuerySet, Subquery

from accounts.models import Account
from body.models import Goal, Measurement, WeightLog
from fitness.api.prepared_queries import Placeholder, PreparedQuery
from fitness.api.renderers import JsonObject
from fitness.api.serializers import Values
from nutrition.models import NutritionDay
from supplements.models import Supplement, SupplementLog
from training import stats
from training.api.serializers.references import is_uuid
from training.models import Plan, Workout

Row = TypeVar("Row")


class DocumentRow(Protocol):
    document: str


class NameRow(Protocol):
    name: str


class WeightRow(Protocol):
    weight_kg: float
    logged_at: datetime.datetime


class SupplementRow(Protocol):
    name: str
    dosage: str
    taken_at: datetime.datetime | None


class EarlierTraining(NamedTuple):
    same_start: JsonObject | None  # a workout that started at exactly the same time, as clients read it
    bests: dict[str, tuple[float, int]]  # (weight_kg, reps) of the heaviest set so far, by exercise


def training(account: Account, values: Values) -> EarlierTraining:
    found = started_at(account=account.pk, started_at=values["started_at"])
    ids = {entry["exercise"].id for entry in values["exercises"]}
    return EarlierTraining(
        orjson.loads(found[0].document) if found else None, stats.best_sets_by_exercise(account, ids)
    )


@PreparedQuery[DocumentRow]
def started_at(account: Placeholder, started_at: Placeholder) -> "QuerySet[Workout, DocumentRow]":
    workouts = Workout.objects.filter(account=account, started_at=started_at)
    return workouts.order_by("-id").values_list("document", named=True)[:1]


def active_plan(account: Account, values: Values) -> str | None:
    """The name of the plan that a new active one retires."""
    if not values.get("active"):
        return None
    found = active_plans(account=account.pk)
    return found[0].name if found else None


@PreparedQuery[NameRow]
def active_plans(account: Placeholder) -> "QuerySet[Plan, NameRow]":
    return Plan.objects.filter(account=account).active().values_list("name", named=True)


def weight(account: Account, values: Values) -> WeightRow | None:
    """The latest weight log up to the time of this one."""
    return first(weights(account=account.pk, logged_at=values["logged_at"]))


@PreparedQuery[WeightRow]
def weights(account: Placeholder, logged_at: Placeholder) -> "QuerySet[WeightLog, WeightRow]":
    logs = WeightLog.objects.filter(account=account, logged_at__lte=logged_at)
    return logs.order_by("-logged_at", "-id").values_list("weight_kg", "logged_at", named=True)[:1]


def measurement(account: Account, values: Values) -> Measurement | None:
    """The latest tape measurements up to the time of these."""
    return first(measurements(account=account.pk, logged_at=values["logged_at"]))


@PreparedQuery[Measurement]
def measurements(account: Placeholder, logged_at: Placeholder) -> "QuerySet[Measurement]":
    logs = Measurement.objects.filter(account=account, logged_at__lte=logged_at)
    return logs.order_by("-logged_at", "-id")[:1]


def nutrition_day(account: Account, values: Values) -> NutritionDay | None:
    return first(nutrition_days(account=account.pk, day=values["day"]))


@PreparedQuery[NutritionDay]
def nutrition_days(account: Placeholder, day: Placeholder) -> "QuerySet[NutritionDay]":
    return NutritionDay.objects.filter(account=account, day=day)


def supplement(account: Account, values: Values) -> SupplementRow | None:
    """Name and dosage of the supplement, and `taken_at` of its tick for the day, or None."""
    if not is_uuid(values["supplement_id"]):
        return None
    return first(ticked(account=account.pk, supplement=UUID(values["supplement_id"]), day=values["day"]))


@PreparedQuery[SupplementRow]
def ticked(
    account: Placeholder, supplement: Placeholder, day: Placeholder
) -> "QuerySet[Supplement, SupplementRow]":
    tick = SupplementLog.objects.filter(supplement=OuterRef("pk"), day=day).values("taken_at")
    found = Supplement.objects.filter(account=account, pk=supplement).annotate(taken_at=Subquery(tick))
    rows: QuerySet[Supplement, SupplementRow]
    rows = found.values_list("name", "dosage", "taken_at", named=True)
    return rows


def goal(account: Account, values: Values) -> Goal | None:
    """The current goal, which the new one replaces."""
    return first(goals(account=account.pk))


@PreparedQuery[Goal]
def goals(account: Placeholder) -> "QuerySet[Goal]":
    return Goal.objects.filter(account=account).order_by("-created_at", "-id")[:1]


def first(rows: Sequence[Row]) -> Row | None:
    return rows[0] if rows else None
