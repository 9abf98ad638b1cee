"""Forms of records that hold lists of lists, checked by the serializers of the API.

A form keeps what was typed as rows of texts. Every row has a token, with which the names of its
fields begin (`e3-notes`), and the field of the list that it stands in holds the token: rows can
come, go and move without renaming anything. From the texts a form makes the body that a client of
the API would send; what the serializer says about a path of that body goes to the row at that path.
"""

import re
from uuid import UUID

from django.db import transaction
from django.utils.crypto import get_random_string
from uuid_utils.compat import uuid7

from fitness.api.errors import problems
from fitness.web import units
from fitness.web.forms import sign_form_id
from training.models import Exercise

MAX_ROWS = 500  # of a form; what has more is edited over the API

WORDS = {
    "This field may not be blank.": "Fill this in.",
    "This field is required.": "Fill this in.",
}


class EntriesForm:
    """What stands in the form of one record. `texts` are the fields outside of all rows.

    Subclasses name their `serializer`, the account's `records`, read the texts of a `posted` form and
    of a stored record (`of`), and make the `body`.
    """

    def __init__(self, account, texts, form_id=None):
        self.account = account
        self.texts = texts
        self.id = form_id or uuid7()
        self.rows = {}
        self.errors = {}
        self.trouble = 0
        self.refusal = ""

    @property
    def size(self) -> int:
        """How many rows a browser would show."""
        return sum(len(entries) for entries in self.lists().values())

    @property
    def is_too_long(self) -> bool:
        return self.size > MAX_ROWS

    @property
    def signed_id(self):
        """The id that the new record will get, so that a form which is sent twice makes one."""
        return sign_form_id(self.account, self.id)

    def is_valid(self):
        """Fills `values` for the model, or `errors` here and in the rows."""
        serializer = self.serializer(data=self.body, context={"account": self.account})
        if serializer.is_valid():
            self.values = serializer.validated_data
            return True
        for path, message in problems(serializer.errors):
            self.complain(path, self.worded(path, message))
        return False

    def complain(self, path, message):
        self.trouble += 1
        place, _, name = path.rpartition(".")
        errors = self.rows[place].setdefault("errors", {}) if place in self.rows else self.errors
        errors.setdefault(name, message)

    def worded(self, path, message):
        """What the serializer says, for a person who sees a form and not a body."""
        name = path.rpartition(".")[2]
        if name == "weight_kg":
            most = units.group_thousands(units.to_unit(2000, self.account.units))
            return f"Enter a weight from 0 to {most} {self.account.units}; 0 for body weight alone."
        return WORDINGS.get(name) or WORDS.get(message, message)

    def place(self, path, row):
        """Remembers where in the body a row stands."""
        self.rows[path] = row
        return row

    def save_new(self):
        """Stores the record, once however often the form is sent; what has changed since is replaced."""
        with transaction.atomic():
            self.account.lock()  # two submissions of one form wait for each other here
            instance = self.manager.filter(pk=self.id).first()
            if instance is None:
                return self.create()
            return self.save_changes(instance)

    def save_changes(self, instance):
        """Replaces the record, unless it is as the form has it."""
        if type(self).of(self.account, instance).body != self.body:
            instance.replace(self.values)
        return instance

    # --- Rows ------------------------------------------------------------------------------------

    def lists(self):
        """Every list of exercises in the form, by the name of its field."""
        raise NotImplementedError

    def rearrange(self, post):
        """Does what a button of the form asks for besides saving."""
        for name, value in post.items():
            if action := self.ACTIONS.get(name):
                action(self, value)

    def add_exercise(self, value):
        """`value` is the list's name and the exercise's id."""
        name, _, exercise_id = value.replace("\0", "").partition(" ")
        if name in self.lists() and (exercise := Exercise.objects.filter(pk=exercise_id).first()):
            self.lists()[name].append(self.new_entry(exercise))

    def drop_exercise(self, token):
        for entries in self.lists().values():
            entries[:] = [entry for entry in entries if entry["token"] != token]

    def raise_exercise(self, token):
        self.move(token, -1)

    def lower_exercise(self, token):
        self.move(token, +1)

    def move(self, token, step):
        for entries in self.lists().values():
            for index, entry in enumerate(entries):
                if entry["token"] == token and 0 <= index + step < len(entries):
                    entries[index], entries[index + step] = entries[index + step], entry
                    return

    ACTIONS = {
        "add-exercise": add_exercise,
        "drop-exercise": drop_exercise,
        "raise-exercise": raise_exercise,
        "lower-exercise": lower_exercise,
    }

    # --- Weights ---------------------------------------------------------------------------------

    def weight_texts(self, weight_kg):
        """The weight in the account's unit, and the kilograms that it stands for."""
        return {"weight": str(units.to_unit(weight_kg, self.account.units)), "weight_kg": repr(weight_kg)}

    def weight_kg(self, row):
        """What a row weighs. A weight that nobody touched keeps the kilograms that it had."""
        weight, stored_kg = number(row["weight"]), number(row["weight_kg"])
        if not is_number(weight):
            return weight
        return units.edited_kg(weight, self.account.units, stored_kg if is_number(stored_kg) else None)


WORDINGS = {
    "reps": "Enter whole repetitions, from 0 to 10,000.",
    "rpe": "Enter a number from 0 to 10, or nothing.",
    "duration_seconds": "Enter minutes, from 0 to 10,080.",
    "started_at": "Enter a date and a time.",
}


def text(post, name):
    """What was typed, with the line ends of every other text, and without what databases refuse."""
    return post.get(name, "").replace("\0", "").replace("\r\n", "\n")


def texts(post, names, token=""):
    begin = f"{token}-" if token else ""
    return {name: text(post, begin + name) for name in names}


def number(typed):
    """The number that a text stands for; otherwise the text, which the serializer will refuse."""
    plain = re.sub(r"^(-?\d+),(\d{1,2})$", r"\1.\2", typed.strip())
    try:
        value = float(plain)
    except ValueError:
        return typed
    return int(value) if value.is_integer() else value


def is_number(value):
    return isinstance(value, (int, float))


def plain(value):
    """A number without a needless point: 8, 8.5."""
    return "" if value is None else str(int(value) if value == int(value) else value)


def uuid_or_none(typed):
    try:
        return UUID(typed)
    except ValueError:
        return None


def new_token():
    return f"n{get_random_string(10)}"
