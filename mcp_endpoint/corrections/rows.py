"""The 19 tools of keys that may correct and delete, in the form of mcp_endpoint/tools.py.

A tool that deletes answers `deleted`, one that changes answers the record and `before`: what was there,
whole, so that it can be put back.
"""

from dataclasses import replace
from functools import partial

from accounts.models import Account
from body.api.serializers import BodyTrendSerializer, MeasurementSerializer, WeightLogSerializer
from body.api.views import MeasurementViewSet, TrendViewSet, WeightViewSet
from fitness.api.serializers import RecentWindow
from mcp_endpoint.corrections import acting, progression, summaries
from mcp_endpoint.corrections.acting import correcting
from mcp_endpoint.corrections.progression import (
    PlanRulesViewSet,
    ProgressionArguments,
    ProgressionResult,
    ReportedProgressionSerializer,
)
from mcp_endpoint.corrections.schedule import ScheduleViewSet
from mcp_endpoint.corrections.serializers import (
    ActivatedPlanSerializer,
    DayArguments,
    MeasurementArguments,
    MeasurementChange,
    NutritionDayBefore,
    PlanBefore,
    PlanIdArguments,
    PlanReplacement,
    RoutineArguments,
    RoutineBefore,
    RoutineReplacement,
    SupplementBefore,
    SupplementChange,
    SupplementIdArguments,
    SupplementToAdd,
    TickArguments,
    WeightArguments,
    WeightChange,
    WorkoutReplacement,
    corrected,
    deleted,
)
from mcp_endpoint.corrections.wording import for_correcting
from mcp_endpoint.serializers import PlanArguments, WorkoutArguments
from mcp_endpoint.tool import Arguments, Tool, rest
from mcp_endpoint.tools import TOOLS, no_such_plan, unknown_id
from nutrition.api.views import NutritionViewSet
from supplements.api.serializers import SupplementLogSerializer, SupplementSerializer
from supplements.api.views import SupplementLogViewSet
from training.api.serializers.plan import PlanSerializer
from training.api.serializers.routine import RoutineSerializer
from training.api.serializers.workout import WorkoutSerializer
from training.api.views.plan import PlanViewSet
from training.api.views.routine import RoutineViewSet
from training.api.views.workout import WorkoutViewSet


def no_such_tick(account: Account, arguments: Arguments) -> tuple[str, str]:
    message = "names no supplement of this account, or none that is ticked on that day"
    return "supplement_id", f"{message}; take an id from list_supplements."


def no_such_day(account: Account, arguments: Arguments) -> tuple[str, str]:
    return "day", "nothing is stored for this day; get_nutrition lists the days that have something."


overwriting = partial(Tool, idempotent=True, destructive=True)

ROWS = [
    overwriting(
        name="update_workout",
        description=(
            "Replaces a saved workout: what is left out is dropped, sets and exercises too. Read it with "
            "get_workout, change it, send all of it, with its updated_at as if_updated_at."
        ),
        arguments=WorkoutReplacement,
        result=corrected(WorkoutSerializer),
        operation=correcting(acting.workout, WorkoutViewSet, "update", "workout_id"),
        summary=summaries.updated_workout,
        missing=unknown_id("workout_id", "list_workouts"),
    ),
    overwriting(
        name="delete_workout",
        description=(
            "Deletes a workout, for good. deleted holds it: log_workout saves it again, under another id."
        ),
        arguments=WorkoutArguments,
        result=deleted(WorkoutSerializer),
        operation=correcting(acting.workout, WorkoutViewSet, "destroy", "workout_id"),
        summary=summaries.deleted_workout,
        missing=unknown_id("workout_id", "list_workouts"),
    ),
    overwriting(
        name="update_weight",
        description="Corrects a weight log. Only what is given changes.",
        arguments=WeightChange,
        result=corrected(WeightLogSerializer),
        operation=correcting(acting.weight_log, WeightViewSet, "partial_update", "weight_id"),
        summary=summaries.updated_weight,
        missing=unknown_id("weight_id", "get_body_metrics"),
    ),
    overwriting(
        name="delete_weight",
        description="Deletes a weight log.",
        arguments=WeightArguments,
        result=deleted(WeightLogSerializer),
        operation=correcting(acting.weight_log, WeightViewSet, "destroy", "weight_id"),
        summary=summaries.deleted_weight,
        missing=unknown_id("weight_id", "get_body_metrics"),
    ),
    overwriting(
        name="update_measurements",
        description="Corrects a log of tape measurements. Only what is given changes; null clears a site.",
        arguments=MeasurementChange,
        result=corrected(MeasurementSerializer),
        operation=correcting(acting.measurement, MeasurementViewSet, "partial_update", "measurement_id"),
        summary=summaries.updated_measurements,
        missing=unknown_id("measurement_id", "get_body_metrics"),
    ),
    overwriting(
        name="delete_measurements",
        description="Deletes one log of tape measurements.",
        arguments=MeasurementArguments,
        result=deleted(MeasurementSerializer),
        operation=correcting(acting.measurement, MeasurementViewSet, "destroy", "measurement_id"),
        summary=summaries.deleted_measurements,
        missing=unknown_id("measurement_id", "get_body_metrics"),
    ),
    overwriting(
        name="update_routine",
        description=(
            "Replaces a routine: what is left out is dropped. Read it with list_routines and send all of it."
        ),
        arguments=RoutineReplacement,
        result=corrected(RoutineSerializer, RoutineBefore),
        operation=correcting(acting.routine, RoutineViewSet, "update", "routine_id"),
        summary=summaries.updated_routine,
        missing=unknown_id("routine_id", "list_routines"),
    ),
    overwriting(
        name="delete_routine",
        description="Deletes a routine. Workouts that were started from it stay.",
        arguments=RoutineArguments,
        result=deleted(RoutineBefore),
        operation=correcting(acting.routine, RoutineViewSet, "destroy", "routine_id"),
        summary=summaries.deleted_routine,
        missing=unknown_id("routine_id", "list_routines"),
    ),
    overwriting(
        name="update_training_plan",
        description=(
            "Replaces a training plan: what is left out is dropped, only active stays as it is. Read it "
            "with get_training_plan and send all seven days."
        ),
        arguments=PlanReplacement,
        result=corrected(PlanSerializer, PlanBefore),
        operation=correcting(acting.plan, PlanViewSet, "update", "plan_id"),
        summary=summaries.updated_plan,
        missing=unknown_id("plan_id", "list_training_plans"),
    ),
    Tool(
        name="activate_training_plan",
        description="Makes a training plan the active one. The plan that was is kept, as retired.",
        arguments=PlanIdArguments,
        result=ActivatedPlanSerializer,
        operation=rest(PlanViewSet, "activate", "plan_id"),
        run=acting.activate_plan,
        summary=summaries.activated_plan,
        missing=unknown_id("plan_id", "list_training_plans"),
        idempotent=True,
    ),
    Tool(
        name="get_progression",
        description=(
            "Reads how the targets of a training plan follow what is lifted: each rule with what it asks for "
            "now, why, and the next sessions, and the next deload week. Use this for what to lift and why."
        ),
        arguments=PlanArguments,
        result=ReportedProgressionSerializer,
        operation=rest(PlanRulesViewSet, "report", "plan_id"),
        summary=progression.said_of_rules,
        missing=no_such_plan,
    ),
    overwriting(
        name="set_progression",
        description=(
            "Replaces all rules of a training plan: read them with get_progression, change them, send all. A "
            "rule sent as it was goes on. With dry_run nothing is saved, and tried says what the rules would "
            "have done with the sessions of two years."
        ),
        arguments=ProgressionArguments,
        result=ProgressionResult,
        operation=rest(PlanRulesViewSet, "replace", "plan_id"),
        summary=progression.said_of_change,
        missing=no_such_plan,
    ),
    overwriting(
        name="delete_training_plan",
        description="Deletes a training plan. Its workouts keep its name and lose the link to it.",
        arguments=PlanIdArguments,
        result=deleted(PlanBefore),
        operation=correcting(acting.plan, PlanViewSet, "destroy", "plan_id"),
        summary=summaries.deleted_plan,
        missing=unknown_id("plan_id", "list_training_plans"),
    ),
    Tool(
        name="add_supplement",
        description="Adds a supplement to the daily schedule.",
        arguments=SupplementToAdd,
        result=SupplementSerializer,
        operation=rest(ScheduleViewSet, "create"),
        summary=summaries.added_supplement,
    ),
    overwriting(
        name="update_supplement",
        description="Changes a supplement of the schedule. Only what is given changes.",
        arguments=SupplementChange,
        result=corrected(SupplementSerializer),
        operation=correcting(acting.supplement, ScheduleViewSet, "partial_update", "supplement_id"),
        summary=summaries.updated_supplement,
        missing=unknown_id("supplement_id", "list_supplements"),
    ),
    overwriting(
        name="remove_supplement",
        description="Removes a supplement from the schedule, with all its ticks; deleted holds both.",
        arguments=SupplementIdArguments,
        result=deleted(SupplementBefore),
        operation=correcting(acting.supplement_with_ticks, ScheduleViewSet, "destroy", "supplement_id"),
        summary=summaries.removed_supplement,
        missing=unknown_id("supplement_id", "list_supplements"),
    ),
    overwriting(
        name="undo_supplement_taken",
        description="Removes the tick of a supplement for one day.",
        arguments=TickArguments,
        result=deleted(SupplementLogSerializer),
        operation=correcting(acting.tick, SupplementLogViewSet, "destroy", "supplement_id", "day"),
        summary=summaries.undone_tick,
        missing=no_such_tick,
    ),
    overwriting(
        name="clear_nutrition_day",
        description="Deletes the totals of one day, with the meals that are ticked for it in the app.",
        arguments=DayArguments,
        result=deleted(NutritionDayBefore),
        operation=correcting(acting.nutrition_day, NutritionViewSet, "destroy", "day"),
        summary=summaries.cleared_day,
        missing=no_such_day,
    ),
    Tool(
        name="get_body_trend",
        description=(
            "Sums up body weight and body fat in a window, by default the last 90 days: first, last, "
            "change a week, and by day the smoothed weight, which leaves out the noise of single days."
        ),
        arguments=RecentWindow,
        result=BodyTrendSerializer,
        operation=rest(TrendViewSet, "retrieve"),
        summary=summaries.body_trend,
    ),
]

CORRECTIONS = {tool.name: tool for tool in ROWS}
ALL_TOOLS = TOOLS | CORRECTIONS


def corrected_rows() -> list[Tool]:
    """All tools, as a key that may correct reads them."""
    return [replace(tool, description=for_correcting(tool.description)) for tool in ALL_TOOLS.values()]
