"""Ids in a body that must name something: exercises of the catalogue, plans of the account."""

from uuid import UUID

from django.db.models import CharField, Value

from fitness.api.fields import StringField
from fitness.api.serializers import StrictSerializer
from training.models import Exercise


class ExerciseIdField(StringField):
    """The id of a catalogue entry, read as the Exercise that `References` has found for it."""

    default_error_messages = {
        "unknown": 'there is no exercise "{id}" in the catalogue; search it with GET /exercises.'
    }

    def to_internal_value(self, value):
        exercise_id = super().to_internal_value(value)
        exercise = self.context["references"].exercises.get(exercise_id)
        if exercise is None:
            self.fail("unknown", id=exercise_id[:120])
        return exercise


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


class ReferringSerializer(StrictSerializer):
    """A body whose fields find what it refers to in `context["references"]`."""

    def to_internal_value(self, data):
        self.context["references"] = References(self.context["account"], data)
        return super().to_internal_value(data)


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
