"""The form of an exercise of the account's own, and what a search that finds nothing offers."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from accounts.models import Account
from fitness.web.forms import StyledFormMixin
from training.catalogue.folding import compared
from training.catalogue.guessing import guessed, says_assisted, says_held
from training.models import Exercise
from training.models.exercise import Equipment, MuscleGroup
from training.models.own_exercise import NameTaken, change, make
from training.models.timed import Measure

MAX_NAME = 200
CHOOSE = ("", gettext_lazy("Choose…"))
HELP = "help"
COUNTS = [
    (Measure.REPS.value, gettext_lazy("Weight and reps")),
    (Measure.TIME.value, pgettext_lazy("duration", "Time")),
    (Measure.DISTANCE.value, gettext_lazy("Distance and time")),
    (HELP, gettext_lazy("Help and reps")),
]


def counted(*, is_assisted: bool, measure: str, **others: str) -> str:
    """Which of COUNTS an exercise has that is described so."""
    return HELP if is_assisted else measure


def likely_counted(name: str) -> str:
    measure = Measure.TIME if says_held(name) else Measure.REPS
    return counted(is_assisted=says_assisted(name), measure=measure.value)


class OwnExerciseForm(StyledFormMixin, forms.Form):
    """Makes an exercise, or changes one. Where another one has the name, `taken` is that one."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=MAX_NAME)
    counts = forms.TypedChoiceField(
        label=gettext_lazy("What do you count?"),
        choices=COUNTS,
        widget=forms.RadioSelect,
        required=False,
        empty_value=Measure.REPS.value,
        help_text=gettext_lazy(
            "Without a weight it is reps alone. Help is what an assisted pull-up machine takes off."
        ),
    )
    muscle_group = forms.ChoiceField(
        label=gettext_lazy("Muscle group"), choices=[CHOOSE, *MuscleGroup.choices]
    )
    equipment = forms.ChoiceField(label=gettext_lazy("Equipment"), choices=[CHOOSE, *Equipment.choices])

    def __init__(
        self, account: Account, data: Any, exercise: Exercise | None = None, *, name: str = ""
    ) -> None:
        """Of a new exercise with what a `name` says."""
        initial = exercise.described if exercise else {"name": name, **guessed(name, "", "")}
        counts = counted(**initial) if exercise else likely_counted(name)
        super().__init__(data, initial={**initial, "counts": counts})
        self.account, self.exercise = account, exercise
        self.taken: Exercise | None = None

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if not compared(name):
            raise ValidationError(_("Use letters or digits, so that searches find it."))
        return name

    def save(self) -> Exercise | None:
        """The exercise that was made or changed; None, with an error, where that is refused."""
        values = {**self.cleaned_data}
        counts = values.pop("counts")
        values |= {"is_assisted": True} if counts == HELP else {"measure": counts}
        try:
            if self.exercise is None:
                return make(self.account, **values)
            change(self.account, self.exercise, **values)
        except NameTaken as error:
            self.taken = error.exercise
            self.add_error("name", format_html("{} {}", error.message, self.link))
            return None
        except ValidationError as error:
            self.add_error(None, error)
            return None
        return self.exercise

    @property
    def link(self) -> str:
        """To the exercise that has the name."""
        assert self.taken is not None
        text = _("Use that one.")
        return format_html('<a href="{}">{}</a>', reverse("exercise", args=[self.taken.pk]), text)

    @cached_property
    def problem(self) -> str:
        """The first error, for scripts."""
        if self.taken:
            return str(NameTaken(self.taken).message)
        return next((str(message) for messages in self.errors.values() for message in messages), "")


@dataclass(frozen=True)
class Offer:
    """An own exercise that could be made of a text that a search does not find."""

    name: str
    muscle_group: str
    equipment: str
    counts: str

    counted = COUNTS
    muscle_groups = MuscleGroup.choices
    equipments = Equipment.choices


def offered_for(text: str) -> Offer | None:
    name = text.strip()[:MAX_NAME]
    if not compared(name):
        return None
    guess = guessed(name)
    return Offer(name, guess["muscle_group"], guess["equipment"], likely_counted(name))
