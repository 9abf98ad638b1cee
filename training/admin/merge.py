"""The merge of two exercises: the choice of the one to keep, and what the merge changes."""

from dataclasses import dataclass
from typing import Any, Self

from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AutocompleteSelect
from django.core.exceptions import ValidationError

from training.admin.forms import refuse_own
from training.catalogue.name_index import TakenNames
from training.models import Exercise, Plan, Routine, WorkoutExercise


class MergeForm(forms.Form):
    kept = forms.ModelChoiceField(
        Exercise.objects.with_kept(),
        label="Exercise to keep",
        widget=AutocompleteSelect(Exercise._meta.get_field("merged_into"), admin.site),
    )

    def __init__(self, given_up: Exercise, *args: Any) -> None:
        super().__init__(*args)
        self.given_up = given_up

    def clean_kept(self) -> Exercise:
        kept: Exercise = self.cleaned_data["kept"]
        is_done = self.given_up.merged_into == kept
        if not is_done and (problem := self.given_up.merge_problem(kept)):
            raise ValidationError(problem)
        return kept


class TakeForm(forms.Form):
    """What becomes of an exercise that an account offers: one of the catalogue, or a new one with this id."""

    kept = forms.ModelChoiceField(
        Exercise.objects.active(),
        label="It is the same as",
        required=False,
        widget=AutocompleteSelect(Exercise._meta.get_field("merged_into"), admin.site),
    )
    new_id = forms.SlugField(max_length=120, label="Or add it under the new id", required=False)
    seen = forms.CharField(widget=forms.HiddenInput)

    def __init__(self, offered: Exercise, *args: Any) -> None:
        super().__init__(*args)
        self.offered = offered
        self.initial["seen"] = ", ".join([*offered.shown.values(), *["weight is help"] * offered.is_assisted])

    def clean_seen(self) -> None:
        if self.cleaned_data["seen"] != self.initial["seen"]:
            raise ValidationError("Its owner has changed it since you opened the page; look at it again.")

    def clean_new_id(self) -> str:
        new_id: str = self.cleaned_data["new_id"]
        refuse_own(new_id)
        if Exercise.objects.of_everyone().filter(pk=new_id).exists() or new_id != new_id.lower():
            raise ValidationError("Choose an id in lower case that no exercise has.")
        return new_id

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        kept, new_id = cleaned.get("kept"), cleaned.get("new_id")
        if not self.errors and bool(kept) == bool(new_id):
            raise ValidationError("Choose an exercise, or give a new id.")
        taken = TakenNames(Exercise.objects.with_kept())
        if taken.by(self.offered.name) not in (None, kept):
            self.add_error(None, f"{taken.problem(self.offered.name)}. Choose that one.")
        return cleaned


@dataclass(frozen=True)
class MergeExtent:
    """How many workouts, routines, plans and accounts have an exercise."""

    workouts: int
    routines: int
    plans: int
    accounts: int

    @classmethod
    def of(cls, exercise: Exercise) -> Self:
        sessions = WorkoutExercise.objects.sessions_with(exercise.pk).order_by()
        routines, plans = (model.objects.with_exercise(exercise).order_by() for model in (Routine, Plan))
        owners = [rows.values_list("account", flat=True).distinct() for rows in (sessions, routines, plans)]
        accounts = set().union(*owners)
        return cls(sessions.count(), routines.count(), plans.count(), len(accounts))
