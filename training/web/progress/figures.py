"""The figures of /progress, read from the aggregates in the rows of WorkoutExercise.

Weeks and windows are those of the current time zone. Each function takes one statement or a fixed number of
them, and reads no more than a year of rows, or a fixed number for each exercise.
"""

import bisect
import datetime
import functools
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple, Self

from django.db.models import (
    Case,
    Count,
    F,
    FloatField,
    IntegerField,
    Max,
    OuterRef,
    Q,
    Sum,
    Value,
    When,
)
from django.db.models.expressions import Exists, RawSQL
from django.db.models.functions import Substr
from django.utils import timezone

from accounts.models import Account
from fitness.days import ONE_DAY, midnight, today
from fitness.db.owned import OfAccount
from training.models import Exercise, WorkoutExercise
from training.models.exercise import TIMED, MuscleGroup
from training.models.pin import is_pinned
from training.models.sets import counted, shown_volume
from training.models.timed import NOTED_ENTRIES, NOTES, TimedSet, longest, timed_sets
from training.models.workout_exercise import WorkoutExerciseQuerySet, best_set_columns
from training.stats import (
    ESTIMATED_1RM,
    JUST_DONE,
    beat_others,
    best_of_exercise,
    best_set_on_screens,
    sessions_found,
)
from training.web.progress.headline import Session

SHOWN = 12  # weeks whose muscle groups are shown
SUNDAY = 6
USUAL = 4  # weeks before this one, with which it is compared up to the same weekday
RECENT_DAYS = 56  # of the sessions in which a lift may have stalled
RECENT_SESSIONS = 300  # at most, of all lifts that are asked for
WINDOW_DAYS, WINDOWS = 15, 24  # about a year; a line joins the best of each window
COMPARED = 6  # windows that a change is over: 90 days
HEAVIEST = 1_000  # sessions of an exercise, among which the highest estimated maximum is looked for
ENDS = 2  # windows at each end of those, so that a light fortnight is no step back

# The id of the newest session with each exercise: a loose scan of the index `session_newest`, whose cost
# follows the number of exercises and not the history (as BEST_SESSIONS in training/stats/records.py).
NEWEST_SESSIONS = """
WITH RECURSIVE used(exercise_id) AS (
    SELECT min(exercise_id) FROM training_workoutexercise WHERE account_id = %s AND first_of_exercise
    UNION ALL
    SELECT (
        SELECT min(exercise_id) FROM training_workoutexercise
        WHERE account_id = %s AND first_of_exercise AND exercise_id > used.exercise_id
    )
    FROM used WHERE used.exercise_id IS NOT NULL
)
SELECT (
    SELECT id FROM training_workoutexercise
    WHERE account_id = %s AND first_of_exercise AND exercise_id = used.exercise_id
    ORDER BY started_at DESC, workout_id DESC LIMIT 1
)
FROM used WHERE exercise_id IS NOT NULL
"""

# The highest estimated maximum among an exercise's heaviest sessions, as its own page computes it. The limit
# bounds the cost of a long history.
STRONGEST = f"""
SELECT max(best_weight_kg * (1 + best_reps / CAST(30 AS double precision))) FROM (
    SELECT best_weight_kg, best_reps FROM training_workoutexercise one
    WHERE account_id = %s AND exercise_id = training_workoutexercise.exercise_id
        AND best_weight_kg IS NOT NULL
    ORDER BY best_weight_kg DESC, best_reps DESC LIMIT {HEAVIEST}
) heaviest
"""


class TrainedRow(NamedTuple):
    """The newest session with an exercise: a row of `trained_rows`."""

    exercise_id: str
    exercise__name: str
    exercise__muscle_group: str
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


class Record(NamedTuple):
    """The best session with an exercise, as on screens, and the highest estimated maximum of all sessions.

    `beat_others`: it was not the first one with a best set.
    """

    weight_kg: float
    reps: int
    started_at: datetime.datetime
    workout_id: object
    strongest_kg: float
    beat_others: bool


@dataclass(frozen=True)
class Lift:
    """What an account did with one exercise in about a year: its Best by the number of the window."""

    exercise_id: str
    name: str
    is_assisted: bool
    bests: dict[int, Best]

    @classmethod
    def of(cls, row: TrainedRow) -> Self:
        """Without any session."""
        return cls(row.exercise_id, row.exercise__name, row.exercise__is_assisted, {})

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


class Totals(NamedTuple):
    """What a muscle group in a week adds up to; `work_sets` are the completed sets without warm-ups, and
    those of a time or a distance.
    """

    sets: int
    volume_kg: float
    work_sets: int

    def plus(self, other: "Totals | None") -> "Totals":
        if other is None:
            return self
        volume_kg = self.volume_kg + other.volume_kg
        return Totals(self.sets + other.sets, volume_kg, self.work_sets + other.work_sets)


@dataclass(frozen=True)
class Week:
    """The totals of each muscle group in the week from a Monday on; those without a set are left out.

    `so_far`: up to the weekday of today.
    """

    monday: datetime.date
    groups: dict[str, Totals]
    so_far: dict[str, Totals]

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
    def all_so_far(self) -> Totals:
        """The totals of all muscle groups up to the weekday of today."""
        return functools.reduce(Totals.plus, self.so_far.values(), Totals(0, 0, 0))


class Part(NamedTuple):
    """Some days of a week, from a moment on; `is_so_far` if they are those up to the weekday of today."""

    start: datetime.datetime
    week: Week
    is_so_far: bool

    def add(self, muscle_group: str, totals: Totals) -> None:
        for groups in (self.week.groups, self.week.so_far) if self.is_so_far else (self.week.groups,):
            groups[muscle_group] = totals.plus(groups.get(muscle_group))


def trained_rows(account: Account) -> list[TrainedRow]:
    """The newest session with each exercise that the account has done."""
    newest = RawSQL(NEWEST_SESSIONS, [account.db_pk] * 3)
    rows = WorkoutExercise.objects.filter(OfAccount(account.pk), id__in=newest)
    timed = Exercise.objects.seen_by(account).filter(TIMED, pk=OuterRef("exercise"))
    rows = rows.annotate(pinned=is_pinned(account.pk, "exercise"), timed=Exists(timed))
    return list(map(TrainedRow._make, rows.values_list(*TrainedRow._fields)))


def records(account: Account, exercise_ids: Sequence[str]) -> dict[str, Record]:
    """The Record with each of the exercises that has one, by the exercise's id."""
    exercises = Exercise.objects.seen_by(account).filter(pk__in=exercise_ids)
    best = exercises.values_list(best_of_exercise(account.pk, "pk"))
    rows = sessions_found(account, best, **best_set_on_screens()).annotate(
        strongest=RawSQL(STRONGEST, [account.db_pk], output_field=FloatField()),
        beat_others=beat_others(account),
    )
    return {
        row.exercise_id: Record(
            row.weight_kg, row.reps, row.started_at, row.workout_id, round(row.strongest, 1), row.beat_others
        )
        for row in rows.values_list(
            *("exercise_id", "weight_kg", "reps", "started_at", "workout_id", "strongest", "beat_others"),
            named=True,
        )
    }


def recent_sessions(account: Account, exercise_ids: Sequence[str]) -> dict[str, list[Session]]:
    """The sessions of the last RECENT_DAYS with each of the exercises that had some, oldest first."""
    since = midnight(today() - ONE_DAY * RECENT_DAYS)
    rows = account.workout_exercises.started(since, timezone.now()).filter(exercise__in=exercise_ids)
    rows = rows.filter(first_of_exercise=True, best_weight_kg__isnull=False)
    rows = rows.annotate(**best_set_on_screens()).order_by("-started_at", "-workout_id")[:RECENT_SESSIONS]
    columns = ("exercise_id", "started_at", *best_set_on_screens())
    found: dict[str, list[Session]] = defaultdict(list)
    for exercise_id, started_at, weight_kg, reps in reversed(rows.values_list(*columns)):
        found[exercise_id].append(Session(timezone.localtime(started_at), (weight_kg, reps)))
    return found


def window_days(day: datetime.date) -> list[datetime.date]:
    """The first day of each window, oldest first; the last window ends on `day`."""
    return [day + ONE_DAY - ONE_DAY * WINDOW_DAYS * back for back in range(WINDOWS, 0, -1)]


def best_of_windows(
    account: Account,
    exercise_ids: Collection[str],
    timed: Collection[str],
    starts: Sequence[datetime.datetime],
    until: datetime.datetime,
    *,
    with_volume: bool,
) -> Iterator[tuple[int, str, Best]]:
    """(window, exercise, Best) of each of the exercises. All but the volume is in `session_newest`."""
    just_done = JUST_DONE & Q(exercise__in=timed)
    rows = (
        account.workout_exercises.started(starts[0], until)
        .filter(exercise__in=exercise_ids, first_of_exercise=True)
        .annotate(window=interval(starts), of_exercise=F("exercise_id"))
        .values("window", "of_exercise")  # the number first: SQLite sorts by it faster than by a text
        .annotate(
            sessions=Count("*"),
            estimate=Max(ESTIMATED_1RM, output_field=FloatField()),
            weight=Max("best_weight_kg"),
            reps=Max("best_reps", filter=~just_done),
            volume=Max("volume_kg") if with_volume else Value(None, FloatField()),
        )
    )
    columns = ("window", "of_exercise", "sessions", "estimate", "weight", "volume", "reps")
    for window, exercise_id, *best in rows.values_list(*columns):
        yield window, exercise_id, Best(*best)


def lifts(account: Account, trained: Sequence[TrainedRow], *, with_volume: bool) -> dict[str, Lift]:
    """What the account did with each of the exercises in the last WINDOWS, by the exercise's id."""
    starts, now = [midnight(day) for day in window_days(today())], timezone.now()
    recent = [row for row in trained if row.started_at >= starts[0]]
    timed, ids = timed_of(recent), [row.exercise_id for row in recent]
    found = {row.exercise_id: Lift.of(row) for row in recent}
    for number, exercise_id, best in best_of_windows(
        account, ids, ids_of(timed), starts, now, with_volume=with_volume
    ):
        found[exercise_id].bests[number] = best
    assisted = [row for row in recent if row.exercise__is_assisted]
    # All of them: a row has that of its exercise when it was logged, until it follows the catalogue.
    groups = MuscleGroup.values if timed or assisted else [""]
    window = account.workout_exercises.started(starts[0], now).filter(muscle_group__in=groups)
    for other in other_measures(window, ids_of(timed), ids_of(assisted)):
        bests, number = found[other.exercise_id].bests, bisect.bisect(starts, other.started_at) - 1
        if number in bests:  # not of a workout that was logged between the statements
            bests[number] = with_other_measures(bests[number], other)
    return {pk: lift for pk, lift in found.items() if lift.bests}


def timed_of(rows: Iterable[TrainedRow]) -> list[TrainedRow]:
    return [row for row in rows if row.timed]


def ids_of(rows: Iterable[TrainedRow]) -> list[str]:
    """The ids of the exercises; where there are none, one that no exercise has."""
    return [row.exercise_id for row in rows] or [""]


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

    Not in `best_of_windows`, where SQLite would read the sets of all sessions in order to sort them.
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


def weeks(account: Account, count: int = SHOWN, *, usual: int = USUAL) -> list[Week]:
    """So many weeks, oldest first; the last has begun. `so_far` is of the `usual` ones before it alone."""
    day = today()
    monday = day - ONE_DAY * day.weekday()
    found = [Week(monday - ONE_DAY * 7 * back, {}, {}) for back in range(count - 1, -1, -1)]
    parts = parts_of(found, day, usual)
    starts = [part.start for part in parts]
    # All groups are named so that each is a range of the index `session_totals`.
    rows = account.workout_exercises.started(starts[0], timezone.now())
    rows = rows.filter(muscle_group__in=MuscleGroup.values)
    totals_of_parts = (
        rows.annotate(part=interval(starts))
        .values("part", "muscle_group")
        .annotate(done=Sum("completed_sets"), volume=Sum("volume_kg"), warmups=Sum("done_warmups"))
        .filter(done__gt=0)
    )
    columns = ("part", "muscle_group", "done", "volume", "warmups")
    for number, muscle_group, done, volume, warmups in totals_of_parts.values_list(*columns):
        parts[number].add(muscle_group, Totals(done, volume, done - warmups))
    # The beginnings of the newest notes, which may have times and distances.
    noted = rows.exclude(notes="").annotate(beginning=Substr("notes", 1, NOTES))
    noted = noted.order_by("-started_at", "-id")[:NOTED_ENTRIES]
    for started_at, muscle_group, beginning in noted.values_list("started_at", "muscle_group", "beginning"):
        if timed := counted(0, 0, beginning).sets:
            part = parts[bisect.bisect(starts, started_at) - 1]
            part.add(muscle_group, Totals(0, 0, timed))
    for week in found:
        for muscle_group, totals in week.groups.items():
            week.groups[muscle_group] = totals._replace(volume_kg=shown_volume(totals.volume_kg))
    return found


def parts_of(weeks: Sequence[Week], day: datetime.date, usual: int) -> list[Part]:
    """The weeks, oldest first; the last `usual` ones before this one in two parts, up to the weekday of a day
    and behind it.
    """
    compared = weeks[-1 - usual :]
    parts = [Part(midnight(week.monday), week, week in compared) for week in weeks]
    if day.weekday() < SUNDAY:
        behind = ONE_DAY * (day.weekday() + 1)
        parts += [Part(midnight(week.monday + behind), week, False) for week in compared[:-1]]
    return sorted(parts, key=attrgetter("start"))


def interval(starts: Sequence[datetime.datetime]) -> Case:
    """The number of the last of the `starts`, oldest first, that is not after a row's start.

    Comparisons with constants: SQL for days of a zone differs between the databases.
    """
    newest_first = reversed(list(enumerate(starts)))
    cases = [When(started_at__gte=start, then=Value(number)) for number, start in newest_first]
    return Case(*cases, output_field=IntegerField())
