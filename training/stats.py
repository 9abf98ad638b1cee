"""What is computed over an account's workouts: totals of a window, the streak, personal records.

Figures are computed from the aggregates in the rows of WorkoutExercise.
"""

import bisect
import datetime
import functools
import itertools
import math
import operator
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypedDict, cast
from uuid import UUID

from django.db import connection
from django.db.models import (
    Case,
    Count,
    F,
    FloatField,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
    When,
)
from django.db.models.expressions import Exists, Expression, RawSQL
from django.db.models.functions import Cast, Coalesce
from django.utils import timezone

from accounts.models import Account, AccountState
from fitness.days import ONE_DAY, begin_and_end, last_of_month, midnight
from fitness.db.owned import OfAccount
from fitness.db.prepared_queries import Placeholder, PreparedQuery, padded
from fitness.json import timestamp
from training.models.exercise import (
    ASSISTED,
    TIMED,
    Exercise,
    ExerciseQuerySet,
    ExerciseSummary,
    MuscleGroup,
    is_assisted,
)
from training.models.sets import Lift, best_lift, estimated_1rm_kg, lifts_of, rank, shown_volume
from training.models.workout import Workout, WorkoutQuerySet
from training.models.workout_exercise import (
    WorkoutEntry,
    WorkoutExercise,
    WorkoutExerciseQuerySet,
    best_set_columns,
    least_help_first,
)

INSTANT = datetime.timedelta(microseconds=1)
ESTIMATED_1RM = F("best_weight_kg") * (1 + Cast("best_reps", FloatField()) / 30)  # unrounded
MAX_MONTHS = 600  # that a list of months offers: fifty years
MAX_POINTS = 300  # of a chart: about one for each pixel column of a phone
# Of an exercise that is measured by time or distance: that it was done, and no lift.
JUST_DONE = Q(best_weight_kg=0, best_reps=1)
NO_LIFT: Lift = (-math.inf, -1)  # which any lift beats, whatever its rank
LEAST_AMONG = 1_000  # sessions with an assisted exercise, among which the least help is looked for
LISTED = ("pk", "exercise_id", "exercise__name", "weight_kg", "reps")
CHARTED = ("workout_id", "started_at", "weight_kg", "reps")
LAST_MOMENT = datetime.datetime.max.replace(tzinfo=datetime.UTC)

# In which half of a history, and the order in which an earlier, better session is then found soonest.
Half = Literal["older", "newer"]
LOOK_UP: dict[Half, Sequence[str]] = {
    "older": ("-started_at", "-workout_id"),
    "newer": ("-best_weight_kg", "-best_reps"),
}

# What is found for each exercise with a best set. A loose scan of the index `session_best`: it goes
# from one exercise to the next, so its cost follows the number of exercises and not the history.
USED_EXERCISES = """
WITH RECURSIVE used(exercise_id) AS (
    SELECT min(exercise_id) FROM training_workoutexercise
    WHERE account_id = %s AND best_weight_kg IS NOT NULL
    UNION ALL
    SELECT (
        SELECT min(exercise_id) FROM training_workoutexercise
        WHERE account_id = %s AND best_weight_kg IS NOT NULL AND exercise_id > used.exercise_id
    )
    FROM used WHERE used.exercise_id IS NOT NULL
)
SELECT {found} FROM used WHERE exercise_id IS NOT NULL
"""
BEST_SESSIONS = USED_EXERCISES.format(
    found="""(
    SELECT id FROM training_workoutexercise
    WHERE account_id = %s AND best_weight_kg IS NOT NULL AND exercise_id = used.exercise_id
    ORDER BY best_weight_kg DESC, best_reps DESC, started_at, workout_id LIMIT 1
)"""
)


# Of each time (since, until) the workout with the best lift, and that with the highest estimate. Both read a
# range of the index `session_newest` alone; window functions over all times took twenty times as long. With
# `+ 0`, as PostgreSQL would follow the order of `session_best` otherwise, past all other times. MATERIALIZED,
# as it would find all of them again for each session while it has no statistics yet, as after an import.
BEST_OF_TIMES = """
WITH times(since, until) AS (VALUES {times}), found(workout_id) AS MATERIALIZED (
    SELECT (
        SELECT workout_id FROM training_workoutexercise
        WHERE account_id = %s AND exercise_id = %s AND first_of_exercise AND best_weight_kg IS NOT NULL
            AND started_at >= since AND started_at < until
        ORDER BY {best}, started_at, workout_id LIMIT 1
    ) FROM times
    UNION ALL
    SELECT (
        SELECT workout_id FROM training_workoutexercise
        WHERE account_id = %s AND exercise_id = %s AND first_of_exercise AND best_weight_kg IS NOT NULL
            AND started_at >= since AND started_at < until
        ORDER BY best_weight_kg * (1 + best_reps / CAST(30 AS double precision)) DESC LIMIT 1
    ) FROM times
)
SELECT workout_id FROM found
"""


class GroupTotals(TypedDict):
    """Totals of one muscle group in a window, as clients read them."""

    muscle_group: str
    sessions: int
    sets: int
    volume_kg: float


class Sums(TypedDict):
    """Training totals of a window, as clients read them (`TrainingStats` in the OpenAPI document)."""

    since: str
    until: str
    sessions: int
    completed_sets: int
    volume_kg: float
    total_duration_seconds: int
    by_muscle_group: list[GroupTotals]


class Totals(Sums):
    streak_days: int


class PersonalRecord(TypedDict):
    """The best session with an exercise, as clients read it."""

    exercise_id: str
    name: str
    weight_kg: float
    reps: int
    estimated_1rm_kg: float
    workout_id: str
    date: str


class SessionsRow(Protocol):
    """A row of `sessions_and_durations`."""

    @property
    def sessions(self) -> int: ...
    @property
    def total_duration_seconds(self) -> int: ...


class GroupRow(Protocol):
    """A row of `muscle_groups`, with its volume unrounded."""

    @property
    def muscle_group(self) -> str: ...
    @property
    def sessions(self) -> int: ...
    @property
    def sets(self) -> int: ...
    @property
    def volume_kg(self) -> float: ...


class DayRow(Protocol):
    """A row with a day, counted from 0001-01-01 = 1."""

    day: int


class BestLiftRow(Protocol):
    """A row of `best_sets_with`; the lift is None for an exercise without a completed working set."""

    id: str
    best_weight_kg: float | None
    best_reps: int | None


class SessionRow(Protocol):
    """A row of WorkoutExercise for a session: which workout, when, and the best set if any."""

    @property
    def workout_id(self) -> UUID: ...
    @property
    def started_at(self) -> datetime.datetime: ...
    @property
    def weight_kg(self) -> float | None: ...
    @property
    def reps(self) -> int | None: ...


class WorkingSessionRow(SessionRow, Protocol):
    """A SessionRow with a completed working set, so its best set is not None."""

    @property
    def weight_kg(self) -> float: ...
    @property
    def reps(self) -> int: ...


class BestSessionRow(WorkingSessionRow, Protocol):
    """A row of `best_sessions`."""

    @property
    def id(self) -> int: ...
    @property
    def exercise_id(self) -> str: ...
    @property
    def exercise__name(self) -> str: ...


class MonthTotals(NamedTuple):
    """What the workouts of a month add up to."""

    workouts: int
    sets: int
    volume_kg: float
    duration_seconds: int


class Summary(NamedTuple):
    """How many sessions with an exercise there were, and the highest estimate of all; None without a set."""

    sessions: int
    highest_1rm_kg: float | None


class Point(NamedTuple):
    """A session in a chart of progress; `is_record` if its best set beat all before it."""

    started_at: datetime.datetime
    weight_kg: float
    reps: int
    estimated_1rm_kg: float
    is_record: bool


def totals(account: Account, since: datetime.datetime, until: datetime.datetime) -> Totals:
    """The sums of a window, and the streak of UTC days at its end."""
    return {**sums(account, since, until), "streak_days": streak_days(account, until)}


def sums(account: Account, since: datetime.datetime, until: datetime.datetime) -> Sums:
    """Sums of the workouts that started from `since` (inclusive) to `until` (exclusive).

    Volumes in kg to 2 decimals, durations in seconds; muscle groups by volume, largest first.
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
    }


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


def session_days(account: Account, since: datetime.date, until: datetime.date) -> Counter[datetime.date]:
    """How many workouts began on each day from `since` to `until`, both inclusive, in the current time zone.

    Counted here: SQL for the days of a zone differs between the databases, and SQLite calls Python for it.
    A workout a day takes 3 ms of CPU, 10,000 in the year take 50.
    """
    return local_days(account.workouts.started(midnight(since), midnight(until + ONE_DAY)))


def local_days(workouts: QuerySet[Workout]) -> Counter[datetime.date]:
    """How many of the workouts began on each day in the current time zone."""
    return Counter(map(timezone.localdate, workouts.order_by().values_list("started_at", flat=True)))


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
        older = local_days(account.workouts.started(until=midnight(since)))
        streak += consecutive_days(older, since - ONE_DAY)
    return streak


def consecutive_days(days: Container[datetime.date], last: datetime.date) -> int:
    """How many days in a row, `last` and before it, are among the `days`."""
    return next(count for count in itertools.count() if last - ONE_DAY * count not in days)


def personal_records(account: Account) -> QuerySet[WorkoutExercise, BestSessionRow]:
    """The best session with each exercise, as screens have it: of assisted ones that with least help."""
    used = RawSQL(USED_EXERCISES.format(found="exercise_id"), [account.db_pk] * 2)
    best = Exercise.objects.filter(pk__in=used).values_list(best_of_exercise(account, "pk"))
    return sessions_found(account.db_pk, best, **best_set_on_screens())


def best_sessions(account: UUID | str | Placeholder) -> QuerySet[WorkoutExercise, BestSessionRow]:
    """The best session with each exercise: heaviest completed working set, then reps, then earliest.

    For an account's id as the database stores it, or a Placeholder.
    """
    heaviest = best_set_columns(is_assisted=False)
    return sessions_found(account, RawSQL(BEST_SESSIONS, [account] * 3), **heaviest)


def sessions_found(
    account: UUID | str | Placeholder,
    best: RawSQL | QuerySet[Exercise, Any],
    **best_set: Expression | F,
) -> QuerySet[WorkoutExercise, BestSessionRow]:
    sessions = WorkoutExercise.objects.filter(OfAccount(account), id__in=best).annotate(**best_set)
    fields = ("weight_kg", "reps", "workout_id", "started_at", "id")
    return cast(  # BEST_SESSIONS leaves out sessions without a best set
        "QuerySet[WorkoutExercise, BestSessionRow]",
        sessions.values_list("exercise_id", "exercise__name", *fields, named=True),
    )


def personal_record(session: BestSessionRow) -> PersonalRecord:
    return {
        "exercise_id": session.exercise_id,
        "name": session.exercise__name,
        "weight_kg": session.weight_kg,
        "reps": session.reps,
        "estimated_1rm_kg": estimated_1rm_kg(session.weight_kg, session.reps),
        "workout_id": str(session.workout_id),
        "date": timestamp(session.started_at),
    }


def best_sets_by_exercise(account: Account, exercise_ids: Collection[str]) -> dict[str, Lift]:
    """The account's personal record with each of the exercises that has one, by the exercise's id."""
    rows = best_sets_with(account=account.pk, exercise_ids=padded(sorted(exercise_ids) or [""]))
    return {
        row.id: (row.best_weight_kg, row.best_reps)
        for row in rows
        if row.best_weight_kg is not None and row.best_reps is not None
    }


@PreparedQuery[BestLiftRow]
def best_sets_with(account: Placeholder, exercise_ids: list[Placeholder]) -> QuerySet[Exercise, Any]:
    """Two look-ups in the index `session_best` for each exercise, however long the history is."""
    heaviest = (
        WorkoutExercise.objects.filter(account=account, exercise=OuterRef("pk"))
        .filter(best_weight_kg__isnull=False)
        .order_by("-best_weight_kg", "-best_reps", "started_at", "workout")
    )
    exercises = Exercise.objects.filter(pk__in=exercise_ids).annotate(
        best_weight_kg=Subquery(heaviest.values("best_weight_kg")[:1]),
        best_reps=Subquery(heaviest.values("best_reps")[:1]),
    )
    return exercises.values_list("id", "best_weight_kg", "best_reps", named=True)


def best_of_exercise(account: Account, column: str, until: datetime.datetime | None = None) -> Case:
    """A column of the best session before `until` with each exercise of a QuerySet of them, as on screens."""
    sessions = account.workout_exercises.started(until=until).filter(best_weight_kg__isnull=False)
    of_exercise = sessions.filter(exercise=OuterRef("pk"))
    helped = with_least_help(account, sessions.filter(exercise=OuterRef(OuterRef("pk"))))
    return Case(
        When(ASSISTED, then=Subquery(helped.values(column)[:1])),
        When(TIMED, then=Subquery(heaviest_first(of_exercise.exclude(JUST_DONE)).values(column)[:1])),
        default=Subquery(heaviest_first(of_exercise).values(column)[:1]),
    )


def heaviest_first(sessions: QuerySet[WorkoutExercise]) -> QuerySet[WorkoutExercise]:
    rows = sessions.annotate(**best_set_columns(is_assisted=False))
    return rows.order_by("-best_weight_kg", "-best_reps", "started_at", "workout")


def with_least_help(account: Account, sessions: QuerySet[WorkoutExercise]) -> QuerySet[WorkoutExercise]:
    """Those of the sessions with an assisted exercise, the one with least help first.

    The database reads the sets of LEAST_AMONG of them, those whose set with most help has least.
    """
    likely = sessions.order_by("best_weight_kg", "best_reps").values("pk")[:LEAST_AMONG]
    rows = WorkoutExercise.objects.filter(OfAccount(account.db_pk), pk__in=likely)
    rows = rows.annotate(**best_set_columns(is_assisted=True))
    return rows.order_by("weight_kg", "-reps", "started_at", "workout")


def best_set_on_screens() -> dict[str, Case]:
    """`weight_kg` and `reps` of the best set of sessions with any exercises."""
    columns = best_set_columns(is_assisted=False)
    least_help = best_set_columns(is_assisted=True)
    return {
        name: Case(When(exercise__name__icontains="assisted", then=least_help[name]), default=columns[name])
        for name in columns
    }


def best_sets_before(
    account: Account, exercise_ids: Collection[str], until: datetime.datetime | None
) -> dict[str, Lift]:
    """The best set with each exercise, as on screens, of the sessions that started before `until`."""
    best = [best_of_exercise(account, column, until) for column in ("weight_kg", "reps")]
    exercises = Exercise.objects.filter(pk__in=exercise_ids).values_list("pk", *best)
    return {pk: (weight_kg, reps) for pk, weight_kg, reps in exercises if weight_kg is not None}


def new_personal_records(
    earlier: Mapping[str, Lift], exercises: Iterable[WorkoutEntry]
) -> list[tuple[ExerciseSummary, float, int]]:
    """(exercise, weight_kg, reps) of each personal record that a workout's exercises have beaten.

    `earlier` are those before the workout (see `best_sets_by_exercise`): the first session with an exercise
    beats none.
    """
    known, beaten = dict(earlier), {}
    for entry in exercises:
        exercise, lift = entry["exercise"], best_lift(lifts_of(entry["sets"]))
        if lift is not None and exercise.id in known and lift > known[exercise.id]:
            known[exercise.id] = lift
            beaten[exercise.id] = (exercise, *lift)
    return list(beaten.values())


def last_sessions(account: Account, exercise_ids: Collection[str]) -> dict[str, WorkoutExercise]:
    """The account's latest session with each of the exercises it has done, by the exercise's id.

    Annotates `weight_kg` and `reps` of its best set.
    """
    latest = account.workout_exercises.sessions_with(OuterRef("pk")).order_by("-started_at", "-workout_id")
    ids = Exercise.objects.filter(pk__in=exercise_ids).values_list(Subquery(latest.values("pk")[:1]))
    sessions = WorkoutExercise.objects.filter(OfAccount(account.db_pk), pk__in=ids)
    return {session.exercise_id: session for session in sessions.annotate(**best_set_on_screens())}


def recent_sessions(
    account: Account,
    exercise_ids: Collection[str],
    count: int,
    sets: int,
    until: datetime.datetime | None = None,
) -> dict[str, list[WorkoutExercise]]:
    """The account's last sessions with each exercise before `until`, newest first, by the exercise's id.

    They have the columns of a session and `first_sets` (see `with_first_sets`). Each is one look-up in the
    index `session_newest`, however long the history is.
    """
    latest = account.workout_exercises.sessions_with(OuterRef("pk")).started(until=until)
    latest = latest.order_by("-started_at", "-workout_id")
    nth = [Subquery(latest.values("pk")[index : index + 1]) for index in range(count)]
    ids = [pk for row in Exercise.objects.filter(pk__in=exercise_ids).values_list(*nth) for pk in row if pk]
    rows = WorkoutExercise.objects.filter(OfAccount(account.db_pk), pk__in=ids).with_first_sets(sets)
    rows = rows.defer("sets", "session_sets").order_by("-started_at", "-workout_id")
    found: dict[str, list[WorkoutExercise]] = {}
    for row in rows:
        found.setdefault(row.exercise_id, []).append(row)
    return found


def progress(
    account: Account,
    exercise: Exercise,
    since: datetime.datetime | None,
    *,
    session_count: int,
    weighted: bool,
) -> list[Point]:
    """The sessions from `since` on, oldest first; of more than MAX_POINTS the best one of each time.

    There are at most MAX_POINTS times, all equally long; their points have the highest estimate of all
    sessions in them. Sessions without a completed working set are left out; those without weight too where it
    is `weighted`. `session_count` is the number of all sessions with the exercise, of which there are some.
    """
    rows = account.workout_exercises.sessions_with(exercise.pk).started(since)
    rows = rows.filter(best_weight_kg__isnull=False).annotate(
        **best_set_columns(is_assisted=exercise.is_assisted)
    )
    if weighted:
        rows = rows.filter(best_weight_kg__gt=0)
    if exercise.is_timed:
        rows = rows.exclude(JUST_DONE)
    starts: list[datetime.datetime] = []
    if session_count > MAX_POINTS:
        starts = times(since or first_start(account, exercise.pk))
        rows = rows.filter(workout__in=best_of_times(account, exercise, starts))
    found = cast("QuerySet[WorkoutExercise, WorkingSessionRow]", rows.values_list(*CHARTED, named=True))
    is_assisted = exercise.is_assisted
    points = [best_point(group, is_assisted) for group in groups_of_times(found, starts)]
    # The best session of a time is a record if it beat the best of all times before.
    before = best_before(account, exercise, points[0][0]) if points and since else None
    beaten = record_workouts([session for session, _ in points], before, is_assisted)
    return [
        Point(
            session.started_at,
            session.weight_kg,
            session.reps,
            round(highest_1rm_kg, 1),
            session.workout_id in beaten,
        )
        for session, highest_1rm_kg in points
    ]


def times(since: datetime.datetime) -> list[datetime.datetime]:
    """When each of at most MAX_POINTS times begins, the first at `since`, the others alike at every request.

    They are multiples of their length since 1970, so that a chart does not change with every second.
    """
    length = max(1, math.ceil((timezone.now() - since).total_seconds() / (MAX_POINTS - 1)))
    first = int(since.timestamp() // length) + 1
    numbers = range(first, int(timezone.now().timestamp() // length) + 1)
    return [since, *(datetime.datetime.fromtimestamp(number * length, datetime.UTC) for number in numbers)]


def best_of_times(account: Account, exercise: Exercise, starts: Sequence[datetime.datetime]) -> RawSQL:
    """The ids of the workouts that a point needs of each time: the best session, and the highest estimate."""
    adapt = connection.ops.adapt_datetimefield_value
    bounds = [adapt(moment) for pair in itertools.pairwise([*starts, LAST_MOMENT]) for moment in pair]
    best = least_help_first() if exercise.is_assisted else "best_weight_kg + 0 DESC, best_reps DESC"
    sql = BEST_OF_TIMES.format(times=", ".join(["(%s, %s)"] * len(starts)), best=best)
    return RawSQL(sql, [*bounds, *[account.db_pk, exercise.pk] * 2])


def groups_of_times(
    sessions: Iterable[WorkingSessionRow], starts: Sequence[datetime.datetime]
) -> list[list[WorkingSessionRow]]:
    """The sessions of each time, both oldest first; without times, each session is a group."""
    ordered = sorted(sessions, key=lambda session: (session.started_at, session.workout_id))
    if not starts:
        return [[session] for session in ordered]
    groups = itertools.groupby(ordered, lambda session: bisect.bisect(starts, session.started_at))
    return [list(group) for _, group in groups]


def best_point(sessions: Sequence[WorkingSessionRow], is_assisted: bool) -> tuple[WorkingSessionRow, float]:
    """The best session of a time, of equals the oldest, and the highest estimate."""
    best = max(
        sessions,
        key=lambda session: rank((session.weight_kg, session.reps), is_assisted=is_assisted),
    )
    return best, max(session.weight_kg * (1 + session.reps / 30) for session in sessions)


def first_start(account: Account, exercise_id: str) -> datetime.datetime:
    """When the oldest session with an exercise began, of which there are some."""
    sessions = account.workout_exercises.sessions_with(exercise_id).order_by("started_at", "workout_id")
    return sessions.values_list("started_at", flat=True)[0]


def personal_record_workouts(
    account: Account, exercise: Exercise, sessions: Sequence[SessionRow]
) -> set[UUID]:
    """Ids of the workouts whose best set beat all before it: heavier, or as heavy for more repetitions.

    `sessions` are successive ones with the exercise, oldest first.
    """
    before = best_before(account, exercise, sessions[0]) if sessions else None
    return record_workouts(sessions, before, exercise.is_assisted)


def record_workouts(sessions: Iterable[SessionRow], before: Lift | None, is_assisted: bool) -> set[UUID]:
    """As `personal_record_workouts`, of sessions `before` which this was the best lift."""
    personal_record = rank(before, is_assisted=is_assisted) if before else NO_LIFT
    workouts = set()
    for session in sessions:
        if session.weight_kg is None or session.reps is None:
            continue
        lift = rank((session.weight_kg, session.reps), is_assisted=is_assisted)
        if lift > personal_record:
            personal_record = lift
            workouts.add(session.workout_id)
    return workouts


def best_before(account: Account, exercise: Exercise, session: SessionRow) -> Lift | None:
    """The best lift with an exercise before a session with it."""
    same_time = Q(started_at=session.started_at, workout_id__lt=session.workout_id)
    return best_set(account, exercise, same_time | Q(started_at__lt=session.started_at))


def best_set(account: Account, exercise: Exercise, within: Q | None = None) -> Lift | None:
    """The best lift with an exercise, of all sessions or of those that a condition is true of."""
    sessions = account.workout_exercises.filter(exercise=exercise, best_weight_kg__isnull=False)
    if within:
        sessions = sessions.filter(within)
    if exercise.is_timed:
        sessions = sessions.exclude(JUST_DONE)
    best = with_least_help(account, sessions) if exercise.is_assisted else heaviest_first(sessions)
    return best.values_list("weight_kg", "reps").first()  # type: ignore[misc]  # annotated by both


def summary(account: Account, exercise_id: str) -> Summary:
    """The sessions with an exercise counted, and the highest estimated one-rep maximum of their best sets."""
    sessions = account.workout_exercises.sessions_with(exercise_id)
    found = sessions.aggregate(sessions=Count("*"), highest=Max(ESTIMATED_1RM, output_field=FloatField()))
    highest = found["highest"]
    return Summary(found["sessions"], None if highest is None else round(highest, 1))


def trained(account: Account, exercises: ExerciseQuerySet) -> ExerciseQuerySet:
    """Those of the exercises that the account has done, the one done most first.

    Annotates the number of all `sessions` (that of a search has a bound), when the last one was
    (`last_done`), and `best_weight_kg` and `best_reps` of the best set, which may be None.
    """
    sessions = account.workout_exercises.sessions_with(OuterRef("pk"))
    newest = sessions.order_by("-started_at", "-workout_id")
    counted = sessions.order_by().values("exercise").annotate(found=Count("*"))
    found = exercises.filter(Exists(sessions)).annotate(
        sessions=Subquery(counted.values("found")),
        last_done=Subquery(newest.values("started_at")[:1]),
        best_weight_kg=best_of_exercise(account, "weight_kg"),
        best_reps=best_of_exercise(account, "reps"),
    )
    return found.order_by("-sessions", "-last_done", "name")


def untrained(account: Account, exercises: ExerciseQuerySet) -> ExerciseQuerySet:
    """Those of the exercises that the account has not done."""
    return exercises.exclude(Exists(account.workout_exercises.sessions_with(OuterRef("pk"))))


def workouts_with_records(account: Account, workout_ids: Collection[UUID], half: Half) -> set[UUID]:
    """Those of the workouts with a set that beat all before it; see `personal_record_workouts`.

    `half` is the one of the history in which the workouts began. Whether a session was beaten is looked up
    from the newest before it in the older half, and from the heaviest of all in the newer half: so a look-up
    passes over no more than half of the sessions, and over few near the ends.
    """
    rows = WorkoutExercise.objects.filter(OfAccount(account.db_pk), workout__in=workout_ids)
    rows = rows.filter(best_weight_kg__isnull=False).annotate(**best_set_on_screens())
    candidates, helped = [], {}
    best: dict[str, Lift] = {}
    for pk, exercise_id, name, *lift in rows.order_by("started_at", "workout_id").values_list(*LISTED):
        ranked = rank((lift[0], lift[1]), is_assisted=is_assisted(name))
        if ranked > best.get(exercise_id, NO_LIFT):
            best[exercise_id] = ranked
            candidates.append(pk)
            if is_assisted(name):
                helped[pk] = lift
    heavier = (
        sessions_before(account, OuterRef)
        .filter(
            Q(best_weight_kg__gt=OuterRef("best_weight_kg")) | Q(best_reps__gte=OuterRef("best_reps")),
            best_weight_kg__gte=OuterRef("best_weight_kg"),
        )
        .order_by(*LOOK_UP[half])
    )
    beaten_by = Case(
        *(When(pk=pk, then=with_as_little_help(account, *lift)) for pk, lift in helped.items()),
        default=Subquery(heavier.values("workout")[:1]),
    )
    records = WorkoutExercise.objects.filter(OfAccount(account.db_pk), pk__in=candidates)
    records = records.annotate(beaten_by=beaten_by).filter(beaten_by=None)
    return set(records.values_list("workout_id", flat=True))


def sessions_before(account: Account, of: Callable[[str], OuterRef]) -> WorkoutExerciseQuerySet:
    """The sessions with the exercise of a row before it; `of` refers to a column of that row."""
    return account.workout_exercises.sessions_with(of("exercise")).filter(
        Q(started_at__lt=of("started_at")) | Q(workout_id__lt=of("workout_id")),
        started_at__lte=of("started_at"),
    )


def with_as_little_help(account: Account, weight_kg: float, reps: int) -> Coalesce:
    """A workout before that of a row whose best set was as good as one of an assisted exercise.

    One whose sets all had less help is looked up in an index; only without one the sets of others are read.
    """
    less = sessions_before(account, OuterRef).filter(best_weight_kg__lt=weight_kg)
    before = sessions_before(account, lambda column: OuterRef(OuterRef(column)))
    helped = with_least_help(account, before.filter(best_weight_kg__isnull=False))
    as_good = helped.filter(Q(weight_kg__lt=weight_kg) | Q(weight_kg=weight_kg, reps__gte=reps))
    return Coalesce(
        Subquery(less.order_by("best_weight_kg", "best_reps").values("workout")[:1]),
        Subquery(as_good.values("workout")[:1]),
    )


def totals_of_months(
    account: Account, workouts: WorkoutQuerySet, months: Sequence[datetime.date]
) -> dict[datetime.date, MonthTotals]:
    """What those of the workouts add up to that began in each of the months, given by their first days."""
    if not months:
        return {}
    exercises = WorkoutExercise.objects.filter(account=account, workout=OuterRef("pk")).order_by()
    sets = exercises.values("workout").annotate(found=Sum("completed_sets")).values("found")
    within = [started_in(month) for month in months]
    number = Case(*(When(condition, then=index) for index, condition in enumerate(within)))
    rows = (
        workouts.filter(functools.reduce(operator.or_, within))
        .annotate(number=number, sets=Coalesce(Subquery(sets), 0))
        .order_by()
        .values("number")
        .annotate(Count("pk"), Sum("sets"), Sum("volume_kg"), Sum("duration_seconds"))
    )
    return {
        months[row["number"]]: MonthTotals(
            row["pk__count"], row["sets__sum"], row["volume_kg__sum"], row["duration_seconds__sum"]
        )
        for row in rows
    }


def started_in(month: datetime.date) -> Q:
    """The condition that a workout began in the month whose first day this is, in the current time zone."""
    since, until = begin_and_end(month, last_of_month(month))
    bounds = {"started_at__gte": since, "started_at__lt": until}
    return Q(**{lookup: bound for lookup, bound in bounds.items() if bound})


def months_of_history(account: Account) -> list[datetime.date]:
    """The first days of the months from the newest workout back to the oldest, in the current time zone.

    At most MAX_MONTHS: somebody may have logged a workout of the year 1.
    """
    starts = account.workouts.values("started_at")
    oldest, newest = starts.order_by("started_at", "id")[:1], starts.order_by("-started_at", "-id")[:1]
    ends = AccountState.objects.filter(account=account).values_list(Subquery(oldest), Subquery(newest)).get()
    if None in ends:
        return []
    first, last = map(timezone.localdate, ends)
    numbers = range(12 * last.year + last.month - 1, 12 * first.year + first.month - 2, -1)
    return [datetime.date(number // 12, number % 12 + 1, 1) for number in numbers[:MAX_MONTHS]]
