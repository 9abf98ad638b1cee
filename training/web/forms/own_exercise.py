"""The form of an exercise of the account's own, and what a search that finds nothing offers."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import Account
from fitness.web.forms import StyledFormMixin
from training.catalogue.folding import compared
from training.catalogue.guessing import guessed
from training.models import Exercise
from training.models.exercise import Equipment, MuscleGroup
from training.models.own_exercise import NameTaken, change, make

MAX_NAME = 200


class OwnExerciseForm(StyledFormMixin, forms.Form):
    """Makes an exercise, or changes one. Where another one has the name, `taken` is that one."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=MAX_NAME)
    muscle_group = forms.ChoiceField(label=gettext_lazy("Muscle group"), choices=MuscleGroup)
    equipment = forms.ChoiceField(label=gettext_lazy("Equipment"), choices=Equipment)
    is_assisted = forms.BooleanField(
        label=gettext_lazy("Weight is help, as on an assisted pull-up machine"), required=False
    )

    def __init__(
        self, account: Account, data: Any, exercise: Exercise | None = None, *, name: str = ""
    ) -> None:
        """Of a new exercise with what a `name` says."""
        super().__init__(data, initial=exercise.described if exercise else {"name": name, **guessed(name)})
        self.account, self.exercise = account, exercise
        self.taken: Exercise | None = None

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if not compared(name):
            raise ValidationError(_("Use letters or digits, so that searches find it."))
        return name

    def save(self) -> Exercise | None:
        """The exercise that was made or changed; None, with an error, where that is refused."""
        values = self.cleaned_data
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
    is_assisted: bool

    muscle_groups = MuscleGroup.choices
    equipments = Equipment.choices


def offered_for(text: str) -> Offer | None:
    name = text.strip()[:MAX_NAME]
    return Offer(name, **guessed(name)) if compared(name) else None
