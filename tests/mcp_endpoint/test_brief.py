"""`detail`: lists in full, or in brief for a model whose context is small."""

import random
import re

import jsonschema
import pytest

from mcp_endpoint.tools import TOOLS
from tests.conftest import a_set, a_workout, problems, statements
from tests.mcp_endpoint.conftest import paths
from tests.mcp_endpoint.test_tools import BENCH, a_plan

ROW = "bent-over-barbell-row"
LISTS = {  # tool -> path of the REST operation
    "list_workouts": "/workouts",
    "search_exercises": "/exercises",
    "get_exercise_history": f"/exercises/{BENCH}/history",
    "list_routines": "/routines",
    "list_training_plans": "/plans",
    "get_personal_records": "/stats/records",
    "get_body_metrics": "/body/weight",
    "get_nutrition": "/nutrition",
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
    for arguments in ({"body_fat_percent": 18.25, "notes": "Fasted."}, {}):
        tools.get("log_weight", weight_kg=82.4, logged_at="2026-03-02T06:45:30Z", **arguments)
    tools.get("log_measurements", waist_cm=84.5, neck_cm=39, logged_at="2026-03-01T23:45:00-02:00")
    tools.get("log_nutrition", day="2026-03-02", calories=2000, protein_g=150.5, carbs_g=200, fat_g=70)
    return {name: {} for name in LISTS} | {
        "get_exercise_history": {"exercise_id": BENCH},
        "search_exercises": {"query": "barbell bench press", "limit": 1},
    }


def brief(tools, name, **arguments):
    result = tools.get(name, detail="brief", **arguments)
    jsonschema.validate(result, TOOLS[name].definition["outputSchema"])
    return result


@pytest.mark.parametrize("name", LISTS)
def test_a_list_is_in_full_or_in_brief_which_is_shorter_and_takes_no_statement_more(tools, arguments, name):
    with statements() as for_full:
        full = tools.call(name, arguments[name])
    assert tools.call(name, {"detail": "full", **arguments[name]}) == full
    assert tools.call(name, {"detail": None, **arguments[name]}) == full
    jsonschema.validate(full["structuredContent"], TOOLS[name].definition["outputSchema"])

    with statements() as for_brief:
        short = tools.call(name, {"detail": "brief", **arguments[name]})
    assert len(for_brief) == len(for_full)
    assert len(short["content"][1]["text"]) < len(full["content"][1]["text"])

    sentence, error = tools.refused(name, {"detail": "short", **arguments[name]})
    assert paths(error) == {"arguments.detail"}
    assert "full, brief" in sentence


def test_rest_takes_no_detail(api):
    for path in LISTS.values():
        assert problems(api.get(path, detail="brief")).keys() == {"query.detail"}


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


def test_a_brief_plan_alone_has_the_newest_five_of_its_history(tools, api):
    plan, other = (api.post("/plans", a_plan(name=name)).json() for name in ("Week", "Other"))
    for each in 4 * [plan, other]:
        api.post(f"/plans/{each['id']}/activate", {})
    full = tools.get("get_training_plan", plan_id=plan["id"])
    assert len(full["history"]) > 5
    short = brief(tools, "get_training_plan", plan_id=plan["id"])
    assert short == {**full, "history": full["history"][-5:]}
    assert short["history"][-1]["at"] == max(entry["at"] for entry in full["history"])


def test_a_brief_log_of_the_body_is_a_line(tools, arguments):
    assert brief(tools, "get_body_metrics") == {
        "weight": ["2026-03-02 06:45: 82.4 kg", "2026-03-02 06:45: 82.4 kg, 18.25 % body fat"],
        "measurements": ["2026-03-02 01:45: waist 84.5 cm, neck 39 cm"],
    }


@pytest.mark.parametrize("of", ["weight", "measurements"])
@pytest.mark.parametrize("detail", ["full", "brief"])
def test_one_list_of_body_metrics_is_the_only_one_read(tools, arguments, of, detail):
    both = tools.get("get_body_metrics", detail=detail, of="both")
    with statements() as for_both:
        assert tools.get("get_body_metrics", detail=detail) == both
    with statements() as for_one:
        one = tools.call("get_body_metrics", {"of": of, "detail": detail})
    assert one["structuredContent"] == {of: both[of]}
    assert len(for_one) == len(for_both) - 1
    jsonschema.validate(one["structuredContent"], TOOLS["get_body_metrics"].definition["outputSchema"])
    noun = {"weight": "2 weight logs, ", "measurements": "1 tape measurement, "}[of]
    assert one["content"][0]["text"].startswith(noun)


def test_no_list_of_body_metrics_has_anything(stranger_tools):
    assert stranger_tools.call("get_body_metrics", {"of": "weight"})["content"][0]["text"] == "0 weight logs."


def test_a_brief_day_of_nutrition_is_a_line(tools, arguments):
    assert brief(tools, "get_nutrition")["nutrition"] == [
        "2026-03-02: 2,000 kcal, 150.5 g protein, 200 g carbs, 70 g fat"
    ]


def test_a_brief_record_is_a_line(tools, arguments):
    assert brief(tools, "get_personal_records")["records"] == [
        f"{ROW}: 0.5×12, estimate 0.7, 2026-03-02",
        f"{BENCH}: 102.5×5, estimate 119.6, 2026-03-02",
    ]


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
    assert "tokens" not in text

    text = tools.call("list_workouts")["content"][1]["text"]
    (notice,) = tools.notices("list_workouts")
    size = re.fullmatch(r"These are about ([\d,]+) tokens; with detail brief they are fewer\.", notice)
    assert int(size[1].replace(",", "")) == pytest.approx(len(text.encode()) / 4, abs=1000)
    assert tools.notices("list_workouts", limit=5) == []


LONGEST = {  # lists without a brief form -> how one more record of theirs is made
    "list_supplements": lambda account, number: account.supplements.create(
        name=f"Supplement number {number}", dosage="5 g with food", time="08:00"
    ),
}


@pytest.mark.parametrize("name", LONGEST)
def test_a_list_without_a_brief_form_is_short_at_its_highest_limit(tools, account, name):
    for number in range(100):
        LONGEST[name](account, number)
    text = tools.call(name, {"limit": 100})["content"][1]["text"]
    assert len(text.encode()) / 4 < 5000
    assert "detail" not in TOOLS[name].input_schema["properties"]
