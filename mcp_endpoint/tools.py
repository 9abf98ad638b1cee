"""The 22 tools: one table, first those that read, then those that write.

Their arguments are validated by the serializers of REST, and its handlers are called for them.
"""

from django.urls import reverse

from accounts.api.views import ProfileViewSet
from accounts.models import Account
from body.api.views import GoalViewSet, MeasurementViewSet, WeightViewSet
from fitness.api.errors import shortened
from fitness.api.fields import DayField
from fitness.api.serializers import REMOVED, PageQuery, Values, WindowPageQuery
from fitness.api.viewsets import parse_uuid
from fitness.json import JsonObject
from mcp_endpoint import brief, lines, notices
from mcp_endpoint.instructions import clock
from mcp_endpoint.serializers import (
    BodyMetricsArguments,
    BodyMetricsSerializer,
    HistoryListSerializer,
    Of,
    PlanArguments,
    SearchArguments,
    SupplementArguments,
    WorkoutListSerializer,
    WorkoutToLog,
    extended,
    items_or_lines,
)
from mcp_endpoint.tool import Tool, page_of, page_of_day, rest
from nutrition.api.serializers import NutritionDaySerializer, NutritionPageSerializer
from nutrition.api.views import NutritionViewSet
from supplements.api.views import SupplementLogViewSet, SupplementViewSet
from training.api.serializers.references import unknown_exercise
from training.api.serializers.stats import PersonalRecordSerializer, RecordPageSerializer
from training.api.views.exercise import ExerciseViewSet, HistoryViewSet
from training.api.views.plan import PlanViewSet
from training.api.views.routine import RoutineViewSet
from training.api.views.stats import TrainingStatsViewSet
from training.api.views.workout import WorkoutViewSet
from training.models import Exercise
from training.web.names import meant_in_any_language

MAX_TRANSLATED = 5  # exercises of a name in another language


def training_plan(account: Account, values: Values) -> JsonObject:
    plan = account.plans.get(pk=parse_uuid(values["plan_id"]))
    plan.account = account
    return {**plan.document, "notices": notices.of_targets(account, plan)}


def body_metrics(account: Account, values: Values) -> JsonObject:
    lists = {"weight": rest(WeightViewSet, "list"), "measurements": rest(MeasurementViewSet, "list")}
    asked = lists if values["of"] == Of.BOTH else [values["of"]]
    return {name: lists[name](account, values)[name] for name in asked}


def exercises(account: Account, values: Values) -> JsonObject:
    """The exercises of a name; where no English one has it, those that it names in another language."""
    search = rest(ExerciseViewSet, "list")
    page: JsonObject = search(account, values)
    if page["exercises"] or values["cursor"] is not None:
        return page
    names = meant_in_any_language(values["q"])[: min(MAX_TRANSLATED, values["limit"])]
    firsts = [search(account, {**values, "q": name, "limit": 1})["exercises"] for name in names]
    found = [exercise for one in firsts for exercise in one]
    if not found:
        return {**page, "notices": [nearest_exercises(account, values)]}
    meant = ", ".join(each["name"] for each in found)
    notice = f"No English name is {shortened(values['q'])!r}; in another language it is {meant}."
    return {**page, "exercises": found, "notices": [notice]}


def nearest_exercises(account: Account, values: Values) -> str:
    filters = [values[name] for name in ("muscle_group", "equipment") if values[name]]
    among = f" among {' and '.join(filters)}" if filters else ""
    if not values["q"].strip():
        return f"No exercise is listed{among}; take a filter away."
    nearest = Exercise.objects.seen_by(account).nearest(values["q"])
    near = ", ".join(f"{exercise.name} ({exercise.id})" for exercise in nearest)
    return f"No exercise{among} is called {shortened(values['q'])!r}. Nearest: {near}."


RECORDS = rest(TrainingStatsViewSet, "records")
NO_SUCH_PLAN = "names no plan, or is `active` while none is; take an id from list_training_plans."

READ_TOOLS = [
    Tool(
        name="get_profile",
        description="Reads who the user is: name, email, height in cm, birth date, gender and training goal "
        "(cut, recomp, bulk or maintain), and the date where the user is. What is not filled in is null; "
        "the user edits the profile in the app.",
        operation=rest(ProfileViewSet, "retrieve"),
        after=lambda account, values, profile: clock(account),
        line=lines.profile,
    ),
    Tool(
        name="list_workouts",
        description="Lists training sessions, newest first, with all exercises and sets (kg): about 700 "
        "tokens each, so limit 5 is usually enough, or detail brief: id, title, started_at, volume_kg, and "
        "a line an exercise, `barbell-bench-press: 60×8 w, 100×5, 95×6 not done` (kg × reps, w is a "
        "warm-up), with the names beside. For totals use get_training_stats, for one exercise "
        "get_exercise_history.",
        result=WorkoutListSerializer,
        operation=rest(WorkoutViewSet, "list"),
        shorten=brief.workouts,
    ),
    Tool(
        name="get_workout",
        description="Reads one training session with its exercises and sets.",
        operation=rest(WorkoutViewSet, "retrieve", "workout_id"),
        line=lines.workout,
    ),
    Tool(
        name="get_exercise_history",
        description="Lists the user's sessions with one exercise, newest first: the sets, and the best set "
        "with its estimated one-rep maximum in kg. Use it to judge progress or to choose the next load. "
        "detail brief has the sets as text, as in list_workouts.",
        arguments=extended(WindowPageQuery, until=REMOVED),
        result=HistoryListSerializer,
        operation=rest(HistoryViewSet, "list", "exercise_id"),
        after=notices.of_history,
        shorten=brief.sessions,
        line=lines.history,
        missing=lambda account, given: unknown_exercise(
            given["exercise_id"], Exercise.objects.seen_by(account).names()
        ),
    ),
    Tool(
        name="search_exercises",
        description="Searches the exercise catalogue, best matches first; the only source of exercise_id. "
        "Call it before log_workout, create_routine, create_training_plan and get_exercise_history. detail "
        "brief (id, name, muscle_group, equipment) is a quarter as long. Ids never expire; where two "
        "exercises were merged, results have the id of the one that is kept.",
        arguments=SearchArguments,
        operation=rest(ExerciseViewSet, "list"),
        run=exercises,
        shorten=brief.exercises,
    ),
    Tool(
        name="list_routines",
        description="Lists saved templates of single training days, newest first, with target sets, reps "
        "and load in kg. detail brief: no more than these and the names.",
        operation=rest(RoutineViewSet, "list"),
        shorten=brief.routines,
    ),
    Tool(
        name="list_training_plans",
        description="Lists weekly training plans, newest first, with all their days. The one with active "
        "true is in use. detail brief: names, and the labels of training days.",
        operation=rest(PlanViewSet, "list"),
        shorten=brief.plans,
    ),
    Tool(
        name="get_training_plan",
        description="Reads one weekly training plan, or the active one: seven days from 1 (Monday) to 7 "
        "(Sunday), with their exercises. detail brief: of its history the newest five entries.",
        arguments=PlanArguments,
        operation=rest(PlanViewSet, "retrieve", "plan_id"),
        run=training_plan,
        shorten=brief.plan,
        line=lines.plan,
        missing=NO_SUCH_PLAN,
    ),
    Tool(
        name="get_body_metrics",
        description="Lists weight logs (kg, body fat in percent) and tape measurements (cm), each newest "
        "first. limit counts for each of the two lists. detail brief: a line a log, without ids and notes.",
        arguments=BodyMetricsArguments,
        result=BodyMetricsSerializer,
        operation=rest(WeightViewSet, "list"),
        run=body_metrics,
        shorten=brief.body_metrics,
    ),
    Tool(
        name="get_nutrition",
        description="Lists daily nutrition totals (kcal, grams), newest day first, without days that have "
        "no record. detail brief: a line a day.",
        result=extended(NutritionPageSerializer, nutrition=items_or_lines(NutritionDaySerializer())),
        operation=rest(NutritionViewSet, "list"),
        shorten=brief.nutrition,
    ),
    Tool(
        name="get_training_stats",
        description="Sums up training in a window, by default the last 90 days: sessions, completed sets, "
        "volume in kg (warm-ups left out), seconds trained, the same by muscle group, and the current "
        "streak of days; for over two weeks, notices have working sets by muscle group of each week with a "
        "session.",
        operation=rest(TrainingStatsViewSet, "totals"),
        after=notices.of_weeks,
        line=lines.training_stats,
    ),
    Tool(
        name="get_personal_records",
        description="Lists the heaviest completed set of each exercise across all history, newest record "
        "first, with its estimated one-rep maximum in kg. Warm-ups do not count. detail brief: a line each.",
        arguments=extended(PageQuery, cursor=REMOVED),
        result=extended(
            RecordPageSerializer, records=items_or_lines(PersonalRecordSerializer()), next_cursor=REMOVED
        ),
        operation=RECORDS,
        run=lambda account, values: {"records": RECORDS(account, values)["records"]},
        after=notices.of_records,
        shorten=brief.records,
    ),
    Tool(
        name="list_supplements",
        description="Lists the schedule of daily supplements, by time of day, with dosage and id for "
        "log_supplement_taken; notices have the ticks of the last seven days. The user edits the schedule "
        "in the app.",
        operation=rest(SupplementViewSet, "list"),
        after=notices.of_ticks,
    ),
    Tool(
        name="get_current_goal",
        description="Reads the user's newest body goal: target weight in kg, target body fat in percent, "
        "deadline. Fails when no goal is set.",
        operation=rest(GoalViewSet, "current"),
        line=lines.goal,
        missing="no goal is set; set_goal sets one, when the user wants it.",
    ),
]

WRITE_TOOLS = [
    Tool(
        name="log_workout",
        description="Saves a training session that was done, at once. Calling it again, with an id or "
        "without, saves another and changes none. Take every exercise_id from search_exercises. Loads in "
        "kg, duration in seconds; mark warm-ups with type warmup. A time held or a distance covered is no "
        "set, but a line of the exercise's notes: `90 s`, `Set 2: 1800 s, 5.2 km`. The weight of an "
        "assisted exercise is help: less is better.",
        arguments=WorkoutToLog,
        operation=rest(WorkoutViewSet, "create"),
        after=notices.of_next_time,
        line=lines.workout,
        before=notices.of_workout,
        page=page_of("workout"),
    ),
    Tool(
        name="create_routine",
        description="Saves a template of a single training day: what to do, with target sets, reps and load "
        "in kg. Take every exercise_id from search_exercises. For a whole week use create_training_plan.",
        operation=rest(RoutineViewSet, "create"),
        line=lines.routine,
        page=page_of("routine"),
    ),
    Tool(
        name="create_training_plan",
        description="Saves a weekly plan of exactly seven days, weekdays 1 (Monday) to 7 (Sunday) once "
        "each. Days off have rest true and no exercises. Take every exercise_id from search_exercises. "
        "active true retires the plan that was active; it is kept.",
        operation=rest(PlanViewSet, "create"),
        line=lines.plan,
        page=page_of("plan"),
    ),
    Tool(
        name="log_weight",
        description="Saves a body weight in kg, and body fat in percent where it is known. Calling it again "
        "saves another log and changes none.",
        operation=rest(WeightViewSet, "create"),
        line=lines.weight,
        before=notices.of_weight,
        page=page_of("edit-weight"),
    ),
    Tool(
        name="log_measurements",
        description="Saves tape measurements in cm; at least one site must be given. Calling it again saves "
        "another log and changes none.",
        operation=rest(MeasurementViewSet, "create"),
        line=lines.measurements,
        before=notices.of_measurements,
        page=page_of("edit-measurement"),
    ),
    Tool(
        name="log_nutrition",
        description="Sets what was eaten on one day in total, all four numbers. It replaces the day's "
        "totals and adds nothing to them: for one more meal, read the day with get_nutrition and send the "
        "sums.",
        arguments=extended(
            NutritionDaySerializer, day=DayField(help_text="The day whose totals these are, YYYY-MM-DD.")
        ),
        operation=rest(NutritionViewSet, "update", "day"),
        line=lines.nutrition,
        before=notices.of_nutrition,
        page=page_of_day("nutrition-day"),
        idempotent=True,
        destructive=True,
    ),
    Tool(
        name="log_supplement_taken",
        description="Ticks a supplement as taken on a day, by default the UTC day of taken_at, or of now. "
        "Take supplement_id from list_supplements. Ticking a day again is harmless and answers the first "
        "tick.",
        arguments=SupplementArguments,
        operation=rest(SupplementLogViewSet, "create", "supplement_id"),
        line=lines.tick,
        before=notices.of_tick,
        page=page_of_day("supplements-day"),
        idempotent=True,
    ),
    Tool(
        name="set_goal",
        description="Replaces the whole current goal: what is left out is not set then, so send everything "
        "that is to hold. The goal before is kept as history. start_weight_kg is the latest weight log when "
        "left out.",
        operation=rest(GoalViewSet, "create"),
        line=lines.goal,
        before=notices.of_goal,
        page=lambda goal: reverse("goals"),
    ),
]

TOOLS = {tool.name: tool for tool in READ_TOOLS + WRITE_TOOLS}
