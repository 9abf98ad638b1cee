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
    """A set of a workout; `warmup` and `completed` are "yes" or empty."""

    reps: str
    rpe: str
    warmup: str
    completed: str


class LoggedRow(ExerciseRow):
    """An exercise of a workout."""

    notes: str
    superset_id: str
    sets: list[SetRow]


class DayHead(Row):
    """What does not change of a weekday: its number, its name, and the name of its list's field."""

    weekday: int
    name: str
    list: str


class DayRow(DayHead):
    """A day of a plan; `rest` is "yes" or empty."""

    label: str
    focus: str
    rest: str
    entries: list[PlannedRow]
