"""`detail`: lists in full, or in brief for a model whose context is small."""

import random

import jsonschema
import pytest

from mcp_endpoint.tools import TOOLS
from tests.conftest import a_set, a_workout, statements
from tests.mcp_endpoint.conftest import paths
from tests.mcp_endpoint.test_tools import BENCH, a_plan

ROW = "bent-over-barbell-row"
LISTS = {  # tool -> path of the REST operation
    "list_workouts": "/workouts",
    "search_exercises": "/exercises",
    "get_exercise_history": f"/exercises/{BENCH}/history",
    "list_routines": "/routines",
    "list_training_plans": "/plans",
}
USUAL = [
    *("barbell-bench-press", "barbell-overhead-press", "dumbbell-bench-press", "chest-dip"),
    *("barbell-back-squat", "leg-press", "lying-leg-curl", "barbell-deadlift", "pull-up", "dumbbell-curl"),
    *("seated-cable-row", "face-pull"),
]


@pytest.fixture
def arguments(tools):
    """Stores something for every list. Returns the arguments of each tool."""
    sets = [a_set(60, 8, type="warmup"), a_set(102.5, 5, rpe=8.5), a_set(95, 6, completed=False)]
    workout = a_workout(*sets, title="Push")
    workout["exercises"] += [
        {"exercise_id": ROW, "sets": [a_set(0.5, 12)]},
        {"exercise_id": BENCH, "sets": [a_set(40, 20, type="warmup", completed=False)]},
        {"exercise_id": "pull-up", "sets": []},
    ]
    tools.get("log_workout", **workout)
    lift = {"exercise_id": BENCH, "sets": 3, "reps": 8, "weight_kg": 70, "note": "Slowly."}
    tools.get("create_routine", name="Upper", focus="Pressing", exercises=[lift])
    tools.get("create_training_plan", **a_plan(active=True))
    return {name: {} for name in LISTS} | {
        "get_exercise_history": {"exercise_id": BENCH},
        "search_exercises": {"query": "barbell bench press", "limit": 1},
    }


def brief(tools, name, **arguments):
    result = tools.get(name, detail="brief", **arguments)
    jsonschema.validate(result, TOOLS[name].definition["outputSchema"])
    return result


@pytest.mark.parametrize("name", LISTS)
def test_full_is_the_default(tools, arguments, name):
    full = tools.call(name, arguments[name])
    assert tools.call(name, {"detail": "full", **arguments[name]}) == full
    assert tools.call(name, {"detail": None, **arguments[name]}) == full
    jsonschema.validate(full["structuredContent"], TOOLS[name].definition["outputSchema"])


@pytest.mark.parametrize("name", LISTS)
def test_brief_is_shorter_and_takes_no_statement_more(tools, arguments, name):
    with statements() as for_full:
        full = tools.call(name, arguments[name])["content"][1]["text"]
    with statements() as for_brief:
        short = tools.call(name, {"detail": "brief", **arguments[name]})["content"][1]["text"]
    assert len(for_brief) == len(for_full)
    assert len(short) < len(full)


@pytest.mark.parametrize("name", LISTS)
def test_rest_takes_no_detail(tools, api, arguments, name):
    refused = api.get(LISTS[name], detail="brief")
    assert (refused.status_code, paths(refused.json()["error"])) == (400, {"query.detail"})


@pytest.mark.parametrize("name", LISTS)
def test_there_is_no_third_form(tools, arguments, name):
    sentence, error = tools.refused(name, {"detail": "short", **arguments[name]})
    assert paths(error) == {"arguments.detail"}
    assert "full, brief" in sentence


def test_a_brief_workout_is_a_line_an_exercise(tools, arguments):
    full = tools.get("list_workouts")["workouts"][0]
    assert brief(tools, "list_workouts") == {
        "workouts": [
            {
                **{name: full[name] for name in ("id", "title", "started_at", "volume_kg")},
                "exercises": [
                    f"{BENCH}: 60×8 w, 102.5×5, 95×6 not done",
                    f"{ROW}: 0.5×12",
                    f"{BENCH}: 40×20 w not done",
                    "pull-up: ",
                ],
            }
        ],
        "names": {BENCH: "Barbell Bench Press", ROW: "Bent Over Barbell Row", "pull-up": "Pull-Up"},
        "next_cursor": None,
    }


def test_a_brief_session_has_its_sets_as_text(tools, arguments):
    full = tools.get("get_exercise_history", exercise_id=BENCH)
    (session,) = full["sessions"]
    sets = "60×8 w, 102.5×5, 95×6 not done, 40×20 w not done"
    assert brief(tools, "get_exercise_history", exercise_id=BENCH) == {
        **full,
        "sessions": [{**session, "sets": sets}],
    }


def test_a_brief_exercise_is_what_a_choice_needs(tools, arguments):
    assert brief(tools, "search_exercises", query="barbell bench press", limit=1)["exercises"] == [
        {"id": BENCH, "name": "Barbell Bench Press", "muscle_group": "Chest", "equipment": "Barbell"}
    ]


def test_a_brief_routine_has_its_targets(tools, arguments):
    (routine,) = brief(tools, "list_routines")["routines"]
    (target,) = routine.pop("exercises")
    assert routine.keys() == {"id", "name"}
    assert target == {
        "exercise_id": BENCH,
        "name": "Barbell Bench Press",
        "sets": 3,
        "reps": 8,
        "weight_kg": 70,
    }


def test_a_brief_plan_has_its_training_days(tools, arguments):
    (plan,) = brief(tools, "list_training_plans")["plans"]
    assert plan.pop("id")
    assert plan == {
        "name": "Week",
        "active": True,
        "days_per_week": 1,
        "days": [{"weekday": 1, "label": "Push"}],
    }


def test_brief_pages_are_walked_like_full_ones(tools):
    for day in (1, 2, 3):
        tools.get("log_workout", **a_workout(a_set(), started_at=f"2026-03-0{day}T10:00:00Z"))
    first = brief(tools, "list_workouts", limit=2)
    second = brief(tools, "list_workouts", limit=2, cursor=first["next_cursor"])
    assert [workout["started_at"][9] for page in (first, second) for workout in page["workouts"]] == [*"321"]
    assert first["next_cursor"] == tools.get("list_workouts", limit=2)["next_cursor"]


def test_25_brief_workouts_fit_into_3500_tokens(tools):
    dice = random.Random(25)
    for day in range(1, 26):
        exercises = [
            {
                "exercise_id": exercise_id,
                "sets": [
                    a_set(weight_kg * 0.6, 8, type="warmup"),
                    *(a_set(weight_kg, dice.randrange(4, 13), rpe=8.5) for _ in range(3)),
                ],
            }
            for exercise_id in dice.sample(USUAL, 6)
            for weight_kg in [dice.randrange(8, 60) * 2.5]
        ]
        started_at = f"2026-03-{day:02}T17:30:00Z"
        tools.get(
            "log_workout",
            title="Upper body A",
            started_at=started_at,
            duration_seconds=3900,
            exercises=exercises,
        )
    text = tools.call("list_workouts", {"detail": "brief"})["content"][1]["text"]
    assert text.count(" w,") == 25 * 6
    assert len(text.encode()) / 4 < 3500  # about 4 bytes a token
