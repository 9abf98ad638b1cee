"""Days, streaks and months with workouts in the current time zone, as screens show them."""

import datetime
import functools
import itertools
import operator
from collections import Counter
from collections.abc import Container, Sequence
from typing import NamedTuple

from django.db.models import Case, Count, OuterRef, Q, Subquery, Sum, When
from django.db.models.functions import Coalesce, Substr
from django.utils import timezone

from accounts.models import Account, AccountState
from fitness.days import ONE_DAY, begin_and_end, last_of_month, midnight
from training.models.exercise import MuscleGroup
from training.models.sets import DoneSets, counted
from training.models.timed import NOTED_ENTRIES, NOTES
from training.models.workout import WorkoutQuerySet
from training.models.workout_exercise import WorkoutExercise

MAX_MONTHS = 600  # that a list of months offers: fifty years


def session_days(account: Account, since: datetime.date, until: datetime.date) -> Counter[datetime.date]:
    """How many workouts began on each day from `since` to `until`, both inclusive, in the current time zone.

    Counted here: SQL for the days of a zone differs between the databases, and SQLite calls Python for it.
    A workout a day takes 1 ms of CPU.
    """
    return local_days(account, midnight(since), midnight(until + ONE_DAY))


def local_days(
    account: Account, since: datetime.datetime | None, until: datetime.datetime
) -> Counter[datetime.date]:
    """How many workouts from `since` to `until` began on each day in the current time zone."""
    zone = timezone.get_current_timezone()
    starts = account.workouts.started(since, until).values_list("started_at", flat=True)
    return Counter(start.astimezone(zone).date() for start in starts)


def local_streak_days(
    account: Account, days: Container[datetime.date], since: datetime.date, until: datetime.date
) -> int:
    """Consecutive days with a workout in the current time zone, up to `until` or the day before.

    `days` are those with a workout from `since` to `until`. Only a streak that is longer takes a statement,
    which reads all workouts before `since`.
    """
    last = until if until in days else until - ONE_DAY
    streak = consecutive_days(days, last)
    if last - ONE_DAY * streak < since:
        older = local_days(account, None, midnight(since))
        streak += consecutive_days(older, since - ONE_DAY)
    return streak


def consecutive_days(days: Container[datetime.date], last: datetime.date) -> int:
    """How many days in a row, `last` and before it, are among the `days`."""
    return next(count for count in itertools.count() if last - ONE_DAY * count not in days)


def months_of_history(account: Account) -> list[datetime.date]:
    """The first days of the months from the newest workout back to the oldest, in the current time zone.

    At most MAX_MONTHS: somebody may have logged a workout of the year 1.
    """
    starts = account.workouts.values("started_at")
    oldest, newest = starts.order_by("started_at", "id")[:1], starts.order_by("-started_at", "-id")[:1]
    ends = AccountState.objects.filter(account=account).annotate(
        oldest=Subquery(oldest), newest=Subquery(newest)
    )
    began, ended = ends.values_list("oldest", "newest").get()
    if began is None or ended is None:
        return []
    first, last = timezone.localdate(began), timezone.localdate(ended)
    numbers = range(12 * last.year + last.month - 1, 12 * first.year + first.month - 2, -1)
    return [datetime.date(number // 12, number % 12 + 1, 1) for number in numbers[:MAX_MONTHS]]


class MonthTotals(NamedTuple):
    """What the workouts of a month add up to."""

    workouts: int
    sets: DoneSets
    volume_kg: float
    duration_seconds: int


def totals_of_months(
    account: Account, workouts: WorkoutQuerySet, months: Sequence[datetime.date]
) -> dict[datetime.date, MonthTotals]:
    """What those of the workouts add up to that began in each of the months, given by their first days."""
    if not months:
        return {}
    within = [started_in(month) for month in months]
    number = Case(*(When(condition, then=index) for index, condition in enumerate(within)))
    any_month = functools.reduce(operator.or_, within)
    workouts = workouts.filter(any_month).order_by()
    timed = timed_of_months(account, workouts, number, any_month)
    exercises = WorkoutExercise.objects.filter(account=account, workout=OuterRef("pk")).order_by()
    completed, warmups = (
        Coalesce(Subquery(exercises.values("workout").annotate(found=Sum(column)).values("found")), 0)
        for column in ("completed_sets", "done_warmups")
    )
    rows = (
        workouts.annotate(number=number, completed=completed, warmups=warmups)
        .values("number")
        .annotate(Count("pk"), *map(Sum, ("completed", "warmups", "volume_kg", "duration_seconds")))
    )
    return {
        months[row["number"]]: MonthTotals(
            row["pk__count"],
            counted(row["completed__sum"], row["warmups__sum"], "").plus(DoneSets(timed[row["number"]], 0)),
            row["volume_kg__sum"],
            row["duration_seconds__sum"],
        )
        for row in rows
    }


def timed_of_months(account: Account, workouts: WorkoutQuerySet, number: Case, any_month: Q) -> Counter[int]:
    """How many times and distances the workouts have, by the `number` of their month."""
    # All groups, by name: then each is a range of the index `session_totals`. PostgreSQL, which takes hardly
    # any notes for not empty, would read all rows of everybody.
    rows = WorkoutExercise.objects.filter(any_month, account=account, muscle_group__in=MuscleGroup.values)
    rows = rows.filter(workout__in=workouts.values("pk"))
    noted = rows.exclude(notes="").order_by("-started_at", "-id")[:NOTED_ENTRIES]
    found = Counter[int]()
    for month, notes in noted.values_list(number, Substr("notes", 1, NOTES)):
        found[month] += counted(0, 0, notes).sets
    return found


def started_in(month: datetime.date) -> Q:
    """The condition that a workout began in the month whose first day this is, in the current time zone."""
    since, until = begin_and_end(month, last_of_month(month))
    bounds = {"started_at__gte": since, "started_at__lt": until}
    return Q(**{lookup: bound for lookup, bound in bounds.items() if bound})
