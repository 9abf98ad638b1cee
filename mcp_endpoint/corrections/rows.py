"""The 19 tools of keys that may correct and delete, in the form of mcp_endpoint/tools.py.

A tool that deletes answers `deleted`, the record as it was. One that changes a record answers that, and
`before`: what has changed of it, as it was, so that it can be put back.
"""

from dataclasses import replace
from functools import partial

from accounts.models import Account
from body.api.serializers import BodyTrendSerializer, MeasurementSerializer, WeightLogSerializer
from body.api.views import MeasurementViewSet, TrendViewSet, WeightViewSet
from fitness.api.serializers import RecentWindow
from mcp_endpoint import lines
from mcp_endpoint.corrections import operations
from mcp_endpoint.corrections.operations import ScheduleViewSet, correcting
from mcp_endpoint.corrections.progression import (
    PlanRulesViewSet,
    ProgressionArguments,
    ProgressionResult,
    ReportedProgressionSerializer,
    set_progression,
)
from mcp_endpoint.corrections.serializers import (
    ActivatedPlanSerializer,
    DayArguments,
    MeasurementChange,
    NutritionDayBefore,
    PlanBefore,
    RoutineBefore,
    SupplementBefore,
    SupplementChange,
    SupplementToAdd,
    TickArguments,
    WeightChange,
    WorkoutReplacement,
    corrected,
    deleted,
)
from mcp_endpoint.serializers import PlanArguments, with_id
from mcp_endpoint.tool import Arguments, Tool, rest
from mcp_endpoint.tools import TOOLS, no_such_plan
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
        operation=correcting(operations.workout, WorkoutViewSet, "update", "workout_id"),
        line=lines.workout,
    ),
    overwriting(
        name="delete_workout",
        description=(
            "Deletes a workout, for good. deleted holds it: log_workout saves it again, under another id."
        ),
        arguments=with_id("workout_id"),
        result=deleted(WorkoutSerializer),
        operation=correcting(operations.workout, WorkoutViewSet, "destroy", "workout_id"),
        line=lines.workout,
    ),
    overwriting(
        name="update_weight",
        description="Corrects a weight log. Only what is given changes.",
        arguments=WeightChange,
        result=corrected(WeightLogSerializer),
        operation=correcting(operations.weight_log, WeightViewSet, "partial_update", "weight_id"),
        line=lines.weight,
    ),
    overwriting(
        name="delete_weight",
        description="Deletes a weight log.",
        arguments=with_id("weight_id"),
        result=deleted(WeightLogSerializer),
        operation=correcting(operations.weight_log, WeightViewSet, "destroy", "weight_id"),
        line=lines.weight,
    ),
    overwriting(
        name="update_measurements",
        description="Corrects a log of tape measurements. Only what is given changes; null clears a site.",
        arguments=MeasurementChange,
        result=corrected(MeasurementSerializer),
        operation=correcting(operations.measurement, MeasurementViewSet, "partial_update", "measurement_id"),
        line=lines.measurements,
    ),
    overwriting(
        name="delete_measurements",
        description="Deletes one log of tape measurements.",
        arguments=with_id("measurement_id"),
        result=deleted(MeasurementSerializer),
        operation=correcting(operations.measurement, MeasurementViewSet, "destroy", "measurement_id"),
        line=lines.measurements,
    ),
    overwriting(
        name="update_routine",
        description=(
            "Replaces a routine: what is left out is dropped. Read it with list_routines and send all of it."
        ),
        arguments=with_id("routine_id", RoutineSerializer),
        result=corrected(RoutineSerializer, RoutineBefore),
        operation=correcting(operations.routine, RoutineViewSet, "update", "routine_id"),
        line=lines.routine,
    ),
    overwriting(
        name="delete_routine",
        description="Deletes a routine. Workouts that were started from it stay.",
        arguments=with_id("routine_id"),
        result=deleted(RoutineBefore),
        operation=correcting(operations.routine, RoutineViewSet, "destroy", "routine_id"),
        line=lines.routine,
    ),
    overwriting(
        name="update_training_plan",
        description=(
            "Replaces a training plan: what is left out is dropped, only active stays as it is. Read it "
            "with get_training_plan and send all seven days."
        ),
        arguments=with_id("plan_id", PlanSerializer),
        result=corrected(PlanSerializer, PlanBefore),
        operation=correcting(operations.plan, PlanViewSet, "update", "plan_id"),
        line=lines.plan,
    ),
    Tool(
        name="activate_training_plan",
        description="Makes a training plan the active one. The plan that was is kept, as retired.",
        arguments=with_id("plan_id"),
        result=ActivatedPlanSerializer,
        operation=rest(PlanViewSet, "activate", "plan_id"),
        run=operations.activate_plan,
        line=lines.plan,
        done="Activated",
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
        line=lines.progression,
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
        run=set_progression,
        line=lines.progression,
        missing=no_such_plan,
    ),
    overwriting(
        name="delete_training_plan",
        description="Deletes a training plan. Its workouts keep its name and lose the link to it.",
        arguments=with_id("plan_id"),
        result=deleted(PlanBefore),
        operation=correcting(operations.plan, PlanViewSet, "destroy", "plan_id"),
        line=lines.plan,
    ),
    Tool(
        name="add_supplement",
        description="Adds a supplement to the daily schedule.",
        arguments=SupplementToAdd,
        result=SupplementSerializer,
        operation=rest(ScheduleViewSet, "create"),
        line=lines.supplement,
    ),
    overwriting(
        name="update_supplement",
        description="Changes a supplement of the schedule. Only what is given changes.",
        arguments=SupplementChange,
        result=corrected(SupplementSerializer),
        operation=correcting(operations.supplement, ScheduleViewSet, "partial_update", "supplement_id"),
        line=lines.supplement,
    ),
    overwriting(
        name="remove_supplement",
        description="Removes a supplement from the schedule, with all its ticks; deleted holds both.",
        arguments=with_id("supplement_id"),
        result=deleted(SupplementBefore),
        operation=correcting(operations.supplement_with_ticks, ScheduleViewSet, "destroy", "supplement_id"),
        line=lines.supplement,
    ),
    overwriting(
        name="undo_supplement_taken",
        description="Removes the tick of a supplement for one day.",
        arguments=TickArguments,
        result=deleted(SupplementLogSerializer),
        operation=correcting(operations.tick, SupplementLogViewSet, "destroy", "supplement_id", "day"),
        line=lines.tick,
        missing=no_such_tick,
    ),
    overwriting(
        name="clear_nutrition_day",
        description="Deletes the totals of one day, with the meals that are ticked for it in the app.",
        arguments=DayArguments,
        result=deleted(NutritionDayBefore),
        operation=correcting(operations.nutrition_day, NutritionViewSet, "destroy", "day"),
        line=lines.nutrition,
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
        line=lines.body_trend,
    ),
]

CORRECTIONS = {tool.name: tool for tool in ROWS}
ALL_TOOLS = TOOLS | CORRECTIONS


# Sentences of mcp_endpoint/instructions.py and mcp_endpoint/tools.py, and what is said in their place.
SENTENCES = {
    "Tools cannot change what is saved: calling again saves once more. Only log_nutrition replaces its day, "
    "and set_goal the whole current goal. Corrections are made in the app.": (
        "A log_ or create_ tool that is called again saves once more; only log_nutrition replaces its day, "
        "and set_goal the whole current goal. The user lets you correct and delete: update_ tools change "
        "what is saved; delete_, remove_, undo_ and clear_ tools delete it. Before deleting, say what would "
        "go and wait for a yes. Results hold what was there before."
    ),
    "Tools cannot change what is saved: calling again, with an id or without, saves another; corrections are "
    "made in the app.": "Calling again, with an id or without, saves another; update_workout corrects one.",
    " The user edits the schedule in the app.": "",
}


def for_correcting(text: str) -> str:
    for sentence, other in SENTENCES.items():
        text = text.replace(sentence, other)
    return text


def corrected_rows() -> list[Tool]:
    """All tools, as a key that may correct reads them."""
    return [replace(tool, description=for_correcting(tool.description)) for tool in ALL_TOOLS.values()]
