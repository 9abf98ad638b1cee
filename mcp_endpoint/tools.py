"""The 22 tools: one table, first those that read, then those that write.

Their arguments are validated by the serializers of REST, and its handlers are called for them.
"""

from django.urls import reverse

from accounts.api.serializers import ProfileSerializer
from accounts.api.views import ProfileViewSet
from accounts.models import Account
from body.api.serializers import GoalSerializer, MeasurementSerializer, WeightLogSerializer
from body.api.views import GoalViewSet, MeasurementViewSet, WeightViewSet
from fitness.api.errors import shortened
from fitness.api.serializers import PageQuery, Values
from fitness.api.viewsets import parse_uuid
from fitness.json import JsonObject, without_fragments
from mcp_endpoint import brief, lines, notices
from mcp_endpoint.instructions import clock, unit
from mcp_endpoint.serializers import (
    ACTIVE,
    BodyMetricsArguments,
    BodyMetricsSerializer,
    DetailPageQuery,
    HistoryArguments,
    HistoryListSerializer,
    NoArguments,
    NutritionArguments,
    NutritionListArguments,
    NutritionListSerializer,
    Of,
    PlanDetailArguments,
    RecordsArguments,
    RecordsSerializer,
    SearchArguments,
    SupplementArguments,
    WorkoutListArguments,
    WorkoutListSerializer,
    WorkoutToLog,
    with_id,
)
from mcp_endpoint.tool import Arguments, Found, Tool, page_of, page_of_day, rest, unknown_id
from nutrition.api.serializers import NutritionDaySerializer
from nutrition.api.views import NutritionViewSet
from supplements.api.serializers import SupplementLogSerializer, SupplementPageSerializer
from supplements.api.views import SupplementLogViewSet, SupplementViewSet
from training.api.serializers.exercise import ExercisePageSerializer
from training.api.serializers.plan import PlanPageSerializer, PlanSerializer
from training.api.serializers.references import unknown_exercise
from training.api.serializers.routine import RoutinePageSerializer, RoutineSerializer
from training.api.serializers.stats import TrainingStatsQuery, TrainingStatsSerializer
from training.api.serializers.workout import WorkoutSerializer
from training.api.views.exercise import ExerciseViewSet, HistoryViewSet
from training.api.views.plan import PlanViewSet
from training.api.views.routine import RoutineViewSet
from training.api.views.stats import TrainingStatsViewSet
from training.api.views.workout import WorkoutViewSet
from training.models import Exercise, Plan
from training.web.names import meant_in_any_language

MAX_TRANSLATED = 5  # exercises of a name in another language


def profile(account: Account, values: Values) -> Found:
    found = ProfileViewSet.perform("retrieve", account, values)
    return Found(found, [*clock(account), unit(account)])


def plan_of(account: Account, plan_id: str) -> Plan:
    """The plan with an id, or the active one. Raises DoesNotExist or NotFound."""
    is_active = plan_id == ACTIVE
    plan = account.plans.active().get() if is_active else account.plans.get(pk=parse_uuid(plan_id))
    plan.account = account
    return plan


def training_plan(account: Account, values: Values) -> Found:
    plan = plan_of(account, values["plan_id"])
    return Found(plan.document, notices.of_targets(account, plan))


def workout_to_log(account: Account, values: Values) -> Found:
    workout = WorkoutViewSet.perform("create", account, values)
    return Found(workout, notices.of_next_time(account, values, without_fragments(workout)["id"]))


def body_metrics(account: Account, values: Values) -> JsonObject:
    query = {**values, "until": None, "cursor": None}
    lists = {"weight": WeightViewSet, "measurements": MeasurementViewSet}
    asked = lists if values["of"] == Of.BOTH else [values["of"]]
    return {name: lists[name].perform("list", account, query)[name] for name in asked}


def exercise_history(account: Account, values: Values) -> Found:
    page = HistoryViewSet.perform(
        "list", account, {**values, "until": None}, exercise_id=values["exercise_id"]
    )
    return Found(page, notices.of_history(account, page))


def training_stats(account: Account, values: Values) -> Found:
    totals = TrainingStatsViewSet.perform("totals", account, values)
    return Found(totals, notices.of_weeks(account, values))


def personal_records(account: Account, values: Values) -> Found:
    page = TrainingStatsViewSet.perform("records", account, {**values, "cursor": None})
    records = page["records"]
    return Found({"records": records}, notices.of_records(account, records))


def supplements(account: Account, values: Values) -> Found:
    page = SupplementViewSet.perform("list", account, values)
    return Found(page, notices.of_ticks(account, page["supplements"]))


def exercises(account: Account, values: Values) -> Found:
    """The exercises of a name; where no English one has it, those that it names in another language."""
    page = ExerciseViewSet.perform("list", account, values)
    if page["exercises"] or values["cursor"] is not None:
        return Found(page, [])
    names = meant_in_any_language(values["q"])[: min(MAX_TRANSLATED, values["limit"])]
    one_each = [
        ExerciseViewSet.perform("list", account, {**values, "q": name, "limit": 1})["exercises"]
        for name in names
    ]
    found = [exercise for one in one_each for exercise in one]
    if not found:
        return Found(page, [nearest_exercises(account, values)])
    meant = ", ".join(each["name"] for each in found)
    notice = f"No English name is {shortened(values['q'])!r}; in another language it is {meant}."
    return Found({**page, "exercises": found}, [notice])


def nearest_exercises(account: Account, values: Values) -> str:
    filters = [values[name] for name in ("muscle_group", "equipment") if values[name]]
    among = f" among {' and '.join(filters)}" if filters else ""
    if not values["q"].strip():
        return f"No exercise is listed{among}; take a filter away."
    nearest = Exercise.objects.seen_by(account).nearest(values["q"])
    near = ", ".join(f"{exercise.name} ({exercise.id})" for exercise in nearest)
    return f"No exercise{among} is called {shortened(values['q'])!r}. Nearest: {near}."


def no_such_exercise(account: Account, arguments: Arguments) -> tuple[str, str]:
    catalogue = Exercise.objects.seen_by(account).names()
    return "exercise_id", unknown_exercise(arguments["exercise_id"], catalogue)


def no_such_plan(account: Account, arguments: Arguments) -> tuple[str, str]:
    if arguments["plan_id"] == ACTIVE:
        return "plan_id", "no plan is active; list_training_plans has those there are."
    return unknown_id("plan_id")


def no_goal(account: Account, arguments: Arguments) -> tuple[str, str]:
    return "", "no goal is set; set_goal sets one, when the user wants it."


READ_TOOLS = [
    Tool(
        name="get_profile",
        description=(
            "Reads who the user is: name, email, height in cm, birth date, gender and training goal (cut, "
            "recomp, bulk or maintain), and the date where the user is. What is not filled in is null; the "
            "user edits the profile in the app."
        ),
        arguments=NoArguments,
        result=ProfileSerializer,
        operation=rest(ProfileViewSet, "retrieve"),
        run=profile,
        line=lines.profile,
    ),
    Tool(
        name="list_workouts",
        description=(
            "Lists training sessions, newest first, with all exercises and sets (kg): about 700 tokens each, "
            "so limit 5 is usually enough, or detail brief: id, title, started_at, volume_kg, and a line an "
            "exercise, `barbell-bench-press: 60×8 w, 100×5, 95×6 not done` (kg × reps, w is a warm-up), with "
            "the names beside. For totals use get_training_stats, for one exercise get_exercise_history."
        ),
        arguments=WorkoutListArguments,
        result=WorkoutListSerializer,
        operation=rest(WorkoutViewSet, "list"),
        shorten=brief.workouts,
    ),
    Tool(
        name="get_workout",
        description="Reads one training session with its exercises and sets.",
        arguments=with_id("workout_id"),
        result=WorkoutSerializer,
        operation=rest(WorkoutViewSet, "retrieve", "workout_id"),
        line=lines.workout,
    ),
    Tool(
        name="get_exercise_history",
        description=(
            "Lists the user's sessions with one exercise, newest first: the sets, and the best set with its "
            "estimated one-rep maximum in kg. Use it to judge progress or to choose the next load. detail "
            "brief has the sets as text, as in list_workouts."
        ),
        arguments=HistoryArguments,
        result=HistoryListSerializer,
        operation=rest(HistoryViewSet, "list", "exercise_id"),
        run=exercise_history,
        shorten=brief.sessions,
        line=lines.history,
        missing=no_such_exercise,
    ),
    Tool(
        name="search_exercises",
        description=(
            "Searches the exercise catalogue, best matches first; the only source of exercise_id. Call it "
            "before log_workout, create_routine, create_training_plan and get_exercise_history. detail brief "
            "(id, name, muscle_group, equipment) is a quarter as long. Ids never expire; where two "
            "exercises were merged, results have the id of the one that is kept."
        ),
        arguments=SearchArguments,
        result=ExercisePageSerializer,
        operation=rest(ExerciseViewSet, "list"),
        run=exercises,
        shorten=brief.exercises,
    ),
    Tool(
        name="list_routines",
        description=(
            "Lists saved templates of single training days, newest first, with target sets, reps and load in "
            "kg. detail brief: no more than these and the names."
        ),
        arguments=DetailPageQuery,
        result=RoutinePageSerializer,
        operation=rest(RoutineViewSet, "list"),
        shorten=brief.routines,
    ),
    Tool(
        name="list_training_plans",
        description=(
            "Lists weekly training plans, newest first, with all their days. The one with active true is in "
            "use. detail brief: names, and the labels of training days."
        ),
        arguments=DetailPageQuery,
        result=PlanPageSerializer,
        operation=rest(PlanViewSet, "list"),
        shorten=brief.plans,
    ),
    Tool(
        name="get_training_plan",
        description=(
            "Reads one weekly training plan, or the active one: seven days from 1 (Monday) to 7 (Sunday), "
            "with their exercises. detail brief: of its history the newest five entries."
        ),
        arguments=PlanDetailArguments,
        result=PlanSerializer,
        operation=rest(PlanViewSet, "retrieve", "plan_id"),
        run=training_plan,
        shorten=brief.plan,
        line=lines.plan,
        missing=no_such_plan,
    ),
    Tool(
        name="get_body_metrics",
        description=(
            "Lists weight logs (kg, body fat in percent) and tape measurements (cm), each newest first. "
            "limit counts for each of the two lists. detail brief: a line a log, without ids and notes."
        ),
        arguments=BodyMetricsArguments,
        result=BodyMetricsSerializer,
        operation=rest(WeightViewSet, "list"),
        run=body_metrics,
        shorten=brief.body_metrics,
    ),
    Tool(
        name="get_nutrition",
        description=(
            "Lists daily nutrition totals (kcal, grams), newest day first, without days that have no record. "
            "detail brief: a line a day."
        ),
        arguments=NutritionListArguments,
        result=NutritionListSerializer,
        operation=rest(NutritionViewSet, "list"),
        shorten=brief.nutrition,
    ),
    Tool(
        name="get_training_stats",
        description=(
            "Sums up training in a window, by default the last 90 days: sessions, completed sets, volume in "
            "kg (warm-ups left out), seconds trained, the same by muscle group, and the current streak of "
            "days; for over two weeks, notices have working sets by muscle group of each week with a session."
        ),
        arguments=TrainingStatsQuery,
        result=TrainingStatsSerializer,
        operation=rest(TrainingStatsViewSet, "totals"),
        run=training_stats,
        line=lines.training_stats,
    ),
    Tool(
        name="get_personal_records",
        description=(
            "Lists the heaviest completed set of each exercise across all history, newest record first, with "
            "its estimated one-rep maximum in kg. Warm-ups do not count. detail brief: a line each."
        ),
        arguments=RecordsArguments,
        result=RecordsSerializer,
        operation=rest(TrainingStatsViewSet, "records"),
        run=personal_records,
        shorten=brief.records,
    ),
    Tool(
        name="list_supplements",
        description=(
            "Lists the schedule of daily supplements, by time of day, with dosage and id for "
            "log_supplement_taken; notices have the ticks of the last seven days. The user edits the "
            "schedule in the app."
        ),
        arguments=PageQuery,
        result=SupplementPageSerializer,
        operation=rest(SupplementViewSet, "list"),
        run=supplements,
    ),
    Tool(
        name="get_current_goal",
        description=(
            "Reads the user's newest body goal: target weight in kg, target body fat in percent, deadline. "
            "Fails when no goal is set."
        ),
        arguments=NoArguments,
        result=GoalSerializer,
        operation=rest(GoalViewSet, "current"),
        line=lines.goal,
        missing=no_goal,
    ),
]

WRITE_TOOLS = [
    Tool(
        name="log_workout",
        description=(
            "Saves a training session that was done, at once. Tools cannot change what is saved: calling "
            "again, with an id or without, saves another; corrections are made in the app. Take every "
            "exercise_id from search_exercises. Loads in kg, duration in seconds; mark warm-ups with type "
            "warmup. A time held or a distance covered is no set, but a line of the exercise's notes: "
            "`90 s`, `Set 2: 1800 s, 5.2 km`. The weight of an assisted exercise is help: less is better."
        ),
        arguments=WorkoutToLog,
        result=WorkoutSerializer,
        operation=rest(WorkoutViewSet, "create"),
        run=workout_to_log,
        line=lines.workout,
        notices=notices.of_workout,
        page=page_of("workout"),
    ),
    Tool(
        name="create_routine",
        description=(
            "Saves a template of a single training day: what to do, with target sets, reps and load in kg. "
            "Take every exercise_id from search_exercises. For a whole week use create_training_plan."
        ),
        arguments=RoutineSerializer,
        result=RoutineSerializer,
        operation=rest(RoutineViewSet, "create"),
        line=lines.routine,
        page=page_of("routine"),
    ),
    Tool(
        name="create_training_plan",
        description=(
            "Saves a weekly plan of exactly seven days, weekdays 1 (Monday) to 7 (Sunday) once each. Days "
            "off have rest true and no exercises. Take every exercise_id from search_exercises. active true "
            "retires the plan that was active; it is kept."
        ),
        arguments=PlanSerializer,
        result=PlanSerializer,
        operation=rest(PlanViewSet, "create"),
        line=lines.plan,
        notices=notices.of_plan,
        page=page_of("plan"),
    ),
    Tool(
        name="log_weight",
        description=(
            "Saves a body weight in kg, and body fat in percent where it is known. Calling it again saves "
            "another log and changes none."
        ),
        arguments=WeightLogSerializer,
        result=WeightLogSerializer,
        operation=rest(WeightViewSet, "create"),
        line=lines.weight,
        notices=notices.of_weight,
        page=page_of("edit-weight"),
    ),
    Tool(
        name="log_measurements",
        description=(
            "Saves tape measurements in cm; at least one site must be given. Calling it again saves another "
            "log and changes none."
        ),
        arguments=MeasurementSerializer,
        result=MeasurementSerializer,
        operation=rest(MeasurementViewSet, "create"),
        line=lines.measurements,
        notices=notices.of_measurements,
        page=page_of("edit-measurement"),
    ),
    Tool(
        name="log_nutrition",
        description=(
            "Sets what was eaten on one day in total, all four numbers. It replaces the day's totals and "
            "adds nothing to them: for one more meal, read the day with get_nutrition and send the sums."
        ),
        arguments=NutritionArguments,
        result=NutritionDaySerializer,
        operation=rest(NutritionViewSet, "update", "day"),
        line=lines.nutrition,
        notices=notices.of_nutrition,
        page=page_of_day("nutrition-day"),
        idempotent=True,
        destructive=True,
    ),
    Tool(
        name="log_supplement_taken",
        description=(
            "Ticks a supplement as taken on a day, by default the UTC day of taken_at, or of now. Take "
            "supplement_id from list_supplements. Ticking a day again is harmless and answers the first tick."
        ),
        arguments=SupplementArguments,
        result=SupplementLogSerializer,
        operation=rest(SupplementLogViewSet, "create", "supplement_id"),
        line=lines.tick,
        notices=notices.of_tick,
        page=page_of_day("supplements-day"),
        idempotent=True,
    ),
    Tool(
        name="set_goal",
        description=(
            "Replaces the whole current goal: what is left out is not set then, so send everything that is "
            "to hold. The goal before is kept as history. start_weight_kg is the latest weight log when left "
            "out."
        ),
        arguments=GoalSerializer,
        result=GoalSerializer,
        operation=rest(GoalViewSet, "create"),
        line=lines.goal,
        notices=notices.of_goal,
        page=lambda goal: reverse("goals"),
    ),
]

TOOLS = {tool.name: tool for tool in READ_TOOLS + WRITE_TOOLS}
