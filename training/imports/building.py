"""Workouts as the service stores them, made of those that other apps have.

A set here has repetitions. Everything else that a row may say (a time, a distance, failure, assistance of
what is no assisted exercise) is kept in the notes of its exercise, and what the catalogue does not know in
the notes of the workout.
"""

import datetime
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import orjson
from django.utils.translation import gettext_noop as _

from accounts.imports.kinds import Answers, Record
from fitness.imports.documents import bound, cut
from fitness.imports.findings import Code, Findings, Rows
from fitness.imports.formats import Candidate
from fitness.imports.messages import Message, Said, as_message
from fitness.imports.values import kg_of, moment_of, plain_number
from training.api.serializers.workout import (
    WorkoutExerciseSerializer,
    WorkoutSerializer,
    WorkoutSetSerializer,
)
from training.imports.names import Fate
from training.imports.source import (
    DROP,
    FAILURE,
    WARMUP,
    SourceExercise,
    SourceSet,
    SourceWorkout,
    marking_lines,
    sets_at,
)
from training.models.exercise import Exercise
from training.models.sets import (
    NOTED_FIELDS,
    NOTHING_NOTED,
    NotedOfSet,
    SetField,
    SetNumber,
    SetType,
    WorkoutSet,
)
from training.models.workout_exercise import WorkoutEntry, WorkoutExercise
from training.models.workout_values import WorkoutValues

Find = Callable[[str], Exercise | Fate | None]

MAX_KG = bound(WorkoutSetSerializer, "weight_kg", "max_value")
MAX_REPS = bound(WorkoutSetSerializer, "reps", "max_value")
MAX_SETS = bound(WorkoutExerciseSerializer, "sets", "max_length")
MAX_EXERCISES = bound(WorkoutSerializer, "exercises", "max_length")
MAX_SECONDS = bound(WorkoutSerializer, "duration_seconds", "max_value")
MAX_NOTES = bound(WorkoutSerializer, "notes", "max_length")
MAX_TITLE = bound(WorkoutSerializer, "title", "max_length")
MAX_PLAN_NAME = bound(WorkoutSerializer, "plan_name", "max_length")
MAX_SUPERSET = bound(WorkoutExerciseSerializer, "superset_id", "max_length")
LONG_SECONDS = 12 * 3600  # stored, and pointed out
NOTHING = _("no repetitions, time or distance")
# What is said of a row or a workout, with its values.
MANY_EXERCISES = _("more than %(most)s exercises")
BAD_END = _("the end %(problem)s: stored without a duration")
NEVER_ENDED = _("a duration of %(hours)s is stored as 0: was the workout never ended?")
LONG = _("lasts %(hours)s, stored as it is")
OUT_OF_RANGE = _("is not from 0 to %(most)s")
HEAVY = _("is over %(most)s kg")
CUT_REPS = _("%(reps)s repetitions are stored as %(whole)s")
BAD_NUMBER = _("%(value)s is not from 0 to %(most)s: left out")
BAD_TEXT = _("%(value)s is left out")


@dataclass
class SetNotes:
    """What the sets of an exercise say besides their numbers, by what screens call them.

    Rows without repetitions are numbered on their own, as those of Train.
    """

    texts: dict[str, list[SetNumber]] = field(default_factory=dict)  # sets by the source's own texts
    times: list[tuple[SetNumber, str]] = field(default_factory=list)  # of sets
    timed: list[tuple[SetNumber, str]] = field(default_factory=list)  # of rows without repetitions
    assistance: list[tuple[SetNumber, str]] = field(default_factory=list)
    failures: list[int] = field(default_factory=list)
    drops: list[int] = field(default_factory=list)
    working_count: int = 0
    timed_count: int = 0

    def number(self, one: SourceSet) -> SetNumber:
        """What screens call the next set."""
        if "reps" not in one:
            self.timed_count += 1
            return self.timed_count
        if one.get("kind") == WARMUP:
            return "W"
        self.working_count += 1
        return self.working_count

    def lines(self, *, is_only: bool) -> Iterator[str]:
        """The lines of the notes. The number of an exercise's only set goes without saying."""
        for text, numbers in self.texts.items():
            yield text if is_only else f"{sets_at(numbers)}: {text}"
        for number, text in self.times:
            yield text if is_only else f"Set {number}: {text}"
        for number, text in self.timed:
            yield text if len(self.timed) == 1 else f"Set {number}: {text}"
        for number, text in self.assistance:
            yield text if is_only else f"Set {number}: {text}"
        yield from marking_lines(self.failures, self.drops)


class WorkoutBuilder:
    """Makes a workout of one candidate."""

    def __init__(self, candidate: Candidate, answers: Answers, find: Find, findings: Findings) -> None:
        self.candidate, self.source = candidate, cast(SourceWorkout, candidate.payload)
        self.line = candidate.lines[0]
        self.answers, self.find, self.findings = answers, find, findings
        self.rows = Rows()
        self.entries: list[WorkoutEntry] = []
        self.unknown: list[str] = []  # lines about exercises that are kept as notes

    def record(self) -> Record | None:
        """The workout, or None where it is refused or nothing is left of it. All rows are counted."""
        try:
            started_at = self.moment(self.source["start"])
        except ValueError as error:
            self.refuse("start", self.source["start"], Code.DATE, str(error))
            return None
        for exercise in self.source["exercises"]:
            self.add(exercise)
        if len(self.entries) > MAX_EXERCISES:
            self.refuse(
                "exercise",
                str(len(self.entries)),
                Code.TOO_MANY,
                Message(MANY_EXERCISES, {"most": MAX_EXERCISES}),
            )
            return None
        if not self.source["exercises"]:  # a session of a watch, which knows of no sets
            self.rows.records = 1
        elif not self.entries and not self.unknown:
            self.findings.rows.ignored += self.rows.ignored
            return None
        values = self.values(started_at)
        return Record(values, digest_of_values(values), self.rows, started_at.date())

    def refuse(self, column: str, value: str, code: Code, text: Said) -> None:
        """Refuses all rows that are not refused yet."""
        listed = sum(len(exercise["sets"]) for exercise in self.source["exercises"])
        counted = self.rows.total
        self.findings.refuse(self.line, column, value, code, text, rows=counted or listed)

    def moment(self, text: str) -> datetime.datetime:
        return moment_of(text, self.answers.zone, self.answers.day_first)

    def values(self, started_at: datetime.datetime) -> WorkoutValues:
        source = self.source
        plan_name = source["plan_name"]
        return {
            "title": self.cut(source["title"], MAX_TITLE, "title"),
            "notes": self.cut("\n".join([*source["notes"], *self.unknown]), MAX_NOTES, "workout notes"),
            "started_at": started_at,
            "duration_seconds": self.duration_seconds(started_at),
            "plan_id": None,
            "plan_name": None if plan_name is None else self.cut(plan_name, MAX_PLAN_NAME, "plan"),
            "exercises": self.entries,
        }

    def cut(self, text: str, length: int, column: str) -> str:
        return cut(text, length, self.findings, self.line, column)

    def duration_seconds(self, started_at: datetime.datetime) -> int:
        seconds = self.source.get("seconds", 0)
        if end := self.source.get("end"):
            try:
                seconds = int((self.moment(end) - started_at).total_seconds())
            except ValueError as error:
                self.findings.change(self.line, "end", Message(BAD_END, {"problem": as_message(str(error))}))
                return 0
        if not 0 <= seconds <= MAX_SECONDS:
            text = Message(NEVER_ENDED, {"hours": hours(seconds)})
            self.findings.change(self.line, "duration", text)
            return 0
        if seconds > LONG_SECONDS:
            self.findings.change(self.line, "duration", Message(LONG, {"hours": hours(seconds)}))
        return seconds

    def add(self, exercise: SourceExercise) -> None:
        """Adds an exercise of the source as an entry, or as a line of the notes."""
        found = self.find(exercise["name"])
        if found is Fate.LEAVE_OUT:
            self.rows.ignored += len(exercise["sets"])
        elif isinstance(found, Exercise):
            self.entries += self.entries_of(exercise, found)
        else:
            if found is None:
                self.findings.unknown_names[exercise["name"]] += len(exercise["sets"])
            self.unknown += self.as_notes(exercise)

    # An exercise of the catalogue

    def entries_of(self, exercise: SourceExercise, found: Exercise) -> Iterator[WorkoutEntry]:
        """The entry of an exercise, and further ones for more sets than one may have."""
        notes, before = SetNotes(), self.rows.notes
        read = with_help(exercise) if found.is_assisted else exercise
        made = [self.set_at(place, read, notes) for place in range(len(exercise["sets"]))]
        sets = [one for one in made if one]
        is_kept = sets or self.rows.notes > before or not exercise["sets"]
        if not is_kept:
            return
        lines = [*exercise["notes"], *notes.lines(is_only=len(exercise["sets"]) == 1)]
        text = cut("\n".join(dict.fromkeys(lines)), MAX_NOTES, self.findings, self.line, "exercise notes")
        superset = exercise["superset"]
        for start in range(0, len(sets) or 1, MAX_SETS):
            yield {
                "exercise": found,
                "notes": "" if start else text,
                "superset_id": superset and self.cut(superset, MAX_SUPERSET, "superset"),
                "sets": sets[start : start + MAX_SETS],
            }

    def set_at(self, index: int, exercise: SourceExercise, notes: SetNotes) -> WorkoutSet | None:
        """The set at an index of the source; None where it is kept in the notes, or refused."""
        one, line = exercise["sets"][index], exercise["lines"][index]
        if "reps" in one:
            found = self.workout_set(one, line)
            if not found:
                return None
            self.rows.sets += 1
        elif self.is_kept(one, exercise):
            found = None
            self.rows.notes += 1
        else:
            self.findings.refuse(line, "reps", "", Code.EMPTY, NOTHING)
            return None
        self.note(one, notes)
        return found

    def workout_set(self, one: SourceSet, line: int) -> WorkoutSet | None:
        reps, weight = one["reps"], one.get("weight", 0.0)
        weight_kg = max(kg_of(weight, self.unit(one)), 0.0)
        if not 0 <= reps <= MAX_REPS:
            text = Message(OUT_OF_RANGE, {"most": f"{MAX_REPS:,}"})
            self.findings.refuse(line, "reps", plain_number(reps), Code.REPS, text)
            return None
        if weight_kg > MAX_KG:
            text = Message(HEAVY, {"most": f"{MAX_KG:,}"})
            self.findings.refuse(line, "weight", plain_number(weight), Code.WEIGHT, text)
            return None
        if reps != int(reps):
            text = Message(CUT_REPS, {"reps": plain_number(reps), "whole": int(reps)})
            self.findings.change(line, "reps", text)
        return {
            "type": SetType.WARMUP.value if one.get("kind") == WARMUP else SetType.WORKING.value,
            "weight_kg": weight_kg,
            "reps": int(reps),
            "completed": not one.get("is_planned", False),
            **self.noted(one, line),
        }

    def noted(self, one: SourceSet, line: int) -> NotedOfSet:
        """What is noted of a set, without what the API would refuse."""
        noted: Any = {**NOTHING_NOTED}
        for may_be, value in noted_of(one):
            if may_be.takes(value):
                noted[may_be.name] = value
            else:
                text = BAD_NUMBER if may_be.is_number else BAD_TEXT
                message = Message(text, {"value": written(value), "most": may_be.most})
                self.findings.change(line, may_be.name, message)
        return cast(NotedOfSet, noted)

    def is_kept(self, one: SourceSet, exercise: SourceExercise) -> bool:
        """Whether a row without repetitions says something: notes of an exercise are said by its only row."""
        is_only = len(exercise["sets"]) == 1
        return bool(time_of(one) or one.get("notes") or (is_only and exercise["notes"]))

    def note(self, one: SourceSet, notes: SetNotes) -> None:
        number = notes.number(one)
        if text := one.get("notes"):
            notes.texts.setdefault(text, []).append(number)
        weight = one.get("weight", 0.0)
        if time := time_of(one):
            if "reps" in one:
                notes.times.append((number, time))
            else:
                notes.timed.append((number, f"{time}, {self.weight(one)}" if weight else time))
        if weight < 0 and "reps" in one:
            notes.assistance.append((number, f"{self.weight(one)} (assistance)"))
        marks = {FAILURE: ("to failure", notes.failures), DROP: ("drop set", notes.drops)}
        if (kind := one.get("kind")) in marks:
            text, numbers = marks[kind]
            if "reps" in one:
                numbers.append(notes.working_count)
            else:
                notes.texts.setdefault(text, []).append(number)

    def unit(self, one: SourceSet) -> str:
        return one.get("unit") or self.answers.unit

    def weight(self, one: SourceSet) -> str:
        """The weight of a set as its file has it."""
        return f"{plain_number(one.get('weight', 0.0))} {self.unit(one)}"

    # An exercise that is kept as a note

    def as_notes(self, exercise: SourceExercise) -> Iterator[str]:
        """The lines that an exercise becomes: "Ohio State: 40 kg × 12, 40 kg × 10"."""
        said = []
        for one, line in zip(exercise["sets"], exercise["lines"], strict=True):
            if "reps" in one or self.is_kept(one, exercise):
                said.append(self.said(one))
                self.rows.notes += 1
            else:
                self.findings.refuse(line, "reps", "", Code.EMPTY, NOTHING)
        sets = ", ".join(filter(None, said))
        lines = exercise["notes"] if said or not exercise["sets"] else []
        for text in [*([sets] if sets else []), *lines]:
            yield f"{exercise['name']}: {text}"

    def said(self, one: SourceSet) -> str:
        """A set in words: "40 kg × 12 @8 (slow)"."""
        parts = []
        if "reps" in one:
            reps = plain_number(one["reps"])
            parts.append(f"{self.weight(one)} × {reps}" if one.get("weight") else f"{reps} reps")
        elif one.get("weight"):
            parts.append(self.weight(one))
        if time := time_of(one):
            parts.append(time)
        noted = (may_be.marked(written(value)) for may_be, value in noted_of(one))
        text = " ".join([" in ".join(parts), *noted])
        remarks = [*(["warm-up"] if one.get("kind") == WARMUP else []), *filter(None, [one.get("notes")])]
        return f"{text} ({', '.join(remarks)})".strip() if remarks else text.strip()


def with_help(exercise: SourceExercise) -> SourceExercise:
    """An assisted exercise, whose weights are help however its app writes them: 20 kg for -20 kg."""
    sets: list[SourceSet] = [
        {**one, "weight": abs(one["weight"])} if "weight" in one else one for one in exercise["sets"]
    ]
    return {**exercise, "sets": sets}


def noted_of(one: SourceSet) -> Iterator[tuple[SetField, float | str]]:
    values: Mapping[str, Any] = one
    return ((may_be, values[may_be.name]) for may_be in NOTED_FIELDS if may_be.name in values)


def written(value: float | str) -> str:
    return value if isinstance(value, str) else plain_number(value)


def time_of(one: SourceSet) -> str:
    """The time and the distance of a set: "1800 s, 5.2 km"."""
    seconds = f"{one['seconds']} s" if "seconds" in one else ""
    return ", ".join(filter(None, [seconds, one.get("distance", "")]))


def hours(seconds: int) -> str:
    return f"{plain_number(round(seconds / 3600, 1))} h"


def digest_of_values(values: WorkoutValues) -> str:
    return digest((entry["exercise"].id, entry["sets"]) for entry in values["exercises"])


def digest_of_rows(rows: Iterable[WorkoutExercise]) -> str:
    """The digest of a stored workout by its rows in order, of which `exercise_id` and `sets` are read."""
    return digest((row.exercise_id, orjson.loads(row.sets)) for row in rows)


def digest(exercises: Iterable[tuple[str, Sequence[WorkoutSet]]]) -> str:
    """Equal for the same exercises in the same order with the same sets: kind, kg to 0.01 and repetitions."""
    found = [
        (exercise_id, [(one["type"], round(one["weight_kg"] * 100), one["reps"]) for one in sets])
        for exercise_id, sets in exercises
    ]
    return hashlib.sha256(orjson.dumps(found)).hexdigest()
