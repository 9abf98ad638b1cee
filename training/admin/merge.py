"""The merge of two exercises: the choice of the one to keep, and what the merge changes."""

from dataclasses import dataclass
from typing import Any, Self

from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AutocompleteSelect
from django.core.exceptions import ValidationError

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
