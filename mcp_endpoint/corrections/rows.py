"""The 19 tools of keys that may correct and delete, in the form of mcp_endpoint/tools.py.

A tool that deletes answers `deleted`, the record as it was. One that changes a record answers that, and
`before`: what has changed of it, as it was, so that it can be put back.
"""

from functools import partial

from body.api.serializers import MeasurementSerializer, WeightLogSerializer
from body.api.views import MeasurementViewSet, TrendViewSet, WeightViewSet
from mcp_endpoint import lines
from mcp_endpoint.corrections.operations import ScheduleViewSet, activate_plan, correcting
from mcp_endpoint.corrections.progression import PlanRulesViewSet
from mcp_endpoint.corrections.serializers import (
    ActivatedPlanSerializer,
    DayArguments,
    MeasurementChange,
    NutritionDayBefore,
    PlanBefore,
    RoutineBefore,
    SupplementBefore,
    TickArguments,
    WeightChange,
    WorkoutBefore,
    WorkoutReplacement,
)
from mcp_endpoint.tool import Tool, rest
from mcp_endpoint.tools import NO_SUCH_PLAN, TOOLS
from nutrition.api.views import NutritionViewSet
from supplements.api.serializers import SupplementLogSerializer, SupplementSerializer
from supplements.api.views import SupplementLogViewSet
from training.api.views.plan import PlanViewSet
from training.api.views.routine import RoutineViewSet
from training.api.views.workout import WorkoutViewSet

overwriting = partial(Tool, idempotent=True, destructive=True)

ROWS = [
    overwriting(
        name="update_workout",
        description=(
            "Replaces a saved workout: what is left out is dropped, sets and exercises too. Read it with "
            "get_workout, change it, send all of it, with its updated_at as if_updated_at."
        ),
        arguments=WorkoutReplacement,
        operation=correcting(WorkoutBefore, WorkoutViewSet, "update", "workout_id"),
        line=lines.workout,
    ),
    overwriting(
        name="delete_workout",
        description=(
            "Deletes a workout, for good. deleted holds it: log_workout saves it again, under another id."
        ),
        operation=correcting(WorkoutBefore, WorkoutViewSet, "destroy", "workout_id"),
        line=lines.workout,
    ),
    overwriting(
        name="update_weight",
        description="Corrects a weight log. Only what is given changes.",
        arguments=WeightChange,
        operation=correcting(WeightLogSerializer, WeightViewSet, "partial_update", "weight_id"),
        line=lines.weight,
    ),
    overwriting(
        name="delete_weight",
        description="Deletes a weight log.",
        operation=correcting(WeightLogSerializer, WeightViewSet, "destroy", "weight_id"),
        line=lines.weight,
    ),
    overwriting(
        name="update_measurements",
        description="Corrects a log of tape measurements. Only what is given changes; null clears a site.",
        arguments=MeasurementChange,
        operation=correcting(MeasurementSerializer, MeasurementViewSet, "partial_update", "measurement_id"),
        line=lines.measurements,
    ),
    overwriting(
        name="delete_measurements",
        description="Deletes one log of tape measurements.",
        operation=correcting(MeasurementSerializer, MeasurementViewSet, "destroy", "measurement_id"),
        line=lines.measurements,
    ),
    overwriting(
        name="update_routine",
        description=(
            "Replaces a routine: what is left out is dropped. Read it with list_routines and send all of it."
        ),
        operation=correcting(RoutineBefore, RoutineViewSet, "update", "routine_id"),
        line=lines.routine,
    ),
    overwriting(
        name="delete_routine",
        description="Deletes a routine. Workouts that were started from it stay.",
        operation=correcting(RoutineBefore, RoutineViewSet, "destroy", "routine_id"),
        line=lines.routine,
    ),
    overwriting(
        name="update_training_plan",
        description=(
            "Replaces a training plan: what is left out is dropped, only active stays as it is. Read it "
            "with get_training_plan and send all seven days."
        ),
        operation=correcting(PlanBefore, PlanViewSet, "update", "plan_id"),
        line=lines.plan,
    ),
    Tool(
        name="activate_training_plan",
        description="Makes a training plan the active one. The plan that was is kept, as retired.",
        result=ActivatedPlanSerializer,
        operation=rest(PlanViewSet, "activate", "plan_id"),
        run=activate_plan,
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
        operation=rest(PlanRulesViewSet, "report", "plan_id"),
        line=lines.progression,
        missing=NO_SUCH_PLAN,
    ),
    overwriting(
        name="set_progression",
        description=(
            "Replaces all rules of a training plan: read them with get_progression, change them, send all. A "
            "rule sent as it was goes on. With dry_run nothing is saved, and tried says what the rules would "
            "have done with the sessions of two years."
        ),
        operation=rest(PlanRulesViewSet, "replace", "plan_id"),
        line=lines.progression,
        missing=NO_SUCH_PLAN,
    ),
    overwriting(
        name="delete_training_plan",
        description="Deletes a training plan. Its workouts keep its name and lose the link to it.",
        operation=correcting(PlanBefore, PlanViewSet, "destroy", "plan_id"),
        line=lines.plan,
    ),
    Tool(
        name="add_supplement",
        description="Adds a supplement to the daily schedule.",
        operation=rest(ScheduleViewSet, "create"),
        line=lines.supplement,
    ),
    overwriting(
        name="update_supplement",
        description="Changes a supplement of the schedule. Only what is given changes.",
        operation=correcting(SupplementSerializer, ScheduleViewSet, "partial_update", "supplement_id"),
        line=lines.supplement,
    ),
    overwriting(
        name="remove_supplement",
        description="Removes a supplement from the schedule, with all its ticks; deleted holds both.",
        operation=correcting(SupplementBefore, ScheduleViewSet, "destroy", "supplement_id"),
        line=lines.supplement,
    ),
    overwriting(
        name="undo_supplement_taken",
        description="Removes the tick of a supplement for one day.",
        arguments=TickArguments,
        operation=correcting(
            SupplementLogSerializer, SupplementLogViewSet, "destroy", "supplement_id", "day"
        ),
        line=lines.tick,
        missing=(
            "names no supplement of this account, or none that is ticked on that day; take an id from "
            "list_supplements."
        ),
    ),
    overwriting(
        name="clear_nutrition_day",
        description="Deletes the totals of one day, with the meals that are ticked for it in the app.",
        arguments=DayArguments,
        operation=correcting(NutritionDayBefore, NutritionViewSet, "destroy", "day"),
        line=lines.nutrition,
        missing="nothing is stored for this day; get_nutrition lists the days that have something.",
    ),
    Tool(
        name="get_body_trend",
        description=(
            "Sums up body weight and body fat in a window, by default the last 90 days: first, last, "
            "change a week, and by day the smoothed weight, which leaves out the noise of single days."
        ),
        operation=rest(TrendViewSet, "retrieve"),
        line=lines.body_trend,
    ),
]

CORRECTIONS = {tool.name: tool for tool in ROWS}
ALL_TOOLS = TOOLS | CORRECTIONS
