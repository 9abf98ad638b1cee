"""Workouts as CSV: in Strong's form, in Hevy's form, and with the names of the API.

The forms of the two apps have no place for sets that were planned and not done, nor for plans: these are left
out. An exercise without sets (a note of time or distance) is one row.
"""

import datetime
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple, cast

import orjson

from accounts.models import Account
from fitness.db.batches import in_batches
from fitness.spreadsheets import Cell, Mark, Row
from fitness.web.units import KG_PER_POUND
from training.imports.names import exported_name
from training.imports.source import DROP, FAILURE, WARMUP, marked
from training.models import Exercise, Workout
from training.models.sets import SET_FIELDS, SetType, WorkoutSet
from training.models.workout_document import DocumentEntry, WorkoutDocument

POUND_DECIMALS = 6  # 225 lb are stored as 102.05828325 kg and are 225 lb again

STRONG_HEADER = (
    *("Date", "Workout Name", "Duration", "Exercise Name", "Set Order", "Weight", "Reps"),
    *("Distance", "Seconds", "Notes", "Workout Notes", "RPE"),
)
NONE = Mark("-")
NOTE = Mark("Note")
STRONG_ORDERS = {WARMUP: Mark("W"), FAILURE: Mark("F"), DROP: Mark("D")}
HEVY_TYPES = {WARMUP: "warmup", FAILURE: "failure", DROP: "dropset"}

WORKOUT_FIELDS = (
    *("id", "title", "notes", "started_at", "duration_seconds", "volume_kg", "plan_id", "plan_name"),
    *("created_at", "updated_at"),
)
ENTRY_FIELDS = ("exercise_id", "name", "muscle_group", "superset_id")
OF_SET = tuple(one.name for one in SET_FIELDS)
SETS_HEADER = (*WORKOUT_FIELDS, *ENTRY_FIELDS, "exercise_notes", "set", *OF_SET)

Names = Callable[[DocumentEntry], str]


def documents(account: Account, *order: str) -> Iterator[WorkoutDocument]:
    """The account's workouts in an order, read from the database while they are iterated."""
    workouts = in_batches(Workout.objects.only("account", "document"), account, order)
    return (orjson.loads(workout.document) for workout in workouts)


def names_of(account: Account, source: str) -> Names:
    """What an app calls the exercise of an entry; the catalogue and the account's names are read once."""
    own: defaultdict[str | None, list[str]] = defaultdict(list)
    for name, exercise_id in account.exercise_names.meaning_exercises(source):
        own[exercise_id].append(name)
    seen = Exercise.objects.seen_by(account)
    exercises = {one.id: one for one in seen.only("id", "name", "equipment").iterator()}

    @cache
    def name_of(exercise_id: str, has_weight: bool) -> str | None:
        exercise = exercises.get(exercise_id)
        if exercise is None:
            return None
        return exported_name(source, exercise, own[exercise_id], has_weight=has_weight)

    return lambda entry: (
        name_of(entry["exercise_id"], any(one["weight_kg"] for one in done(entry))) or entry["name"]
    )


def done(entry: DocumentEntry) -> list[WorkoutSet]:
    return [one for one in entry["sets"] if one["completed"]]


class DoneSet(NamedTuple):
    values: WorkoutSet
    kind: str | None  # WARMUP, FAILURE or DROP


def with_kinds(entry: DocumentEntry) -> tuple[str, Sequence[DoneSet]]:
    """The notes and the done sets, of which the notes may say which are to failure, or drop sets."""
    notes, kinds = marked(entry["notes"], entry["sets"])
    return notes, [
        DoneSet(one, WARMUP if one["type"] == SetType.WARMUP else kinds.get(place))
        for place, one in enumerate(entry["sets"], 1)
        if one["completed"]
    ]


def local_start(workout: WorkoutDocument, zone: datetime.tzinfo) -> datetime.datetime:
    return datetime.datetime.fromisoformat(workout["started_at"]).astimezone(zone).replace(tzinfo=None)


# --- Strong's form, which is all that Hevy imports ---------------------------------------------------


def strong_rows(account: Account, zone: datetime.tzinfo) -> Iterator[Row]:
    """The rows under STRONG_HEADER, oldest workout first: times in the zone, weights in kg."""
    name_of = names_of(account, "strong")
    for workout in documents(account, "started_at", "id"):
        start = local_start(workout, zone).isoformat(" ", "seconds")
        head = (start, workout["title"], strong_duration(workout["duration_seconds"]))
        for entry in workout["exercises"]:
            for order, weight, reps, notes, rpe in strong_sets(entry):
                tail = (0, 0, notes or NONE, workout["notes"] or NONE, rpe)
                yield (*head, name_of(entry), order, weight, reps, *tail)


def strong_sets(entry: DocumentEntry) -> Iterator[Row]:
    """(Set Order, Weight, Reps, Notes, RPE) of the exercise's notes, and then of its sets."""
    text, sets = with_kinds(entry)
    if text or not sets:
        yield NOTE, None, None, text, None
    number = 0
    for one, kind in sets:
        number += kind != WARMUP
        order: Cell = STRONG_ORDERS[kind] if kind else number
        yield order, round(one["weight_kg"], 3), one["reps"], "", one["rpe"]


def strong_duration(seconds: int) -> Mark:
    """A length of time as Strong writes it: "1h 5m", "45m 12s"."""
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    parts = [f"{count}{unit}" for count, unit in ((hours, "h"), (minutes, "m"), (seconds, "s")) if count]
    return Mark(" ".join(parts) or "0s")


# --- Hevy's form -------------------------------------------------------------------------------------


def hevy_header(unit: str) -> tuple[str, ...]:
    weight, distance = ("weight_lbs", "distance_miles") if unit == "lb" else ("weight_kg", "distance_km")
    return (
        *("title", "start_time", "end_time", "description", "exercise_title", "superset_id"),
        *("exercise_notes", "set_index", "set_type", weight, "reps", distance, "duration_seconds", "rpe"),
    )


def hevy_rows(account: Account, zone: datetime.tzinfo, unit: str) -> Iterator[Row]:
    """The rows under hevy_header(unit), newest workout first: times in the zone, to the minute."""
    name_of = names_of(account, "hevy")
    for workout in documents(account, "-started_at", "-id"):
        times = hevy_time(local_start(workout, zone)), hevy_time(local_end(workout, zone))
        head = (workout["title"], *times, hevy_text(workout["notes"]))
        for entry in workout["exercises"]:
            text, sets = with_kinds(entry)
            of_entry = (name_of(entry), entry["superset_id"], hevy_text(text))
            for one in hevy_sets(sets, unit):
                yield (*head, *of_entry, *one)


def hevy_sets(sets: Sequence[DoneSet], unit: str) -> Iterator[Row]:
    """The cells from set_index on. Body weight alone is a blank weight."""
    for index, (one, kind) in enumerate(sets):
        set_type = HEVY_TYPES[kind] if kind else "normal"
        yield index, set_type, hevy_weight(one["weight_kg"], unit), one["reps"], None, None, one["rpe"]
    if not sets:
        yield 0, "normal", None, None, None, None, None


def hevy_weight(weight_kg: float, unit: str) -> float | None:
    if not weight_kg:
        return None
    return round(weight_kg / KG_PER_POUND, POUND_DECIMALS) if unit == "lb" else weight_kg


def hevy_text(text: str) -> str:
    """A text with its line breaks as the two characters that Hevy writes for one."""
    return text.replace("\r\n", "\n").replace("\n", "\\n")


def hevy_time(time: datetime.datetime) -> str:
    return f"{time.day} {time:%b} {time.year}, {time:%H:%M}"


def local_end(workout: WorkoutDocument, zone: datetime.tzinfo) -> datetime.datetime:
    """The time on the clock when a workout ended, which may have been put forward or back meanwhile."""
    start = datetime.datetime.fromisoformat(workout["started_at"])
    try:
        end = start + datetime.timedelta(seconds=workout["duration_seconds"])
        return end.astimezone(zone).replace(tzinfo=None)
    except OverflowError:  # at the end of the calendar
        return local_start(workout, zone)


# --- With the names of the API -----------------------------------------------------------------------


def set_rows(account: Account) -> Iterator[Row]:
    """The rows under SETS_HEADER, one a set, oldest workout first, in UTC."""
    for workout in documents(account, "started_at", "id"):
        head = cells(workout, WORKOUT_FIELDS)
        for entry in workout["exercises"]:
            of_entry = (*cells(entry, ENTRY_FIELDS), entry["notes"])
            for number, one in enumerate(entry["sets"], 1):
                yield (*head, *of_entry, number, *cells(one, OF_SET))
            if not entry["sets"]:
                yield (*head, *of_entry, *[None] * (1 + len(OF_SET)))
        if not workout["exercises"]:
            yield (*head, *[None] * (len(SETS_HEADER) - len(head)))


def cells(document: object, names: tuple[str, ...]) -> Row:
    values = cast(dict[str, Cell], document)  # mypy looks up keys of a TypedDict by literals only
    return [values[name] for name in names]
