"""What somebody can lift, for the first weights of a program."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext as _

from fitness.web.days import format_short_day
from fitness.web.forms import NumberField
from fitness.web.units import group_thousands, rounded, to_kg, to_unit
from training.models import Exercise
from training.models.sets import estimated_1rm_kg
from training.program_plans import Record
from training.progression.loading import MAX_KG, WITHOUT_STEPS
from training.progression.wording import local
from training.web.names import exercise_name

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

    def weight_field(self, exercise: Exercise, record: Record | None) -> NumberField:
        limit = to_unit(MAX_KG, self.unit)
        message = _("Enter a weight from 0 to %(limit)s %(unit)s, or nothing.") % {
            "limit": group_thousands(int(limit)),
            "unit": self.unit,
        }
        return NumberField(
            label=f"{self.what(exercise)} ({self.unit})",
            required=False,
            min_value=0,
            max_value=limit,
            initial=record and half(to_unit(record.maximum_kg / SHARE, self.unit)),
            help_text=self.source(record) if record else "",
            widget=forms.TextInput(attrs={"class": "input", "inputmode": "decimal"}),
            error_messages={"invalid": message, "min_value": message, "max_value": message},
        )

    def what(self, exercise: Exercise) -> str:
        has_no_weight = exercise.equipment in WITHOUT_STEPS
        name = exercise_name(exercise.name)
        return _("%(exercise)s, added weight") % {"exercise": name} if has_no_weight else name

    def source(self, record: Record) -> str:
        return _("From your %(weight)s × %(reps)s on %(day)s.") % {
            "weight": f"{local(to_unit(record.weight_kg, self.unit))} {self.unit}",
            "reps": record.reps,
            "day": format_short_day(timezone.localtime(record.at)),
        }

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
