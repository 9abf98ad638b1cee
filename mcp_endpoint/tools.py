"""The 22 tools: one table, in the order of the specification's two.

The arguments are validated by serializers of REST, and its handlers answer.
"""

from functools import cache

from accounts.serializers import ProfileSerializer
from accounts.views import ProfileViewSet
from body.serializers import GoalSerializer, MeasurementSerializer, WeightLogSerializer
from body.views import GoalViewSet, MeasurementViewSet, WeightViewSet
from fitness.api.errors import shortened
from fitness.api.renderers import Fragment, dumps
from fitness.api.serializers import DayWindowPageQuery, PageQuery
from mcp_endpoint.serializers import (
    BodyMetricsArguments,
    BodyMetricsSerializer,
    HistoryArguments,
    NoArguments,
    NutritionArguments,
    PlanArguments,
    RecordsArguments,
    RecordsSerializer,
    SearchArguments,
    SupplementArguments,
    WorkoutArguments,
)
from mcp_endpoint.tool import Tool
from nutrition.serializers import NutritionDaySerializer, NutritionPageSerializer
from nutrition.views import NutritionViewSet
from supplements.serializers import SupplementLogSerializer, SupplementPageSerializer
from supplements.views import SupplementLogViewSet, SupplementViewSet
from training.models import Exercise
from training.serializers.exercise import ExercisePageSerializer, HistorySerializer
from training.serializers.plan import PlanPageSerializer, PlanSerializer
from training.serializers.references import unknown_exercise
from training.serializers.routine import RoutinePageSerializer, RoutineSerializer
from training.serializers.stats import TrainingStatsQuery, TrainingStatsSerializer
from training.serializers.workout import WorkoutPageSerializer, WorkoutQuery, WorkoutSerializer
from training.views.exercise import ExerciseViewSet, HistoryViewSet
from training.views.plan import PlanViewSet
from training.views.routine import RoutineViewSet
from training.views.stats import TrainingStatsViewSet
from training.views.workout import WorkoutViewSet


def rest(view, action, *path):
    """The function of a tool that does what a REST operation does.

    `path` names the arguments that REST has in the path, where they are text.
    """

    def run(account, values):
        named = {name: str(values.pop(name)) for name in path}
        return view.answer(action, account, values, **named)

    return run


def exercise_history(account, values):
    exercise_id = values.pop("exercise_id")
    return HistoryViewSet.answer("list", account, {**values, "until": None}, exercise_id=exercise_id)


def body_metrics(account, values):
    query = {**values, "until": None, "cursor": None}
    weight = WeightViewSet.answer("list", account, query)
    measurements = MeasurementViewSet.answer("list", account, query)
    return {"weight": weight["weight"], "measurements": measurements["measurements"]}


def personal_records(account, values):
    page = TrainingStatsViewSet.answer("records", account, {**values, "cursor": None})
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
        summary="The user's profile.",
    ),
    Tool(
        "list_workouts",
        WorkoutQuery,
        WorkoutPageSerializer,
        rest(WorkoutViewSet, "list"),
        "Lists training sessions, newest first, with all exercises and sets (kg). Use it to see what was "
        "done in a period, by since and until. For totals use get_training_stats, for one exercise "
        "get_exercise_history: both answer much less.",
    ),
    Tool(
        "get_workout",
        WorkoutArguments,
        WorkoutSerializer,
        rest(WorkoutViewSet, "retrieve", "workout_id"),
        "Reads one training session with its exercises and sets.",
        summary="The workout.",
        missing=none_such("workout_id", "list_workouts"),
    ),
    Tool(
        "get_exercise_history",
        HistoryArguments,
        HistorySerializer,
        exercise_history,
        "Lists the user's sessions with one exercise, newest first: the sets, and the best set with its "
        "estimated one-rep maximum in kg. Use it to judge progress or to choose the next load.",
        missing=no_such_exercise,
    ),
    Tool(
        "search_exercises",
        SearchArguments,
        ExercisePageSerializer,
        rest(ExerciseViewSet, "list"),
        "Searches the exercise catalogue, best matches first; the only source of exercise_id. Call it "
        "before log_workout, create_routine, create_training_plan and get_exercise_history. A small limit "
        "keeps the answer short.",
        if_empty=no_exercise_found,
    ),
    Tool(
        "list_routines",
        PageQuery,
        RoutinePageSerializer,
        rest(RoutineViewSet, "list"),
        "Lists saved templates of single training days, newest first, with target sets, reps and load in kg.",
    ),
    Tool(
        "list_training_plans",
        PageQuery,
        PlanPageSerializer,
        rest(PlanViewSet, "list"),
        "Lists weekly training plans, newest first, with all their days. The one with active true is in use.",
    ),
    Tool(
        "get_training_plan",
        PlanArguments,
        PlanSerializer,
        rest(PlanViewSet, "retrieve", "plan_id"),
        "Reads one weekly training plan: seven days from 1 (Monday) to 7 (Sunday), with their exercises.",
        summary='The training plan "{name}", {days_per_week} days a week.',
        missing=none_such("plan_id", "list_training_plans"),
    ),
    Tool(
        "get_body_metrics",
        BodyMetricsArguments,
        BodyMetricsSerializer,
        body_metrics,
        "Lists weight logs (kg, body fat in percent) and tape measurements (cm), each newest first. limit "
        "counts for each of the two lists.",
    ),
    Tool(
        "get_nutrition",
        DayWindowPageQuery,
        NutritionPageSerializer,
        rest(NutritionViewSet, "list"),
        "Lists daily nutrition totals (kcal, grams), newest day first. Days without a record are left out.",
    ),
    Tool(
        "get_training_stats",
        TrainingStatsQuery,
        TrainingStatsSerializer,
        rest(TrainingStatsViewSet, "totals"),
        "Sums up training in a window, by default the last 90 days: sessions, completed sets, volume in kg "
        "(warm-ups left out), seconds trained, the same by muscle group, and the current streak of days.",
        summary="{sessions} sessions and {volume_kg} kg from {since} to {until}.",
    ),
    Tool(
        "get_personal_records",
        RecordsArguments,
        RecordsSerializer,
        personal_records,
        "Lists the heaviest completed set of each exercise across all history, newest record first, with "
        "its estimated one-rep maximum in kg. Warm-ups do not count.",
    ),
    Tool(
        "list_supplements",
        PageQuery,
        SupplementPageSerializer,
        rest(SupplementViewSet, "list"),
        "Lists the supplements that the user takes daily, by time of day, with dosage and id for "
        "log_supplement_taken. The user edits the schedule in the app.",
    ),
    Tool(
        "get_current_goal",
        NoArguments,
        GoalSerializer,
        rest(GoalViewSet, "current"),
        "Reads the user's newest body goal: target weight in kg, target body fat in percent, deadline. Fails "
        "when no goal is set.",
        summary="The current goal.",
        missing=no_goal,
    ),
]

WRITE_TOOLS = [
    Tool(
        "log_workout",
        WorkoutSerializer,
        WorkoutSerializer,
        rest(WorkoutViewSet, "create"),
        "Saves a training session that was done, at once; calling it again saves another. Take every "
        "exercise_id from search_exercises. Loads in kg, duration in seconds; mark warm-ups with type "
        "warmup. The answer has the computed volume.",
        summary="The workout is saved.",
        writes=True,
    ),
    Tool(
        "create_routine",
        RoutineSerializer,
        RoutineSerializer,
        rest(RoutineViewSet, "create"),
        "Saves a template of a single training day: what to do, with target sets, reps and load in kg. "
        "Take every exercise_id from search_exercises. For a whole week use create_training_plan.",
        summary='The routine "{name}" is saved.',
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
        summary='The training plan "{name}" is saved, {days_per_week} days a week.',
        writes=True,
    ),
    Tool(
        "log_weight",
        WeightLogSerializer,
        WeightLogSerializer,
        rest(WeightViewSet, "create"),
        "Saves a body weight in kg, and body fat in percent where it is known. Calling it again saves "
        "another log.",
        summary="{weight_kg} kg saved for {logged_at}.",
        writes=True,
    ),
    Tool(
        "log_measurements",
        MeasurementSerializer,
        MeasurementSerializer,
        rest(MeasurementViewSet, "create"),
        "Saves tape measurements in cm; at least one site must be given. Calling it again saves another.",
        summary="The measurements are saved for {logged_at}.",
        writes=True,
    ),
    Tool(
        "log_nutrition",
        NutritionArguments,
        NutritionDaySerializer,
        rest(NutritionViewSet, "update", "day"),
        "Sets what was eaten on one day in total, all four numbers. It replaces the day's totals and adds "
        "nothing to them: for one more meal, read the day with get_nutrition and send the sums.",
        summary="{day} now has {calories} kcal.",
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
        summary="Taken on {day}.",
        missing=none_such("supplement_id", "list_supplements"),
        writes=True,
        idempotent=True,
    ),
    Tool(
        "set_goal",
        GoalSerializer,
        GoalSerializer,
        rest(GoalViewSet, "create"),
        "Sets a body goal, which becomes the current one; earlier goals are kept. Everything is optional; "
        "start_weight_kg is the latest weight log when left out.",
        summary="The goal is set.",
        writes=True,
    ),
]

TOOLS = {tool.name: tool for tool in READ_TOOLS + WRITE_TOOLS}


@cache
def definitions():
    """The array of tools/list as JSON; it is the same for every key, so it is made once."""
    return Fragment(dumps([tool.definition for tool in TOOLS.values()]))
