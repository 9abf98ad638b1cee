"""The rules of a plan by tool: what they ask for, why and how they go on, and a try of others on the past.

REST has the rules alone, so these operations have no address; tools call them as they call those of REST.
"""

from dataclasses import replace
from typing import Any

from django.db import transaction
from django.utils import timezone
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from accounts.models import Account
from fitness.api import fields
from fitness.api.operations import operation
from fitness.api.serializers import StrictSerializer, Values
from fitness.json import JsonObject, timestamp
from mcp_endpoint.serializers import PlanArguments, PlanOrActive, id_field
from training.api.serializers.progression import (
    ProgressionRuleSerializer,
    ProgressionSerializer,
    StepTargetSerializer,
)
from training.api.views.progression import ProgressionViewSet, rules_of, shown_state, shown_target
from training.models import Plan
from training.models.planning import Planning
from training.plans import Step, Tested, back_test, preview, reason
from training.plans.plan_rules import Place, PlanRule, PlanWeek, Progression, day_of
from training.plans.rearranging import carry_over
from training.web.rules import RulesOnPage, past_sessions

FORECASTS = 4  # sessions to come of each rule
MAX_TESTED = 12  # rules that are tried on the past in one call


# --- Arguments and results ----------------------------------------------------------------------


class ProgressionArguments(PlanOrActive, ProgressionSerializer):
    plan_id = id_field("plan_id", instead=", or `active`")
    dry_run = fields.BooleanField(
        default=False, help_text="Store nothing: answer what the rules would have done with past sessions."
    )
    next_deload = fields.DayField(
        default=None,
        allow_null=True,
        help_text="A day of the week that is to be the next deload; needs deload_every.",
    )

    def validate(self, attrs: Values) -> Values:
        if attrs["next_deload"] and attrs["deload_every"] is None:
            raise ValidationError(
                {"deload_every": ["is needed for next_deload: every how many weeks, 4 to 12."]}
            )
        values: Values = super().validate(attrs)
        return values

    def planning(self, attrs: Values) -> Planning:
        return ProgressionViewSet(account=self.context["account"]).get_object(attrs["plan_id"])


class ReportedRuleSerializer(ProgressionRuleSerializer):
    """A rule with what it asks for now, why, and how it goes on."""

    exercise = fields.StringField(help_text="The name of the exercise.")
    target = StepTargetSerializer(help_text="What is asked for now.")
    misses = fields.IntegerField(help_text="Misses in a row.")
    last_session = fields.TimestampField(allow_null=True, help_text="Start of the workout that moved it.")
    reason = fields.StringField(help_text="Why the target is what it is; empty before the first session.")
    forecast = StepTargetSerializer(many=True, help_text="What is asked for next, while all sets are done.")


class TriedRuleSerializer(StrictSerializer):
    """What a rule would have done with the sessions of the last two years."""

    weekday = fields.IntegerField()
    position = fields.IntegerField()
    exercise = fields.StringField()
    sessions = fields.IntegerField(help_text="How many there were.")
    asked_for_more = fields.IntegerField(help_text="In how many it would have asked for more than was done.")
    stepped_down = fields.IntegerField(help_text="After how many it would have asked for less.")
    target = StepTargetSerializer(allow_null=True, help_text="What it would ask for now; null without any.")


class ReportedProgressionSerializer(ProgressionSerializer):
    plan_id = fields.StringField()
    plan_name = fields.StringField()
    next_deload = fields.DayField(allow_null=True, help_text="The Monday of the next deload week.")
    rules = ReportedRuleSerializer(many=True)


class ProgressionResult(ReportedProgressionSerializer):
    tried = TriedRuleSerializer(many=True, help_text="With dry_run alone; nothing was stored then.")
    before = serializers.DictField(help_text="What has changed, as it was.")


# --- Operations -----------------------------------------------------------------------------------


class PlanRulesViewSet(ProgressionViewSet):
    """The rules of a plan, or of the active one."""

    body: Any  # validated ProgressionArguments

    @operation("get_progression", query=PlanArguments, responses={200: ReportedProgressionSerializer})
    def report(self) -> JsonObject:
        return report_of(self.instance)

    @operation("set_progression", method="PUT", body=ProgressionArguments, responses={200: ProgressionResult})
    def replace(self) -> JsonObject:
        if self.body["dry_run"]:
            tried, are_all = tried_rules(self.instance, self.body)
            notices = ["Nothing was saved; rules shows what is, tried what would have been."]
            if not are_all:
                notices.append(f"The first {MAX_TESTED} rules were tried; send fewer to try others.")
            return {**report_of(self.instance), "tried": tried, "before": {}, "notices": notices}
        with transaction.atomic():
            self.instance.begin_change()  # so that `before` is what this replaces
            before, after = self.document(), self.adapt()
        changed = {name: old for name, old in before.items() if old != after[name]}
        return {**report_of(self.instance), "tried": [], "before": changed}


def report_of(plan: Plan) -> JsonObject:
    progression, week, account = plan.progressions, plan.week, plan.account
    steps = account.progression_steps.last_of(progression)
    places = progression.places
    rules = [
        {**rule, **state_of_rule(places[place][0], place, week, steps)}
        for rule in rules_of(week, progression)
        for place in (Place(rule["weekday"], rule["position"]),)
    ]
    return {
        "plan_id": str(plan.pk),
        "plan_name": plan.name,
        "deload_every": progression.deload_every,
        "deload_percent": progression.deload_percent,
        "next_deload": next_deload(account, plan),
        "rules": rules,
    }


def state_of_rule(one: PlanRule, place: Place, week: PlanWeek, steps: dict[str, Step]) -> JsonObject:
    made, targets = steps.get(one.id), list(week.targets(one))
    forecast = preview(one.rule, one.state, week.loading(one))[1 : FORECASTS + 1]
    return {
        "exercise": week.entry_of(one)["name"],
        "target": shown_target(week.targets(one)[place], one.state.training_max_kg),
        "misses": one.state.misses,
        "last_session": one.newest and timestamp(one.newest.at),
        "reason": reason(made, week.unit, week.zone) if made else "",
        "forecast": [
            shown_target(row.targets[targets.index(place) if len(row.targets) > 1 else 0]) for row in forecast
        ],
    }


def next_deload(account: Account, plan: Plan) -> str | None:
    weeks = RulesOnPage(account, plan, day_of(account, timezone.now())).lighter_weeks
    return weeks.next.isoformat() if weeks else None


def tried_rules(plan: Plan, values: Values) -> tuple[list[JsonObject], bool]:
    """What the first MAX_TESTED rules would have done with past sessions, and whether these are all."""
    week = plan.week
    lighter = replace(plan.progressions, deload_every=values["deload_every"])
    rules = {place: rule for place, (_, rule) in values["rules"].items()}
    begun = carry_over(week, rules, Progression(), timezone.now())
    found = []
    for one in begun[:MAX_TESTED]:
        sessions = past_sessions(plan.account, lighter, week, week.entry_of(one)["exercise_id"])
        tested = [row for row in back_test(one.rule, one.state, sessions, week.loading(one)) if row.step]
        found.append(tried(one, week, tested))
    return found, len(begun) <= MAX_TESTED


def tried(one: PlanRule, week: PlanWeek, tested: list[Tested]) -> JsonObject:
    last = tested[-1].step if tested else None
    return {
        **one.places[0]._asdict(),
        "exercise": week.entry_of(one)["name"],
        "sessions": len(tested),
        "asked_for_more": sum(row.asked_for_more for row in tested),
        "stepped_down": sum(row.steps_down for row in tested),
        "target": shown_state(last.after) if last else None,
    }
