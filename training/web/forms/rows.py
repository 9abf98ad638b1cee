"""The rows of a form: the texts that a browser shows and sends, before any of them is checked."""

from typing import NotRequired, TypedDict

from training.models import Exercise, WorkoutExercise


class Row(TypedDict):
    """`token` begins the names of the row's fields; `errors` are messages by the name of a field."""

    token: str
    errors: NotRequired[dict[str, str]]


class WeightTexts(TypedDict):
    weight: str  # in the account's unit
    weight_kg: str  # the kilograms that were shown as `weight`


class ExerciseRow(Row):
    """An exercise in a list of the form; views add the Exercise and the account's last session with it."""

    exercise_id: str
    exercise: NotRequired[Exercise | None]
    last: NotRequired[WorkoutExercise | None]


class PlannedRow(ExerciseRow, WeightTexts):
    """An exercise of a routine or of a plan's day."""

    sets: str
    reps: str
    note: str


class SetRow(Row, WeightTexts):
    """A set of a workout; `warmup`, `completed` and `typed_is_done` are "yes" or empty.

    `noted` has a text for each of NOTED_FIELDS (training/models/sets.py), by its name.

    The set of a template has `suggested_reps` and, where one is known, `suggested_kg`: the form shows them as
    placeholders, and they are sent along so that a ticked set without numbers can take them.
    """

    reps: str
    noted: dict[str, str]
    warmup: str
    completed: str
    suggested_kg: str
    suggested_reps: str
    typed_is_done: str  # whether numbers alone say that it was done; empty once a script ticks what is typed


class LoggedRow(ExerciseRow):
    """An exercise of a workout."""

    notes: str
    planned_note: str
    superset_id: str
    sets: list[SetRow]


class DayHead(Row):
    """What does not change of a weekday: its number, its name, and the name of its list's field."""

    weekday: int
    name: str
    list: str


class DayRow(DayHead):
    """A day of a plan; `rest` is "yes" or empty.

    `source` is what to fill it from: "routine" and an id, or "day" and the number of a weekday.
    """

    label: str
    focus: str
    rest: str
    source: str
    entries: list[PlannedRow]
