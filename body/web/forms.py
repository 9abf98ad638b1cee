from typing import Any

from django import forms
from django.db import transaction
from django.forms import BoundField
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import Account
from body.api.serializers import GoalSerializer, MeasurementSerializer, WeightLogSerializer
from body.models import Goal
from fitness.api.serializers import Values
from fitness.web.forms import (
    DateTimeField,
    DayField,
    NotesField,
    NumberField,
    SerializerForm,
    WeightField,
    this_minute,
)
from fitness.web.templatetags.units import number, weight
from fitness.web.units import in_local_form, to_unit

OUTLIER = 0.15  # of the last weight: what is further off may be a slip


class WeightForm(SerializerForm):
    """A weight. A new one without a time is of the moment when it is sent: a page may be open for long.

    What is far off the last weight is asked about. The button that answers sends it as `is_right`.
    """

    serializer = WeightLogSerializer
    manager_name = "weight_logs"
    account: Account

    weight_kg = WeightField(label=_("Body weight"))
    body_fat_percent = NumberField(label=_("Body fat (%)"), required=False)
    logged_at = DateTimeField(label=_("When"), required=False, help_text=_("Left empty, now."))
    notes = NotesField(label=_("Notes"), required=False)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if self.instance:
            self.fields["logged_at"].required, self.fields["logged_at"].help_text = True, ""

    @property
    def body(self) -> Values:
        return {name: value for name, value in super().body.items() if name != "logged_at" or value}

    def clean(self) -> None:
        super().clean()
        last_kg = None if self.errors or "weight_kg" not in self.values else self.last_kg()
        if last_kg is None or self.data.get("is_right") == self.data["weight_kg"]:
            return
        if abs(self.values["weight_kg"] - last_kg) > last_kg * OUTLIER:
            units = self.account.units
            text = {"weight": weight(self.values["weight_kg"], units), "last": weight(last_kg, units)}
            self.answer = {"label": gettext("Yes, %(weight)s") % text, "value": self.data["weight_kg"]}
            raise forms.ValidationError(
                gettext("%(weight)s? Your last body weight was %(last)s.") % text, code="far_off"
            )

    def last_kg(self) -> float | None:
        """The weight before this one."""
        at = self.values.get("logged_at") or getattr(self.instance, "logged_at", None)
        own_pk = self.instance.pk if self.instance else self.cleaned_data["form_id"]
        return self.account.weight_logs.exclude(pk=own_pk).latest_kg(at)

    @property
    def details(self) -> list[BoundField]:
        """The fields that are folded where most weights are logged without them."""
        return [field for field in self.visible_fields() if field.name != "weight_kg"]

    def suggest(self, weight_kg: float | None) -> None:
        """Shows a weight in the empty field, to type over."""
        if weight_kg is not None:
            shown = in_local_form(f"{to_unit(weight_kg, self.account.units)}")
            self.fields["weight_kg"].widget.attrs["placeholder"] = shown


class MeasurementForm(SerializerForm):
    serializer = MeasurementSerializer
    manager_name = "measurements"
    account: Account

    chest_cm = NumberField(label=_("Chest (cm)"), required=False)
    waist_cm = NumberField(label=_("Waist (cm)"), required=False)
    hips_cm = NumberField(label=_("Hips (cm)"), required=False)
    arms_cm = NumberField(label=_("Arms (cm)"), required=False)
    thighs_cm = NumberField(label=_("Thighs (cm)"), required=False)
    neck_cm = NumberField(label=_("Neck (cm)"), required=False)
    logged_at = DateTimeField(label=_("When"), initial=this_minute)

    def __init__(self, *args: Any, **options: Any) -> None:
        """A new one shows the last value of each site in its empty field, to type over."""
        super().__init__(*args, **options)
        last = {} if self.instance else self.account.measurements.latest_sites()
        for site, cm in last.items():
            self.fields[site].widget.attrs["placeholder"] = number(cm)

    def add_serializer_error(self, name: str, messages: str | list[str]) -> None:
        if name == "non_field_errors":
            messages = gettext("Enter at least one measurement.")
        super().add_serializer_error(name, messages)


class GoalForm(SerializerForm):
    serializer = GoalSerializer
    account: Account

    target_weight_kg = WeightField(label=_("Target weight"), required=False)
    target_body_fat_percent = NumberField(label=_("Target body fat (%)"), required=False)
    deadline = DayField(label=_("Reach it by"), required=False)
    start_weight_kg = WeightField(
        label=_("Start weight"), required=False, help_text=_("Left empty, your latest logged weight.")
    )

    def clean(self) -> None:
        super().clean()
        aims = ("target_weight_kg", "target_body_fat_percent", "deadline")
        if not self.errors and all(self.values[name] is None for name in aims):
            raise forms.ValidationError(gettext("Enter a target weight, a target for body fat, or a day."))

    def save(self) -> None:
        """Sets the goal, once if the form is submitted several times."""
        goal_id = self.cleaned_data["form_id"]
        with transaction.atomic():
            self.account.lock()
            if not self.account.goals.filter(pk=goal_id).exists():
                Goal.objects.set_for(self.account, {**self.values, "id": goal_id})
