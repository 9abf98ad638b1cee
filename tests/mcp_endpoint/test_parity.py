"""REST and the tools agree: random bodies are stored alike by both, or rejected at the same places."""

import copy
import random

import pytest

from fitness.api import rate_limits
from tests.mcp_endpoint.conftest import paths
from tests.mcp_endpoint.test_tools import ARGUMENTS, CORRECTING, DAY, SPECIFIED, a_plan

BODIES_PER_TOOL = 65  # of 12 tools
PATHS = {
    "log_workout": "/workouts",
    "create_routine": "/routines",
    "create_training_plan": "/plans",
    "log_weight": "/body/weight",
    "log_measurements": "/body/measurements",
    "log_nutrition": "/nutrition/{day}",
    "log_supplement_taken": "/supplements/{supplement_id}/logs",
    "set_goal": "/goals",
    "update_workout": "/workouts/{workout_id}",
    "update_weight": "/body/weight/{weight_id}",
    "update_routine": "/routines/{routine_id}",
    "update_training_plan": "/plans/{plan_id}",
}
METHODS = {"update_weight": "PATCH"} | dict.fromkeys(
    ["log_nutrition", "update_workout", "update_routine", "update_training_plan"], "PUT"
)
IN_PATH = {
    "log_nutrition": "day",
    "log_supplement_taken": "supplement_id",
    "update_workout": "workout_id",
    "update_weight": "weight_id",
    "update_routine": "routine_id",
    "update_training_plan": "plan_id",
}
# Not "", which tools alone take for what is left out.
JUNK = [
    *("80 kg", "8-10", "x" * 201, "x" * 5001, "2026-03-02", "2026-02-30", "2026-03-02T17:30:00"),
    *("2026-03-02T17:30:00+02:00", "barbell-bench-press", "Bench Press", "warmup", "true", "ü \u202e <b>"),
    *(0, 1, -1, 7, 8, 10, 100.5, 5.0, 0.1, 1000, 2000.5, 604_801, 10**6, 1e300, 10**30),
    *(True, False, [], {}, [1], {"x": 1}, [[]], [{}]),
]
UNKNOWN = ["weight", "reps", "colour", "exercise", "q", "volume_kg", "id", "name", "created_at", "source"]
OPTIONAL_WITHIN = {  # exercises, sets and days
    *("notes", "superset_id", "type", "completed", "rpe", "note", "focus", "rest", "exercises")
}
# What differs between two instances or changes of one, or is a tool alone's.
OWN = {"id", "created_at", "updated_at", "history", "before", "notices"}


@pytest.fixture(autouse=True)
def no_limits_and_no_time(monkeypatch, time_machine):
    monkeypatch.setattr(rate_limits, "LIMITS", {"key": "10000/m", "address": "10000/m"})
    time_machine.move_to("2026-03-02T10:00:00Z", tick=False)


def places(value):
    """Every (container, key) of a JSON value, however deep."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, nested in list(items):
        yield value, key
        yield from places(nested)


def spoil(arguments, name, chance):
    """Changes a few places at random; null for what is optional, which only tools take, is left out."""
    optional = (SPECIFIED | CORRECTING)[name][1].split()
    fixed = IN_PATH.get(name)
    for _ in range(chance.choice([0, 1, 1, 1, 2, 3])):
        container, key = chance.choice(list(places(arguments)))
        if container is arguments and key == fixed:
            continue
        act = chance.choice(["drop", "junk", "junk", "junk", "null", "add", "repeat"])
        if act == "drop":
            del container[key]
        elif act == "junk":
            container[key] = copy.deepcopy(chance.choice(JUNK))
        elif act == "null" and key not in (optional if container is arguments else OPTIONAL_WITHIN):
            container[key] = None
        elif act == "add" and isinstance(container, dict):
            container[chance.choice(UNKNOWN)] = copy.deepcopy(chance.choice(JUNK))
        elif act == "repeat" and isinstance(container, list):
            container.append(copy.deepcopy(container[key]))
        if not arguments:
            break
    return arguments


def by_rest(api, name, arguments):
    """The result of REST for the arguments: an instance, or the places of its errors."""
    fixed = IN_PATH.get(name)
    body = {key: value for key, value in arguments.items() if key != fixed}
    path = PATHS[name].format(**arguments) if fixed else PATHS[name]
    response = api.call(METHODS.get(name, "POST"), path, body)
    if response.status_code in (200, 201):
        return comparable(response.json())
    assert response.status_code == 400, response.content
    return {path.replace("body", "arguments", 1) for path in paths(response.json()["error"])}


def by_tool(tools, name, arguments):
    result = tools.call(name, arguments)
    if not result["isError"]:
        return comparable(result["structuredContent"])
    return paths(tools.refused(name, arguments)[1])


def comparable(record):
    return {name: value for name, value in record.items() if name not in OWN}


@pytest.fixture
def valid(tools, account):
    """Arguments of each tool that are accepted."""
    supplement = account.supplements.create(name="Creatine", time="08:00")
    ids = {
        "workout_id": tools.get("log_workout", **ARGUMENTS["log_workout"])["id"],
        "weight_id": tools.get("log_weight", weight_kg=80)["id"],
        "routine_id": tools.get("create_routine", **ARGUMENTS["create_routine"])["id"],
        "plan_id": tools.get("create_training_plan", **a_plan())["id"],
        "supplement_id": str(supplement.pk),
    }
    bodies = {
        **ARGUMENTS,
        "log_supplement_taken": {"day": DAY},
        "update_workout": ARGUMENTS["log_workout"],
        "update_weight": ARGUMENTS["log_weight"],
        "update_routine": ARGUMENTS["create_routine"],
        "update_training_plan": a_plan(active=True),
    }
    named = {name: {argument: ids[argument]} for name, argument in IN_PATH.items() if argument in ids}
    return {name: {**named.get(name, {}), **bodies[name]} for name in PATHS}


@pytest.mark.parametrize("name", PATHS)
def test_rest_and_tool_agree_on_random_bodies(correcting_tools, api, valid, name):
    chance = random.Random(name)
    outcomes = set()
    for _ in range(BODIES_PER_TOOL):
        arguments = spoil(copy.deepcopy(valid[name]), name, chance)
        expected = by_rest(api, name, arguments)
        assert by_tool(correcting_tools, name, arguments) == expected, arguments
        outcomes.add(type(expected))
    assert outcomes == {dict, set}  # some were stored and some rejected


@pytest.mark.parametrize("day", ["2026-02-30", "2026-3-2", "today", "2026-03-02T00:00:00Z"])
def test_they_agree_on_a_day_that_is_none(tools, api, day):
    _, error = tools.refused("log_nutrition", {"day": day, "calories": "many"})
    response = api.put(f"/nutrition/{day}", {"calories": "many"})
    places = {
        path.replace("path", "arguments").replace("body", "arguments")
        for path in paths(response.json()["error"])
    }
    assert paths(error) == places


def test_they_agree_on_how_deep_a_body_may_be(tools, api):
    for levels, outcome in ((31, True), (32, False)):
        nested = []
        for _ in range(levels - 1):
            nested = [nested]
        body = {"weight_kg": 80, "id": nested}
        accepted = api.post("/body/weight", body).status_code == 201
        arguments = {"name": "log_weight", "arguments": body}
        assert accepted == outcome
        assert (tools.legacy("tools/call", arguments).status_code == 200) == outcome
