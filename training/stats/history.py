"""What was done with an exercise: its last sessions, the points of its chart, its bests in a year."""

import bisect
import datetime
import itertools
import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db.models import Case, F, FloatField, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.aggregates import Count, Max, Sum
from django.db.models.expressions import Exists
from django.db.models.functions import Cast, Substr
from django.utils import timezone

from accounts.models import Account
from fitness.days import ONE_DAY, midnight, today
from fitness.db.owned import OfAccount
from training.models.exercise import TIMED, Exercise, ExerciseQuerySet, MuscleGroup
from training.models.pin import is_pinned
from training.models.sets import rank
from training.models.timed import NOTES, TimedSet, longest, timed_sets
from training.models.workout_exercise import (
    WorkoutExercise,
    WorkoutExerciseQuerySet,
    best_set_columns,
)
from training.stats.periods import interval
from training.stats.records import (
    JUST_DONE,
    BestOfSession,
    WorkingSessionRow,
    best_of_exercise,
    best_set,
    best_set_on_screens,
    first_sessions,
    record_workouts,
)

ESTIMATED_1RM = F("best_weight_kg") * (1 + Cast("best_reps", FloatField()) / 30)  # unrounded
TIMED_SESSIONS = 1_000  # whose notes are read for times and distances
RECENT_DAYS = 56  # of the sessions in which a lift may have stalled
RECENT_SESSIONS = 300  # at most, of all lifts that are asked for
WINDOW_DAYS, WINDOWS = 15, 24  # about a year, of which the bests of windows are known
COMPARED = 6  # windows that a change is over: 90 days
MAX_POINTS = 300  # of a chart: about one for each pixel column of a phone
CHARTED = ("workout_id", "started_at", "weight_kg", "reps")
NO_IDS = [""]
LAST_MOMENT = datetime.datetime.max.replace(tzinfo=datetime.UTC)


def last_sessions(account: Account, exercise_ids: Collection[str]) -> dict[str, WorkoutExercise]:
    """The account's latest session with each of the exercises it has done, by the exercise's id.

    Annotates `weight_kg` and `reps` of its best set, and its `warmups`.
    """
    latest = account.workout_exercises.sessions_with(OuterRef("pk")).order_by("-started_at", "-workout_id")
    exercises = Exercise.objects.seen_by(account).filter(pk__in=exercise_ids)
    ids = exercises.values_list(Subquery(latest.values("pk")[:1]))
    sessions = WorkoutExercise.objects.filter(OfAccount(account.pk), pk__in=ids)
    rows = account.workout_exercises.filter(workout=OuterRef("workout"), exercise=OuterRef("exercise"))
    warmups = rows.order_by().values("exercise").annotate(found=Sum("done_warmups")).values("found")
    sessions = sessions.annotate(warmups=Subquery(warmups), **best_set_on_screens())
    return {session.exercise_id: session for session in sessions}


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
    newest = [Subquery(latest.values("pk")[index : index + 1]) for index in range(count)]
    exercises = Exercise.objects.seen_by(account).filter(pk__in=exercise_ids).values_list(*newest)
    ids = [pk for row in exercises for pk in row if pk is not None]
    rows = WorkoutExercise.objects.filter(OfAccount(account.pk), pk__in=ids).with_first_sets(sets)
    found: dict[str, list[WorkoutExercise]] = {}
    for row in rows.defer("sets", "session_sets").order_by("-started_at", "-workout_id"):
        found.setdefault(row.exercise_id, []).append(row)
    return found


def summary(account: Account, exercise_id: str) -> tuple[int, float | None]:
    """How many sessions with an exercise there were, and the highest estimated one-rep maximum of their best
    sets; None without one.
    """
    found = account.workout_exercises.sessions_with(exercise_id).aggregate(
        sessions=Count("*"), highest=Max(ESTIMATED_1RM, output_field=FloatField())
    )
    highest = found["highest"]
    return found["sessions"], None if highest is None else round(highest, 1)


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
        best_weight_kg=best_of_exercise(account.pk, "weight_kg"),
        best_reps=best_of_exercise(account.pk, "reps"),
    )
    return found.order_by("-sessions", "-last_done", "name")


def untrained(account: Account, exercises: ExerciseQuerySet) -> ExerciseQuerySet:
    """Those of the exercises that the account has not done."""
    return exercises.exclude(Exists(account.workout_exercises.sessions_with(OuterRef("pk"))))


class Point(NamedTuple):
    """A session in a chart of progress; `is_record` if its best set beat all before it."""

    started_at: datetime.datetime
    weight_kg: float
    reps: int
    estimated_1rm_kg: float
    is_record: bool


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
    if exercise.is_timed:
        rows = rows.exclude(JUST_DONE)
    rows = rows.annotate(**best_set_columns(is_assisted=exercise.is_assisted))
    # All in the index `session_newest`: with a condition on weights, databases would take another, and sort.
    found = rows.order_by("started_at", "workout_id").values_list(*CHARTED, named=True)
    least, is_assisted = (0 if weighted else -1), exercise.is_assisted
    sessions: list[WorkingSessionRow] = [
        row for row in found if row.weight_kg is not None and row.weight_kg > least
    ]
    starts = times(since or sessions[0].started_at) if sessions and session_count > MAX_POINTS else []
    points = [best_point(group, is_assisted) for group in groups_of_times(sessions, starts)]
    # The best session of a time is a record if it beat the best of all times before.
    before = best_set(account, exercise, points[0][0]) if points and since else None
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


def groups_of_times(
    sessions: Sequence[WorkingSessionRow], starts: Sequence[datetime.datetime]
) -> list[list[WorkingSessionRow]]:
    """The sessions of each time, both oldest first; without times, each session is a group."""
    if not starts:
        return [[session] for session in sessions]
    groups = itertools.groupby(sessions, lambda session: bisect.bisect(starts, session.started_at))
    return [list(group) for _, group in groups]


def best_point(sessions: Sequence[WorkingSessionRow], is_assisted: bool) -> tuple[WorkingSessionRow, float]:
    """The best session of a time, of equals the oldest, and the highest estimate."""
    best = max(
        sessions,
        key=lambda session: rank((session.weight_kg, session.reps), is_assisted=is_assisted),
    )
    return best, max(session.weight_kg * (1 + session.reps / 30) for session in sessions)


def best_times(account: Account, exercise: Exercise) -> list[tuple[datetime.datetime, TimedSet]]:
    """The longest time and distance of each of the last sessions whose notes have some, oldest first."""
    sessions = account.workout_exercises.sessions_with(exercise.pk).order_by("-started_at", "-workout_id")
    rows = sessions.values_list("started_at", Substr("notes", 1, NOTES))[:TIMED_SESSIONS]
    return [(started_at, longest(sets)) for started_at, notes in rows[::-1] if (sets := timed_sets(notes))]


def longest_sets(account: Account, exercise_ids: Collection[str]) -> dict[str, TimedSet]:
    """The longest time and distance with each of the exercises that has some, of the last sessions."""
    found: dict[str, list[TimedSet]] = defaultdict(list)
    for exercise_id, _, sets in sessions_by_time(account, exercise_ids):
        found[exercise_id] += sets
    return {exercise_id: longest(sets) for exercise_id, sets in found.items()}


def longest_sessions(account: Account) -> WorkoutExerciseQuerySet:
    """The session with the greatest distance, else with the longest time, of each exercise of TIMED."""
    timed = Exercise.objects.seen_by(account).filter(TIMED)
    best: dict[str, tuple[float, int, int]] = {}
    for exercise_id, pk, sets in sessions_by_time(account, timed.values("pk")):
        one = longest(sets)
        length = (one["distance_km"] or 0, one["seconds"] or 0)
        if exercise_id not in best or length >= best[exercise_id][:2]:  # of equals the oldest
            best[exercise_id] = (*length, pk)
    # Without one, an id that no row has: each page then has the same number of statements.
    return account.workout_exercises.filter(pk__in=[pk for *_, pk in best.values()] or [0])


def sessions_by_time(
    account: Account, exercise_ids: Collection[str] | QuerySet[Exercise, Any]
) -> Iterator[tuple[str, int, list[TimedSet]]]:
    """(exercise, its row, sets) of the last sessions whose notes have times or distances, newest first."""
    sessions = account.workout_exercises.filter(exercise__in=exercise_ids, first_of_exercise=True)
    rows = sessions.exclude(notes="").order_by("-started_at", "-workout_id")
    columns = ("exercise_id", "pk", Substr("notes", 1, NOTES))
    for exercise_id, pk, notes in rows.values_list(*columns)[:TIMED_SESSIONS]:
        if sets := timed_sets(notes):
            yield exercise_id, pk, sets


class TrainedRow(NamedTuple):
    """The newest session with an exercise: a row of `trained_rows`."""

    exercise_id: str
    exercise__name: str
    exercise__muscle_group: str
    exercise__equipment: str
    exercise__mechanic: str
    exercise__is_assisted: bool
    workout_id: object
    started_at: datetime.datetime
    pinned: bool
    timed: bool  # whether the exercise is one of TIMED


class Best(NamedTuple):
    """The bests of an exercise in a window of WINDOW_DAYS, each of any session in it."""

    sessions: int
    estimated_1rm_kg: float | None
    weight_kg: float | None
    volume_kg: float | None  # None where it was not asked for
    reps: int | None  # of a session's heaviest set; where nothing was lifted, its most reps
    help_kg: float | None = None  # the least, where the weight of the exercise is help
    time: int | None = None  # seconds, where the exercise is measured by time or distance
    distance: float | None = None  # km


@dataclass(frozen=True)
class LiftOfYear:
    """What an account did with one exercise in about a year: its Best by the number of the window."""

    is_assisted: bool
    bests: dict[int, Best] = field(default_factory=dict)

    @property
    def measure(self) -> str | None:
        """What it alone is measured by: "distance" or "time", "help", or "reps" where nothing is lifted; None
        for the rest.
        """
        bests = self.bests.values()
        if any(best.distance for best in bests):
            return "distance"
        if any(best.time for best in bests):
            return "time"
        if not any(best.weight_kg for best in bests):
            return "reps"
        return "help" if self.is_assisted else None

    @property
    def sessions(self) -> int:
        """Sessions in the windows that a change is over."""
        return sum(best.sessions for number, best in self.bests.items() if number >= WINDOWS - COMPARED)


def trained_rows(account: Account) -> list[TrainedRow]:
    """The newest session with each exercise that the account has done."""
    # The condition of the index `session_newest`, and its order.
    newest = first_sessions(account, "first_of_exercise", "started_at DESC, workout_id DESC")
    rows = WorkoutExercise.objects.filter(OfAccount(account.pk), id__in=newest)
    timed = Exercise.objects.seen_by(account).filter(TIMED, pk=OuterRef("exercise"))
    rows = rows.annotate(pinned=is_pinned(account.pk, "exercise"), timed=Exists(timed))
    return list(map(TrainedRow._make, rows.values_list(*TrainedRow._fields)))


def recent_best_sets(account: Account, exercise_ids: Collection[str]) -> dict[str, list[BestOfSession]]:
    """The best sets with each of the exercises that had some in the last RECENT_DAYS, oldest first."""
    since = midnight(today() - ONE_DAY * RECENT_DAYS)
    rows = account.workout_exercises.started(since, timezone.now()).filter(exercise__in=exercise_ids)
    rows = rows.filter(first_of_exercise=True, best_weight_kg__isnull=False)
    rows = rows.annotate(**best_set_on_screens()).order_by("-started_at", "-workout_id")[:RECENT_SESSIONS]
    columns = ("exercise_id", "started_at", *best_set_on_screens())
    found: dict[str, list[BestOfSession]] = defaultdict(list)
    for exercise_id, started_at, weight_kg, reps in reversed(rows.values_list(*columns)):
        found[exercise_id].append(BestOfSession(timezone.localtime(started_at), (weight_kg, reps)))
    return found


def window_days(day: datetime.date) -> list[datetime.date]:
    """The first day of each window, oldest first; the last window ends on `day`."""
    return [day + ONE_DAY - ONE_DAY * WINDOW_DAYS * back for back in range(WINDOWS, 0, -1)]


def lifts_of_year(
    account: Account, trained: Sequence[TrainedRow], *, with_volume: bool
) -> dict[str, LiftOfYear]:
    """What the account did with each of the exercises in the last WINDOWS, by the exercise's id."""
    starts = [midnight(day) for day in window_days(today())]
    rows = account.workout_exercises.started(starts[0], timezone.now())
    recent = [row for row in trained if row.started_at >= starts[0]]
    timed = ids_of(row for row in recent if row.timed)
    assisted = ids_of(row for row in recent if row.exercise__is_assisted)
    found = {row.exercise_id: LiftOfYear(row.exercise__is_assisted) for row in recent}
    # All but the volume is in the index `session_newest`.
    bests = (
        rows.filter(exercise__in=list(found), first_of_exercise=True)
        .annotate(window=interval(starts), of_exercise=F("exercise_id"))
        .values("window", "of_exercise")  # the number first: SQLite sorts by it faster than by a text
        .annotate(
            sessions=Count("*"),
            estimate=Max(ESTIMATED_1RM, output_field=FloatField()),
            weight=Max("best_weight_kg"),
            reps=Max("best_reps", filter=~(JUST_DONE & Q(exercise__in=timed))),
            volume=Max("volume_kg") if with_volume else Value(None, FloatField()),
        )
    )
    columns = ("window", "of_exercise", "sessions", "estimate", "weight", "volume", "reps")
    for number, exercise_id, *best in bests.values_list(*columns):
        found[exercise_id].bests[number] = Best(*best)
    # All of them: a row has that of its exercise when it was logged, until it follows the catalogue.
    groups = MuscleGroup.values if timed != NO_IDS or assisted != NO_IDS else [""]
    for other in other_measures(rows.filter(muscle_group__in=groups), timed, assisted):
        of_exercise, number = found[other.exercise_id].bests, bisect.bisect(starts, other.started_at) - 1
        if number in of_exercise:  # not of a workout that was logged between the statements
            of_exercise[number] = with_other_measures(of_exercise[number], other)
    return {pk: lift for pk, lift in found.items() if lift.bests}


def ids_of(rows: Iterable[TrainedRow]) -> list[str]:
    """The ids of the exercises; where there are none, one that no exercise has."""
    return [row.exercise_id for row in rows] or NO_IDS


class OtherMeasures(NamedTuple):
    """What an exercise is measured by besides its sets: the help of a session, and the first characters of
    its notes, which may have times and distances.
    """

    exercise_id: str
    started_at: datetime.datetime
    help_kg: float | None
    beginning: str


def other_measures(
    rows: WorkoutExerciseQuerySet, timed: Collection[str], assisted: Collection[str]
) -> Iterator[OtherMeasures]:
    """Those of rows of some muscle groups, each a range of the index `session_totals`.

    Not in the statement about the windows, where SQLite would read the sets of all sessions to sort them.
    """
    is_timed = Q(exercise__in=timed) & ~Q(notes="")
    is_helped = Q(exercise__in=assisted, first_of_exercise=True)
    least_help = best_set_columns(is_assisted=True)["weight_kg"]
    found = rows.filter(is_timed | is_helped).annotate(
        help_kg=Case(When(is_helped, then=least_help)),
        beginning=Case(When(is_timed, then=Substr("notes", 1, NOTES)), default=Value("")),
    )
    return map(OtherMeasures._make, found.values_list(*OtherMeasures._fields))


def with_other_measures(best: Best, row: OtherMeasures) -> Best:
    before: TimedSet = {"seconds": best.time, "distance_km": best.distance, "weight_kg": None}
    longest_set = longest([before, *timed_sets(row.beginning)])
    least = min((kg for kg in (best.help_kg, row.help_kg) if kg is not None), default=None)
    return best._replace(help_kg=least, time=longest_set["seconds"], distance=longest_set["distance_km"])
