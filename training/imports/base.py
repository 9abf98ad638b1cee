"""What the formats of training apps share: rows of sets, grouped into exercises and workouts."""

import datetime
import hashlib
import pickle
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

import orjson
from django.utils.translation import gettext_noop as _

from fitness.imports.cells import Cells, Refused
from fitness.imports.documents import cut
from fitness.imports.findings import Ask, Code, Findings
from fitness.imports.formats import Candidate, Format
from fitness.imports.messages import Message, Unreadable
from fitness.imports.tables import Table, check_rows
from fitness.imports.values import Moments, known_as, plain_number
from training.imports.building import MAX_NOTES
from training.imports.source import WARMUP, SourceExercise, SourceSet, SourceWorkout
from training.models.exercise_name import MAX_NAME
from training.models.sets import NOTED_FIELDS

KIND = "workout"
CUT = "…"  # in place of notes beyond what is stored
YES = {"true", "1", "yes"}
MANY_WORKOUTS = _("This file has more than %(most)s workouts. Split the file by year.")
DISTANCES = {
    "distance": "",
    "distance_km": "km",
    "distance (km)": "km",
    "distance(km)": "km",
    "distance_miles": "mi",
    "distance (mi)": "mi",
    "distance (miles)": "mi",
    "distance(mi)": "mi",
    "distance (meters)": "m",
    "distance (m)": "m",
    "distance(m)": "m",
}


@dataclass(slots=True)
class SourceRow:
    """A row of a set, or of notes of an exercise (`one` is None)."""

    line: int
    key: tuple[str, ...]  # equal for consecutive rows of one workout
    start: str
    exercise: str
    one: SourceSet | None
    number: int | None = None  # of the set; one that is not above that before starts the exercise again
    end: str | None = None
    seconds: int | None = None
    title: str = ""
    workout_notes: str = ""
    exercise_notes: str = ""
    superset: str | None = None
    plan_name: str | None = None


@dataclass(slots=True)
class Block:
    """Consecutive rows of one workout."""

    key: tuple[str, ...]
    first: int  # line of the file
    last: int
    workout: SourceWorkout
    number: int | None = None  # of the set before
    numbers: list[int | None] = field(default_factory=list)
    # How many sets and notes the exercise had before warm-ups and notes that follow its numbered sets: if the
    # numbers start again after these, they belong to the new run.
    lead: tuple[int, int] | None = None
    starts: list[str] = field(default_factory=list)  # of the rows
    ends: list[str] = field(default_factory=list)
    noted: set[tuple[int, str]] = field(default_factory=set)  # texts, by where they are noted
    room: dict[int, int] = field(default_factory=dict)  # for characters, by place as in `noted`

    @classmethod
    def begun_by(cls, row: SourceRow) -> "Block":
        workout: SourceWorkout = {
            "start": row.start,
            "title": row.title,
            "notes": [],
            "plan_name": row.plan_name,
            "exercises": [],
        }
        if row.end:
            workout["end"] = row.end
        if row.seconds is not None:
            workout["seconds"] = row.seconds
        return cls(row.key, row.line, row.line, workout)

    def add(self, row: SourceRow) -> None:
        self.last = row.line
        self.starts.append(row.start)
        self.numbers.append(row.number)
        if row.end:
            self.ends.append(row.end)
        self.note(self.workout["notes"], row.workout_notes, 0)
        exercise = self.exercise_of(row)
        number = len(self.workout["exercises"])
        if row.one is None:
            exercise["notes"] += filter(None, [self.fitted(row.exercise_notes, number)])
        else:
            self.note(exercise["notes"], row.exercise_notes, number)
            if "notes" in row.one:
                row.one["notes"] = self.fitted(row.one["notes"], -number)
            exercise["sets"].append(row.one)
            exercise["lines"].append(row.line)

    def note(self, texts: list[str], text: str, place: int) -> None:
        """Adds a text once."""
        if text and (place, text) not in self.noted:
            texts.append(self.fitted(text, place))

    def fitted(self, text: str, place: int) -> str:
        """As much of a text as a record can hold of all at its place, and a sign for what is cut anyway."""
        if text and (place, text) not in self.noted:
            room = self.room.get(place, MAX_NOTES + 1)
            text = text[:room] or CUT
            self.room[place] = max(room - len(text), 0)
            self.noted.add((place, text))
        return text

    def exercise_of(self, row: SourceRow) -> SourceExercise:
        """The exercise of the row before, unless its name changes or the numbers of sets start again."""
        exercises = self.workout["exercises"]
        if not exercises or exercises[-1]["name"] != row.exercise:
            self.number = self.lead = None
            exercises.append(new_exercise(row))
        elif row.number is None:
            is_lead = row.one is None or row.one.get("kind") == WARMUP
            if is_lead and self.number is not None and self.lead is None:
                self.lead = len(exercises[-1]["sets"]), len(exercises[-1]["notes"])
        else:
            if self.number is not None and row.number <= self.number:
                exercises.append(self.run_after(exercises[-1], row))
            self.lead = None
        self.number = self.number if row.number is None else row.number
        return exercises[-1]

    def run_after(self, before: SourceExercise, row: SourceRow) -> SourceExercise:
        """A new run of the exercise, with the warm-ups and notes that led to it."""
        run = new_exercise(row)
        if self.lead:
            sets, notes = self.lead
            for name, start in (("sets", sets), ("lines", sets), ("notes", notes)):
                run[name] = before[name][start:]  # type: ignore[literal-required]  # the names of lists in it
                del before[name][start:]  # type: ignore[literal-required]  # as above
        return run

    @property
    def rows(self) -> int:
        return sum(len(exercise["sets"]) for exercise in self.workout["exercises"])

    def digest(self) -> bytes:
        """Equal for blocks with the same rows."""
        exercises = [(one["name"], one["notes"], one["sets"]) for one in self.workout["exercises"]]
        return hashlib.sha256(orjson.dumps([self.key, self.numbers, *exercises])).digest()

    def join(self, other: "Block") -> None:
        """Adds the rows of a later block of the same workout."""
        self.last = max(self.last, other.last)
        self.ends += other.ends
        self.workout["exercises"] += other.workout["exercises"]
        for text in other.workout["notes"]:
            self.note(self.workout["notes"], text, 0)


def new_exercise(row: SourceRow) -> SourceExercise:
    return {"name": row.exercise, "notes": [], "superset": row.superset, "sets": [], "lines": []}


class WorkoutFormat(Format):
    """A table with a row for each set, or with rows that hold several."""

    dates: ClassVar[Collection[str]]  # the columns of a row's start
    zone: ClassVar[datetime.tzinfo | None] = None  # of times without an offset; None: that of the account

    @abstractmethod
    def sets_of(self, cells: Cells, moments: Moments) -> Iterable[SourceRow | None]:
        """The sets of a row, None for each that means nothing. Raises Refused."""

    def moments(self, table: Table) -> Moments:
        rows = table.rows(Findings())
        return Moments((row.cells.get(name, "") for row in rows for name in self.dates), self.zone)

    def read(self, table: Table, findings: Findings) -> Iterator[Candidate]:
        moments = self.moments(table)
        blocks = merged(self.blocks(self.rows(table, findings, moments)), findings, table.max_workouts)
        findings.asks |= moments.asks
        for block in blocks:
            yield candidate_of(self.finished(block))

    def rows(self, table: Table, findings: Findings, moments: Moments) -> Iterator[SourceRow]:
        count = 0
        for row in table.rows(findings):
            try:
                found = list(self.sets_of(Cells(row, table), moments))
            except Refused as refused:
                refused.tell(findings, row.line)
                continue
            count += len(found)
            check_rows(count, table.max_rows)
            for one in found:
                if one is None or one.one is None:
                    findings.rows.ignored += 1
                if one is not None:
                    one.exercise = cut(one.exercise, MAX_NAME, findings, row.line, "exercise")
                    note_weight(one.one or {}, findings)
                    yield one

    def blocks(self, rows: Iterable[SourceRow]) -> Iterator[Block]:
        block: Block | None = None
        for row in rows:
            if block is None or not self.continues(block, row):
                if block:
                    yield block
                block = Block.begun_by(row)
            block.add(row)
        if block:
            yield block

    def continues(self, block: Block, row: SourceRow) -> bool:
        """Whether a row is of the same workout as those before it."""
        return block.key == row.key

    def finished(self, block: Block) -> Block:
        """A block that has all rows of its workout."""
        return block


def merged(blocks: Iterable[Block], findings: Findings, max_workouts: int | None) -> Iterator[Block]:
    """One block for each workout, once all are read. Raises Unreadable for more than `max_workouts`.

    Where a key was there before, an equal block is a repetition (a file pasted twice), and another one
    continues the workout.
    """
    workouts: defaultdict[tuple[str, ...], list[bytes]] = defaultdict(list)  # blocks in a third of the memory
    known: set[bytes] = set()
    for block in blocks:
        digest = block.digest()
        if digest in known:
            findings.rows.duplicate += block.rows
            continue
        known.add(digest)
        workouts[block.key].append(pickle.dumps(block))
        if max_workouts is not None and len(workouts) > max_workouts:
            raise Unreadable(Message(MANY_WORKOUTS, {"most": f"{max_workouts:,}"}))
    return map(joined, workouts.values())


def joined(parts: list[bytes]) -> Block:
    first, *others = (pickle.loads(part) for part in parts)
    for block in others:
        first.join(block)
    return cast(Block, first)


def candidate_of(block: Block) -> Candidate:
    workout = block.workout
    key = f"{known_as(workout['start'])} {workout['title']}".strip()
    return Candidate(KIND, key, (block.first, block.last), {**workout})


def note_weight(one: SourceSet, findings: Findings) -> None:
    """Asks for the unit of a weight without one, and notes the heaviest."""
    weight = abs(one.get("weight", 0))
    if weight and "unit" not in one:
        findings.asks.add(Ask.UNIT)
        findings.heaviest = max(findings.heaviest, weight)


def required(cells: Cells, *names: str) -> str:
    """The text of the first of these columns that has one. Raises Refused without."""
    if text := cells.text(*names):
        return text
    raise Refused(names[0], "", Code.EMPTY, _("is empty"))


def set_of(cells: Cells, seconds: str, *, zero_is_none: bool = False) -> SourceSet:
    """What most formats have in the same columns. `seconds` is the column of the time.

    Where an app writes 0 for nothing (`zero_is_none`), 0 repetitions are none; elsewhere this is so where
    there is a time or a distance.
    """
    one: SourceSet = {}
    if weight := cells.weight():
        put_weight(one, weight.value, weight.unit)
    if (reps := cells.number("reps", Code.REPS)) is not None:
        one["reps"] = reps
    if (time := cells.seconds(seconds)) and time > 0:
        one["seconds"] = time
    if distance := distance_of(cells):
        one["distance"] = distance
    if reps == 0 and (zero_is_none or time or distance):
        del one["reps"]
    return one


def set_number(text: str) -> int | None:
    """The number of a set, of which spreadsheets make "1.0"; None for what is no number."""
    whole = text.removesuffix(".0")
    return int(whole) if whole.isdecimal() and len(whole) < 10 else None


def put_weight(one: SourceSet, weight: float, unit: str | None) -> None:
    one["weight"] = weight
    if unit:
        one["unit"] = unit


def put_noted(one: SourceSet, cells: Cells, prefix: str = "") -> None:
    """What is noted of a set, from columns with the names of the API behind a prefix."""
    noted: Any = one  # mypy looks up keys of a TypedDict by literals only
    for may_be in NOTED_FIELDS:
        column = f"{prefix}{may_be.name}"
        value = cells.number(column) if may_be.is_number else cells.text(column) or None
        if value is not None:
            noted[may_be.name] = value


def put_reserve(one: SourceSet, cells: Cells) -> None:
    """The repetitions in reserve (RiR), as the rate of perceived exertion where none was noted."""
    if "rpe" not in one and (left := cells.number("rir")) is not None:
        one["rpe"] = 10 - left


def put_notes(one: SourceSet, text: str) -> None:
    if text:
        one["notes"] = text


def distance_of(cells: Cells) -> str:
    """A distance with its unit: "5.2 km"; without one where the file has none."""
    for name, unit in DISTANCES.items():
        distance = cells.number(name)
        if distance and distance > 0:
            unit = unit or cells.text("distance unit").rstrip(".")
            return f"{plain_number(distance)} {unit}".strip()
    return ""
