"""Training totals of a window and the streak at its end, as clients of the API read them. Days are of UTC."""

import datetime
from typing import Any, Protocol, TypedDict

from django.db.models import Count, F, OuterRef, QuerySet, Sum, Value
from django.db.models.expressions import Exists

from accounts.models import Account
from fitness.db.prepared_queries import Placeholder, PreparedQuery
from fitness.json import timestamp
from training.models.exercise import MuscleGroup
from training.models.sets import shown_volume
from training.models.workout import Workout
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
    window = {"account": account.pk, "since": since, "until": until}
    (workouts,) = sessions_and_durations(**window)
    groups = list(muscle_groups(**window))
    return {
        "since": timestamp(since),
        "until": timestamp(until),
        "sessions": workouts.sessions,
        "completed_sets": sum(group.sets for group in groups),
        "volume_kg": shown_volume(sum(group.volume_kg for group in groups)),
        "total_duration_seconds": workouts.total_duration_seconds,
        "by_muscle_group": [
            {
                "muscle_group": group.muscle_group,
                "sessions": group.sessions,
                "sets": group.sets,
                "volume_kg": shown_volume(group.volume_kg),
            }
            for group in groups
        ],
        "streak_days": streak_days(account, until),
    }


class SessionsRow(Protocol):
    sessions: int
    total_duration_seconds: int


@PreparedQuery[SessionsRow]
def sessions_and_durations(
    account: Placeholder, since: Placeholder, until: Placeholder
) -> QuerySet[Workout, Any]:
    workouts = Workout.objects.filter(account=account).started(since, until)
    # Grouped by a constant: one row, also of no workouts.
    return (
        workouts.values(all_rows=Value(1))
        .annotate(sessions=Count("*"), total_duration_seconds=Sum("duration_seconds", default=0))
        .values("sessions", "total_duration_seconds")
    )


class GroupRow(Protocol):
    """Totals of a muscle group, with the volume unrounded."""

    muscle_group: str
    sessions: int
    sets: int
    volume_kg: float


@PreparedQuery[GroupRow]
def muscle_groups(
    account: Placeholder, since: Placeholder, until: Placeholder
) -> QuerySet[WorkoutExercise, Any]:
    """Sessions, completed sets and volume of each muscle group with a completed set."""
    rows = WorkoutExercise.objects.filter(account=account).started(since, until)
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


class DayRow(Protocol):
    """A row with a day, counted from 0001-01-01 = 1."""

    day: int


def streak_days(account: Account, until: datetime.datetime) -> int:
    """Consecutive UTC days with a workout, up to the last day before `until` or the day before that."""
    newest = newest_day(account=account.pk, until=until)
    if not newest or (until - INSTANT).toordinal() - newest[0].day > 1:
        return 0
    first = first_day_of_streak(account=account.pk, newest_day=newest[0].day)
    return newest[0].day - first[0].day + 1 if first else 0  # 0: they were deleted meanwhile


@PreparedQuery[DayRow]
def newest_day(account: Placeholder, until: Placeholder) -> QuerySet[Workout, Any]:
    workouts = Workout.objects.filter(account=account).started(until=until)
    return workouts.order_by("-started_at", "-id").values_list("day", named=True)[:1]


@PreparedQuery[DayRow]
def first_day_of_streak(account: Placeholder, newest_day: Placeholder) -> QuerySet[Workout, Any]:
    workouts = Workout.objects.filter(account=account)
    first_days = workouts.filter(~Exists(workouts.filter(day=OuterRef("day") - 1)), day__lte=newest_day)
    return first_days.order_by("-day").values_list("day", named=True)[:1]
