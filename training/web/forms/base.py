"""Forms with lists of lists, checked by the serializers of the API.

A form holds what was typed as rows of texts. Every row has a token, with which the names of its
fields begin (`e3-notes`), and the field of its list holds the token: rows can be added, removed and moved
without renaming anything. From the texts a form makes the body that a client of the API would send; an
error of the serializer at a path of that body goes to the row at that path.
"""

from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Generic, NotRequired, Self, TypedDict, TypeVar
from uuid import UUID

from django.db import transaction
from django.http import QueryDict
from django.utils.crypto import get_random_string
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from uuid_utils.compat import uuid7

from accounts.models import Account
from fitness.api.errors import problems
from fitness.api.serializers import StrictSerializer
from fitness.web import units
from fitness.web.forms import sign_form_id
from training.models import Exercise, Plan, Routine, Workout, WorkoutExercise
from training.models.sets import NOTED_FIELDS

MAX_ROWS = 500  # of a form; what has more is edited over the API
MAX_WEIGHT_KG = 2000

# What the serializer says of a field that is empty, in its language, which is that of the screen.
EMPTY = (gettext_lazy("This field may not be blank."), gettext_lazy("This field is required."))
MESSAGES_OF_FIELDS = {
    "reps": gettext_lazy("Enter whole repetitions, from 0 to 10,000."),
    "duration_seconds": gettext_lazy("Enter minutes, from 0 to 10,080."),
    "started_at": gettext_lazy("Enter a date and a time."),
}

Body = dict[str, Any]  # JSON as a client of the API would send it, still unchecked


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

    `measure` is a Measure: a set of a time or a distance has these in the place of `reps` (forms/times.py).
    `noted` has a text for each of NOTED_FIELDS (training/models/sets.py), by its name.

    The set of a template has `suggested_reps` and, where one is known, `suggested_kg`: the form shows them as
    placeholders, and they are sent along so that a ticked set without numbers can take them.
    """

    measure: str
    reps: str
    time: str
    distance: str
    noted: dict[str, str]
    warmup: str
    completed: str
    suggested_kg: str
    suggested_reps: str
    suggested_time: str
    suggested_distance: str
    typed_is_done: str  # whether numbers alone say that it was done; empty once a script ticks what is typed


class LoggedRow(ExerciseRow):
    """An exercise of a workout."""

    notes: str
    notes_was: str  # as stored, with the times and distances that rows of `sets` show
    planned_note: str
    superset_id: str
    sets: list[SetRow]
    is_filled: NotRequired[bool]  # just now, with the sets of the `last` session


Instance = TypeVar("Instance", Workout, Routine, Plan)
EntryRow = TypeVar("EntryRow", bound=ExerciseRow)


class EntriesForm(Generic[Instance, EntryRow]):
    """The form of one workout, routine or plan. `texts` are the fields outside of all rows.

    Subclasses name their `serializer` and the `model` of such instances, make a form `blank`, `of` an
    instance or from a `posted` request, and make the `body`.
    """

    serializer: ClassVar[type[StrictSerializer]]
    model: type[Instance]
    values: Any  # valid WorkoutValues, RoutineValues or PlanValues, as the serializer returns them

    def __init__(
        self,
        account: Account,
        texts: dict[str, str],
        entries: Iterable[EntryRow] = (),
        form_id: UUID | None = None,
    ) -> None:
        self.account = account
        self.texts = texts
        self.entries = list(entries)
        self.id = form_id or uuid7()
        self.rows: dict[str, Row] = {}
        self.errors: dict[str, str] = {}
        self.error_count = 0
        self.refusal = ""

    @classmethod
    def blank(cls, account: Account) -> Self:
        raise NotImplementedError

    @classmethod
    def of(cls, account: Account, instance: Instance) -> Self:
        raise NotImplementedError

    @classmethod
    def posted(cls, account: Account, post: QueryDict) -> Self:
        raise NotImplementedError

    @property
    def body(self) -> Body:
        raise NotImplementedError

    @property
    def size(self) -> int:
        """How many rows a browser would show."""
        return sum(len(entries) for entries in self.lists().values())

    @property
    def is_too_long(self) -> bool:
        return self.size > MAX_ROWS

    @property
    def signed_id(self) -> str:
        """The id that the new instance will get, so that a form which is sent twice makes one."""
        return sign_form_id(self.account, self.id)

    def is_valid(self) -> bool:
        """Fills `values` for the model, or `errors` here and in the rows."""
        serializer = self.serializer(data=self.body, context={"account": self.account})
        if serializer.is_valid():
            self.values = serializer.validated_data
            return True
        for path, message in problems(serializer.errors):
            self.add_error(path, self.message_for(path, message))
        return False

    def add_error(self, path: str, message: str) -> None:
        self.error_count += 1
        place, _, name = path.rpartition(".")
        errors = self.rows[place].setdefault("errors", {}) if place in self.rows else self.errors
        errors.setdefault(name, message)

    def message_for(self, path: str, message: str) -> str:
        """The serializer's message at a path of the body, reworded for a person who sees a form."""
        name = path.rpartition(".")[2]
        if name == "weight_kg":
            limit = units.group_thousands(int(units.to_unit(MAX_WEIGHT_KG, self.account.units)))
            said = _("Enter a weight from 0 to %(limit)s %(unit)s; 0 for body weight alone.")
            return said % {"limit": limit, "unit": self.account.units}
        if name in MESSAGES_OF_FIELDS:
            return str(MESSAGES_OF_FIELDS[name])
        for one in NOTED_FIELDS:
            if one.name == name and one.is_number:
                return _("Enter a number from 0 to %(most)s, or nothing.") % {"most": one.most}
        return _("Fill this in.") if message in EMPTY else message

    def save(self, instance: Instance | None = None) -> Instance | None:
        """Stores a new instance, or the changes of one. Returns None, with an error, where that fails."""
        return self.save_changes(instance) if instance else self.save_new()

    def save_new(self) -> Instance:
        """Stores one instance however often the form is sent; a later form replaces the earlier one."""
        with transaction.atomic():
            self.account.lock()  # two submissions of one form wait for each other here
            instance = self.model._default_manager.filter(account=self.account, pk=self.id).first()
            if instance is None:
                return self.create()
            return self.save_changes(instance)

    def create(self) -> Instance:
        raise NotImplementedError

    def save_changes(self, instance: Instance) -> Instance:
        """Replaces the instance, unless it equals the form."""
        if type(self).of(self.account, instance).body != self.body:
            self.replace(instance)
        return instance

    def replace(self, instance: Instance) -> None:
        instance.replace(self.values)

    @property
    def saved_text(self) -> str:
        """What is said of changes that were saved."""
        return _("Your changes are saved.")

    def lists(self) -> dict[str, list[EntryRow]]:
        """Every list of exercises in the form, by the name of its field."""
        return {"exercises": self.entries}

    def new_entry(self, exercise: Exercise) -> EntryRow:
        """The row of an exercise that somebody adds."""
        raise NotImplementedError

    def rearrange(self, post: QueryDict) -> None:
        """Carries out the action of the button that was pressed, unless that is the one that saves."""
        for name in post:
            if action := self.ACTIONS.get(name):
                action(self, post.get(name, ""))

    def add_exercise(self, value: str) -> None:
        """`value` is the list's name and the exercise's id."""
        name, _, exercise_id = value.replace("\0", "").partition(" ")
        seen = Exercise.objects.seen_by(self.account)
        if name in self.lists() and (exercise := seen.find_all([exercise_id]).get(exercise_id)):
            self.lists()[name].append(self.new_entry(exercise))

    def drop_exercise(self, token: str) -> None:
        for entries in self.lists().values():
            entries[:] = [entry for entry in entries if entry["token"] != token]

    def raise_exercise(self, token: str) -> None:
        self.move(token, -1)

    def lower_exercise(self, token: str) -> None:
        self.move(token, +1)

    def move(self, token: str, step: int) -> None:
        for entries in self.lists().values():
            for index, entry in enumerate(entries):
                if entry["token"] == token and 0 <= index + step < len(entries):
                    entries[index], entries[index + step] = entries[index + step], entry
                    return

    # By the name of the button. Each takes the form and the button's value.
    ACTIONS: ClassVar[dict[str, Callable[[Any, str], None]]] = {
        "add-exercise": add_exercise,
        "drop-exercise": drop_exercise,
        "raise-exercise": raise_exercise,
        "lower-exercise": lower_exercise,
    }

    def weight_text(self, weight_kg: float) -> str:
        return number_text(units.to_unit(weight_kg, self.account.units))

    def weight_kg(self, row: WeightTexts) -> float | str:
        return weight_in_kg(row, self.account.units)


def weight_in_kg(row: WeightTexts, unit: str) -> float | str:
    """The weight of a row in kg, or the text where it is no number. An unchanged weight keeps its kg."""
    weight, stored_kg = number(row["weight"]), stored_number(row["weight_kg"])
    if isinstance(weight, str):
        return weight
    return units.edited_kg(weight, unit, None if isinstance(stored_kg, str) else stored_kg)


def text(post: QueryDict, name: str) -> str:
    """What was typed, with the line ends of every other text, and without NUL, which databases reject."""
    return post.get(name, "").replace("\0", "").replace("\r\n", "\n")


def texts(post: QueryDict, names: Iterable[str], token: str = "") -> dict[str, str]:
    begin = f"{token}-" if token else ""
    return {name: text(post, begin + name) for name in names}


def number(typed: str) -> float | str:
    """The number that somebody typed; the text, which the serializer then rejects, where it is none."""
    value = units.typed_number(typed)
    return typed if value is None else whole(value)


def stored_number(shown: str) -> float | str:
    """The number of a hidden field, which has a point in every language; the text where it is none."""
    try:
        return whole(float(shown))
    except ValueError:
        return shown


def whole(value: float) -> float:
    return int(value) if value.is_integer() else value


def number_text(value: float | None) -> str:
    """A number as somebody types it, without a needless point: 8, 8.5, in German 8,5; empty for None."""
    return "" if value is None else units.in_local_form(str(int(value) if value == int(value) else value))


def new_token() -> str:
    return f"n{get_random_string(10)}"
