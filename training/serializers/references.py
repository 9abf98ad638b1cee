"""Ids in a body that must name something: exercises of the catalogue, plans of the account."""

from functools import cached_property
from uuid import UUID

from django.db.models import CharField, Value
from rest_framework.exceptions import ValidationError

from fitness.api.fields import StringField
from fitness.api.serializers import StrictSerializer
from training.catalogue.matching import ID_LENGTH, nearest
from training.models import Exercise

SUGGESTIONS = 10  # unknown ids of a body that get the nearest ones named


class ExerciseIdField(StringField):
    """The id of a catalogue entry, read as the Exercise that `References` has found for it."""

    def to_internal_value(self, value):
        exercise_id = super().to_internal_value(value)
        references = self.context["references"]
        if exercise_id not in references.exercises:
            raise ValidationError(references.unknown(exercise_id))
        return references.exercises[exercise_id]


class PlanIdField(StringField):
    """The id of one of the account's plans."""

    default_error_messages = {"unknown": "does not exist; it must be the id of one of your plans."}

    def to_internal_value(self, value):
        plan_id = super().to_internal_value(value)
        if self.context["references"].plan_id_text != plan_id:
            self.fail("unknown")
        return UUID(plan_id)


class References:
    """Everything that a body refers to, looked up by one statement before its fields are checked.

    `exercises` maps ids to Exercises (with id, name, muscle_group and equipment only), `plan_name`
    is the name of the account's plan that `plan_id` names, if there is one.
    """

    def __init__(self, account, data):
        self.exercises, self.plan_id_text, self.plan_name = {}, None, None
        ids = set(exercise_ids(data))
        rows = Exercise.objects.filter(pk__in=ids).values_list("id", "name", "muscle_group", "equipment")
        plan_id = data.get("plan_id") if isinstance(data, dict) else None
        if is_uuid(plan_id):
            plan = account.plans.filter(pk=plan_id).values_list(
                Value(plan_id, CharField()), "name", Value(""), Value("")
            )
            rows = rows.union(plan, all=True)
        for key, name, muscle_group, equipment in rows if ids or is_uuid(plan_id) else ():
            if muscle_group:
                self.exercises[key] = Exercise(
                    id=key, name=name, muscle_group=muscle_group, equipment=equipment
                )
            else:
                self.plan_id_text, self.plan_name = key, name
        self.suggestions_left = SUGGESTIONS

    @cached_property
    def catalogue_ids(self):
        return list(Exercise.objects.values_list("pk", flat=True))

    def unknown(self, exercise_id):
        """What to say of an id that the catalogue does not have."""
        self.suggestions_left -= 1
        return unknown_exercise(exercise_id, self.catalogue_ids if self.suggestions_left >= 0 else ())


class ReferringSerializer(StrictSerializer):
    """A body whose fields find what it refers to in `context["references"]`."""

    def to_internal_value(self, data):
        self.context["references"] = References(self.context["account"], data)
        return super().to_internal_value(data)


def unknown_exercise(exercise_id, catalogue_ids):
    """What to say of an id that the catalogue does not have; names the nearest of `catalogue_ids`."""
    near = ", ".join(nearest(exercise_id, catalogue_ids))
    return (
        f'there is no exercise "{exercise_id[:ID_LENGTH]}" in the catalogue; '
        f"{f'the nearest ids are {near}; ' if near else ''}others: search_exercises (GET /exercises)."
    )


def exercise_ids(data):
    """Every string under the name `exercise_id`, however deep."""
    if isinstance(data, dict):
        if isinstance(data.get("exercise_id"), str):
            yield data["exercise_id"]
        data = data.values()
    if not isinstance(data, str):
        for item in data if hasattr(data, "__iter__") else ():
            yield from exercise_ids(item)


def is_uuid(text):
    """Whether a text is an id in the canonical form that the service writes."""
    try:
        return isinstance(text, str) and str(UUID(text)) == text
    except ValueError:
        return False
