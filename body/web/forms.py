from typing import Any

from django import forms
from django.db import transaction
from django.forms import BoundField

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
from fitness.web.units import to_unit


def percent_field(label: str) -> NumberField:
    return NumberField(label=f"{label} (%)", required=False)


def site_field(label: str) -> NumberField:
    return NumberField(label=f"{label} (cm)", required=False)


class WeightForm(SerializerForm):
    """A weight. A new one without a time is of the moment when it is sent: a page may be open for long."""

    serializer = WeightLogSerializer
    manager_name = "weight_logs"

    weight_kg = WeightField(label="Body weight")
    body_fat_percent = percent_field("Body fat")
    logged_at = DateTimeField(label="When", required=False, help_text="Left empty, now.")
    notes = NotesField(required=False)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if self.instance:
            self.fields["logged_at"].required, self.fields["logged_at"].help_text = True, ""

    @property
    def body(self) -> Values:
        return {name: value for name, value in super().body.items() if name != "logged_at" or value}

    @property
    def details(self) -> list[BoundField]:
        """The fields that are folded where most weights are logged without them."""
        return [field for field in self.visible_fields() if field.name != "weight_kg"]

    def suggest(self, weight_kg: float | None) -> None:
        """Shows a weight in the empty field, to type over."""
        if weight_kg is not None:
            self.fields["weight_kg"].widget.attrs["placeholder"] = to_unit(weight_kg, self.account.units)


class MeasurementForm(SerializerForm):
    serializer = MeasurementSerializer
    manager_name = "measurements"

    chest_cm = site_field("Chest")
    waist_cm = site_field("Waist")
    hips_cm = site_field("Hips")
    arms_cm = site_field("Arms")
    thighs_cm = site_field("Thighs")
    neck_cm = site_field("Neck")
    logged_at = DateTimeField(label="When", initial=this_minute)

    def add_serializer_error(self, name: str, messages: str | list[str]) -> None:
        if name == "non_field_errors":
            messages = "Enter at least one measurement."
        super().add_serializer_error(name, messages)


class GoalForm(SerializerForm):
    serializer = GoalSerializer
    account: Account

    target_weight_kg = WeightField(label="Target weight", required=False)
    target_body_fat_percent = percent_field("Target body fat")
    deadline = DayField(label="Reach it by", required=False)
    start_weight_kg = WeightField(
        label="Start weight", required=False, help_text="Left empty, your latest logged weight."
    )

    def clean(self) -> None:
        super().clean()
        aims = ("target_weight_kg", "target_body_fat_percent", "deadline")
        if not self.errors and all(self.values[name] is None for name in aims):
            raise forms.ValidationError("Enter a target weight, a target for body fat, or a day.")

    def save(self) -> None:
        """Sets the goal, once if the form is submitted several times."""
        goal_id = self.cleaned_data["form_id"]
        with transaction.atomic():
            self.account.lock()
            if not self.account.goals.filter(pk=goal_id).exists():
                Goal.objects.set_for(self.account, {**self.values, "id": goal_id})
