"""The 19 tools of keys that may correct and delete, in the form of mcp_endpoint/tools.py.

A tool that deletes answers `deleted`, the record as it was. One that changes a record answers that, and
`before`: what has changed of it, as it was, so that it can be put back.
"""

import datetime
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import orjson
from django.db import transaction
from rest_framework import serializers

from accounts.models import Account
from body.api.serializers import MeasurementSerializer, WeightLogSerializer
from body.api.views import MeasurementViewSet, TrendViewSet, WeightViewSet
from fitness.api import fields
from fitness.api.serializers import QuerySerializer, StrictSerializer, Values
from fitness.api.viewsets import ApiViewSet, parse_uuid
from fitness.days import utc_today
from fitness.json import JsonObject, timestamp, without_fragments
from mcp_endpoint import lines, notices
from mcp_endpoint.serializers import PlanArguments, PlanOrActive, WorkoutToLog, extended, id_field
from mcp_endpoint.tool import ChangedSince, RestOperation, Tool, rest
from mcp_endpoint.tools import NO_SUCH_PLAN, TOOLS
from nutrition.api.serializers import FoodEntrySerializer, NutritionDaySerializer
from nutrition.api.views import NutritionViewSet
from nutrition.models import NutritionDay
from supplements.api.serializers import SupplementLogSerializer, SupplementSerializer
from supplements.api.views import SupplementLogViewSet, SupplementViewSet
from supplements.models import Supplement
from training.api.serializers.plan import PlanSerializer
from training.api.serializers.routine import RoutineSerializer
from training.api.serializers.rule_reports import RulesToTry
from training.api.serializers.workout import WorkoutSerializer
from training.api.views.plan import PlanViewSet
from training.api.views.progression import ProgressionViewSet, RoutineProgressionViewSet, RuleReportViewSet
from training.api.views.routine import RoutineViewSet
from training.api.views.workout import WorkoutViewSet
from training.models import Workout
from training.models.planning import Planning


class MeasurementChange(MeasurementSerializer):
    logged_at = fields.TimestampField(help_text="When it was measured, RFC 3339 with an offset.")

    def validate(self, attrs: Values) -> Values:
        """A change may leave out each site, but not clear the last one."""
        logs = self.context["account"].measurements
        self.context["instance"] = logs.get(pk=parse_uuid(attrs["measurement_id"]))
        return super().validate(attrs)


class RulesArguments(PlanOrActive, RulesToTry):
    plan_id = id_field("plan_id", instead=", or `active`")

    def planning(self, attrs: Values) -> Planning:
        return ProgressionViewSet(account=self.context["account"]).get_object(attrs["plan_id"])


class WorkoutBefore(WorkoutSerializer):
    def to_representation(self, instance: Workout) -> JsonObject:
        document: JsonObject = orjson.loads(instance.document)
        return document


class BeforeWithRules(StrictSerializer):
    """A plan or routine, and how its targets follow what was lifted, where they do."""

    rules = serializers.DictField(required=False)

    def to_representation(self, instance: Planning) -> JsonObject:
        view = ProgressionViewSet if instance.noun == "plan" else RoutineProgressionViewSet
        rules = view(instance=instance).document()
        return {**instance.document, "rules": rules} if rules["rules"] else {**instance.document}


class RoutineBefore(RoutineSerializer, BeforeWithRules):
    pass


class PlanBefore(PlanSerializer, BeforeWithRules):
    pass


class NutritionDayBefore(NutritionDaySerializer):
    entries = FoodEntrySerializer(many=True)

    def to_representation(self, instance: NutritionDay) -> JsonObject:
        entries = FoodEntrySerializer.rendered_list(instance.account.food_entries.of_day(instance.day))
        return {**NutritionDaySerializer.rendered(instance), "entries": entries}


class SupplementBefore(SupplementSerializer):
    ticks = serializers.DictField()  # when it was taken, by the day

    def to_representation(self, instance: Supplement) -> JsonObject:
        ticks = instance.logs.order_by("day").values_list("day", "taken_at")
        taken = {str(day): timestamp(taken_at) for day, taken_at in ticks}
        return {**SupplementSerializer.rendered(instance), "ticks": taken}


class FormerPlanSerializer(StrictSerializer):
    id = fields.StringField()
    name = fields.StringField()


@dataclass(frozen=True, kw_only=True)
class Correction(RestOperation):
    """An operation that changes or deletes a record, which `record` renders as it was before.

    One transaction, which locks the account and the record: nothing of it changes between what is read and
    what is stored.
    """

    record: type[StrictSerializer]

    def __call__(self, account: Account, values: Values) -> JsonObject:
        with transaction.atomic():
            account.lock()
            before = self.read(account, values)
            after = super().__call__(account, values)
        if after is None:
            return {"deleted": before}
        stored = without_fragments(after)
        return {**stored, "before": what_changed(before, stored, values)}

    def read(self, account: Account, values: Values) -> JsonObject:
        """The record as it is. Raises ChangedSince where it was changed after `if_updated_at`."""
        view = self.view(action=self.action, account=account, kwargs=self.in_path(values))
        view.read_path()
        instance = view.instance.stored.select_for_update().get()
        instance.account = account
        before = self.record.rendered(instance)
        expected = values.get("if_updated_at")
        if expected and datetime.datetime.fromisoformat(before["updated_at"]) != expected:
            raise ChangedSince(before)
        return before

    @property
    def result(self) -> type[StrictSerializer]:
        if self.declared.response:
            return extended(self.declared.response, before=self.record())
        return extended(StrictSerializer, deleted=self.record())


def what_changed(before: JsonObject, after: JsonObject, values: Values) -> JsonObject:
    """Of a record before a change what the arguments have changed; with days or exercises also the rules.

    Of the days of a plan those that have changed.
    """
    changed = {name: old for name, old in before.items() if name in values and old != after[name]}
    if "rules" in before and not changed.keys().isdisjoint(("days", "exercises")):
        changed["rules"] = before["rules"]
    if "days" in changed:
        changed["days"] = [day for day in before["days"] if day not in after["days"]]
    return changed


@dataclass(frozen=True)
class Kind:
    """A kind of record: its view, what names one, its serializer with all that there was, and its line."""

    view: type[ApiViewSet]
    path: tuple[str, ...]
    record: type[StrictSerializer]
    line: Callable[[JsonObject, Account], str]

    def tool(self, action: str, name: str, description: str, **options: Any) -> Tool:
        """The tool that changes or deletes one."""
        operation = Correction(self.view, action, self.path, record=self.record)
        options |= {"name": name, "description": description, "operation": operation, "line": self.line}
        return Tool(**options, idempotent=True, destructive=True)


def activate_plan(account: Account, values: Values) -> JsonObject:
    """Makes a plan the active one. The result is the plan, with the one that was in `retired`.

    A notice says every how many weeks it is lighter, if it is: the count begins now.
    """
    with transaction.atomic():
        account.lock()
        former = account.plans.active().values("id", "name").first()
        plan: JsonObject = rest(PlanViewSet, "activate", "plan_id")(account, values)
        deload_every = account.plans.active().get().progressions.deload_every
    retired = {"id": str(former["id"]), "name": former["name"]} if former else None
    is_another = retired and retired["id"] != plan["id"]
    lighter = f"Every {deload_every} weeks one is a deload; this week is the first."
    return {**plan, "retired": retired if is_another else None, "notices": [lighter] if deload_every else []}


WORKOUT = Kind(WorkoutViewSet, ("workout_id",), WorkoutBefore, lines.workout)
WEIGHT = Kind(WeightViewSet, ("weight_id",), WeightLogSerializer, lines.weight)
MEASUREMENT = Kind(MeasurementViewSet, ("measurement_id",), MeasurementSerializer, lines.measurements)
ROUTINE = Kind(RoutineViewSet, ("routine_id",), RoutineBefore, lines.routine)
PLAN = Kind(PlanViewSet, ("plan_id",), PlanBefore, lines.plan)
SUPPLEMENT = Kind(SupplementViewSet, ("supplement_id",), SupplementSerializer, lines.supplement)
TICK = Kind(SupplementLogViewSet, ("supplement_id", "day"), SupplementLogSerializer, lines.tick)
NUTRITION_DAY = Kind(NutritionViewSet, ("day",), NutritionDayBefore, lines.nutrition)

ROWS = [
    WORKOUT.tool(
        "update",
        "update_workout",
        "Replaces a saved workout: what is left out is dropped, sets and exercises too. Read it with "
        "get_workout, change it, send all of it, with its updated_at as if_updated_at.",
        arguments=extended(
            WorkoutToLog,
            if_updated_at=fields.TimestampField(
                default=None,
                help_text="updated_at of the workout as it was read: refused where it has changed since.",
            ),
        ),
        after=notices.of_next_time,
    ),
    WORKOUT.tool(
        "destroy",
        "delete_workout",
        "Deletes a workout, for good. deleted holds it: log_workout saves it again, under another id.",
        before=notices.of_deletion,
    ),
    WEIGHT.tool(
        "partial_update",
        "update_weight",
        "Corrects a weight log. Only what is given changes.",
        arguments=extended(
            WeightLogSerializer,
            logged_at=fields.TimestampField(help_text="When it was weighed, RFC 3339 with an offset."),
        ),
    ),
    WEIGHT.tool("destroy", "delete_weight", "Deletes a weight log."),
    MEASUREMENT.tool(
        "partial_update",
        "update_measurements",
        "Corrects a log of tape measurements. Only what is given changes; null clears a site.",
        arguments=MeasurementChange,
    ),
    MEASUREMENT.tool("destroy", "delete_measurements", "Deletes one log of tape measurements."),
    ROUTINE.tool(
        "update",
        "update_routine",
        "Replaces a routine: what is left out is dropped. Read it with list_routines and send all of it.",
    ),
    ROUTINE.tool("destroy", "delete_routine", "Deletes a routine. Workouts that were started from it stay."),
    PLAN.tool(
        "update",
        "update_training_plan",
        "Replaces a training plan: what is left out is dropped, only active stays as it is. Read it "
        "with get_training_plan and send all seven days.",
    ),
    Tool(
        name="activate_training_plan",
        description="Makes a training plan the active one. The plan that was is kept, as retired.",
        result=extended(PlanSerializer, retired=FormerPlanSerializer(allow_null=True)),
        operation=rest(PlanViewSet, "activate", "plan_id"),
        run=activate_plan,
        line=lines.plan,
        done="Activated",
        idempotent=True,
    ),
    Tool(
        name="get_progression",
        description="Reads how the targets of a training plan follow what is lifted: each rule with what it "
        "asks for now, why, and the next sessions, and the next deload week. Use this for what to lift and "
        "why.",
        arguments=PlanArguments,
        operation=rest(RuleReportViewSet, "report", "plan_id"),
        line=lines.progression,
        missing=NO_SUCH_PLAN,
    ),
    Tool(
        name="set_progression",
        description="Replaces all rules of a training plan: read them with get_progression, change them, "
        "send all. A rule sent as it was goes on. With dry_run nothing is saved, and tried says what the "
        "rules would have done with the sessions of two years.",
        arguments=RulesArguments,
        operation=rest(RuleReportViewSet, "replace", "plan_id"),
        line=lines.progression,
        missing=NO_SUCH_PLAN,
        idempotent=True,
        destructive=True,
    ),
    PLAN.tool(
        "destroy",
        "delete_training_plan",
        "Deletes a training plan. Its workouts keep its name and lose the link to it.",
    ),
    Tool(
        name="add_supplement",
        description="Adds a supplement to the daily schedule.",
        operation=rest(SupplementViewSet, "create"),
        line=lines.supplement,
    ),
    SUPPLEMENT.tool(
        "partial_update",
        "update_supplement",
        "Changes a supplement of the schedule. Only what is given changes.",
    ),
    replace(SUPPLEMENT, record=SupplementBefore).tool(
        "destroy",
        "remove_supplement",
        "Removes a supplement from the schedule, with all its ticks; deleted holds both.",
    ),
    TICK.tool(
        "destroy",
        "undo_supplement_taken",
        "Removes the tick of a supplement for one day.",
        arguments=extended(
            QuerySerializer,
            supplement_id=id_field("supplement_id"),
            day=fields.DayField(
                default=utc_today, help_text="The day of the tick, YYYY-MM-DD; today in UTC when left out."
            ),
        ),
        missing="names no supplement of this account, or none that is ticked on that day; take an id from "
        "list_supplements.",
    ),
    NUTRITION_DAY.tool(
        "destroy",
        "clear_nutrition_day",
        "Deletes the totals of one day, with the foods that are logged for it in the app.",
        arguments=extended(QuerySerializer, day=fields.DayField(help_text="The day, YYYY-MM-DD.")),
        missing="nothing is stored for this day; get_nutrition lists the days that have something.",
    ),
    Tool(
        name="get_body_trend",
        description="Sums up body weight and body fat in a window, by default the last 90 days: first, "
        "last, change a week, and by day the smoothed weight, which leaves out the noise of single days.",
        operation=rest(TrendViewSet, "retrieve"),
        line=lines.body_trend,
    ),
]

CORRECTIONS = {tool.name: tool for tool in ROWS}
ALL_TOOLS = TOOLS | CORRECTIONS
