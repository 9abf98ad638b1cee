"""What somebody can lift, for the first weights of a program."""

from collections.abc import Mapping
from typing import Any

from django import forms

from fitness.web.units import group_thousands, rounded, to_kg, to_unit
from training.models import Exercise
from training.models.sets import estimated_1rm_kg
from training.progression.loading import MAX_KG

REPETITIONS = 5


class LiftsForm(forms.Form):
    """For each exercise with weight, what somebody could lift five times, in the unit of the account.

    `maxima_kg` has the estimated maximum of those with a record.
    """

    def __init__(
        self, exercises: list[Exercise], maxima_kg: Mapping[str, float], unit: str, *args: Any
    ) -> None:
        super().__init__(*args)
        self.unit = unit
        by_epley = 1 + REPETITIONS / 30
        limit = to_unit(MAX_KG, unit)
        message = f"Enter a weight from 0 to {group_thousands(int(limit))} {unit}, or nothing."
        for exercise in exercises:
            maximum_kg = maxima_kg.get(exercise.pk)
            self.fields[exercise.pk] = forms.FloatField(
                label=exercise.name,
                required=False,
                min_value=0,
                max_value=limit,
                initial=None if maximum_kg is None else half(to_unit(maximum_kg / by_epley, unit)),
                help_text="" if maximum_kg is None else "From your record.",
                error_messages={"invalid": message, "min_value": message, "max_value": message},
                widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"}),
            )

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
