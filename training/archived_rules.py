"""The rules of plans and routines, and their steps: how archives have them.

A restore makes no steps. Those of an archive come along, so that each rule goes on where it was. Of each plan
with rules an archive has these, in `plan_progressions`:

    {
      "plan_id": "0198…", "deload_every": 6, "deload_percent": 85, "counted_from": "2026-11-23",
      "rules": [
        {
          "id": "5f0c…", "fold": 2,
          "entries": [{"weekday": 1, "position": 0, "exercise_id": "barbell-bench-press", "kind": "linear",
                       "increment_kg": 2.5, "misses": 3, "deload_percent": 90}],
          "state": {"target": {"sets": 3, "reps": 8, "weight_kg": 60, "open": false},
                    "misses": 0, "stage": 0, "week": 0, "training_max_kg": 0},
          "newest": {"at": "2026-11-23T17:30:00Z", "workout_id": "0198…"},
          "ended_at": null
        }
      ]
    }

`entries` share a target, and have the fields of PUT /plans/{plan_id}/progression. `fold` counts how often it
began anew, `state` is where it is now, `newest` its last session. When it began is not in an archive: of what
a restore stores, sessions are those workouts that have a step. Of a rule with an `ended_at` the exercise has
left the plan: these are the entries that it had. Archives of 64f3c407 have none of these, and in `start`,
which nothing needs, where each rule began.

In `routine_progressions` are a `routine_id` and `rules`, whose entries have no weekday. Of each step, in
`progression_steps`, either `plan_id` or `routine_id` is null; kind and reason are those of
training/plans/steps.py:

    {
      "plan_id": "0198…", "routine_id": null, "workout_id": "0198…", "rule_id": "5f0c…", "fold": 2,
      "exercise_id": "barbell-bench-press", "weekday": 1, "is_day_known": false, "is_held": false,
      "at": "2026-11-23T17:30:00Z", "kind": "progressed", "why": "done",
      "lifts": [{"weight_kg": 60, "reps": 8, "rpe": null}],
      "before": {"target": {…}, …}, "after": {…}
    }
"""

import datetime
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Generic, TypeVar, get_args
from uuid import UUID

from django.utils.translation import gettext_noop, ngettext_lazy
from rest_framework.exceptions import ValidationError

from accounts.archives import ArchiveList, Document, LeftOut, Reference, Restoring
from accounts.models import Account
from fitness.api import fields
from fitness.api.serializers import REMOVED, StrictSerializer, Values
from fitness.imports.messages import Message
from fitness.json import timestamp
from training.api.serializers.progression import (
    ProgressionRuleSerializer,
    RoutineRuleSerializer,
    StepKind,
    percent_field,
)
from training.api.serializers.references import ReferringSerializer
from training.archives import Catalogue
from training.models import Plan, ProgressionStep, Routine
from training.plans import Entry, Stages, State, Step, Wave, rule_to_json
from training.plans.plan_rules import ROUTINE_DAY, EndedRule, Place, PlanRule, Progression, SessionKey
from training.plans.rules import Rule, group_key
from training.plans.steps import LiftedSet, Result, Why

MAX_COUNT = 2**31 - 1
MAX_RULES = 700  # a plan of 64f3c407 could have one for each of its entries
MAX_LIFTS = 500
WHYS = [*get_args(Result), *get_args(get_args(Why)[1])]
NEVER = datetime.datetime.min.replace(tzinfo=datetime.UTC)  # the time of the restore takes its place
NO_RULE = gettext_noop("is of no rule in this archive that can have made this step, and is left out")
NOT_THERE = gettext_noop("are left out of %(exercise)s, which is not there")
P = TypeVar("P", Plan, Routine)


def count_field(most: int = MAX_COUNT, least: int = 0) -> fields.IntegerField:
    return fields.IntegerField(min_value=least, max_value=most)


def weight_field() -> fields.NumberField:
    return fields.NumberField(min_value=0, max_value=2000)


class TargetSerializer(StrictSerializer):
    sets = count_field(100, 1)
    reps = count_field(10_000)
    weight_kg = weight_field()
    open = fields.BooleanField()


class StateSerializer(StrictSerializer):
    """A State: a target, and what its rule remembers."""

    target = TargetSerializer()
    misses = count_field()
    stage = count_field(9)
    week = count_field(5)
    training_max_kg = weight_field()


class NewestSerializer(StrictSerializer):
    at = fields.TimestampField()
    workout_id = fields.StringField(max_length=100)


class PlanRuleSerializer(StrictSerializer):
    """A target with its rule in each of the entries that share it, and where it is."""

    id = fields.StringField(max_length=36)
    fold = count_field(least=1)
    entries = ProgressionRuleSerializer(many=True, min_length=1, max_length=MAX_RULES)
    start = StateSerializer(required=False)
    state = StateSerializer()
    newest = NewestSerializer(allow_null=True)
    ended_at = fields.TimestampField(allow_null=True, default=None)

    def validate(self, attrs: Any) -> Any:
        entries, state = attrs["entries"], State.from_json(attrs["state"])
        rule = entries[0]["rule"]
        keys = {
            group_key(Entry(place.weekday, place.position, one["exercise"].id, one["rule"], state.target))
            for one in entries
            for place in (one["place"],)
        }
        if len(keys) > 1:
            raise ValidationError({"entries": ["do not share one target."]})
        if not is_state_of(rule, state):
            raise ValidationError({"state": ["is in a stage or week that the rule lacks."]})
        return {**attrs, "state": state}

    def validate_id(self, text: str) -> UUID:
        try:
            return UUID(text)
        except ValueError:
            raise ValidationError("must be a UUID.") from None


class RuleOfRoutineSerializer(PlanRuleSerializer):
    entries = RoutineRuleSerializer(many=True, min_length=1, max_length=MAX_RULES)


class RoutineProgressionSerializer(ReferringSerializer):
    """The rules of a routine."""

    routine_id = fields.StringField(max_length=100)
    rules = RuleOfRoutineSerializer(many=True, max_length=MAX_RULES)

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
    # Entries have a weekday here.
    rules = PlanRuleSerializer(many=True, max_length=MAX_RULES)  # type: ignore[assignment]


class LiftSerializer(StrictSerializer):
    weight_kg = weight_field()
    reps = count_field(10_000)
    rpe = fields.NumberField(allow_null=True, min_value=0, max_value=10)


class StepSerializer(StrictSerializer):
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
    before = StateSerializer()
    after = StateSerializer()

    def validate_why(self, why: str) -> str:
        if why not in WHYS:
            raise ValidationError(f"must be one of {', '.join(WHYS)}.")
        return why


class RulesList(ArchiveList, Generic[P]):
    """The rules of plans or of routines, which are a column of them."""

    order = ("created_at", "id")

    def document(self, row: P) -> Document:
        week, progression = row.week, row.progressions
        active = [rule_document(one, week.entry_of(one)["exercise_id"], None) for one in progression.rules]
        ended = [rule_document(one.rule, one.exercise_id, one.ended_at) for one in progression.ended]
        return {self.references[0].field: str(row.pk), "rules": active + ended}

    def values(self, document: Document, restoring: Restoring) -> Values:
        """The id of the plan or routine, and its Progression."""
        (reference,) = self.references
        values, left_out = self.read(document, restoring)
        for rule in left_out:
            exercise = Message(NOT_THERE, {"exercise": rule["entries"][0]["exercise"].id})
            restoring.change(f"{self.name}: rules", exercise)
        holder = document[reference.field]
        return {
            "id": restoring.new_id(holder),
            "progression": progression_of(values, str(holder), restoring),
        }

    def read(self, document: Document, restoring: Restoring) -> tuple[Values, list[Values]]:
        """The values, and the rules that these lack: the plan was changed while the archive was made."""
        (reference,) = self.references
        planned = places_of(restoring.referred(reference, document))
        catalogue = restoring.of(Catalogue)
        values = self.validated(document, catalogue.context)
        here = {place: catalogue.exercises.get(exercise_id) for place, exercise_id in planned.items()}
        rules: list[Values] = []
        left_out: list[Values] = []
        for rule in values["rules"]:
            is_there = all(here.get(one["place"]) == one["exercise"] for one in rule["entries"])
            (rules if is_there or rule["ended_at"] else left_out).append(rule)
        return {**values, "rules": rules}, left_out

    def store(self, account: Account, values: Sequence[Values]) -> None:
        """The rules begin now: of what is restored, sessions are those workouts that have a step."""
        (now,) = account.stamp()
        rows = self.rows.model._default_manager.filter(account=account)
        for one in values:
            stored: Progression = one["progression"]
            rules = tuple(replace(rule, began_at=now) for rule in stored.rules)
            ended = tuple(replace(gone, rule=replace(gone.rule, began_at=now)) for gone in stored.ended)
            begun = replace(stored, rules=rules, ended=ended)
            rows.filter(pk=one["id"]).update(rules=None if begun.is_empty else begun.to_json())

    def remove_some(self, account: Account, most: int) -> int:
        """Nothing: they go with the plans and routines."""
        return 0


class PlanProgressions(RulesList[Plan]):
    name = "plan_progressions"
    numbered = ngettext_lazy("the rules of %(number)s plan", "the rules of %(number)s plans", "count")
    rows = Plan.objects.with_rules()
    serializer = PlanProgressionSerializer
    key = ("plan_id",)
    references = (Reference("plan_id", "plans"),)

    def document(self, row: Plan) -> Document:
        progression = row.progressions
        return {
            "plan_id": str(row.pk),
            "deload_every": progression.deload_every,
            "deload_percent": progression.deload_percent,
            "counted_from": progression.counted_from.isoformat(),
            **super().document(row),
        }


class RoutineProgressions(RulesList[Routine]):
    name = "routine_progressions"
    numbered = ngettext_lazy("the rules of %(number)s routine", "the rules of %(number)s routines", "count")
    rows = Routine.objects.with_rules()
    serializer = RoutineProgressionSerializer
    key = ("routine_id",)
    references = (Reference("routine_id", "routines"),)


PLAN_RULES, ROUTINE_RULES = PlanProgressions(), RoutineProgressions()


class ProgressionSteps(ArchiveList):
    name = "progression_steps"
    numbered = ngettext_lazy("%(number)s step of a rule", "%(number)s steps of rules", "count")
    rows = ProgressionStep.objects.filter(plan__deleted_at=None)  # a deleted plan may have some for a while
    order = ("at", "id")
    serializer = StepSerializer
    key = ("workout_id", "rule_id")
    references = (
        Reference("workout_id", "workouts"),
        Reference("plan_id", "plan_progressions", or_null=True),
        Reference("routine_id", "routine_progressions", or_null=True),
    )
    COPIED = ("fold", "weekday", "is_day_known", "is_held", "at", "kind")

    def document(self, row: ProgressionStep) -> Document:
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

    def values(self, document: Document, restoring: Restoring) -> Values:
        values = super().values(document, restoring)
        step = Step(
            str(values["workout_id"]),
            values["at"],
            values["kind"],
            values["why"],
            tuple(LiftedSet(**lift) for lift in values["lifts"]),
            State.from_json(values["before"]),
            State.from_json(values["after"]),
        )
        plan_id, routine_id = document["plan_id"], document["routine_id"]
        holders, key = (PLAN_RULES, plan_id) if routine_id is None else (ROUTINE_RULES, routine_id)
        found = restoring.of(rules_of)(holders, str(key)).get(values["rule_id"])
        if None not in (plan_id, routine_id) or not found or not may_have_made(*found, values["fold"], step):
            raise LeftOut("rule_id", NO_RULE)
        return {
            **{name: values[name] for name in (*self.COPIED, "workout_id", "plan_id", "routine_id")},
            "rule": new_rule_id(restoring, str(plan_id or routine_id), values["rule_id"]),
            "exercise": restoring.of(Catalogue).same_id(values["exercise_id"]),
            "step": step.to_json(),
        }


Rules = dict[str, tuple[int, Rule]]  # the fold and the rule by the rule's id


def rules_of(restoring: Restoring) -> Callable[["RulesList[Any]", str], Rules]:
    """A function that returns the rules of a plan or routine of the archive that are restored."""

    @cache
    def found(holders: "RulesList[Any]", key: str) -> Rules:
        documents = restoring.documents(holders.name, key).values()
        rules = [rule for one in documents for rule in holders.read(one, restoring)[0]["rules"]]
        return {str(rule["id"]): (rule["fold"], rule["entries"][0]["rule"]) for rule in rules}

    return found


def new_rule_id(restoring: Restoring, holder: str, rule_id: object) -> UUID:
    """The id that a rule of a plan or routine gets here: another one for each that has it."""
    return restoring.new_id(f"{holder} {rule_id}")


def places_of(document: Document) -> dict[Place, str]:
    """The ids of exercises in a plan or routine of an archive, by where they are."""
    days = document.get("days", [{"weekday": ROUTINE_DAY, "exercises": document.get("exercises")}])
    return {
        Place(day["weekday"], position): entry["exercise_id"]
        for day in days
        for position, entry in enumerate(day.get("exercises", []))
    }


def rule_document(rule: PlanRule, exercise_id: str, ended_at: datetime.datetime | None) -> Document:
    newest = rule.newest
    return {
        "id": rule.id,
        "fold": rule.fold,
        "entries": [
            {**place.fields, "exercise_id": exercise_id, **rule_to_json(one)}
            for place, one in zip(rule.places, rule.entry_rules, strict=True)
        ],
        "state": rule.state.to_json(),
        "newest": newest and {"at": timestamp(newest.at), "workout_id": newest.workout_id},
        "ended_at": ended_at and timestamp(ended_at),
    }


def progression_of(values: Values, holder: str, restoring: Restoring) -> Progression:
    """The rules of a plan or routine, by its id in the archive; only plans have lighter weeks."""
    active: list[PlanRule] = []
    ended: list[EndedRule] = []
    for one in values["rules"]:
        newest, entries = one["newest"], sorted(one["entries"], key=lambda entry: entry["place"])
        rule = PlanRule(
            str(new_rule_id(restoring, holder, one["id"])),
            one["fold"],
            NEVER,
            tuple(entry["place"] for entry in entries),
            tuple(entry["rule"] for entry in entries),
            one["state"],
            newest and SessionKey(newest["at"], str(restoring.new_id(newest["workout_id"]))),
        )
        if one["ended_at"]:
            ended.append(EndedRule(entries[0]["exercise"].id, one["ended_at"], rule))
        else:
            active.append(rule)
    active.sort(key=lambda rule: rule.places)
    names = ("deload_every", "deload_percent", "counted_from")
    weeks = {name: values[name] for name in names if name in values}
    return Progression(tuple(active), **weeks, ended=tuple(ended))


def is_state_of(rule: Rule, state: State) -> bool:
    stages = len(rule.stages) if isinstance(rule, Stages) else 1
    weeks = len(rule.weeks) if isinstance(rule, Wave) else 1
    return state.stage < stages and state.week < weeks


def may_have_made(newest_fold: int, rule: Rule, fold: int, step: Step) -> bool:
    """A rule of an earlier fold may have been another one, with other stages and weeks."""
    is_now = fold == newest_fold and is_state_of(rule, step.before) and is_state_of(rule, step.after)
    return fold < newest_fold or is_now
