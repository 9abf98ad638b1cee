"""The rules of plans and routines, and their steps: how archives have them, and out of an archive.

An import makes no steps. Those of an archive come along, so that each rule goes on where it was. Of each plan
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
an import stores, sessions are those workouts that have a step. Of a rule with an `ended_at` the exercise has
left the plan: these are the entries that it had. Archives of 64f3c407 have none of these, and in `start`,
which nothing needs, where each rule began.

In `routine_progressions` are a `routine_id` and `rules`, whose entries have no weekday. Of each step, in
`progression_steps`, either `plan_id` or `routine_id` is null; kind and reason are those of
training/progression/steps.py:

    {
      "plan_id": "0198…", "routine_id": null, "workout_id": "0198…", "rule_id": "5f0c…", "fold": 2,
      "exercise_id": "barbell-bench-press", "weekday": 1, "is_day_known": false, "is_held": false,
      "at": "2026-11-23T17:30:00Z", "kind": "progressed", "why": "done",
      "lifts": [{"weight_kg": 60, "reps": 8, "rpe": null}],
      "before": {"target": {…}, …}, "after": {…}
    }
"""

import datetime
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, ClassVar, get_args
from uuid import UUID, uuid5

from django.db import connection
from django.db.models import QuerySet
from django.utils.translation import gettext_noop as _
from django.utils.translation import ngettext_lazy
from rest_framework.exceptions import ValidationError

from accounts.imports.archived import GONE, ArchivedKind, Document, Place
from accounts.imports.kinds import Context, Record, Stored
from accounts.models import Account
from fitness.api import fields
from fitness.api.serializers import REMOVED, StrictSerializer, Values
from fitness.imports.sentences import sentence
from fitness.json import timestamp
from training.api.serializers.progression import (
    ProgressionRuleSerializer,
    RoutineRuleSerializer,
    StepKind,
    percent_field,
)
from training.api.serializers.references import ReferringSerializer
from training.imports.archived import Catalogue, ids_here, is_known
from training.models import Exercise, Plan, ProgressionStep, Routine
from training.models.adapting import Adapting
from training.models.exercise import TIMED
from training.progression import Stages, State, Step, Target, Wave, rule_to_json
from training.progression.groups import Entry, key
from training.progression.plans import ROUTINE_DAY, EndedRule, Followed, Position, Progression
from training.progression.plans import Place as PlaceInPlan
from training.progression.rules import Rule
from training.progression.sessions import Lift, Result
from training.progression.steps import Why

PLANNED = "planned"  # under this name a document that is read has the entries that its plan or routine has
HOLDERS = ("plan", "routine")  # what has rules
# What is said of rules that an import leaves out.
UNKNOWN = sentence(_("are left out of what is not in this catalogue: %(exercise)s"))
LEFT_OUT_OF = sentence(_("are left out of %(exercise)s: %(problem)s"))
OTHER_EXERCISE = {
    "plan": _("the plan has another exercise there"),
    "routine": _("the routine has another exercise there"),
}
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
        "rules": rule_documents(plan),
    }


def routine_document(routine: Routine) -> Document:
    return {"routine_id": str(routine.pk), "rules": rule_documents(routine)}


def rule_documents(planning: Adapting) -> list[Document]:
    week, progression = planning.week, planning.progressions
    active = [rule_document(one, week.exercise_of(one).id, None) for one in progression.followed]
    return active + [rule_document(one.rule, one.exercise_id, one.ended_at) for one in progression.ended]


def rule_document(followed: Followed, exercise_id: str, ended_at: datetime.datetime | None) -> Document:
    newest = followed.newest
    return {
        "id": followed.id,
        "fold": followed.fold,
        "entries": [
            {**place.fields, "exercise_id": exercise_id, **rule_to_json(rule)}
            for place, rule in zip(followed.places, followed.rules, strict=True)
        ],
        "state": followed.state.to_json(),
        "newest": newest and {"at": timestamp(newest.at), "workout_id": newest.workout_id},
        "ended_at": ended_at and timestamp(ended_at),
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


# --- Out of an archive ------------------------------------------------------------------------------


def new_rule_id(holder_id: UUID, rule_id: str) -> str:
    """The id of a rule where an import stores it.

    Not that of the archive: a plan may come back beside the older one that it was made of.
    """
    return str(uuid5(holder_id, rule_id))


class ProgressionKind(ArchivedKind):
    """The rules of plans or of routines, which are a column of them: stored where there are none."""

    holder: ClassVar[str]  # the kind of what has the rules
    model: ClassVar[type[Adapting]]
    compared = ("holder_id", "progression")

    @property
    def label_of_one(self) -> str:
        return self.label

    def reader(self, context: Context) -> Callable[[Document, Place], Values]:
        catalogue_of = cache(Catalogue)  # read with the first document: most files are no archives
        exercises = Exercise.objects.seen_by(context.account)
        timed_of = cache(lambda: set(exercises.filter(TIMED).values_list("pk", flat=True)))

        def read(document: Document, place: Place) -> Values:
            catalogue = catalogue_of(context)
            planned = Planned(document[PLANNED], catalogue)
            known = {name: document[name] for name in document if name != PLANNED}
            known["rules"] = known_rules(document.get("rules"), catalogue.exercises, place)
            values = self.serializer.validated(known, catalogue.context)
            rules = [one for one in values["rules"] if not self.is_left_out(one, planned, timed_of(), place)]
            return {
                "holder_id": new_uuid(context, self.holder, values[f"{self.holder}_id"]),
                "progression": progression_of({**values, "rules": rules}, planned, context),
            }

        return read

    def is_left_out(self, rule: Values, planned: "Planned", timed: Collection[str], place: Place) -> bool:
        """Whether the plan or routine cannot have a rule, which is listed then."""
        exercise = rule["entries"][0]["exercise"]
        is_active = rule["ended_at"] is None
        if is_active and any(planned.exercises.get(one["place"]) != exercise.id for one in rule["entries"]):
            why = OTHER_EXERCISE[self.holder]
        elif exercise.is_assisted or exercise.id in timed:
            why = _("targets of this exercise do not move")
        else:
            return False
        place.change("rules", LEFT_OUT_OF % {"exercise": exercise.id, "problem": why})
        return True

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
        """Rules that are there stay. Those of a plan that has changed since are for what it was."""
        changed = super().differing(account, records, known_ids)
        wanted = [record.values.values for record in records]
        there = set(self.alike(account, wanted).values_list("pk", flat=True))
        other = ["has other rules here" if one["holder_id"] in there else "" for one in wanted]
        return [
            of_holder if one["holder_id"] else of_former
            for one, of_holder, of_former in zip(wanted, other, changed, strict=True)
        ]

    def store(self, account: Account, records: Sequence[Record]) -> list[Stored]:
        values = [record.values.values for record in records]
        ids = {one["holder_id"] for one in values} - {None}
        found = {row.pk: row for row in self.rows(account).filter(pk__in=ids, rules__isnull=True)}
        (since,) = account.stamp()
        for one in values:
            if row := found.get(one["holder_id"]):
                rules = one["progression"]
                row.rules = None if rules.is_empty else begun_at(since, row.pk, rules).to_json()
        ruled = {pk: row for pk, row in found.items() if row.rules}
        self.rows(account).bulk_update(ruled.values(), ["rules"])
        stored = (ruled.get(one["holder_id"]) for one in values)
        return [Stored(str(row.pk), self.fingerprint(row)) if row else GONE for row in stored]

    def delete(self, account: Account, ids: Sequence[str]) -> None:
        """Takes away the rules and their steps."""
        account.progression_steps.filter(**{f"{self.holder}__in": ids})._raw_delete(connection.alias)
        self.rows(account).filter(pk__in=ids).update(rules=None)


def begun_at(since: datetime.datetime, holder_id: UUID, rules: Progression) -> Progression:
    """The rules as an import stores them at a moment."""

    def stored(rule: Followed) -> Followed:
        return replace(rule, id=new_rule_id(holder_id, rule.id), since=since)

    return replace(
        rules,
        followed=tuple(map(stored, rules.followed)),
        ended=tuple(replace(one, rule=stored(one.rule)) for one in rules.ended),
    )


class PlanProgressionKind(ProgressionKind):
    name = "plan_progression"
    label = "rules of plans"
    numbered = ngettext_lazy("%(number)s rules of plans", "%(number)s rules of plans", "count")
    holder = "plan"
    model = Plan
    serializer = PlanProgressionSerializer


class RoutineProgressionKind(ProgressionKind):
    name = "routine_progression"
    label = "rules of routines"
    numbered = ngettext_lazy("%(number)s rules of routines", "%(number)s rules of routines", "count")
    holder = "routine"
    model = Routine
    serializer = RoutineProgressionSerializer


class ProgressionStepKind(ArchivedKind):
    """Steps of rules that are stored. A workout makes one step of a rule: one that is there stays.

    The ids of rules are not compared: an import gives them others.
    """

    name = "progression_step"
    label = "steps of rules"
    numbered = ngettext_lazy("%(number)s step of a rule", "%(number)s steps of rules", "count")
    model = ProgressionStep
    serializer = ArchivedStepSerializer
    COPIED = ("fold", "weekday", "is_day_known", "is_held", "at", "kind")
    compared = ("plan_id", "routine_id", "workout_id", "exercise", "step", *COPIED)

    @property
    def label_of_one(self) -> str:
        return "step of a rule"

    def reader(self, context: Context) -> Callable[[Document, Place], Values]:
        id_here = ids_here(context)

        def read(document: Document, place: Place) -> Values:
            values = self.validated(document)
            workout_id = new_uuid(context, "workout", values["workout_id"])
            holders = {
                f"{of}_id": new_uuid(context, f"{of}_progression", values[f"{of}_id"]) for of in HOLDERS
            }
            return {
                **{name: values[name] for name in self.COPIED},
                **holders,
                "workout_id": workout_id,
                "rule_id": str(uuid_of(values["rule_id"], "rule_id")),
                "exercise": id_here(values["exercise_id"]),
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
        ids = {one["workout_id"] for one in values} - {None}
        return ProgressionStep.objects.of_workouts(account.pk, ids)

    def differing(
        self, account: Account, records: Sequence[Record], known_ids: Sequence[str | None]
    ) -> list[str]:
        """Of a workout whose plan or routine has moved on since, the step that is there stays."""
        wanted = [record.values.values for record in records]
        there = set(self.alike(account, wanted).values_list("workout_id", "rule"))
        taken = [any((one["workout_id"], UUID(pk)) in there for pk in rule_ids(one)) for one in wanted]
        return ["is another one here" if is_taken else "" for is_taken in taken]

    def new_rows(self, account: Account, values: Sequence[Values]) -> Iterator[Any]:
        rules = rules_of(account, values)
        taken = set(self.alike(account, values).values_list("workout_id", "rule"))
        for one in values:
            known = ((holder_id_of(one), rule_id) for rule_id in rule_ids(one))
            followed = next((rules[place] for place in known if place in rules), None)
            if followed and is_step_of(followed, one) and (one["workout_id"], UUID(followed.id)) not in taken:
                taken.add((one["workout_id"], UUID(followed.id)))
                columns = {name: one[name] for name in self.compared}
                yield ProgressionStep(account=account, rule=followed.id, **columns)
            else:
                yield None


def new_uuid(context: Context, kind: str, key: str | None) -> UUID | None:
    """The id of what the import has stored or found under a key."""
    found = context.new_id(kind, str(key))
    return UUID(found) if found else None


def holder_id_of(values: Values) -> UUID | None:
    """The id of the step's plan or routine; of none where it names both."""
    plan_id, routine_id = values["plan_id"], values["routine_id"]
    found: UUID | None = None if plan_id and routine_id else plan_id or routine_id
    return found


def rule_ids(values: Values) -> list[str]:
    """The ids that the rule of a step may have here: that of the archive, or that of an import."""
    holder_id = holder_id_of(values)
    return [values["rule_id"], *([new_rule_id(holder_id, values["rule_id"])] if holder_id else [])]


def rules_of(account: Account, values: Sequence[Values]) -> dict[tuple[UUID | None, str], Followed]:
    """The rules of what the steps are of, by its id and theirs."""
    return {
        (row.pk, one.id): one
        for model, name in ((Plan, "plan_id"), (Routine, "routine_id"))
        for row in model.objects.ruled().filter(
            account=account, pk__in={one[name] for one in values} - {None}
        )
        for one in row.progressions.all_rules
    }


def is_step_of(followed: Followed, values: Values) -> bool:
    """Whether a rule can have made a step. A correction of its workout goes on from what was before it."""
    if not values["workout_id"] or values["fold"] > followed.fold:
        return False
    made = Step.from_json(values["step"])
    states = (made.before, made.after)
    return values["fold"] < followed.fold or all(is_state_of(followed.rule, state) for state in states)


def known_rules(rules: Any, known: Collection[str], place: Place) -> Any:
    """The rules without those of exercises that the catalogue lacks."""
    if not isinstance(rules, list):
        return rules  # the serializer refuses it
    kept = []
    for rule in rules:
        entries = objects(rule.get("entries")) if isinstance(rule, dict) else []
        if unknown := [one["exercise_id"] for one in entries if not is_known(one, known)]:
            place.change("rules", UNKNOWN % {"exercise": unknown[0]})
        else:
            kept.append(rule)
    return kept


def objects(value: Any) -> list[Document]:
    """The items of a list in a file, with an empty one in the place of each that is no object."""
    return [one if isinstance(one, dict) else {} for one in value] if isinstance(value, list) else []


def planned_of_plan(document: Document) -> list[Document]:
    """Where which exercise is in a plan of a file, which may be broken."""
    return [
        {"weekday": day.get("weekday"), "position": position, "exercise_id": entry.get("exercise_id")}
        for day in objects(document.get("days"))
        for position, entry in enumerate(objects(day.get("exercises")))
    ]


def planned_of_routine(document: Document) -> list[Document]:
    day = {"weekday": ROUTINE_DAY, "exercises": document.get("exercises")}
    return planned_of_plan({"days": [day]})


class Planned:
    """The entries of a plan or routine in a file, and where they are without unknown exercises."""

    def __init__(self, entries: Sequence[Document], catalogue: Catalogue) -> None:
        self.exercises: dict[PlaceInPlan, str] = {}  # as the catalogue has them
        self.moved: dict[PlaceInPlan, PlaceInPlan] = {}
        counts: Counter[int] = Counter()  # by the day
        for entry in entries:
            weekday, exercise_id = entry["weekday"], entry["exercise_id"]
            exercise = catalogue.exercises.get(exercise_id) if isinstance(exercise_id, str) else None
            if exercise and isinstance(weekday, int):
                place = PlaceInPlan(weekday, entry["position"])
                self.exercises[place] = exercise.id
                self.moved[place] = PlaceInPlan(weekday, counts[weekday])
                counts[weekday] += 1


def progression_of(values: Values, planned: Planned, context: Context) -> Progression:
    """Those of a routine have no lighter weeks."""
    rules = [(one["ended_at"], rule_of(one, planned, context)) for one in values["rules"]]
    active = [rule for ended_at, (_, rule) in rules if ended_at is None]
    ended = [EndedRule(exercise_id, ended_at, rule) for ended_at, (exercise_id, rule) in rules if ended_at]
    names = ("deload_every", "deload_percent", "counted_from")
    others = {name: values[name] for name in names if name in values}
    followed = tuple(sorted(active, key=lambda one: one.places))
    return Progression(followed, **others, ended=tuple(ended))


def rule_of(values: Values, planned: Planned, context: Context) -> tuple[str, Followed]:
    """The exercise, and the rule at the places that its entries have here."""
    newest, entries = values["newest"], sorted(values["entries"], key=lambda one: one["place"])
    if newest:
        workout_id = context.new_id("workout", newest["workout_id"])
        newest = Position(newest["at"], workout_id or newest["workout_id"])
    moved = planned.moved if values["ended_at"] is None else {}
    return entries[0]["exercise"].id, Followed(
        str(values["id"]),
        values["fold"],
        datetime.datetime.min.replace(tzinfo=datetime.UTC),  # the time of the import takes its place
        tuple(moved.get(one["place"], one["place"]) for one in entries),
        tuple(one["rule"] for one in entries),
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


def comparable_progression(progression: Progression) -> object:
    """What is compared of rules: everything but their ids, and when they began."""
    followed = [
        [
            one.fold,
            *(list(place) for place in one.places),
            *map(comparable_rule, one.rules),
            comparable_state(one.state),
            one.newest and [timestamp(one.newest.at), one.newest.workout_id],
        ]
        for one in progression.all_rules
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
