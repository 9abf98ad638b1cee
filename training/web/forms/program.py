"""What somebody can lift, for the first weights of a program."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.utils import timezone

from fitness.web.days import format_short_day
from fitness.web.units import group_thousands, rounded, to_kg, to_unit
from training.models import Exercise
from training.models.sets import estimated_1rm_kg
from training.program_plans import Record
from training.progression.loading import MAX_KG, WITHOUT_STEPS

REPETITIONS = 5
SHARE = 1 + REPETITIONS / 30  # of that weight is the maximum, by Epley's formula (1985)


class LiftsForm(forms.Form):
    """For each exercise with weight, what somebody could lift five times, in the unit of the account.

    Where there is a record, it is filled in.
    """

    def __init__(
        self, exercises: Iterable[Exercise], records: Mapping[str, Record], unit: str, *args: Any
    ) -> None:
        super().__init__(*args)
        self.unit = unit
        for exercise in exercises:
            self.fields[exercise.pk] = self.weight_field(exercise, records.get(exercise.pk))

    def weight_field(self, exercise: Exercise, record: Record | None) -> forms.FloatField:
        limit = to_unit(MAX_KG, self.unit)
        message = f"Enter a weight from 0 to {group_thousands(int(limit))} {self.unit}, or nothing."
        return forms.FloatField(
            label=f"{self.what(exercise)} ({self.unit})",
            required=False,
            min_value=0,
            max_value=limit,
            initial=record and half(to_unit(record.maximum_kg / SHARE, self.unit)),
            help_text=self.source(record) if record else "",
            widget=forms.NumberInput(attrs={"class": "input", "step": "any", "inputmode": "decimal"}),
            error_messages={"invalid": message, "min_value": message, "max_value": message},
        )

    def what(self, exercise: Exercise) -> str:
        has_no_weight = exercise.equipment in WITHOUT_STEPS
        return f"{exercise.name}, added weight" if has_no_weight else exercise.name

    def source(self, record: Record) -> str:
        weight, day = to_unit(record.weight_kg, self.unit), timezone.localtime(record.at)
        return f"From your {weight} {self.unit} × {record.reps} on {format_short_day(day)}."

    @property
    def maxima_kg(self) -> dict[str, float]:
        """The estimated maximum of each exercise that was answered."""
        return {
            pk: estimated_1rm_kg(to_kg(value, self.unit), REPETITIONS)
            for pk, value in self.cleaned_data.items()
            if value
        }


def half(value: float) -> float:
    """A weight to half a unit: estimates are not more exact."""
    value = rounded(value, 2)
    return int(value) if value == int(value) else value
