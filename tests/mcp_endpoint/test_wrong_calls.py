"""Wrong calls that models make: the text of the error names the place and the correction."""

import copy
import json
import re

import pytest

from tests.conftest import a_set, a_workout
from tests.mcp_endpoint.conftest import paths
from tests.mcp_endpoint.test_tools import ARGUMENTS, BENCH, DAY, a_plan

LIFT = {"exercise_id": BENCH, "sets": 3, "reps": 8, "weight_kg": 60}
RIGHT = {
    **ARGUMENTS,
    "log_workout": a_workout(a_set(80, 8, type="working")),
    "create_routine": {"name": "Upper", "exercises": [LIFT]},
    "create_training_plan": a_plan(),
    "get_exercise_history": {"exercise_id": BENCH},
    "search_exercises": {"query": "press", "muscle_group": "Arms"},
    "list_workouts": {"limit": 100},
    "get_current_goal": {},
}
SETS = "exercises[0].sets"
REST_PATH = re.compile(r"\b(GET|POST|PUT|PATCH|DELETE)\b|/api/|/exercises|/plans|/workouts")

WRONG = [  # tool, place, what a model sends there, the text about it
    ("log_workout", "exercises[0].exercise_id", "Bench Press", f"{BENCH}, .*search_exercises"),
    ("create_routine", "exercises[0].exercise_id", "barbell_bench", f"{BENCH}, .*search_exercises"),
    ("get_exercise_history", "exercise_id", "Barbell bench press", f"{BENCH}, .*search_exercises"),
    ("log_workout", "plan_id", "my plan", "list_training_plans, or `active`.*May be left out"),
    (
        "log_workout",
        f"{SETS}[0].weight_kg",
        "80 kg",
        "without quotes or a unit. .number, 0 to 2000. Load in kg",
    ),
    ("log_workout", f"{SETS}[0].reps", "8", "whole number, without quotes"),
    ("create_routine", "exercises[0].reps", "8-10", "whole number.*integer, 0 to 10000"),
    ("log_workout", SETS, 3, "array of {weight_kg, reps, type., completed., rpe.}"),
    ("log_workout", "exercises", "Bench Press", "array of {exercise_id, sets, notes., superset_id.}"),
    ("log_workout", "exercises", json.dumps(LIFT), "array of {exercise_id, sets, notes., superset_id.}"),
    (
        "log_workout",
        "exercises",
        json.dumps([LIFT])[:-1],
        "array of {exercise_id, sets, notes., superset_id.}",
    ),
    ("log_workout", "exercises", '[{"exercise_id": "a", "exercise_id": "b"}]', "array of {exercise_id, sets"),
    ("create_routine", "exercises[0]", BENCH, "{exercise_id, sets, reps, weight_kg, note.}"),
    ("log_workout", "started_at", "2026-03-02", "such as 2026-03-01T18:30:00Z"),
    ("log_weight", "logged_at", "2026-03-02T06:45:00", "with an offset, such as 2026-03-01T18:30:00Z"),
    ("log_nutrition", "day", "2026-03-02T12:00:00Z", "YYYY-MM-DD"),
    ("log_workout", "duration_seconds", "1 hour", "integer, 0 to 604800. Length in seconds"),
    ("log_weight", "weight_kg", None, "may not be null. .number. Body weight in kg"),
    ("log_workout", f"{SETS}[0].type", "dropset", "not one of: warmup, working"),
    ("search_exercises", "muscle_group", "biceps", "Chest, Back, Legs, Shoulders, Arms, Core, Full body"),
    ("list_workouts", "limit", 500, "integer, 1 to 100"),
    ("create_training_plan", "days", a_plan()["days"][:6], "fewer than seven days.* rest true"),
    ("create_training_plan", "days[6].exercises", [LIFT], "leave them out, or set rest to false"),
    ("create_training_plan", "days[6].weekday", 1, "more than once.*7 .Sunday"),
    ("create_training_plan", "days[0].weekday", "Monday", "integer, 1 to 7. 1 is Monday, 7 is Sunday"),
]

POUNDS = [  # tool, place, the argument in pounds, the number, the text about it
    ("log_weight", "", "weight_lb", 180, "180 lb is 81.65 kg: weight_kg 81.65."),
    ("log_weight", "", "body_weight_lb", 180.5, "180.5 lb is 81.87 kg: weight_kg 81.87."),
    ("set_goal", "", "target_weight_lb", 165, "165 lb is 74.84 kg: target_weight_kg 74.84."),
    ("set_goal", "", "start_weight_lb", 1000000, "1000000 lb is 453592.37 kg: start_weight_kg 453592.37."),
    ("log_workout", f"{SETS}[0]", "weight_lb", 225, "225 lb is 102.06 kg: weight_kg 102.06."),
    ("log_workout", f"{SETS}[0]", "weight_lbs", 225, "225 lb is 102.06 kg: weight_kg 102.06."),
    ("log_measurements", "", "waist_in", 33, "33 in is 83.82 cm: waist_cm 83.82."),
    ("create_routine", "exercises[0]", "load_lb", 45, "45 lb is 20.41 kg: weight_kg 20.41."),
]


@pytest.mark.parametrize(("tool", "place", "name", "pounds", "words"), POUNDS)
def test_pounds_are_answered_with_the_sum(tools, tool, place, name, pounds, words):
    path = f"{place}.{name}".removeprefix(".")
    sentence, error = tools.refused(tool, put(RIGHT[tool], path, pounds))
    assert paths(error) == {f"arguments.{path}"}
    assert f"arguments.{path}: unknown " in sentence
    assert words in sentence
    assert "did you mean" not in sentence


BESIDE = [  # tool, arguments with a unit of their own, the text about them
    ("log_weight", {"weight": 180, "unit": "lb"}, "180 lb is 81.65 kg: weight_kg 81.65."),
    ("log_weight", {"weight_kg": 180, "unit": "lbs"}, "180 lb is 81.65 kg: weight_kg 81.65."),
    ("log_measurements", {"waist": 33, "unit": "inches"}, "33 in is 83.82 cm: waist_cm 83.82."),
]


@pytest.mark.parametrize(("tool", "arguments", "words"), BESIDE)
def test_a_unit_beside_is_answered_with_the_sum(tools, tool, arguments, words):
    assert words in tools.refused(tool, arguments)[0]


NO_WEIGHTS = [  # members of a set, in their order, with a unit beside; a number that is no weight
    ({"reps": 5, "weight": 180, "unit": "lb"}, "5 lb"),
    ({"reps": 5, "weight_kg": 180, "unit": "lb"}, "5 lb"),
    ({"weight_kg": 180, "reps": 5, "rest": 90, "unit": "lb"}, "90 lb"),
]


@pytest.mark.parametrize(("members", "wrong"), NO_WEIGHTS)
def test_a_unit_beside_is_that_of_the_weight_alone(tools, members, wrong):
    sentence, _ = tools.refused("log_workout", put(RIGHT["log_workout"], f"{SETS}[0]", members))
    assert "180 lb is 81.65 kg: weight_kg 81.65." in sentence
    assert f"{wrong} is" not in sentence


def test_a_known_name_is_not_called_unknown(tools):
    sentence, _ = tools.refused("log_weight", {"weight_kg": 2300, "unit": "lb"})
    assert "arguments.weight_kg: unknown" not in sentence


NEAREST = [  # tool, a name that it does not have, its value, the text about it
    ("log_workout", "name", "Push", "did you mean title?"),
    ("create_routine", "title", "Push", "did you mean name? ({name, exercises, focus?})"),
    ("log_weight", "weight", 80, "did you mean weight_kg?"),
    ("log_workout", "duration_minutes", 60, "did you mean duration_seconds?"),
    ("search_exercises", "q", "press", "there are: limit, cursor, muscle_group, equipment, query, detail."),
    ("get_body_metrics", "until", DAY, "has no until; since and limit narrow it."),
    ("get_exercise_history", "until", DAY, "has no until; since and limit narrow it."),
    ("get_personal_records", "since", DAY, "has no since; limit narrows it."),
    ("log_weight", "note", "after breakfast", "did you mean notes?"),
]


@pytest.mark.parametrize(("tool", "name", "value", "words"), NEAREST)
def test_the_nearest_name_is_one_of_the_same_kind(tools, tool, name, value, words):
    sentence, error = tools.refused(tool, {**RIGHT.get(tool, {}), name: value})
    assert paths(error) == {f"arguments.{name}"}
    assert words in sentence.split(f"arguments.{name}: ")[1]


def test_a_number_is_never_meant_for_a_text(tools):
    assert "did you mean" not in tools.refused("log_weight", {"weight_kg": 80, "nots": 5})[0]


@pytest.mark.parametrize("query", ["Bankdrücken", "press de banca"])
def test_a_name_of_another_language_is_found(tools, query):
    result = tools.call("search_exercises", {"query": query})
    found = result["structuredContent"]
    assert BENCH in {one["id"] for one in found["exercises"]}
    (notice,) = found["notices"]
    assert notice.startswith(f"No English name is {query!r}; in another language it is ")


@pytest.mark.parametrize(
    ("pounds", "words"),
    [("180", "did you mean weight_kg?"), (True, ""), ([180], ""), (10**400, "did you mean weight_kg?")],
)
def test_what_is_no_number_of_pounds_has_no_sum(tools, pounds, words):
    sentence, _ = tools.refused("log_weight", {"weight_kg": 80, "weight_lb": pounds})
    assert words in sentence
    assert "lb is" not in sentence


def test_where_nothing_takes_kilograms_there_is_no_sum(tools):
    assert "lb is" not in tools.refused("log_nutrition", {**RIGHT["log_nutrition"], "weight_lb": 180})[0]


def test_pounds_of_each_set_are_summed_beyond_the_sentence_too(tools):
    sets = [{"weight_kg": 80, "reps": 5, "weight_lb": 176} for _ in range(12)]
    _, error = tools.refused("log_workout", a_workout(*sets))
    assert "176 lb is 79.83 kg: weight_kg 79.83." in error["details"][-1]["message"]


def test_json_in_a_text_is_read_where_an_array_or_object_is_due(tools):
    workout = RIGHT["log_workout"]
    plain = tools.get("log_workout", **workout)
    inner = [{**entry, "sets": json.dumps(entry["sets"])} for entry in workout["exercises"]]
    for exercises in (
        json.dumps(workout["exercises"]),
        inner,
        json.dumps(inner),
        list(map(json.dumps, inner)),
    ):
        stored = tools.get("log_workout", **{**workout, "exercises": exercises})
        assert stored["exercises"] == plain["exercises"]
    days = a_plan()["days"]
    stored = tools.get("create_training_plan", **a_plan(days=json.dumps(days)))
    assert [day["label"] for day in stored["days"]] == [day["label"] for day in days]


STRICT = [  # calls of hosts with strict schemas, which oblige the model to fill every argument
    ("list_workouts", {"since": "", "until": "", "limit": 25, "cursor": "", "detail": "full"}),
    ("list_routines", {"limit": "", "cursor": "", "detail": ""}),
    ("search_exercises", {"query": "squat", "muscle_group": "", "equipment": "", "cursor": ""}),
    ("get_nutrition", {"since": "", "until": "", "cursor": ""}),
    ("get_training_stats", {"since": "", "until": ""}),
    ("log_weight", {"weight_kg": 80, "body_fat_percent": "", "notes": "", "logged_at": ""}),
    ("set_goal", {"target_weight_kg": 78, "deadline": "", "start_weight_kg": ""}),
    (
        "log_workout",
        a_workout(
            {"weight_kg": 80, "reps": 5, "type": "", "completed": "", "rpe": ""}, notes="", plan_id="", id=""
        ),
    ),
]


@pytest.mark.parametrize(("tool", "arguments"), STRICT)
def test_what_is_empty_and_cannot_be_is_left_out(tools, tool, arguments):
    result = tools.call(tool, arguments)
    assert not result["isError"], result
    assert "id was ignored" not in str(result)
    given = {name: value for name, value in arguments.items() if value}
    assert tools.get(tool, **given).keys() == tools.get(tool, **arguments).keys()


def test_a_text_may_be_empty(tools):
    assert tools.get("log_weight", weight_kg=80, notes="")["notes"] == ""
    sentence, _ = tools.refused("create_routine", {"name": "", "exercises": []})
    assert "arguments.name: This field may not be blank." in sentence
    assert "arguments.workout_id: " in tools.refused("get_workout", {"workout_id": ""})[0]


def test_arguments_may_be_the_text_of_their_json(tools):
    assert tools.get("list_workouts") == tools.call("list_workouts", '{"limit": 1}')["structuredContent"]
    answer = tools.legacy("tools/call", {"name": "list_workouts", "arguments": "[1]"}).json()
    assert answer["error"]["message"] == "params.arguments must be an object."


def test_json_stays_a_text_where_a_text_is_due(tools):
    text = json.dumps([LIFT])
    assert tools.get("log_weight", weight_kg=80, notes=text)["notes"] == text


def test_mistakes_in_json_in_a_text_are_named_at_their_places(tools):
    exercises = json.dumps([{"exercise_id": BENCH, "sets": [{"weight_lb": 176, "reps": "5"}]}])
    sentence, error = tools.refused("log_workout", {**RIGHT["log_workout"], "exercises": exercises})
    assert {f"arguments.{SETS}[0].reps", f"arguments.{SETS}[0].weight_lb"} < paths(error)
    assert "176 lb is 79.83 kg" in sentence


def test_json_in_a_text_keeps_the_rules_of_json(tools):
    for text in ("[NaN]", "[" * 100 + "]" * 100, '["\\u0000"]', "[1e999]", '["\\ud800"]'):
        _, error = tools.refused("log_workout", {**RIGHT["log_workout"], "exercises": text})
        assert paths(error) == {"arguments.exercises"}


def put(arguments, place, value):
    """A copy of the arguments with another value at a place such as `exercises[0].reps`."""
    arguments = copy.deepcopy(arguments)
    *way, last = (int(step) if step.isdigit() else step for step in re.findall(r"\w+", place))
    container = arguments
    for step in way:
        container = container[step]
    container[last] = value
    return arguments


@pytest.mark.parametrize(("tool", "place", "value", "words"), WRONG)
def test_the_text_names_the_place_and_the_way_out_by_tools(tools, tool, place, value, words):
    right = RIGHT.get(tool, {})
    sentence, error = tools.refused(tool, put(right, place, value))
    assert f"arguments.{place}" in paths(error)
    assert f"arguments.{place}: " in sentence
    assert re.search(words, sentence)
    assert not REST_PATH.search(sentence + json.dumps(error))
    if tool in RIGHT:
        assert tools.call(tool, right)["isError"] is False


def test_the_error_of_a_missing_goal_names_set_goal(tools):
    sentence, _ = tools.refused("get_current_goal")
    assert (
        sentence
        == "get_current_goal failed: arguments: no goal is set; set_goal sets one, when the user wants it."
    )


def test_a_call_of_thousands_of_mistakes_gets_the_first_of_them(tools):
    control = "\x01" * 200
    one_set = {f"{number}{control}": 1 for number in range(3)}
    exercises = [{"exercise_id": BENCH, "sets": [one_set] * 40}]
    _, error = tools.refused("log_workout", a_workout() | {"exercises": exercises})
    assert error["details"][-1]["path"] == "arguments"
    assert "These are the first" in error["details"][-1]["message"]
    response = tools.call("log_workout", a_workout() | {"exercises": exercises})
    assert len(json.dumps(response)) < 65_536


def test_an_error_message_is_there_once(tools):
    arguments = {"exercises": [{"exercise_id": "x", "sets": [{"reps": "5"}]}], "when": 1}
    sentence, error = tools.refused("log_workout", arguments)
    assert "Must be a whole number, without quotes or a unit." in sentence
    assert error == {
        "code": "invalid_request",
        "details": [
            {"path": f"arguments.{place}"}
            for place in (
                "started_at",
                "duration_seconds",
                "exercises[0].exercise_id",
                "exercises[0].sets[0].weight_kg",
                "exercises[0].sets[0].reps",
                "when",
            )
        ],
    }
    assert tools.refused("get_current_goal")[1] == {"code": "not_found", "details": [{"path": "arguments"}]}


def test_problems_that_the_sentence_has_no_room_for_are_in_the_envelope(tools):
    sets = [{"weight_kg": "80 kg", "reps": 5} for _ in range(12)]
    sentence, error = tools.refused("log_workout", a_workout(*sets))
    assert sentence.count("without quotes or a unit") == 10
    assert "and 2 more problems, listed below." in sentence
    assert [sorted(problem) for problem in error["details"]] == [["path"]] * 10 + [["message", "path"]] * 2


def test_errors_beyond_the_sentence_speak_of_tools_too(tools):
    exercises = [{"exercise_id": f"bench-{number}", "sets": []} for number in range(12)]
    result = tools.call("log_workout", {**RIGHT["log_workout"], "exercises": exercises})
    assert "others: search_exercises." in result["content"][1]["text"]
    assert not REST_PATH.search(str(result["content"]))


def test_the_list_speaks_of_tools_and_never_of_rest(tools):
    assert not REST_PATH.search(tools.legacy("tools/list").content.decode())


def test_rest_goes_on_speaking_of_rest(api):
    problem = api.post("/workouts", a_workout(a_set(), exercise_id="x")).json()["error"]["details"][0]
    assert "search_exercises (GET /exercises)" in problem["message"]


@pytest.mark.parametrize("arguments", [a_workout(plan_id="active"), a_workout(plan_id="Active")])
def test_without_an_active_plan_none_is_followed(tools, arguments):
    sentence, error = tools.refused("log_workout", arguments)
    assert paths(error) == {"arguments.plan_id"}
    assert "must be the id of a plan of the user, or `active` while one is." in sentence


def test_without_an_active_plan_none_is_read(tools):
    tools.get("create_training_plan", **a_plan())
    sentence, error = tools.refused("get_training_plan", {"plan_id": "active"})
    assert error["code"] == "not_found"
    assert sentence == (
        "get_training_plan failed: arguments.plan_id: names no plan, or is `active` while none is; "
        "take an id from list_training_plans."
    )


def test_the_word_active_belongs_to_tools(api, tools):
    tools.get("create_training_plan", **a_plan(active=True))
    assert api.get("/plans/active").status_code == 404
    assert api.post("/workouts", a_workout(plan_id="active")).status_code == 400
