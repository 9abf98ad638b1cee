"""Training totals of a window and the streak at its end, as clients of the API read them. Days are of UTC."""

import datetime
from typing import Any, TypedDict

from django.db.models import Count, F, OuterRef, QuerySet, Sum, Value
from django.db.models.expressions import Exists

from accounts.models import Account
from fitness.json import timestamp
from training.models.exercise import MuscleGroup
from training.models.sets import shown_volume
from training.models.workout_exercise import WorkoutExercise

INSTANT = datetime.timedelta(microseconds=1)


class GroupTotals(TypedDict):
    """Totals of one muscle group in a window, as clients read them."""

    muscle_group: str
    sessions: int
    sets: int
    volume_kg: float


class Totals(TypedDict):
    """Training totals of a window, as clients read them (`TrainingStats` in the OpenAPI document)."""

    since: str
    until: str
    sessions: int
    completed_sets: int
    volume_kg: float
    total_duration_seconds: int
    by_muscle_group: list[GroupTotals]
    streak_days: int


def totals(account: Account, since: datetime.datetime, until: datetime.datetime) -> Totals:
    """Totals of the workouts that started from `since` (inclusive) to `until` (exclusive).

    Volumes in kg to 2 decimals, durations in seconds; muscle groups by volume, largest first; the streak of
    UTC days at the end of the window.
    """
    sessions, seconds = sessions_and_durations(account, since, until)
    groups = list(muscle_groups(account, since, until))
    return {
        "since": timestamp(since),
        "until": timestamp(until),
        "sessions": sessions,
        "completed_sets": sum(group["sets"] for group in groups),
        "volume_kg": shown_volume(sum(group["volume_kg"] for group in groups)),
        "total_duration_seconds": seconds,
        "by_muscle_group": [
            {
                "muscle_group": group["muscle_group"],
                "sessions": group["sessions"],
                "sets": group["sets"],
                "volume_kg": shown_volume(group["volume_kg"]),
            }
            for group in groups
        ],
        "streak_days": streak_days(account, until),
    }


def sessions_and_durations(
    account: Account, since: datetime.datetime, until: datetime.datetime
) -> tuple[int, int]:
    """How many sessions, and their seconds."""
    totals = account.workouts.started(since, until).aggregate(
        sessions=Count("*"), seconds=Sum("duration_seconds", default=0)
    )
    return totals["sessions"], totals["seconds"]


def muscle_groups(
    account: Account, since: datetime.datetime, until: datetime.datetime
) -> QuerySet[WorkoutExercise, Any]:
    """Sessions, completed sets and volume (unrounded) of each muscle group with a completed set."""
    rows = account.workout_exercises.started(since, until)
    return (
        # All groups, by name: then each is a range of the index `session_totals`, and nothing is sorted. The
        # index has no ids: counting these would read the table.
        rows.filter(muscle_group__in=MuscleGroup.values)
        .values("muscle_group")
        .annotate(sessions=Count(Value(1), filter=F("first_of_group")), sets=Sum("completed_sets"))
        .filter(sets__gt=0)
        .annotate(volume_kg=Sum("volume_kg"))
        .order_by("-volume_kg", "muscle_group")
    )


def streak_days(account: Account, until: datetime.datetime) -> int:
    """Consecutive UTC days with a workout, up to the last day before `until` or the day before that."""
    days = account.workouts.started(until=until).order_by("-started_at", "-id").values_list("day", flat=True)
    newest = days.first()
    if newest is None or (until - INSTANT).toordinal() - newest > 1:
        return 0
    first = first_day_of_streak(account, newest)
    return newest - first + 1 if first else 0  # 0: they were deleted meanwhile


def first_day_of_streak(account: Account, newest_day: int) -> int | None:
    before = account.workouts.filter(day=OuterRef("day") - 1)
    first_days = account.workouts.filter(~Exists(before), day__lte=newest_day).order_by("-day")
    return first_days.values_list("day", flat=True).first()
