from typing import TypedDict

from accounts.api.viewsets import AccountViewSet
from fitness.api.operations import operation
from fitness.api.serializers import PageQuery
from fitness.api.viewsets import parse_uuid
from fitness.json import JsonObject, timestamp
from fitness.web.local_time import zone_of
from training.api.serializers.progression import (
    ALL_PARAMETERS,
    ProgressionSerializer,
    ProgressionStepPageSerializer,
)
from training.models import Exercise, Plan, ProgressionStep
from training.models.adapting import ProgressionValues
from training.models.progression import StepQuerySet
from training.progression import State, Step, Wave, reason, rule_to_json, sentence

LISTS = ("stages", "weeks")


class StepPage(TypedDict):
    steps: list[JsonObject]
    next_cursor: str | None


class ProgressionViewSet(AccountViewSet):
    """How the targets of plans follow what was lifted."""

    tag = "Plans"
    instance: Plan
    body: ProgressionValues

    def get_object(self, plan_id: str) -> Plan:
        plan = self.account.plans.get(pk=parse_uuid(plan_id))
        plan.account = self.account
        return plan

    @operation("get_plan_progression", responses={200: ProgressionSerializer})
    def retrieve(self) -> JsonObject:
        """Get the rules of a training plan

        A plan without rules has none in the list. The targets themselves are in the plan's days.
        """
        return document(self.instance)

    @operation(
        "replace_plan_progression",
        method="PUT",
        body=ProgressionSerializer,
        responses={200: ProgressionSerializer},
    )
    def update(self) -> JsonObject:
        """Replace the rules of a training plan

        From then on each workout with this `plan_id` moves the targets of the plan's days by the completed
        working sets in it, and the plan's history says so. A rule that stays as it is goes on where it is;
        a new or changed one begins with the target that the plan has. Entries of an exercise on several
        days share a target where rule and target are the same. An empty list removes all rules and their
        steps. Replacing the plan keeps the rules of entries that stay; another target begins anew from it.
        """
        self.instance.adapt(self.body)
        return document(self.instance)

    @operation("list_plan_progression_steps", query=PageQuery, responses={200: ProgressionStepPageSerializer})
    def list(self) -> StepPage:
        """List what workouts did to the targets of a plan, newest workout first

        One step for each workout and target. A workout in a deload week, or without a completed working set
        of the exercise, makes none; one that is changed or deleted makes the steps after it anew.
        """
        steps = self.account.progression_steps.filter(plan=self.instance)
        scope = str(self.instance.pk)
        page, next_cursor = StepQuerySet.newest_first.page(steps, self.query, self.account, scope)
        kept = Exercise.objects.find_all({row.exercise for row in page})
        shown = [self.shown(row, kept[row.exercise].pk if row.exercise in kept else None) for row in page]
        return {"steps": shown, "next_cursor": next_cursor}

    def shown(self, row: ProgressionStep, kept_id: str | None) -> JsonObject:
        made = Step.from_json(row.step)
        return {
            "id": str(row.pk),
            "at": timestamp(row.at),
            "workout_id": str(row.workout_id),
            "weekday": row.weekday,
            "exercise_id": kept_id or row.exercise,
            "kind": row.kind,
            "reason": reason(made, self.account.units, zone_of(self.account.time_zone)),
            "before": shown_target(made.before),
            "after": shown_target(made.after),
        }


def document(plan: Plan) -> JsonObject:
    """The rules as clients read them."""
    progression, week = plan.progressions, plan.week
    entries = dict(week.entries())
    rules = []
    for place, (followed, rule) in sorted(progression.places.items()):
        stored = rule_to_json(rule)
        is_wave = isinstance(rule, Wave)
        rules.append(
            {
                **place._asdict(),
                "exercise_id": entries[place]["exercise_id"],
                "kind": rule.kind,
                "increment_kg": rule.increment_kg,
                **{name: stored.get(name, [] if name in LISTS else None) for name in ALL_PARAMETERS},
                "current_training_max_kg": followed.state.training_max_kg if is_wave else None,
                "sentence": sentence(followed.rule, week.loading(followed)),
            }
        )
    return {
        "deload_every": progression.deload_every,
        "deload_percent": progression.deload_percent,
        "rules": rules,
    }


def shown_target(state: State) -> JsonObject:
    target = state.target
    return {
        "sets": target.sets,
        "reps": target.reps,
        "weight_kg": target.weight_kg,
        "open": target.open,
        "training_max_kg": state.training_max_kg or None,
    }
