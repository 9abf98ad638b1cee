"""Sums of windows of more than a year, whose cost does not follow the number of workouts in them.

Such a window has up to three parts: whole months that are summed (TrainingMonth), and what is before and
after these, which is read from the rows. One statement reads all three, so that a workout that is moved from
one part to another at the same time is counted once.
"""

import datetime
import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from django.db.models import Count, F, QuerySet, Sum, Value

from accounts.models import Account, account_states
from fitness.api.prepared_queries import Placeholder, PreparedQuery
from fitness.days import ONE_DAY, last_of_month, utc_today
from training.models.exercise import MuscleGroup
from training.models.sets import shown_volume
from training.models.training_month import TrainingMonth, begin_of, sum_past_months
from training.models.workout import Workout
from training.models.workout_exercise import WorkoutExercise

LONG = datetime.timedelta(days=366)
# Workouts in months that are not summed, from which on a request sums them: reading so many takes some 10 ms.
MAX_UNSUMMED = 1000
COLUMNS = ("part", "group", "found", "sets", "volume", "seconds")


class SummedWorkouts(NamedTuple):
    sessions: int
    total_duration_seconds: int


class SummedGroup(NamedTuple):
    """What a muscle group's sets add up to, with its volume unrounded."""

    muscle_group: str
    sessions: int
    sets: int
    volume_kg: float


class PartRow(Protocol):
    """A row of `parts`: of one muscle group, or where `group` is empty of all workouts."""

    part: str
    group: str
    found: int
    sets: int
    volume: float
    seconds: int


class Months(NamedTuple):
    """The begins of the first whole month of a window that is summed, and of the one after the last."""

    first: datetime.datetime
    end: datetime.datetime


def long_sums(
    account: Account, since: datetime.datetime, until: datetime.datetime
) -> tuple[SummedWorkouts, list[SummedGroup]]:
    """The workouts of a long window, and its muscle groups by volume, largest first.

    Sums past months for later requests, where there is much in them.
    """
    since, until = since.astimezone(datetime.UTC), until.astimezone(datetime.UTC)
    states = account_states(account=account.pk)
    summed_until = states[0].summed_until if states else 0  # without a state, the account was just deleted
    months = summed_months(since, until, summed_until)
    bounds = {"first": months.first.date(), "end": months.end.date()}
    rows = parts(account=account.pk, since=since, begin=months.first, **bounds, rest=months.end, until=until)
    unsummed = sum(row.found for row in rows if row.part == "after" and not row.group)
    if unsummed > MAX_UNSUMMED and summed_until < utc_today().replace(day=1).toordinal():
        sum_past_months(account)
    return added_up(rows)


def summed_months(since: datetime.datetime, until: datetime.datetime, summed_until: int) -> Months:
    """The whole months of a long window that are summed; if there are none, both begins are `since`."""
    first = since.date().replace(day=1)
    if begin_of(first) < since:
        first = last_of_month(first) + ONE_DAY
    end = min(until.date().replace(day=1).toordinal(), summed_until)
    if end <= first.toordinal():
        return Months(since, since)
    return Months(begin_of(first), begin_of(datetime.date.fromordinal(end)))


@PreparedQuery[PartRow]
def parts(
    account: Placeholder,
    since: Placeholder,
    begin: Placeholder,
    first: Placeholder,
    end: Placeholder,
    rest: Placeholder,
    until: Placeholder,
) -> QuerySet[Any, Any]:
    """Sums of the rows from `since` to `begin` and from `rest` to `until`, and of the months from `first` to
    `end`."""
    months = TrainingMonth.objects.filter(account=account, month__gte=first, month__lt=end)
    summed = months.values(part=Value("months"), group=F("muscle_group")).annotate(
        found=Sum("sessions"),
        sets=Sum("completed_sets"),
        volume=Sum("volume_kg"),
        seconds=Sum("duration_seconds"),
    )
    return summed.values_list(*COLUMNS, named=True).union(
        exercises_of("before", account, since, begin),
        workouts_of("before", account, since, begin),
        exercises_of("after", account, rest, until),
        workouts_of("after", account, rest, until),
        all=True,
    )


def exercises_of(
    part: str, account: Placeholder, since: Placeholder, until: Placeholder
) -> QuerySet[WorkoutExercise, Any]:
    """As `muscle_groups` of the statistics, in the COLUMNS."""
    rows = WorkoutExercise.objects.filter(account=account, muscle_group__in=MuscleGroup.values)
    return (
        rows.started(since, until)
        .values(part=Value(part), group=F("muscle_group"))
        .annotate(
            found=Count(Value(1), filter=F("first_of_group")),
            sets=Sum("completed_sets"),
            volume=Sum("volume_kg"),
            seconds=Value(0),
        )
        .values_list(*COLUMNS)
    )


def workouts_of(
    part: str, account: Placeholder, since: Placeholder, until: Placeholder
) -> QuerySet[Workout, Any]:
    workouts = Workout.objects.filter(account=account).started(since, until)
    return (
        workouts.values(part=Value(part), group=Value(""))
        .annotate(
            found=Count("*"), sets=Value(0), volume=Value(0.0), seconds=Sum("duration_seconds", default=0)
        )
        .values_list(*COLUMNS)
    )


def added_up(rows: Sequence[PartRow]) -> tuple[SummedWorkouts, list[SummedGroup]]:
    # PostgreSQL adds up large numbers to a `numeric`, so they come as Decimals.
    of_group: defaultdict[str, list[PartRow]] = defaultdict(list)
    for row in rows:
        of_group[row.group].append(row)
    of_all = of_group.pop("", [])
    workouts = SummedWorkouts(sum(int(row.found) for row in of_all), sum(int(row.seconds) for row in of_all))
    groups = [
        SummedGroup(
            name,
            sum(int(row.found) for row in some),
            sum(int(row.sets) for row in some),
            math.fsum(row.volume for row in some),
        )
        for name, some in of_group.items()
    ]
    # By the volume that clients read: the order of equal ones must not depend on how they were added up.
    groups.sort(key=lambda group: (-shown_volume(group.volume_kg), group.muscle_group))
    return workouts, [group for group in groups if group.sets > 0]
