"""Prompts, in both eras of the protocol."""

import datetime
import re

import pytest

from mcp_endpoint.tools import TOOLS
from tests.mcp_endpoint.conftest import MODERN, meta, request

NAMES = ["weekly_review", "plan_next_week", "log_from_text"]
NOTES = "Bench 3x5 100 kg.\n\nAte {nothing} <b>after</b> %s."


@pytest.fixture(params=["modern", "legacy"])
def send(request, tools):
    """Sends a request in one of the eras."""
    return getattr(tools, request.param)


@pytest.fixture
def say(send):
    """Gets a prompt; returns its text."""

    def get(name, arguments=None):
        params = {"name": name} if arguments is None else {"name": name, "arguments": arguments}
        result = send("prompts/get", params).json()["result"]
        (message,) = result["messages"]
        assert message["role"] == "user"
        assert message["content"].keys() == {"type", "text"}
        assert message["content"]["type"] == "text"
        return message["content"]["text"]

    return get


def test_three_prompts_are_listed(send):
    prompts = send("prompts/list").json()["result"]["prompts"]
    assert [prompt["name"] for prompt in prompts] == NAMES
    for prompt in prompts:
        assert prompt["title"]
        assert prompt["description"]
        assert all(argument["description"] for argument in prompt["arguments"])
    arguments = {
        prompt["name"]: {argument["name"]: argument["required"] for argument in prompt["arguments"]}
        for prompt in prompts
    }
    assert arguments == {
        "weekly_review": {},
        "plan_next_week": {"wishes": False},
        "log_from_text": {"text": True},
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_prompt_is_small_and_names_tools_and_arguments_that_exist(say, name):
    text = say(name, {"text": NOTES} if name == "log_from_text" else {})
    assert len(text.encode()) / 4 < 450  # tokens
    named = set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", text)) - {"plan_id", "exercise_id"}
    assert named
    assert named <= TOOLS.keys()


@pytest.mark.time_machine("2026-11-25T23:30:00Z", tick=False)
def test_a_review_is_of_the_last_seven_days(say):
    text = say("weekly_review")
    assert text.startswith(
        "Review my training of the last seven days, Thursday 19 November 2026 to Wednesday 25 November 2026."
    )
    assert "get_training_stats with since 2026-11-02T00:00:00Z" in text  # a Monday
    assert "list_workouts with since 2026-11-19T00:00:00Z" in text


@pytest.mark.parametrize(
    ("now", "week"),
    [
        ("2026-11-25T23:30:00Z", "Monday 30 November 2026 to Sunday 6 December 2026"),
        ("2026-11-29T12:00:00Z", "Monday 30 November 2026 to Sunday 6 December 2026"),
        ("2026-11-30T12:00:00Z", "Monday 7 December 2026 to Sunday 13 December 2026"),
    ],
)
def test_a_plan_is_of_the_week_from_next_monday(say, time_machine, now, week):
    time_machine.move_to(now, tick=False)
    text = say("plan_next_week")
    assert text.startswith(f"Plan my training for next week, {week}.\n1. ")
    since = re.search(r"get_training_stats with since (\S+)T00:00:00Z", text)[1]
    assert datetime.date.fromisoformat(since).weekday() == 0


def test_wishes_are_in_the_text_where_there_are_any(say):
    assert f"What I want of that week:\n{NOTES}\n" in say("plan_next_week", {"wishes": NOTES})
    for none in ({"wishes": ""}, {"wishes": " "}, {"wishes": None}):
        assert say("plan_next_week", none) == say("plan_next_week")


def test_notes_are_in_the_text_as_they_are(say):
    assert f"\n\n{NOTES}\n\n" in say("log_from_text", {"text": NOTES})


MISSING = "params.arguments.text: This field is required."
WRONG = [
    ({"name": "no_such_prompt"}, "Unknown prompt: no_such_prompt"),
    ({"name": "get_profile"}, "Unknown prompt: get_profile"),
    ({"name": "log_from_text"}, MISSING),
    ({"name": "log_from_text", "arguments": {}}, MISSING),
    ({"name": "log_from_text", "arguments": {"text": None}}, MISSING),
    ({"name": "log_from_text", "arguments": {"text": " \n"}}, MISSING),
    ({"name": "log_from_text", "arguments": {"text": 7}}, "params.arguments.text: Must be a string."),
    (
        {"name": "plan_next_week", "arguments": {"wish": "x"}},
        "params.arguments.wish: unknown parameter; did you mean wishes?",
    ),
    (
        {"name": "weekly_review", "arguments": {"week": "1"}},
        "params.arguments.week: unknown parameter; there are: none.",
    ),
    ({"name": "weekly_review", "arguments": []}, "params.arguments: Must be an object."),
]


@pytest.mark.parametrize(("params", "words"), WRONG)
def test_a_wrong_request_for_a_prompt_has_the_reason(tools, params, words):
    for response, status in (
        (tools.legacy("prompts/get", params), 200),
        (tools.modern("prompts/get", params), 400),
    ):
        assert response.status_code == status
        error = response.json()["error"]
        assert error["code"] == -32602
        assert error["message"].startswith(words)


@pytest.mark.parametrize("params", [{}, {"name": None}, {"name": 7}])
def test_a_prompt_needs_a_name(tools, params):
    assert tools.legacy("prompts/get", params).json()["error"]["code"] == -32602


def test_a_modern_request_for_a_prompt_repeats_its_name_in_a_header(tools):
    headers = {"MCP_Protocol_Version": MODERN, "Mcp_Method": "prompts/get"}
    body = request("prompts/get", {"name": "weekly_review", "_meta": meta()})
    for name in ({}, {"Mcp_Name": "log_from_text"}):
        response = tools.post(body, **headers, **name)
        assert (response.status_code, response.json()["error"]["code"]) == (400, -32020)
    assert tools.post(body, **headers, Mcp_Name="weekly_review").status_code == 200


def test_prompts_take_the_key_and_nothing_else(
    tools, reading_tools, nobodys_tools, django_assert_num_queries
):
    tools.legacy("ping")
    with django_assert_num_queries(1):
        assert tools.legacy("prompts/get", {"name": "weekly_review"}).status_code == 200
    assert reading_tools.legacy("prompts/list").status_code == 200
    assert nobodys_tools.legacy("prompts/list").status_code == 401
