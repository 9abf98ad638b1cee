"""Rules of plans and routines and their steps, as archives have them (training/archived_rules.py)."""

from typing import Any, get_args
from uuid import UUID

from rest_framework.exceptions import ValidationError

from fitness.api import fields
from fitness.api.serializers import REMOVED, StrictSerializer, Values
from training.api.serializers.progression import (
    ProgressionRuleSerializer,
    RoutineRuleSerializer,
    StepKind,
    percent_field,
)
from training.api.serializers.references import ReferringSerializer
from training.progression import Stages, State, Step, Target, Wave
from training.progression.groups import Entry, key
from training.progression.rules import Rule
from training.progression.sessions import Result
from training.progression.steps import Why

MAX_COUNT = 2**31 - 1
MAX_RULES = 700  # a plan of 64f3c407 could have one for each of its entries
MAX_LIFTS = 500
WHYS = [*get_args(Result), *get_args(get_args(Why)[1])]


def count_field(most: int = MAX_COUNT, least: int = 0) -> fields.IntegerField:
    return fields.IntegerField(min_value=least, max_value=most)


def weight_field() -> fields.NumberField:
    return fields.NumberField(min_value=0, max_value=2000)


class ArchivedTargetSerializer(StrictSerializer):
    sets = count_field(100, 1)
    reps = count_field(10_000)
    weight_kg = weight_field()
    open = fields.BooleanField()


class ArchivedStateSerializer(StrictSerializer):
    """A State: a target, and what its rule remembers."""

    target = ArchivedTargetSerializer()
    misses = count_field()
    stage = count_field(9)
    week = count_field(5)
    training_max_kg = weight_field()


class NewestSerializer(StrictSerializer):
    at = fields.TimestampField()
    workout_id = fields.StringField(max_length=100)


class FollowedSerializer(StrictSerializer):
    """A target with its rule in each of the entries that share it, and where it is."""

    id = fields.StringField(max_length=36)
    fold = count_field(least=1)
    entries = ProgressionRuleSerializer(many=True, min_length=1, max_length=MAX_RULES)
    start = ArchivedStateSerializer(required=False)
    state = ArchivedStateSerializer()
    newest = NewestSerializer(allow_null=True)
    ended_at = fields.TimestampField(allow_null=True, default=None)

    def validate(self, attrs: Any) -> Any:
        entries, state = attrs["entries"], state_of(attrs["state"])
        rule = entries[0]["rule"]
        keys = {
            key(Entry(place.weekday, place.position, one["exercise"].id, one["rule"], state.target))
            for one in entries
            for place in (one["place"],)
        }
        if len(keys) > 1:
            raise ValidationError({"entries": ["do not share one target."]})
        if not is_state_of(rule, state):
            raise ValidationError({"state": ["is in a stage or week that the rule lacks."]})
        return {**attrs, "id": uuid_of(attrs["id"], "id"), "state": state}


class FollowedOfRoutineSerializer(FollowedSerializer):
    entries = RoutineRuleSerializer(many=True, min_length=1, max_length=MAX_RULES)


class RoutineProgressionSerializer(ReferringSerializer):
    """The rules of a routine."""

    routine_id = fields.StringField(max_length=100)
    rules = FollowedOfRoutineSerializer(many=True, max_length=MAX_RULES)

    def validate(self, attrs: Any) -> Any:
        active = [one for one in attrs["rules"] if one["ended_at"] is None]
        places = [entry["place"] for one in active for entry in one["entries"]]
        if len(set(places)) < len(places):
            raise ValidationError({"rules": ["have two for one entry."]})
        if len({one["id"] for one in attrs["rules"]}) < len(attrs["rules"]):
            raise ValidationError({"rules": ["have an id more than once."]})
        return super().validate(attrs)


class PlanProgressionSerializer(RoutineProgressionSerializer):
    """The rules of a plan, and how often a week is lighter."""

    routine_id = REMOVED
    plan_id = fields.StringField(max_length=100)
    deload_every = fields.IntegerField(allow_null=True, min_value=4, max_value=12)
    deload_percent = percent_field(100, "")
    counted_from = fields.DayField()
    rules = FollowedSerializer(many=True, max_length=MAX_RULES)  # type: ignore[assignment]


class LiftSerializer(StrictSerializer):
    weight_kg = weight_field()
    reps = count_field(10_000)
    rpe = fields.NumberField(allow_null=True, min_value=0, max_value=10)


class ArchivedStepSerializer(StrictSerializer):
    """What a workout did to a target of a plan or routine."""

    plan_id = fields.StringField(max_length=100, allow_null=True)
    routine_id = fields.StringField(max_length=100, allow_null=True)
    workout_id = fields.StringField(max_length=100)
    rule_id = fields.StringField(max_length=36)
    fold = count_field(least=1)
    exercise_id = fields.StringField(max_length=120)
    weekday = count_field(7)
    is_day_known = fields.BooleanField()
    is_held = fields.BooleanField()
    at = fields.TimestampField()
    kind = fields.ChoiceField(StepKind)
    why = fields.StringField(max_length=20)
    lifts = LiftSerializer(many=True, min_length=1, max_length=MAX_LIFTS)
    before = ArchivedStateSerializer()
    after = ArchivedStateSerializer()

    def validate_why(self, why: str) -> str:
        if why not in WHYS:
            raise ValidationError(f"must be one of {', '.join(WHYS)}.")
        return why


def uuid_of(text: str, name: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise ValidationError({name: ["must be a UUID."]}) from None


def is_state_of(rule: Rule, state: State) -> bool:
    stages = len(rule.stages) if isinstance(rule, Stages) else 1
    weeks = len(rule.weeks) if isinstance(rule, Wave) else 1
    return state.stage < stages and state.week < weeks


def may_have_made(newest_fold: int, rule: Rule, fold: int, step: Step) -> bool:
    """A rule of an earlier fold may have been another one, with other stages and weeks."""
    is_now = fold == newest_fold and is_state_of(rule, step.before) and is_state_of(rule, step.after)
    return fold < newest_fold or is_now


def state_of(values: Values) -> State:
    return State(**{**values, "target": Target(**values["target"])})
