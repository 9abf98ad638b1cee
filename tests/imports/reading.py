"""Reads files as an upload does, but for what needs an account: names are looked up in a dict."""

import io
import json
from dataclasses import dataclass, replace
from pathlib import Path
from zoneinfo import ZoneInfo

from accounts.imports.kinds import Answers, Context
from body.imports import FORMATS as BODY
from body.imports import WeightKind
from fitness.imports.findings import Findings, Rows
from fitness.imports.formats import recognise
from fitness.imports.tables import read_tables
from nutrition.imports import FORMATS as NUTRITION
from nutrition.imports import NutritionKind
from training.imports.building import WorkoutBuilder
from training.imports.formats import FORMATS as TRAINING
from training.imports.names import Fate
from training.models import Exercise

FILES = Path(__file__).parent / "files"
FORMATS = [*TRAINING, *BODY, *NUTRITION]
KINDS = {"weight": WeightKind(), "nutrition": NutritionKind()}

# Ids of the catalogue by what the sample files call the exercises.
NAMES = {
    "Air Bike": "assault-bike",
    "Barbell Bench Press": "barbell-bench-press",
    "Barbell Squat": "barbell-back-squat",
    "Bench Press": "barbell-bench-press",
    "Bench Press (Barbell)": "barbell-bench-press",
    "Bicep Curl (Dumbbell)": "dumbbell-curl",
    "Deadlift": "barbell-deadlift",
    "Deadlift (Barbell)": "barbell-deadlift",
    "Dumbbell Bench Press": "dumbbell-bench-press",
    "Flat Barbell Bench Press": "barbell-bench-press",
    "Goblet Squat": "dumbbell-goblet-squat",
    "Lat Pulldown": "lat-pulldown",
    "Lat Pulldown (Cable)": "lat-pulldown",
    "Leg Press": "leg-press",
    "Leg Press (Machine)": "leg-press",
    "Overhead Press (Barbell)": "barbell-overhead-press",
    "Plank": "plank",
    "Pull Up": "pull-up",
    "Pull Up (Assisted)": "machine-assisted-pull-up",
    "Rowing (Machine)": "rowing-ergometer",
    "Running": "outdoor-running",
    "Running (Outdoor)": "outdoor-running",
    "Shoulder Press (Dumbbell)": "dumbbell-shoulder-press",
    "Squat": "barbell-back-squat",
    "Squat (Barbell)": "barbell-back-squat",
    "Treadmill": "treadmill-running",
}


@dataclass
class Reading:
    candidates: list
    records: list  # None for a candidate that is refused
    findings: Findings
    format: str

    @property
    def workouts(self):
        return [record.values for record in self.records if record]

    @property
    def rows(self):
        """What became of the rows, in all."""
        parts = [self.findings.rows, *(record.rows for record in self.records if record)]
        return {name: total for name in vars(Rows()) if (total := sum(getattr(part, name) for part in parts))}

    @property
    def problems(self):
        return [(problem.line, problem.code.value, problem.text) for problem in self.findings.problems]

    @property
    def asks(self):
        return {ask.value for ask in self.findings.asks}


def find(name):
    """The exercise of a name; "Left out" is left out, "A note" a note, and others are unknown."""
    fates = {"Left out": Fate.LEAVE_OUT, "A note": Fate.NOTE}
    is_assisted = "Assisted" in name
    return fates.get(name) or (
        Exercise(id=NAMES[name], name=name, is_assisted=is_assisted) if name in NAMES else None
    )


def read(content, *, zone="UTC", unit="kg", day_first=True, name="file.csv"):
    """Reads a text, bytes or a file of `files`, whose one table is recognised."""
    tables = tables_of(content, name)
    [(table, known)] = recognise(tables, FORMATS)
    findings, answers = Findings(), Answers(ZoneInfo(zone), unit, day_first)
    candidates = [as_stored(candidate) for candidate in known.read(table, findings)]
    context = Context(None, known.name, answers)
    records = [make_with(candidate, context)(candidate, findings) for candidate in candidates]
    return Reading(candidates, records, findings, known.name)


def as_stored(candidate):
    """A candidate as an import keeps it between its steps."""
    return replace(candidate, payload=json.loads(json.dumps(candidate.payload)))


def make_with(candidate, context):
    if candidate.kind == "workout":
        return lambda one, findings: WorkoutBuilder(one, context.answers, find, findings).record()
    return KINDS[candidate.kind].maker(context)


def tables_of(content, name="file.csv", **options):
    if isinstance(content, Path):
        content = content.read_bytes()
    data = content.encode() if isinstance(content, str) else content
    return read_tables(io.BytesIO(data), name, **options)


def sample(name, **answers):
    return read(FILES / name, **answers)


def entries(workout):
    """The exercises of a workout, with their sets as "w 20×10 @8", "!" for one that was not done."""
    return [
        (entry["exercise"].id, [in_words(one) for one in entry["sets"]], entry["notes"])
        for entry in workout["exercises"]
    ]


def in_words(one):
    warmup = "w " if one["type"] == "warmup" else ""
    rpe = "" if one["rpe"] is None else f" @{one['rpe']:g}"
    undone = "" if one["completed"] else " !"
    return f"{warmup}{one['weight_kg']:.10g}×{one['reps']}{rpe}{undone}"


def head(workout):
    """When a workout began, how long it took, and its texts."""
    start = f"{workout['started_at']:%Y-%m-%dT%H:%M:%SZ}"
    return start, workout["duration_seconds"], workout["title"], workout["notes"]
