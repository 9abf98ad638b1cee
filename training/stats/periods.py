"""What the workouts of a time add up to.

Windows and weeks of UTC days are for the API and the texts of tools; days, weeks and months of the current
time zone for screens.
"""

import datetime
import functools
import itertools
import operator
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypedDict

from django.db.models import Case, Count, F, IntegerField, OuterRef, Q, QuerySet, Subquery, Sum, Value, When
from django.db.models.expressions import Exists
from django.db.models.functions import Coalesce, Substr
from django.utils import timezone

from accounts.models import Account, AccountState
from fitness.days import ONE_DAY, begin_and_end, begin_of_week, last_of_month, midnight, today
from fitness.json import timestamp
from training.models.exercise import Exercise, MuscleGroup
from training.models.sets import DoneSets, counted, shown_volume
from training.models.timed import NOTED_ENTRIES, NOTES
from training.models.workout import Workout, WorkoutQuerySet
from training.models.workout_exercise import WorkoutExercise, WorkoutExerciseQuerySet

INSTANT = datetime.timedelta(microseconds=1)
DAYS = 7  # of a week
NO_GROUP = ""  # in rows that count sessions
MAX_MONTHS = 600  # that a list of months offers: fifty years


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
    rows = of_all_groups(account.workout_exercises.started(since, until))
    return (
        # The index has no ids: counting these would read the table.
        rows.values("muscle_group")
        .annotate(sessions=Count(Value(1), filter=F("first_of_group")), sets=Sum("completed_sets"))
        .filter(sets__gt=0)
        .annotate(volume_kg=Sum("volume_kg"))
        .order_by("-volume_kg", "muscle_group")
    )


def of_all_groups(rows: WorkoutExerciseQuerySet) -> WorkoutExerciseQuerySet:
    """All of the rows, by the names of their muscle groups: each is a range of the index `session_totals`."""
    return rows.filter(muscle_group__in=MuscleGroup.values)


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


@dataclass
class UtcWeek:
    """Sessions, and completed working sets by muscle group."""

    monday: datetime.date
    sessions: int = 0
    working_sets: Counter[str] = field(default_factory=Counter)


def utc_weeks(account: Account, since: datetime.datetime, until: datetime.datetime) -> list[UtcWeek]:
    """The weeks with a workout that started from `since` (inclusive) to `until` (exclusive), oldest first.

    One statement, which reads the sets of the window alone: warm-ups have no column.
    """
    found: dict[int, UtcWeek] = {}
    for row in week_rows(account, since, until):
        week = found.setdefault(row.week, UtcWeek(datetime.date.min + row.week * DAYS * ONE_DAY))
        if row.group == NO_GROUP:
            week.sessions = row.count
        else:
            week.working_sets[row.group] += row.count - row.warmups
    return [found[number] for number in sorted(found)]


def week_rows(account: Account, since: datetime.datetime, until: datetime.datetime) -> QuerySet[Workout, Any]:
    """Completed sets and warm-ups of each muscle group in a week, and its sessions (NO_GROUP).

    Weeks are counted from 0001-01-01 = 0, which was a Monday.
    """
    columns = ("week", "group", "count", "warmups")
    sessions = (
        account.workouts.started(since, until)
        .order_by()
        .values(week=(F("day") - 1) / DAYS, group=Value(NO_GROUP))
        .annotate(count=Count("pk"), warmups=Value(0, IntegerField()))
    )
    sets = (
        of_all_groups(account.workout_exercises.started(since, until))
        .filter(completed_sets__gt=0)
        .order_by()
        .values(week=(F("workout__day") - 1) / DAYS, group=F("muscle_group"))
        .annotate(count=Sum("completed_sets"), warmups=Sum("done_warmups"))
    )
    return sessions.values_list(*columns, named=True).union(sets.values_list(*columns, named=True), all=True)


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


def local_streak_weeks(days: Iterable[datetime.date], until: datetime.date) -> int:
    """Consecutive weeks with one of the days, up to that of `until` or the one before."""
    weeks = set(map(begin_of_week, days))
    this_week = begin_of_week(until)
    last = this_week if this_week in weeks else this_week - ONE_DAY * DAYS
    return consecutive_days(weeks, last, DAYS)


def consecutive_days(days: Container[datetime.date], last: datetime.date, step: int = 1) -> int:
    """How many in a row, `last` and each so many days before it, are among the `days`."""
    return next(count for count in itertools.count() if last - ONE_DAY * step * count not in days)


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
    # PostgreSQL takes hardly any notes for not empty: without the groups it would read all rows of everybody.
    rows = of_all_groups(WorkoutExercise.objects.filter(any_month, account=account))
    found = Counter[int]()
    for month, timed in with_timed_sets(rows.filter(workout__in=workouts.values("pk")), number):
        found[month] += timed
    return found


def with_timed_sets(rows: WorkoutExerciseQuerySet, *columns: Case | str) -> Iterator[tuple[Any, ...]]:
    """(*columns, count) of the newest rows whose notes begin with times or distances: how many they are."""
    noted = rows.exclude(notes="").order_by("-started_at", "-id")[:NOTED_ENTRIES]
    for *values, beginning in noted.values_list(*columns, Substr("notes", 1, NOTES)):
        if timed := counted(0, 0, beginning).sets:
            yield *values, timed


def started_in(month: datetime.date) -> Q:
    """The condition that a workout began in the month whose first day this is, in the current time zone."""
    since, until = begin_and_end(month, last_of_month(month))
    bounds = {"started_at__gte": since, "started_at__lt": until}
    return Q(**{lookup: bound for lookup, bound in bounds.items() if bound})


class GroupOfWeek(NamedTuple):
    """What a muscle group in a week adds up to; `work_sets` are the completed sets without warm-ups, and
    those of a time or a distance.
    """

    sets: int
    volume_kg: float
    work_sets: int

    def plus(self, other: "GroupOfWeek | None") -> "GroupOfWeek":
        if other is None:
            return self
        volume_kg = self.volume_kg + other.volume_kg
        return GroupOfWeek(self.sets + other.sets, volume_kg, self.work_sets + other.work_sets)


@dataclass(frozen=True)
class LocalWeek:
    """The totals of each muscle group in the week from a Monday on; those without a set are left out.

    `so_far` has them up to the weekday of today, `rest` those of the days behind it.
    """

    monday: datetime.date
    so_far: dict[str, GroupOfWeek] = field(default_factory=dict)
    rest: dict[str, GroupOfWeek] = field(default_factory=dict)

    @cached_property
    def groups(self) -> dict[str, GroupOfWeek]:
        """Those of the whole week."""
        both = self.rest | {group: one.plus(self.rest.get(group)) for group, one in self.so_far.items()}
        return {group: one._replace(volume_kg=shown_volume(one.volume_kg)) for group, one in both.items()}

    @property
    def sets(self) -> int:
        return sum(group.sets for group in self.groups.values())

    @property
    def work_sets(self) -> int:
        return sum(group.work_sets for group in self.groups.values())

    @property
    def volume_kg(self) -> float:
        return sum(group.volume_kg for group in self.groups.values())

    def work_sets_of(self, group: str) -> int:
        return self.groups[group].work_sets if group in self.groups else 0

    @property
    def all_so_far(self) -> GroupOfWeek:
        """The totals of all muscle groups up to the weekday of today."""
        return functools.reduce(GroupOfWeek.plus, self.so_far.values(), GroupOfWeek(0, 0, 0))


def local_weeks(account: Account, count: int) -> list[LocalWeek]:
    """So many weeks, oldest first; the last has begun."""
    day = today()
    monday = begin_of_week(day)
    weeks = [LocalWeek(monday - ONE_DAY * DAYS * back) for back in range(count - 1, -1, -1)]
    # Of each week its Monday, and the day behind the weekday of today: on a Sunday the next Monday.
    starts = [midnight(week.monday + ONE_DAY * days) for week in weeks for days in (0, day.weekday() + 1)]
    parts = [part for week in weeks for part in (week.so_far, week.rest)]
    rows = of_all_groups(account.workout_exercises.started(starts[0], timezone.now()))
    totals_of_parts = (
        rows.annotate(part=interval(starts))
        .values("part", "muscle_group")
        .annotate(done=Sum("completed_sets"), volume=Sum("volume_kg"), warmups=Sum("done_warmups"))
        .filter(done__gt=0)
    )
    columns = ("part", "muscle_group", "done", "volume", "warmups")
    for number, muscle_group, done, volume, warmups in totals_of_parts.values_list(*columns):
        parts[number][muscle_group] = GroupOfWeek(done, volume, done - warmups)
    for number, muscle_group, timed in with_timed_sets(rows, interval(starts), "muscle_group"):
        parts[number][muscle_group] = GroupOfWeek(0, 0, timed).plus(parts[number].get(muscle_group))
    return weeks


def sets_of_week(account: Account) -> Iterator[tuple[Exercise, int]]:
    """The working sets of exercises since Monday, as LocalWeek counts them, in one statement.

    The exercises have what their muscles follow from. One with other notes is there again.
    """
    since = midnight(begin_of_week(today()))
    rows = of_all_groups(account.workout_exercises.started(since, timezone.now())).order_by()
    totals = (
        rows.values("exercise__name", "exercise__category", "muscle_group", noted=Substr("notes", 1, NOTES))
        .annotate(done=Sum("completed_sets"), warmups=Sum("done_warmups"), times=Count(Value(1)))
        .values_list(
            "exercise__name", "exercise__category", "muscle_group", "noted", "done", "warmups", "times"
        )
    )
    for name, category, group, noted, done, warmups, times in totals:
        if sets := counted(done, warmups, "").sets + times * counted(0, 0, noted).sets:
            yield Exercise(name=name, category=category, muscle_group=group), sets


def interval(starts: Sequence[datetime.datetime]) -> Case:
    """The number of the last of the `starts`, oldest first, that is not after a row's start.

    Comparisons with constants: SQL for days of a zone differs between the databases.
    """
    newest_first = reversed(list(enumerate(starts)))
    cases = [When(started_at__gte=start, then=Value(number)) for number, start in newest_first]
    return Case(*cases, output_field=IntegerField())
