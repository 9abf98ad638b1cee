from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypedDict

from django.db import transaction
from django.utils import timezone

from accounts.api.viewsets import AccountViewSet
from fitness.api.operations import operation
from fitness.api.serializers import PageQuery
from fitness.api.viewsets import parse_uuid
from fitness.json import JsonObject, timestamp
from fitness.web.local_time import zone_of
from training.api.serializers.progression import (
    ProgressionSerializer,
    ProgressionStepPageSerializer,
    RoutineProgressionSerializer,
    RoutineStepPageSerializer,
)
from training.api.serializers.rule_reports import (
    ProgressionResult,
    ReportedProgressionSerializer,
    RulesToTry,
)
from training.models import Exercise, Plan, ProgressionStep, Routine
from training.models.planning import Planning, ProgressionValues
from training.models.progression_step import StepQuerySet
from training.plans import State, Step, Target, Wave, preview, reason, rule_to_json, sentence
from training.plans.past import tested
from training.plans.plan_rules import Place, PlanRule, PlanWeek, Progression, day_of
from training.plans.rearranging import carry_over
from training.plans.rules import ALL_PARAMETERS, LISTS

FORECASTS = 4  # sessions to come of each rule that is reported
MAX_TESTED = 12  # rules that are tried on the past in one call


class StepPage(TypedDict):
    steps: list[JsonObject]
    next_cursor: str | None


class RulesViewSet(AccountViewSet):
    """How the targets of plans or routines follow what was lifted."""

    instance: Planning
    body: ProgressionValues
    UNSHOWN: tuple[str, ...] = ()  # what its documents do not have

    def adapt(self) -> JsonObject:
        self.instance.adapt(self.body)
        return self.document()

    def document(self) -> JsonObject:
        """The rules as clients read them."""
        progression = self.instance.progressions
        return self.shown(
            {
                "deload_every": progression.deload_every,
                "deload_percent": progression.deload_percent,
                "rules": [self.shown(rule) for rule in rules_of(self.instance.week, progression)],
            }
        )

    def page_of_steps(self) -> StepPage:
        scope = str(self.instance.pk)
        page, next_cursor = StepQuerySet.newest_first.page(
            self.instance.steps, self.query, self.account, scope
        )
        kept = Exercise.objects.seen_by(self.account).find_all({row.exercise for row in page})
        steps = [self.step(row, kept[row.exercise].pk if row.exercise in kept else None) for row in page]
        return {"steps": [self.shown(one) for one in steps], "next_cursor": next_cursor}

    def step(self, row: ProgressionStep, kept_id: str | None) -> JsonObject:
        made = Step.from_json(row.step)
        return {
            "id": str(row.pk),
            "at": timestamp(row.at),
            "workout_id": str(row.workout_id),
            "weekday": row.weekday,
            "exercise_id": kept_id or row.exercise,
            "kind": row.kind,
            "reason": reason(made, self.account.units, zone_of(self.account.time_zone)),
            "before": shown_state(made.before),
            "after": shown_state(made.after),
        }

    def shown(self, document: JsonObject) -> JsonObject:
        return {name: value for name, value in document.items() if name not in self.UNSHOWN}


class ProgressionViewSet(RulesViewSet):
    """How the targets of plans follow what was lifted."""

    tag = "Plans"
    instance: Plan

    def get_object(self, plan_id: str) -> Plan:
        plan = self.account.plans.get(pk=parse_uuid(plan_id))
        plan.account = self.account
        return plan

    @operation("get_plan_progression", responses={200: ProgressionSerializer})
    def retrieve(self) -> JsonObject:
        """Get the rules of a training plan

        A plan without rules has none in the list. The targets themselves are in the plan's days.
        """
        return self.document()

    @operation(
        "replace_plan_progression",
        method="PUT",
        body=ProgressionSerializer,
        responses={200: ProgressionSerializer},
    )
    def update(self) -> JsonObject:
        """Replace the rules of a training plan

        From then on the newest workout with this `plan_id` moves the targets of its exercises, once; an
        older one moves nothing, whenever it is logged, changed or deleted. Where days are replaced, a rule
        goes with its exercise; it is ended where that is gone, and goes on when it is back.
        """
        return self.adapt()

    @operation("list_plan_progression_steps", query=PageQuery, responses={200: ProgressionStepPageSerializer})
    def list(self) -> StepPage:
        """List what workouts did to the targets of a plan, newest workout first

        One step for each workout and target. A workout in a deload week, without a completed working set of
        the exercise, or older than its newest session makes none. Changed or deleted, the newest takes its
        step back.
        """
        return self.page_of_steps()


class RoutineProgressionViewSet(RulesViewSet):
    """How the targets of routines follow what was lifted."""

    tag = "Routines"
    instance: Routine
    UNSHOWN = ("weekday", "deload_every", "deload_percent")

    def get_object(self, routine_id: str) -> Routine:
        routine = self.account.routines.get(pk=parse_uuid(routine_id))
        routine.account = self.account
        return routine

    @operation("get_routine_progression", responses={200: RoutineProgressionSerializer})
    def retrieve(self) -> JsonObject:
        """Get the rules of a routine

        A routine without rules has none in the list. The targets themselves are in its exercises.
        """
        return self.document()

    @operation(
        "replace_routine_progression",
        method="PUT",
        body=RoutineProgressionSerializer,
        responses={200: RoutineProgressionSerializer},
    )
    def update(self) -> JsonObject:
        """Replace the rules of a routine

        From then on the newest workout that was started from the routine in the app moves its targets, once;
        workouts over the API name no routine. Where exercises are replaced, a rule goes with its own; it is
        ended where that is gone, and goes on when it is back.
        """
        return self.adapt()

    @operation("list_routine_progression_steps", query=PageQuery, responses={200: RoutineStepPageSerializer})
    def list(self) -> StepPage:
        """List what workouts did to the targets of a routine, newest workout first

        One step for each workout and target. A workout without a completed working set of the exercise, or
        older than its newest session makes none. Changed or deleted, the newest takes its step back.
        """
        return self.page_of_steps()


def rules_of(week: PlanWeek, progression: Progression) -> Iterator[JsonObject]:
    """Yields the rules as clients read them, in the order of their places."""
    for place, (plan_rule, rule) in sorted(progression.places.items()):
        stored = rule_to_json(rule)
        is_wave = isinstance(rule, Wave)
        yield {
            **place._asdict(),
            "exercise_id": week.by_place[place]["exercise_id"],
            "kind": rule.kind,
            "increment_kg": rule.increment_kg,
            **{name: stored.get(name, [] if name in LISTS else None) for name in ALL_PARAMETERS},
            "current_training_max_kg": plan_rule.state.training_max_kg if is_wave else None,
            "sentence": sentence(plan_rule.rule, week.loading(plan_rule)),
        }


def shown_state(state: State) -> JsonObject:
    return shown_target(state.target, state.training_max_kg)


def shown_target(target: Target, training_max_kg: float = 0) -> JsonObject:
    return {**vars(target), "training_max_kg": training_max_kg or None}


class RuleReportViewSet(ProgressionViewSet):
    """The rules of a plan with what they ask for, why and how they go on, and a try of others on the past.

    The API has the rules alone, so these operations have no address: tools call them.
    """

    body: Any  # validated RulesToTry

    @operation("get_progression", responses={200: ReportedProgressionSerializer})
    def report(self) -> JsonObject:
        return self.reported()

    @operation("set_progression", method="PUT", body=RulesToTry, responses={200: ProgressionResult})
    def replace(self) -> JsonObject:
        if self.body["dry_run"]:
            return {**self.reported(), **self.tried(), "before": {}}
        with transaction.atomic():
            self.instance.begin_change()  # so that `before` is what this replaces
            before, after = self.document(), self.adapt()
        changed = {name: old for name, old in before.items() if old != after[name]}
        return {**self.reported(), "tried": [], "before": changed}

    def reported(self) -> JsonObject:
        plan, week, progression = self.instance, self.instance.week, self.instance.progressions
        steps, places = self.account.progression_steps.last_of(progression), progression.places
        next_deload = progression.next_deload(day_of(self.account, timezone.now()))
        rules = []
        for rule in self.document()["rules"]:
            place = Place(rule["weekday"], rule["position"])
            one, _ = places[place]
            rules.append({**rule, **state_of_rule(one, place, week, steps.get(one.id))})
        return {
            "plan_id": str(plan.pk),
            "plan_name": plan.name,
            "deload_every": progression.deload_every,
            "deload_percent": progression.deload_percent,
            "next_deload": next_deload and next_deload.isoformat(),
            "rules": rules,
        }

    def tried(self) -> JsonObject:
        """What the first MAX_TESTED rules of the body would have done with past sessions."""
        week, now = self.instance.week, timezone.now()
        progression = replace(self.instance.progressions, deload_every=self.body["deload_every"])
        rules = {place: rule for place, (_, rule) in self.body["rules"].items()}
        begun = carry_over(week, rules, Progression(), now)
        notices = ["Nothing was saved; rules shows what is, tried what would have been."]
        if len(begun) > MAX_TESTED:
            notices.append(f"The first {MAX_TESTED} rules were tried; send fewer to try others.")
        found = []
        for one in begun[:MAX_TESTED]:
            sessions = tested(self.account, progression, week, one)
            last = sessions[-1].step if sessions else None
            found.append(
                {
                    **one.places[0]._asdict(),
                    "exercise": week.entry_of(one)["name"],
                    "sessions": len(sessions),
                    "asked_for_more": sum(row.asked_for_more for row in sessions),
                    "stepped_down": sum(row.steps_down for row in sessions),
                    "target": shown_state(last.after) if last else None,
                }
            )
        return {"tried": found, "notices": notices}


def state_of_rule(one: PlanRule, place: Place, week: PlanWeek, step: Step | None) -> JsonObject:
    targets = list(week.targets(one))
    forecast = preview(one.rule, one.state, week.loading(one))[1 : FORECASTS + 1]
    return {
        "exercise": week.entry_of(one)["name"],
        "target": shown_target(week.targets(one)[place], one.state.training_max_kg),
        "misses": one.state.misses,
        "last_session": one.newest and timestamp(one.newest.at),
        "reason": reason(step, week.unit, week.zone) if step else "",
        "forecast": [
            shown_target(row.targets[targets.index(place) if len(row.targets) > 1 else 0]) for row in forecast
        ],
    }
