"""The rules of plans and routines, and their steps: how archives have them, and out of an archive.

An import makes no steps. Those of an archive come along, so that each rule goes on where it was.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, ClassVar, get_args
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
    RoutineRuleSerializer,
    StepKind,
    percent_field,
)
from training.api.serializers.references import ReferringSerializer
from training.imports.archived import Catalogue, is_known
from training.models import Plan, ProgressionStep, Routine
from training.models.adapting import Adapting
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


class FollowedOfRoutineSerializer(FollowedSerializer):
    entries = RoutineRuleSerializer(many=True, min_length=1, max_length=MAX_RULES)  # type: ignore[call-arg]


class RoutineProgressionSerializer(ReferringSerializer):
    """The rules of a routine."""

    routine_id = fields.StringField(max_length=100)
    rules = FollowedOfRoutineSerializer(many=True, max_length=MAX_RULES)  # type: ignore[call-arg]

    def validate(self, attrs: Any) -> Any:
        places = [entry["place"] for one in attrs["rules"] for entry in one["entries"]]
        if len(set(places)) < len(places):
            raise ValidationError({"rules": ["have two for one entry."]})
        return super().validate(attrs)


class PlanProgressionSerializer(RoutineProgressionSerializer):
    """The rules of a plan, and how often a week is lighter."""

    routine_id = None  # type: ignore[assignment]  # removes the field
    plan_id = fields.StringField(max_length=100)
    deload_every = fields.IntegerField(allow_null=True, min_value=4, max_value=12)
    deload_percent = percent_field(30, 100, "")
    counted_from = fields.DayField()
    rules = FollowedSerializer(many=True, max_length=MAX_RULES)  # type: ignore[call-arg,assignment]


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


def plan_document(plan: Plan) -> Document:
    progression = plan.progressions
    return {
        "plan_id": str(plan.pk),
        "deload_every": progression.deload_every,
        "deload_percent": progression.deload_percent,
        "counted_from": progression.counted_from.isoformat(),
        "rules": [followed_document(one, plan.schedule) for one in progression.followed],
    }


def routine_document(routine: Routine) -> Document:
    rules = [followed_document(one, routine.schedule) for one in routine.progressions.followed]
    return {"routine_id": str(routine.pk), "rules": rules}


def followed_document(followed: Followed, days: Sequence[PlanDay]) -> Document:
    exercises = exercises_of(days)
    newest = followed.newest
    return {
        "id": followed.id,
        "fold": followed.fold,
        "entries": [
            {**place.fields, "exercise_id": exercises[place], **rule_to_json(rule)}
            for place, rule in zip(followed.places, followed.rules, strict=True)
        ],
        "start": followed.start.to_json(),
        "state": followed.state.to_json(),
        "newest": newest and {"at": timestamp(newest.at), "workout_id": newest.workout_id},
    }


def step_document(row: ProgressionStep) -> Document:
    made = Step.from_json(row.step)
    return {
        "plan_id": row.plan_id and str(row.plan_id),
        "routine_id": row.routine_id and str(row.routine_id),
        "workout_id": str(row.workout_id),
        "rule_id": str(row.rule),
        "fold": row.fold,
        "exercise_id": row.exercise,
        "weekday": row.weekday,
        "is_day_known": row.is_day_known,
        "is_held": row.is_held,
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
    """The rules of plans or of routines, which are a column of them: stored where there are none.

    A rule whose entry is not there is left out: its exercise is none of this catalogue's.
    """

    holder: ClassVar[str]  # the kind of what has the rules
    model: ClassVar[type[Adapting]]
    compared = ("holder_id", "progression")

    @property
    def label_of_one(self) -> str:
        return self.label

    def reader(self, context: Context) -> Callable[[Document, Place], Values]:
        catalogue_of = cache(Catalogue)  # read with the first document: most files are no archives

        def read(document: Document, place: Place) -> Values:
            catalogue = catalogue_of(context.account)
            known = {**document, "rules": known_rules(document.get("rules"), catalogue.exercises, place)}
            values = self.serializer.validated(known, catalogue.context)
            holder_id = context.new_id(self.holder, values[f"{self.holder}_id"])
            return {
                "holder_id": holder_id and UUID(holder_id),
                "progression": progression_of(values, context),
                "exercises": {
                    entry["place"]: entry["exercise"].id
                    for one in values["rules"]
                    for entry in one["entries"]
                },
            }

        return read

    def comparable(self, name: str, value: Any) -> Any:
        return str(value) if name == "holder_id" else comparable_progression(value)

    def values_of(self, row: Adapting) -> Values:
        return {"holder_id": row.pk, "progression": row.progressions}

    def alike(self, account: Account, values: Sequence[Values]) -> QuerySet[Any]:
        ids = {one["holder_id"] for one in values} - {None}
        return self.rows(account).filter(pk__in=ids, rules__isnull=False)

    def differing(
        self, account: Account, records: Sequence[Record], known_ids: Sequence[str | None]
    ) -> list[str]:
        wanted = [record.values.values for record in records]
        there = set(self.alike(account, wanted).values_list("pk", flat=True))
        return ["has other rules here" if one["holder_id"] in there else "" for one in wanted]

    def store(self, account: Account, records: Sequence[Record]) -> list[Stored]:
        values = [record.values.values for record in records]
        ids = {one["holder_id"] for one in values} - {None}
        found = {row.pk: row for row in self.rows(account).filter(pk__in=ids, rules__isnull=True)}
        (since,) = account.stamp()
        for one in values:
            if row := found.get(one["holder_id"]):
                fitting = fitting_part(one, row.schedule)
                followed = tuple(replace(rule, since=since) for rule in fitting.followed)
                row.rules = None if fitting.is_empty else replace(fitting, followed=followed).to_json()
        ruled = {pk: row for pk, row in found.items() if row.rules}
        update_all(list(ruled.values()), ("rules",))
        stored = (ruled.get(one["holder_id"]) for one in values)
        return [Stored(str(row.pk), self.fingerprint(row)) if row else GONE for row in stored]

    def delete(self, account: Account, ids: Sequence[str]) -> None:
        """Takes away the rules and their steps."""
        account.progression_steps.filter(**{f"{self.holder}__in": ids})._raw_delete(connection.alias)
        self.rows(account).filter(pk__in=ids).update(rules=None)


class PlanProgressionKind(ProgressionKind):
    name = "plan_progression"
    label = "rules of plans"
    holder = "plan"
    model = Plan
    serializer = PlanProgressionSerializer


class RoutineProgressionKind(ProgressionKind):
    name = "routine_progression"
    label = "rules of routines"
    holder = "routine"
    model = Routine
    serializer = RoutineProgressionSerializer


class ProgressionStepKind(ArchivedKind):
    """Steps of rules that are stored. A workout makes one step of a rule: one that is there stays."""

    name = "progression_step"
    label = "steps of rules"
    model = ProgressionStep
    serializer = ArchivedStepSerializer
    COPIED = ("fold", "weekday", "is_day_known", "is_held", "at", "kind")
    compared = ("plan_id", "routine_id", "workout_id", "rule", "exercise", "step", *COPIED)

    @property
    def label_of_one(self) -> str:
        return "step of a rule"

    def reader(self, context: Context) -> Callable[[Document, Place], Values]:
        def read(document: Document, place: Place) -> Values:
            values = self.validated(document)
            ids = {of: context.new_id(of, str(values[f"{of}_id"])) for of in ("plan", "routine", "workout")}
            return {
                **{name: values[name] for name in self.COPIED},
                **{f"{of}_id": UUID(pk) if pk else None for of, pk in ids.items()},
                "rule": uuid_of(values["rule_id"], "rule_id"),
                "exercise": values["exercise_id"],
                "step": step_of(values, str(ids["workout"])).to_json(),
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
        rules = {
            (row.pk, UUID(one.id))
            for rows, name in ((account.plans, "plan_id"), (account.routines, "routine_id"))
            for row in rows.filter(pk__in={one[name] for one in values} - {None}, rules__isnull=False)
            for one in row.progressions.followed
        }
        taken = set(self.alike(account, values).values_list("workout_id", "rule"))
        for one in values:
            pair = one["workout_id"], one["rule"]
            holder_id = one["plan_id"] or one["routine_id"]
            is_known = one["workout_id"] and (holder_id, one["rule"]) in rules
            is_new = is_known and pair not in taken and not (one["plan_id"] and one["routine_id"])
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
    """Those of a routine have no lighter weeks."""
    followed = tuple(followed_of(one, context) for one in values["rules"])
    names = ("deload_every", "deload_percent", "counted_from")
    return Progression(followed, **{name: values[name] for name in names if name in values})


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
