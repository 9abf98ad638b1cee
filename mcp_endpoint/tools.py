"""The 22 tools: one table, in the order of the specification's two.

The arguments are validated by serializers of REST, and its handlers answer.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from accounts.models import Account
from accounts.serializers import ProfileSerializer
from accounts.views import ProfileViewSet
from body.serializers import GoalSerializer, MeasurementSerializer, WeightLogSerializer
from body.views import GoalViewSet, MeasurementViewSet, WeightViewSet
from fitness.api.errors import shortened
from fitness.api.renderers import Fragment, dumps
from fitness.api.serializers import DayWindowPageQuery, PageQuery
from fitness.api.viewsets import ApiViewSet
from mcp_endpoint import brief, earlier, summaries
from mcp_endpoint.serializers import (
    ACTIVE,
    BodyMetricsArguments,
    BodyMetricsSerializer,
    Detail,
    DetailPageQuery,
    HistoryArguments,
    HistoryListSerializer,
    NoArguments,
    NutritionArguments,
    PlanArguments,
    RecordsArguments,
    RecordsSerializer,
    SearchArguments,
    SupplementArguments,
    WorkoutArguments,
    WorkoutListArguments,
    WorkoutListSerializer,
    WorkoutToLog,
)
from mcp_endpoint.tool import Tool
from nutrition.serializers import NutritionDaySerializer, NutritionPageSerializer
from nutrition.views import NutritionViewSet
from supplements.serializers import SupplementLogSerializer, SupplementPageSerializer
from supplements.views import SupplementLogViewSet, SupplementViewSet
from training.models import Exercise
from training.serializers.exercise import ExercisePageSerializer
from training.serializers.plan import PlanPageSerializer, PlanSerializer
from training.serializers.references import unknown_exercise
from training.serializers.routine import RoutinePageSerializer, RoutineSerializer
from training.serializers.stats import TrainingStatsQuery, TrainingStatsSerializer
from training.serializers.workout import WorkoutSerializer
from training.views.exercise import ExerciseViewSet, HistoryViewSet
from training.views.plan import PlanViewSet
from training.views.routine import RoutineViewSet
from training.views.stats import TrainingStatsViewSet
from training.views.workout import WorkoutViewSet


def rest(view: type[ApiViewSet], action: str, *path: str) -> Callable:
    """The function of a tool that does what a REST operation does.

    `path` names the arguments that REST has in the path, where they are text.
    """

    def run(account: Account, values: dict[str, Any]) -> Any:
        named = {name: str(values[name]) for name in path}
        others = {name: value for name, value in values.items() if name not in named}
        return view.perform(action, account, others, **named)

    return run


def detailed(run: Callable, brief_form: Callable[[dict], dict]) -> Callable:
    """The function of a tool that lists, in full or in brief."""

    def run_in_detail(account: Account, values: dict[str, Any]) -> Any:
        page = run(account, values)
        return brief_form(page) if values["detail"] == Detail.BRIEF else page

    return run_in_detail


def exercise_history(account: Account, values: dict[str, Any]) -> Any:
    query = {**values, "until": None}
    return HistoryViewSet.perform("list", account, query, exercise_id=query.pop("exercise_id"))


def training_plan(account: Account, values: dict[str, Any]) -> Any:
    if values["plan_id"] != ACTIVE:
        return PlanViewSet.perform("retrieve", account, {}, plan_id=values["plan_id"])
    return account.plans.active().get().record


def body_metrics(account, values):
    query = {**values, "until": None, "cursor": None}
    weight = WeightViewSet.perform("list", account, query)
    measurements = MeasurementViewSet.perform("list", account, query)
    return {"weight": weight["weight"], "measurements": measurements["measurements"]}


def personal_records(account, values):
    page = TrainingStatsViewSet.perform("records", account, {**values, "cursor": None})
    return {"records": page["records"]}


def none_such(argument, source):
    """Says of an id that names nothing which tool lists those that exist."""
    return lambda arguments: (argument, f"names no record of this account; take an id from {source}.")


def no_such_exercise(arguments):
    return "exercise_id", unknown_exercise(arguments["exercise_id"], Exercise.objects.names())


def no_exercise_found(arguments: dict) -> str:
    """The sentence of a search without a hit, which names the nearest exercises."""
    filters = [arguments[name] for name in ("muscle_group", "equipment") if arguments.get(name)]
    among = f" among {' and '.join(filters)}" if filters else ""
    query = arguments.get("query") or ""
    if not query.strip():
        return f"No exercise is listed{among}; take a filter away."
    near = ", ".join(f"{exercise.name} ({exercise.id})" for exercise in Exercise.objects.nearest(query))
    return f"No exercise{among} is called {shortened(query)!r}. Nearest: {near}."


def no_such_plan(arguments):
    if arguments["plan_id"] == ACTIVE:
        return "plan_id", "no plan is active; list_training_plans has those there are."
    return none_such("plan_id", "list_training_plans")(arguments)


def no_goal(arguments):
    return "", "no goal is set; set_goal sets one, when the user wants it."


READ_TOOLS = [
    Tool(
        "get_profile",
        NoArguments,
        ProfileSerializer,
        rest(ProfileViewSet, "retrieve"),
        "Reads who the user is: name, email, height in cm, birth date, gender and training goal (cut, "
        "recomp, bulk or maintain). What is not filled in is null; the user edits the profile in the app.",
        summary=summaries.profile,
    ),
    Tool(
        "list_workouts",
        WorkoutListArguments,
        WorkoutListSerializer,
        detailed(rest(WorkoutViewSet, "list"), brief.workouts),
        "Lists training sessions, newest first, with all exercises and sets (kg): about 700 tokens each, so "
        "limit 5 is usually enough, or detail brief: id, title, started_at, volume_kg, and a line an "
        "exercise, `barbell-bench-press: 60×8 w, 100×5, 95×6 not done` (kg × reps, w is a warm-up), with the "
        "names beside. For totals use get_training_stats, for one exercise get_exercise_history.",
        summary=summaries.workouts,
    ),
    Tool(
        "get_workout",
        WorkoutArguments,
        WorkoutSerializer,
        rest(WorkoutViewSet, "retrieve", "workout_id"),
        "Reads one training session with its exercises and sets.",
        summary=summaries.workout,
        missing=none_such("workout_id", "list_workouts"),
    ),
    Tool(
        "get_exercise_history",
        HistoryArguments,
        HistoryListSerializer,
        detailed(exercise_history, brief.sessions),
        "Lists the user's sessions with one exercise, newest first: the sets, and the best set with its "
        "estimated one-rep maximum in kg. Use it to judge progress or to choose the next load. detail brief "
        "has the sets as text, as in list_workouts.",
        summary=summaries.history,
        missing=no_such_exercise,
    ),
    Tool(
        "search_exercises",
        SearchArguments,
        ExercisePageSerializer,
        detailed(rest(ExerciseViewSet, "list"), brief.exercises),
        "Searches the exercise catalogue, best matches first; the only source of exercise_id. Call it "
        "before log_workout, create_routine, create_training_plan and get_exercise_history. detail brief "
        "(id, name, muscle_group, equipment) is a quarter as long.",
        summary=summaries.exercises,
        if_empty=no_exercise_found,
    ),
    Tool(
        "list_routines",
        DetailPageQuery,
        RoutinePageSerializer,
        detailed(rest(RoutineViewSet, "list"), brief.routines),
        "Lists saved templates of single training days, newest first, with target sets, reps and load in kg. "
        "detail brief: no more than these and the names.",
        summary=summaries.routines,
    ),
    Tool(
        "list_training_plans",
        DetailPageQuery,
        PlanPageSerializer,
        detailed(rest(PlanViewSet, "list"), brief.plans),
        "Lists weekly training plans, newest first, with all their days. The one with active true is in use. "
        "detail brief: names, and the labels of training days.",
        summary=summaries.plans,
    ),
    Tool(
        "get_training_plan",
        PlanArguments,
        PlanSerializer,
        training_plan,
        "Reads one weekly training plan, or the active one: seven days from 1 (Monday) to 7 (Sunday), with "
        "their exercises.",
        summary=summaries.plan,
        missing=no_such_plan,
    ),
    Tool(
        "get_body_metrics",
        BodyMetricsArguments,
        BodyMetricsSerializer,
        body_metrics,
        "Lists weight logs (kg, body fat in percent) and tape measurements (cm), each newest first. limit "
        "counts for each of the two lists.",
        summary=summaries.body_metrics,
    ),
    Tool(
        "get_nutrition",
        DayWindowPageQuery,
        NutritionPageSerializer,
        rest(NutritionViewSet, "list"),
        "Lists daily nutrition totals (kcal, grams), newest day first. Days without a record are left out.",
        summary=summaries.nutrition,
    ),
    Tool(
        "get_training_stats",
        TrainingStatsQuery,
        TrainingStatsSerializer,
        rest(TrainingStatsViewSet, "totals"),
        "Sums up training in a window, by default the last 90 days: sessions, completed sets, volume in kg "
        "(warm-ups left out), seconds trained, the same by muscle group, and the current streak of days.",
        summary=summaries.training_stats,
    ),
    Tool(
        "get_personal_records",
        RecordsArguments,
        RecordsSerializer,
        personal_records,
        "Lists the heaviest completed set of each exercise across all history, newest record first, with "
        "its estimated one-rep maximum in kg. Warm-ups do not count.",
        summary=summaries.personal_records,
    ),
    Tool(
        "list_supplements",
        PageQuery,
        SupplementPageSerializer,
        rest(SupplementViewSet, "list"),
        "Lists the schedule of daily supplements, by time of day, with dosage and id for "
        "log_supplement_taken; ticks cannot be read by tools. The user edits the schedule in the app.",
        summary=summaries.supplements,
    ),
    Tool(
        "get_current_goal",
        NoArguments,
        GoalSerializer,
        rest(GoalViewSet, "current"),
        "Reads the user's newest body goal: target weight in kg, target body fat in percent, deadline. Fails "
        "when no goal is set.",
        summary=summaries.current_goal,
        missing=no_goal,
    ),
]

WRITE_TOOLS = [
    Tool(
        "log_workout",
        WorkoutToLog,
        WorkoutSerializer,
        rest(WorkoutViewSet, "create"),
        "Saves a training session that was done, at once. Tools cannot change what is saved: calling again, "
        "with an id or without, saves another; corrections are made in the app. Take every exercise_id "
        "from search_exercises. Loads in kg, duration in seconds; mark warm-ups with type warmup.",
        summary=summaries.logged_workout,
        earlier=earlier.training,
        writes=True,
    ),
    Tool(
        "create_routine",
        RoutineSerializer,
        RoutineSerializer,
        rest(RoutineViewSet, "create"),
        "Saves a template of a single training day: what to do, with target sets, reps and load in kg. "
        "Take every exercise_id from search_exercises. For a whole week use create_training_plan.",
        summary=summaries.saved_routine,
        writes=True,
    ),
    Tool(
        "create_training_plan",
        PlanSerializer,
        PlanSerializer,
        rest(PlanViewSet, "create"),
        "Saves a weekly plan of exactly seven days, weekdays 1 (Monday) to 7 (Sunday) once each. Days off "
        "have rest true and no exercises. Take every exercise_id from search_exercises. active true "
        "retires the plan that was active; it is kept.",
        summary=summaries.saved_plan,
        earlier=earlier.active_plan,
        writes=True,
    ),
    Tool(
        "log_weight",
        WeightLogSerializer,
        WeightLogSerializer,
        rest(WeightViewSet, "create"),
        "Saves a body weight in kg, and body fat in percent where it is known. Calling it again saves "
        "another log and changes none.",
        summary=summaries.logged_weight,
        earlier=earlier.weight,
        writes=True,
    ),
    Tool(
        "log_measurements",
        MeasurementSerializer,
        MeasurementSerializer,
        rest(MeasurementViewSet, "create"),
        "Saves tape measurements in cm; at least one site must be given. Calling it again saves another log "
        "and changes none.",
        summary=summaries.logged_measurements,
        earlier=earlier.measurement,
        writes=True,
    ),
    Tool(
        "log_nutrition",
        NutritionArguments,
        NutritionDaySerializer,
        rest(NutritionViewSet, "update", "day"),
        "Sets what was eaten on one day in total, all four numbers. It replaces the day's totals and adds "
        "nothing to them: for one more meal, read the day with get_nutrition and send the sums.",
        summary=summaries.logged_nutrition,
        earlier=earlier.nutrition_day,
        writes=True,
        idempotent=True,
        destructive=True,
    ),
    Tool(
        "log_supplement_taken",
        SupplementArguments,
        SupplementLogSerializer,
        rest(SupplementLogViewSet, "create", "supplement_id"),
        "Ticks a supplement as taken on a day, today by default. Take supplement_id from list_supplements. "
        "Ticking the same day again is harmless and answers the first tick.",
        summary=summaries.ticked_supplement,
        earlier=earlier.supplement,
        missing=none_such("supplement_id", "list_supplements"),
        writes=True,
        idempotent=True,
    ),
    Tool(
        "set_goal",
        GoalSerializer,
        GoalSerializer,
        rest(GoalViewSet, "create"),
        "Replaces the whole current goal: what is left out is not set then, so send everything that is to "
        "hold. The goal before is kept as history. start_weight_kg is the latest weight log when left out.",
        summary=summaries.set_goal,
        earlier=earlier.goal,
        writes=True,
    ),
]

TOOLS = {tool.name: tool for tool in READ_TOOLS + WRITE_TOOLS}


@cache
def definitions():
    """The array of tools/list as JSON; it is the same for every key, so it is made once."""
    return Fragment(dumps([tool.definition for tool in TOOLS.values()]))
