"""The rules of plans and their steps: how archives have them, and out of an archive.

An import makes no steps. Those of an archive come along, so that each rule goes on where it was.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, get_args
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet
from rest_framework.exceptions import ValidationError

from accounts.imports.archived import GONE, ArchivedKind, Document, Place
from accounts.imports.kinds import Context, Record, Stored
from accounts.models import Account
from fitness.api import fields
from fitness.api.serializers import StrictSerializer, Values
from fitness.db.writes import update_all
from fitness.json import timestamp
from training.api.serializers.progression import (
    MAX_RULES,
    ProgressionRuleSerializer,
    StepKind,
    percent_field,
)
from training.api.serializers.references import ReferringSerializer
from training.imports.archived import Catalogue, is_known
from training.models import Plan, ProgressionStep
from training.models.planned import PlanDay
from training.progression import Stages, State, Step, Target, Wave, rule_to_json
from training.progression.groups import Entry, key
from training.progression.plans import Followed, Position, Progression
from training.progression.plans import Place as PlaceInPlan
from training.progression.rules import Rule
from training.progression.sessions import Lift, Result
from training.progression.steps import Why
from training.progression.store import EARLIEST

MAX_COUNT = 2**31 - 1
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
    """A target with its rule in each of the entries that share it, and where its fold is."""

    id = fields.StringField(max_length=36)
    fold = count_field(least=1)
    entries = ProgressionRuleSerializer(many=True, min_length=1, max_length=MAX_RULES)  # type: ignore[call-arg]
    start = ArchivedStateSerializer()
    state = ArchivedStateSerializer()
    newest = NewestSerializer(allow_null=True)

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
        if isinstance(rule, Stages) and state.stage >= len(rule.stages):
            raise ValidationError({"state": ["is in a stage that the rule lacks."]})
        if isinstance(rule, Wave) and state.week >= len(rule.weeks):
            raise ValidationError({"state": ["is in a week that the rule lacks."]})
        return {**attrs, "id": uuid_of(attrs["id"], "id"), "state": state, "start": state_of(attrs["start"])}


class ArchivedProgressionSerializer(ReferringSerializer):
    """The rules of a plan."""

    plan_id = fields.StringField(max_length=100)
    deload_every = fields.IntegerField(allow_null=True, min_value=4, max_value=12)
    deload_percent = percent_field(30, 100, "")
    counted_from = fields.DayField()
    rules = FollowedSerializer(many=True, max_length=MAX_RULES)  # type: ignore[call-arg]

    def validate(self, attrs: Any) -> Any:
        places = [entry["place"] for one in attrs["rules"] for entry in one["entries"]]
        if len(set(places)) < len(places):
            raise ValidationError({"rules": ["have two for one entry."]})
        return super().validate(attrs)


class LiftSerializer(StrictSerializer):
    weight_kg = weight_field()
    reps = count_field(10_000)
    rpe = fields.NumberField(allow_null=True, min_value=0, max_value=10)


class ArchivedStepSerializer(StrictSerializer):
    """What a workout did to a target."""

    plan_id = fields.StringField(max_length=100)
    workout_id = fields.StringField(max_length=100)
    rule_id = fields.StringField(max_length=36)
    fold = count_field(least=1)
    exercise_id = fields.StringField(max_length=120)
    weekday = count_field(7, 1)
    at = fields.TimestampField()
    kind = fields.ChoiceField(StepKind)
    why = fields.StringField(max_length=20)
    lifts = LiftSerializer(many=True, max_length=MAX_LIFTS)  # type: ignore[call-arg]
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


def state_of(values: Values) -> State:
    return State(**{**values, "target": Target(**values["target"])})


# --- Into an archive --------------------------------------------------------------------------------


def progression_document(plan: Plan) -> Document:
    progression = plan.progressions
    return {
        "plan_id": str(plan.pk),
        "deload_every": progression.deload_every,
        "deload_percent": progression.deload_percent,
        "counted_from": progression.counted_from.isoformat(),
        "rules": [followed_document(one, plan.days) for one in progression.followed],
    }


def followed_document(followed: Followed, days: Sequence[PlanDay]) -> Document:
    exercises = exercises_of(days)
    newest = followed.newest
    return {
        "id": followed.id,
        "fold": followed.fold,
        "entries": [
            {**place._asdict(), "exercise_id": exercises[place], **rule_to_json(rule)}
            for place, rule in zip(followed.places, followed.rules, strict=True)
        ],
        "start": followed.start.to_json(),
        "state": followed.state.to_json(),
        "newest": newest and {"at": timestamp(newest.at), "workout_id": newest.workout_id},
    }


def step_document(row: ProgressionStep) -> Document:
    made = Step.from_json(row.step)
    return {
        "plan_id": str(row.plan_id),
        "workout_id": str(row.workout_id),
        "rule_id": str(row.rule),
        "fold": row.fold,
        "exercise_id": row.exercise,
        "weekday": row.weekday,
        "at": timestamp(row.at),
        "kind": row.kind,
        "why": made.why,
        "lifts": [lift._asdict() for lift in made.lifts],
        "before": made.before.to_json(),
        "after": made.after.to_json(),
    }


def exercises_of(days: Sequence[PlanDay]) -> dict[PlaceInPlan, str]:
    return {
        PlaceInPlan(day["weekday"], position): entry["exercise_id"]
        for day in days
        for position, entry in enumerate(day["exercises"])
    }


# --- Out of an archive ------------------------------------------------------------------------------


class ProgressionKind(ArchivedKind):
    """The rules of a plan, which are a column of it: stored where the plan has none.

    A rule whose entry the plan lacks here is left out: its exercise is none of this catalogue's.
    """

    name = "progression"
    label = "rules of plans"
    model = Plan
    serializer = ArchivedProgressionSerializer
    compared = ("plan_id", "progression")

    @property
    def label_of_one(self) -> str:
        return "plan's rules"

    def reader(self, context: Context) -> Callable[[Document, Place], Values]:
        catalogue_of = cache(Catalogue)  # read with the first document: most files are no archives

        def read(document: Document, place: Place) -> Values:
            catalogue = catalogue_of(context.account)
            known = {**document, "rules": known_rules(document.get("rules"), catalogue.exercises, place)}
            values = self.serializer.validated(known, catalogue.context)
            plan_id = context.new_id("plan", values["plan_id"])
            return {
                "plan_id": plan_id and UUID(plan_id),
                "progression": progression_of(values, context),
                "exercises": {
                    entry["place"]: entry["exercise"].id
                    for one in values["rules"]
                    for entry in one["entries"]
                },
            }

        return read

    def comparable(self, name: str, value: Any) -> Any:
        return str(value) if name == "plan_id" else comparable_progression(value)

    def values_of(self, row: Plan) -> Values:
        return {"plan_id": row.pk, "progression": row.progressions}

    def alike(self, account: Account, values: Sequence[Values]) -> QuerySet[Any]:
        return account.plans.ruled().filter(pk__in={one["plan_id"] for one in values} - {None})

    def differing(
        self, account: Account, records: Sequence[Record], known_ids: Sequence[str | None]
    ) -> list[str]:
        wanted = [record.values.values for record in records]
        there = set(self.alike(account, wanted).values_list("pk", flat=True))
        return ["has other rules here" if one["plan_id"] in there else "" for one in wanted]

    def store(self, account: Account, records: Sequence[Record]) -> list[Stored]:
        values = [record.values.values for record in records]
        plans = account.plans.filter(rules__isnull=True, pk__in={one["plan_id"] for one in values} - {None})
        found = {plan.pk: plan for plan in plans}
        (since,) = account.stamp()
        for one in values:
            if plan := found.get(one["plan_id"]):
                fitting = fitting_part(one, plan.days)
                followed = tuple(replace(rule, since=since) for rule in fitting.followed)
                plan.rules = None if fitting.is_empty else replace(fitting, followed=followed).to_json()
        ruled = {pk: plan for pk, plan in found.items() if plan.rules}
        update_all(list(ruled.values()), ("rules",))
        return [
            Stored(str(one["plan_id"]), self.fingerprint(ruled[one["plan_id"]]))
            if one["plan_id"] in ruled
            else GONE
            for one in values
        ]

    def delete(self, account: Account, ids: Sequence[str]) -> None:
        """Takes the rules and their steps off the plans."""
        account.progression_steps.filter(plan__in=ids)._raw_delete(connection.alias)
        account.plans.filter(pk__in=ids).update(rules=None)


class ProgressionStepKind(ArchivedKind):
    """Steps of rules that are stored. A workout makes one step of a rule: one that is there stays."""

    name = "progression_step"
    label = "steps of rules"
    model = ProgressionStep
    serializer = ArchivedStepSerializer
    compared = ("plan_id", "workout_id", "rule", "fold", "exercise", "weekday", "at", "kind", "step")

    @property
    def label_of_one(self) -> str:
        return "step of a rule"

    def reader(self, context: Context) -> Callable[[Document, Place], Values]:
        def read(document: Document, place: Place) -> Values:
            values = self.validated(document)
            plan_id = context.new_id("plan", values["plan_id"])
            workout_id = context.new_id("workout", values["workout_id"])
            return {
                **{name: values[name] for name in ("fold", "weekday", "at", "kind")},
                "plan_id": plan_id and UUID(plan_id),
                "workout_id": workout_id and UUID(workout_id),
                "rule": uuid_of(values["rule_id"], "rule_id"),
                "exercise": values["exercise_id"],
                "step": step_of(values, str(workout_id)).to_json(),
            }

        return read

    def comparable(self, name: str, value: Any) -> Any:
        if name == "step":
            made = Step.from_json(value)
            states = map(comparable_state, (made.before, made.after))
            return [made.kind, made.why, with_floats(made.lifts), *states]
        return timestamp(value) if name == "at" else str(value)

    def alike(self, account: Account, values: Sequence[Values]) -> QuerySet[Any]:
        return account.progression_steps.filter(workout__in={one["workout_id"] for one in values} - {None})

    def new_rows(self, account: Account, values: Sequence[Values]) -> Iterator[Any]:
        plans = account.plans.ruled().filter(pk__in={one["plan_id"] for one in values} - {None})
        rules = {(plan.pk, UUID(one.id)) for plan in plans for one in plan.progressions.followed}
        taken = set(self.alike(account, values).values_list("workout_id", "rule"))
        for one in values:
            pair = one["workout_id"], one["rule"]
            is_new = one["workout_id"] and (one["plan_id"], one["rule"]) in rules and pair not in taken
            yield ProgressionStep(account=account, **one) if is_new else None
            taken.add(pair)


def known_rules(rules: Any, known: Collection[str], place: Place) -> Any:
    """The rules without those of exercises that the catalogue lacks."""
    if not isinstance(rules, list):
        return rules  # the serializer refuses it
    kept = [one for one in rules if all(is_known(entry, known) for entry in entries_of(one))]
    if len(kept) < len(rules):
        place.change("rules", "are of exercises that are not in this catalogue, and are left out")
    return kept


def entries_of(rule: Any) -> Sequence[Any]:
    entries = rule.get("entries") if isinstance(rule, dict) else None
    return entries if isinstance(entries, list) else ()


def progression_of(values: Values, context: Context) -> Progression:
    followed = tuple(followed_of(one, context) for one in values["rules"])
    return Progression(
        followed, values["deload_every"], float(values["deload_percent"]), values["counted_from"]
    )


def followed_of(values: Values, context: Context) -> Followed:
    newest = values["newest"]
    if newest:
        workout_id = context.new_id("workout", newest["workout_id"])
        newest = Position(newest["at"], workout_id or newest["workout_id"])
    return Followed(
        str(values["id"]),
        values["fold"],
        EARLIEST.at,  # the time of the import takes its place
        tuple(entry["place"] for entry in values["entries"]),
        tuple(entry["rule"] for entry in values["entries"]),
        values["start"],
        values["state"],
        newest,
    )


def step_of(values: Values, workout_id: str) -> Step:
    return Step(
        workout_id,
        values["at"],
        values["kind"],
        values["why"],
        tuple(Lift(**lift) for lift in values["lifts"]),
        state_of(values["before"]),
        state_of(values["after"]),
    )


def fitting_part(values: Values, days: Sequence[PlanDay]) -> Progression:
    """The progression without rules of entries that the plan does not have here."""
    progression: Progression = values["progression"]
    here, wanted = exercises_of(days), values["exercises"]
    fitting = (
        one for one in progression.followed if all(here.get(place) == wanted[place] for place in one.places)
    )
    return replace(progression, followed=tuple(fitting))


def comparable_progression(progression: Progression) -> object:
    """What is compared of rules: everything but when their folds began."""
    followed = [
        [
            one.id,
            one.fold,
            *(list(place) for place in one.places),
            *map(comparable_rule, one.rules),
            *map(comparable_state, (one.start, one.state)),
            one.newest and [timestamp(one.newest.at), one.newest.workout_id],
        ]
        for one in progression.followed
    ]
    days = progression.counted_from.isoformat()
    return [progression.deload_every, float(progression.deload_percent), days, followed]


def comparable_rule(rule: Rule) -> object:
    return with_floats(rule_to_json(rule))


def comparable_state(state: State) -> object:
    return with_floats(state.to_json())


def with_floats(value: object) -> object:
    """A JSON value in which 85 and 85.0 are the same, with its names in one order."""
    if isinstance(value, Mapping):
        return [[name, with_floats(value[name])] for name in sorted(value)]
    if isinstance(value, list | tuple):
        return [with_floats(one) for one in value]
    return float(value) if isinstance(value, int) else value
