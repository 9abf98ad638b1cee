from dataclasses import replace
from typing import Any

from django.db import transaction
from django.utils import timezone

from fitness.api.operations import operation
from fitness.json import JsonObject, timestamp
from training.api.serializers.rule_reports import (
    ProgressionResult,
    ReportedProgressionSerializer,
    RulesToTry,
)
from training.api.views.progression import ProgressionViewSet, shown_state, shown_target
from training.plans import Step, preview, reason
from training.plans.past import tested
from training.plans.plan_rules import Place, PlanRule, PlanWeek, Progression, day_of
from training.plans.rearranging import carry_over

FORECASTS = 4  # sessions to come of each rule
MAX_TESTED = 12  # rules that are tried on the past in one call


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
