"""The official Python client, in both of its major versions, against the running server."""

import fcntl
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from mcp_endpoint.tools import TOOLS
from tests.conftest import a_set, a_workout
from tests.mcp_endpoint.test_tools import ARGUMENTS, BENCH, CORRECTING, DAY, READ_TOOLS, SPECIFIED, a_plan

SCRIPT = Path(__file__).with_name("official_client.py")
FIRST_VERSION = "1.30.0"
FIRST_ENVIRONMENT = Path(__file__).resolve().parents[2] / ".venv-mcp1"
# For each client two keys and a supplement of an account, and a key of another account. One process makes
# them all: to start manage.py takes longer than what it does.
MAKE_ACCOUNTS = """
from accounts.models import Account
for name in {names}:
    account = Account.objects.create_user(f"{{name}}@example.org")
    talkative = Account.objects.create_user(f"talkative-{{name}}@example.org")
    print(
        account.issue_key("test", "read_write", "never")[0],
        account.issue_key("test", "read", "never")[0],
        account.supplements.create(name="Creatine", time="08:00").pk,
        talkative.issue_key("test", "read_write", "never")[0],
    )
"""


@pytest.fixture(scope="session")
def first_python():
    """The interpreter of an environment with the client's first major version, which needs one of its own."""
    with FIRST_ENVIRONMENT.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # parallel test processes wait for the one that installs
        try:
            return installed_python()
        except (OSError, subprocess.CalledProcessError) as error:
            pytest.skip(f"mcp {FIRST_VERSION} cannot be installed into {FIRST_ENVIRONMENT.name}: {error}")


def installed_python():
    python = FIRST_ENVIRONMENT / "bin" / "python"
    installed = f"import importlib.metadata as m; assert m.version('mcp') == '{FIRST_VERSION}'"
    if not python.exists() or subprocess.run([python, "-c", installed], capture_output=True).returncode:
        subprocess.run([sys.executable, "-m", "venv", "--clear", FIRST_ENVIRONMENT], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", f"mcp=={FIRST_VERSION}"], check=True)
    return python


CLIENTS = [  # interpreter, mode of the client, version that it agrees on with the server
    ("second", "auto", "2026-07-28"),
    ("second", "2026-07-28", "2026-07-28"),
    ("second", "legacy", "2025-11-25"),
    ("first", None, "2025-11-25"),
]
NAMES = [f"{which}-{mode}" for which, mode, _ in CLIENTS]
BOTH_VERSIONS = pytest.mark.parametrize(
    "client",
    dict.fromkeys([CLIENTS[0], CLIENTS[-1]]),
    ids=dict.fromkeys([NAMES[0], NAMES[-1]]),
    indirect=True,
)


@pytest.fixture(scope="session")
def made(server):
    """{client: what MAKE_ACCOUNTS prints for it}."""
    script = MAKE_ACCOUNTS.format(names=[name.lower() for name in NAMES])
    lines = server.manage("shell", "--no-imports", "-c", script).stdout.splitlines()
    return dict(zip(NAMES, map(str.split, lines), strict=True))


@pytest.fixture(params=CLIENTS, ids=NAMES)
def client(request, server, made, program):
    """Calls tools by one of the clients; returns what the script writes."""
    which, mode, version = request.param
    python = request.getfixturevalue("first_python") if which == "first" else Path(sys.executable)

    def call(key, calls, prompts=(), pages=False):
        task = {"url": f"{server.url}/mcp", "key": key, "mode": mode, "calls": calls, "prompts": prompts}
        task["pages"] = pages
        answer = program(python, SCRIPT).carry_out(task)
        assert answer["version"] == version
        return answer

    call.key, call.reading_key, call.supplement, call.talkative_key = made[f"{which}-{mode}"]
    call.refusal_is_an_error = which == "second" and mode != "legacy"
    return call


def test_the_client_lists_and_calls_every_tool(client):
    writes = {**ARGUMENTS, "log_supplement_taken": {"supplement_id": client.supplement, "day": DAY}}
    written = client(client.key, list(writes.items()))
    assert written["tools"] == list(SPECIFIED)
    ids = {
        name: result["structuredContent"]["id"]
        for name, result in zip(writes, written["results"], strict=True)
        if name != "log_nutrition"
    }
    reads = {
        **{name: {} for name in READ_TOOLS},
        "get_workout": {"workout_id": ids["log_workout"]},
        "get_training_plan": {"plan_id": ids["create_training_plan"]},
        "get_exercise_history": {"exercise_id": BENCH},
    }
    read = client(client.key, list(reads.items()))
    for name, result in zip([*writes, *reads], [*written["results"], *read["results"]], strict=True):
        assert result["isError"] is False, (name, result)
        jsonschema.validate(result["structuredContent"], TOOLS[name].definition["outputSchema"])
    assert read["results"][list(reads).index("list_workouts")]["structuredContent"]["workouts"]


def test_the_client_lists_and_gets_every_prompt(client):
    notes = "Bench 3×5 100 kg, then 20 min of rowing"
    answer = client(
        client.key, [], [["weekly_review", None], ["plan_next_week", {}], ["log_from_text", {"text": notes}]]
    )
    assert answer["prompts"] == ["weekly_review", "plan_next_week", "log_from_text"]
    review, plan, log = answer["texts"]
    assert "get_training_stats" in review
    assert "create_training_plan" in plan
    assert notes in log


@BOTH_VERSIONS
def test_the_client_survives_a_failed_call(client):
    results = client(
        client.key,
        [
            ["log_workout", {"started_at": "yesterday"}],
            ["get_workout", {"workout_id": "x"}],
            ["get_profile", {}],
        ],
    )["results"]
    assert [result["isError"] for result in results] == [True, True, False]
    assert "arguments.started_at" in results[0]["content"][0]["text"]


def test_a_key_that_may_only_read_gets_the_reason(client):
    key = client.reading_key
    if client.refusal_is_an_error:
        with pytest.raises(AssertionError, match="may only read"):
            client(key, [["log_weight", {"weight_kg": 80}]])
    else:
        refused, read = client(key, [["log_weight", {"weight_kg": 80}], ["get_profile", {}]])["results"]
        assert "may only read" in refused["content"][0]["text"]
        assert read["isError"] is False


LONG_AGO = "2020-03-02T17:30:00Z"  # never in the current year, so lines show the year
ALREADY_THERE = "There is already a workout at this moment: Push, 2 Mar 2020, 17:30 UTC: 1 exercise, 1 set,"


def pushed(weight_kg, started_at=LONG_AGO, **fields):
    return ["log_workout", a_workout(a_set(weight_kg, 5), title="Push", started_at=started_at, **fields)]


CONVERSATION = [  # a call, its line, and its notices
    (
        pushed(95, "2020-03-01T17:30:00Z"),
        "Saved: Push, 1 Mar 2020, 17:30 UTC: 1 exercise, 1 set, 475 kg.",
        [],
    ),
    (
        pushed(100),
        "Saved: Push, 2 Mar 2020, 17:30 UTC: 1 exercise, 1 set, 500 kg.",
        ["New record: Barbell Bench Press 100 kg × 5."],
    ),
    (
        pushed(102.5, id="0198c1a0-0000-7000-8000-000000000000"),
        "Saved: Push, 2 Mar 2020, 17:30 UTC: 1 exercise, 1 set, 512.5 kg.",
        [
            "New record: Barbell Bench Press 102.5 kg × 5.",
            f"{ALREADY_THERE} 500 kg.",
            "Saved as a new one; id was ignored. Corrections are made in the app or by update tools.",
        ],
    ),
    (
        ["set_goal", {"target_weight_kg": 76, "deadline": "2999-03-01"}],
        "Saved: goal 76.0 kg, no body fat target, by 1 Mar 2999.",
        [],
    ),
    (
        ["set_goal", {"target_weight_kg": 76}],
        "Saved: goal 76.0 kg, no body fat target, no deadline.",
        ["Before, it was goal 76.0 kg, no body fat target, by 1 Mar 2999."],
    ),
    (
        ["create_training_plan", a_plan(active=True)],
        'Saved: Training plan "Week", active: 1 training day a week, 1 exercise.',
        [],
    ),
    (
        ["get_training_plan", {"plan_id": "active"}],
        'Training plan "Week", active: 1 training day a week, 1 exercise.',
        [],
    ),
    (
        pushed(60, "2020-04-25T17:30:00Z", plan_id="active"),
        "Saved: Push, 25 Apr 2020, 17:30 UTC: 1 exercise, 1 set, 300 kg.",
        [],
    ),
    (
        ["list_workouts", {"detail": "brief", "limit": 2}],
        "2 workouts, 2 Mar 2020 to 25 Apr 2020; more with cursor.",
        [],
    ),
]


@pytest.mark.parametrize("client", [one for one in CLIENTS if one[0] == "second"], indirect=True)
def test_the_client_reads_the_pages_that_it_shows(client):
    """That of the first version cannot declare that it shows any."""
    answer = client(client.key, [["get_body_metrics", {}]], pages=True)
    assert answer["tools"] == [*SPECIFIED, "press_button"]
    assert answer["results"][0]["_meta"]["fitness/page"]["units"] == "kg"
    assert len(answer["pages"]) == 4
    assert {page[:15] for page in answer["pages"]} == {"<!doctype html>"}


YEAR = re.compile(r"The year is 2020, not \d{4}\.")  # the server has the clock of the machine


@BOTH_VERSIONS
def test_the_client_has_a_conversation(client):
    results = client(client.talkative_key, [call for call, *_ in CONVERSATION])["results"]
    assert [result["content"][0]["text"] for result in results] == [line for _, line, _ in CONVERSATION]
    noticed = [result["structuredContent"].get("notices", []) for result in results]
    said = [[notice for notice in notices if not YEAR.fullmatch(notice)] for notices in noticed]
    assert said == [notices for *_, notices in CONVERSATION]
    brief = results[-1]["structuredContent"]
    jsonschema.validate(brief, TOOLS["list_workouts"].definition["outputSchema"])
    assert brief["workouts"][0]["exercises"] == [f"{BENCH}: 60×5"]
    assert brief["names"] == {BENCH: "Barbell Bench Press"}


@BOTH_VERSIONS
def test_the_client_corrects_and_deletes(client, server):
    """It validates each result by the outputSchema that the list has."""
    email = f"corrections-{client.key[4:12]}@example.org".lower()
    options = ("--scope", "read_write", "--corrections")
    key = server.manage("issue_key", email, *options).stdout.strip()
    made = client(
        key,
        [
            ["log_workout", ARGUMENTS["log_workout"]],
            ["log_weight", ARGUMENTS["log_weight"]],
            ["create_routine", ARGUMENTS["create_routine"]],
            ["create_training_plan", ARGUMENTS["create_training_plan"]],
            ["log_nutrition", ARGUMENTS["log_nutrition"]],
            ["add_supplement", {"name": "Zinc", "time": "22:00"}],
        ],
    )
    assert made["tools"] == list(SPECIFIED | CORRECTING)
    workout, log, routine, plan, _, supplement = (one["structuredContent"] for one in made["results"])
    corrections = [
        ["update_workout", {**ARGUMENTS["log_workout"], "workout_id": workout["id"], "title": "Pull"}],
        ["delete_workout", {"workout_id": workout["id"]}],
        ["update_weight", {"weight_id": log["id"], "weight_kg": 81.4}],
        ["delete_weight", {"weight_id": log["id"]}],
        ["update_routine", {**ARGUMENTS["create_routine"], "routine_id": routine["id"]}],
        ["delete_routine", {"routine_id": routine["id"]}],
        ["update_training_plan", {**ARGUMENTS["create_training_plan"], "plan_id": plan["id"]}],
        ["activate_training_plan", {"plan_id": plan["id"]}],
        ["delete_training_plan", {"plan_id": plan["id"]}],
        ["clear_nutrition_day", {"day": DAY}],
        ["update_supplement", {"supplement_id": supplement["id"], "dosage": "15 mg"}],
        ["remove_supplement", {"supplement_id": supplement["id"]}],
        ["get_body_trend", {}],
    ]
    done = client(key, corrections)["results"]
    assert [result["isError"] for result in done] == [False] * len(corrections), done
    assert done[0]["structuredContent"]["before"] == {"title": workout["title"]}
    assert done[1]["structuredContent"]["deleted"]["title"] == "Pull"
