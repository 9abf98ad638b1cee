"""Ids in a body that must name something: exercises of the catalogue, plans of the account."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import Case, TextField, Value, When
from django.db.models.functions import Cast
from rest_framework.exceptions import ValidationError
from rest_framework.fields import empty

from accounts.models import Account
from fitness.api.errors import shortened
from fitness.api.fields import StringField
from fitness.api.parsers import by_level, is_uuid
from fitness.api.serializers import StrictSerializer
from training.catalogue.matching import NamedExercise, nearest
from training.models import Exercise
from training.models.exercise import ExerciseSummary
from training.models.progression_step import ReadPlan

SUGGESTIONS = 5  # unknown ids of a body that get the nearest ones named
MAX_IDS = 1_000  # looked up; a body that is accepted names 700 at most


class Summary(NamedTuple):
    """What workouts, routines and plans read of an exercise."""

    id: str
    name: str
    muscle_group: str
    equipment: str
    is_assisted: bool


COLUMNS = len(Summary._fields)
# Exercises that an account sees (`seen_by`), each with the one that it was merged into.
EXERCISES = f"""SELECT {", ".join(f"exercise.{name}" for name in Summary._fields)},
    {", ".join(f"kept.{name}" for name in Summary._fields)}
FROM training_exercise exercise LEFT JOIN training_exercise kept ON kept.id = exercise.merged_into_id
WHERE (exercise.owner_id IS NULL OR exercise.owner_id = %s) AND exercise.id IN ({{ids}})
"""


class ExerciseIdField(StringField):
    """The id of a catalogue entry. Its validated value is the row that `References` has found for it."""

    # CharField's validated value is a text.
    def to_internal_value(self, value: object) -> ExerciseSummary:  # type: ignore[override]
        exercise_id = super().to_internal_value(value)
        references: References = self.context["references"]
        if exercise_id not in references.exercises:
            raise ValidationError(references.unknown(exercise_id))
        return references.exercises[exercise_id]


class PlanIdField(StringField):
    """The id of one of the account's plans."""

    default_error_messages = {"unknown": "does not exist; it must be the id of one of your plans."}

    # CharField's validated value is a text.
    def to_internal_value(self, value: object) -> UUID:  # type: ignore[override]
        plan_id = super().to_internal_value(value)
        if self.context["references"].plan_id_text != plan_id:
            self.fail("unknown")
        return UUID(plan_id)


def text_if_followed(name: str) -> Case:
    """A column of a plan with rules as it is stored; of any other an empty text."""
    return Case(
        When(rules__isnull=True, then=Value("")), default=Cast(name, TextField()), output_field=TextField()
    )


class References:
    """Everything that a body refers to, looked up before its fields are checked.

    `exercises` has the exercises by their ids, or in place of merged ones those that are kept.
    `plan_id_text` and `plan_name` are those of the account's plan that the body names, if there is one, and
    `read_plan` is that plan if it has rules.
    """

    def __init__(self, account: Account, data: object) -> None:
        self.account = account
        self.exercises: dict[str, ExerciseSummary] = {}
        self.plan_id_text: str | None = None
        self.plan_name: str | None = None
        self.read_plan: ReadPlan | None = None
        self.unknown_ids: dict[str, str] = {}  # messages by id
        ids = sorted(set(islice(exercise_ids(data), MAX_IDS)))
        plan_id = data.get("plan_id") if isinstance(data, dict) else None
        plan_id = plan_id if is_uuid(plan_id) else None
        if ids:
            self.look_up_exercises(ids)
        if plan_id:
            self.look_up_plan(plan_id)

    def look_up_exercises(self, ids: list[str]) -> None:
        sql = EXERCISES.format(ids=", ".join(["%s"] * len(ids)))
        with connection.cursor() as cursor:
            cursor.execute(sql, [self.account.db_pk, *ids])
            for row in cursor:
                own, kept = Summary._make(row[:COLUMNS]), Summary._make(row[COLUMNS:])
                self.exercises[own.id] = kept if kept.id else own

    def look_up_plan(self, plan_id: str) -> None:
        columns = [text_if_followed(name) for name in ReadPlan._fields]
        for name, *read in self.account.plans.filter(pk=plan_id).values_list("name", *columns):
            self.plan_id_text, self.plan_name = plan_id, name
            self.read_plan = ReadPlan(*read) if ReadPlan(*read).rules else None

    @cached_property
    def catalogue(self) -> Sequence[NamedExercise]:
        return list(Exercise.objects.seen_by(self.account).names())

    def unknown(self, exercise_id: str) -> str:
        """The error of an id that the catalogue does not have; made once for each id."""
        if exercise_id not in self.unknown_ids:
            suggest_from = self.catalogue if len(self.unknown_ids) < SUGGESTIONS else ()
            self.unknown_ids[exercise_id] = unknown_exercise(exercise_id, suggest_from)
        return self.unknown_ids[exercise_id]


class ReferringSerializer(StrictSerializer):
    """A body whose fields find what it refers to in `context["references"]`.

    Who validates many bodies may look up before what all of them refer to: `context["known_references"]`.
    """

    def run_validation(self, data: Any = empty) -> Any:
        known = self.context.get("known_references")
        self.context["references"] = known or References(self.context["account"], data)
        return super().run_validation(data)

    def validate(self, attrs: Any) -> Any:
        """Fills the name of the plan where the body gives none, and adds what was read of it."""
        references: References = self.context["references"]
        if attrs.get("plan_name", "") is None:
            attrs["plan_name"] = references.plan_name
        if attrs.get("plan_id"):
            attrs["read_plan"] = references.read_plan
        return attrs


def unknown_exercise(exercise_id: str, catalogue: Iterable[NamedExercise]) -> str:
    """The error of an id that the catalogue does not have; names the nearest ids of a catalogue."""
    near = ", ".join(exercise.id for exercise in nearest(exercise_id, catalogue))
    return (
        f'there is no exercise "{shortened(exercise_id)}" in the catalogue; '
        f"{f'the nearest ids are {near}; ' if near else ''}others: search_exercises (GET /exercises)."
    )


def exercise_ids(data: object) -> Iterator[str]:
    """Yields every string under the name `exercise_id`, however deep."""
    for items in by_level(data):
        for item in items:
            if isinstance(item, dict) and isinstance(item.get("exercise_id"), str):
                yield item["exercise_id"]
