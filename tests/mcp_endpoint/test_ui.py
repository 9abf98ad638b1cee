"""MCP Apps: what hosts that show pages get, what others do not, and what a button may do."""

import datetime
import re

import pytest
from django.utils import timezone

from tests.conftest import a_workout
from tests.mcp_endpoint.conftest import meta
from tests.training.test_plans import a_plan

EXTENSION = "io.modelcontextprotocol/ui"
MIME_TYPE = "text/html;profile=mcp-app"
APPS = {"extensions": {EXTENSION: {"mimeTypes": [MIME_TYPE]}}}
WITH_PAGES = {"get_exercise_history", "get_body_metrics", "log_workout", "create_training_plan"}


class Host:
    """A client of either era that shows pages; a legacy one has said so in `initialize`."""

    def __init__(self, tools, era, capabilities=APPS):
        self.tools, self.era, self.capabilities = tools, era, capabilities
        self.headers = {}
        if era == "legacy":
            params = {"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": {}}
            response = tools.legacy("initialize", params)
            self.greeting = response.json()["result"]
            if session := response.headers.get("Mcp-Session-Id"):
                self.headers = {"Mcp_Session_Id": session}
        else:
            self.greeting = self.ask("server/discover")

    def send(self, method, params=None):
        params = params or {}
        headers = {"Mcp_Name": params["uri"]} if "uri" in params else {}
        if self.era == "legacy":
            return self.tools.legacy(method, params, **self.headers, **headers)
        return self.tools.modern(method, {"_meta": meta(capabilities=self.capabilities), **params}, **headers)

    def ask(self, method, params=None):
        answer = self.send(method, params).json()
        assert "result" in answer, answer
        return answer["result"]

    def call(self, name, arguments):
        return self.ask("tools/call", {"name": name, "arguments": arguments})

    def press(self, button):
        return self.call("press_button", {"button": button})


def buttons(result):
    return result["_meta"]["fitness/page"]["buttons"]


def refusal(result):
    assert result["isError"]
    return result["content"][0]["text"]


@pytest.fixture(params=["legacy", "modern"])
def era(request):
    return request.param


@pytest.fixture
def host(tools, era):
    return Host(tools, era)


@pytest.fixture
def plain(tools, era):
    return Host(tools, era, capabilities={})


def test_a_host_of_pages_is_told_of_resources(host, plain):
    declared = {"tools": {}, "prompts": {}, "resources": {}, "extensions": {EXTENSION: {}}}
    assert declared.items() <= host.greeting["capabilities"].items()
    assert not host.greeting["capabilities"].keys() & {"subscribe", "listChanged"}
    assert not plain.greeting["capabilities"].keys() & {"resources", "extensions"}


def test_tools_name_their_pages_and_these_can_be_read(host):
    listed = {tool["name"]: tool.get("_meta", {}).get("ui", {}) for tool in host.ask("tools/list")["tools"]}
    assert listed.pop("press_button") == {"visibility": ["app"]}
    pages = {name: ui["resourceUri"] for name, ui in listed.items() if ui}
    assert pages.keys() == WITH_PAGES
    resources = {resource["uri"]: resource for resource in host.ask("resources/list")["resources"]}
    assert set(pages.values()) == resources.keys()
    assert host.ask("resources/templates/list")["resourceTemplates"] == []
    for uri, resource in resources.items():
        assert resource["mimeType"] == MIME_TYPE
        (contents,) = host.send("resources/read", {"uri": uri}).json()["result"]["contents"]
        assert (contents["uri"], contents["mimeType"]) == (uri, MIME_TYPE)
        assert contents["text"].startswith("<!doctype html>")
        assert len(contents["text"]) < 80_000
        assert not re.search(r"(src|href)=|url\(|import\(|fetch\(", contents["text"])


def test_an_unknown_page_is_refused(host):
    answer = host.send("resources/read", {"uri": "ui://fitness/other.html"}).json()
    assert answer["error"]["code"] == -32602
    assert "resources/list" in answer["error"]["message"]


@pytest.mark.parametrize(
    "capabilities",
    [
        {},
        {"extensions": {}},
        {"extensions": []},
        {"extensions": {EXTENSION: {}}},
        {"extensions": {EXTENSION: {"mimeTypes": "text/html;profile=mcp-app"}}},
        {"extensions": {EXTENSION: {"mimeTypes": ["text/plain"]}}},
    ],
)
def test_others_get_the_tools_alone(tools, era, capabilities):
    plain = Host(tools, era, capabilities)
    listed = plain.ask("tools/list")["tools"]
    assert len(listed) == 22
    assert not [tool for tool in listed if "_meta" in tool or tool["name"] == "press_button"]
    saved = plain.call("log_workout", a_workout())
    assert "fitness/page" not in saved.get("_meta", {})
    for method in ("resources/list", "resources/templates/list", "resources/read"):
        assert plain.send(method, {"uri": "ui://fitness/plan.html"}).json()["error"]["code"] == -32601
    unknown = plain.send("tools/call", {"name": "press_button", "arguments": {"button": "x"}}).json()
    assert unknown["error"]["message"] == "Unknown tool: press_button"


def test_a_legacy_client_without_pages_gets_no_session(tools):
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}}
    assert "Mcp-Session-Id" not in tools.legacy("initialize", params).headers


def test_the_data_of_a_result_is_the_same_for_a_host_of_pages(host, plain, api):
    api.post("/workouts", a_workout())
    query = {"exercise_id": "barbell-bench-press"}
    shown, told = (one.call("get_exercise_history", query) for one in (host, plain))
    assert shown.pop("_meta")["fitness/page"] == {"units": "kg"}
    told.pop("_meta", None)
    assert shown == told


def test_a_logged_workout_is_taken_back_once(host, api):
    undo = buttons(host.call("log_workout", a_workout()))["undo"]
    pressed = host.press(undo)
    assert pressed["structuredContent"] == {"message": "The workout is taken back."}
    assert api.get("/workouts").json()["workouts"] == []
    assert "its record is gone already" in refusal(host.press(undo))


def test_a_press_is_logged_by_its_name(host, caplog):
    undo = buttons(host.call("log_workout", a_workout()))["undo"]
    caplog.clear()
    host.press(undo)
    (record,) = [one for one in caplog.records if one.name == "mcp_endpoint"]
    assert (record.tool, record.outcome) == ("press_button", "ok")
    assert undo not in str(record.__dict__)


def test_a_plan_taken_back_leaves_the_one_before_it_active(host, api):
    former = api.post("/plans", a_plan(name="Former", active=True)).json()
    saved = host.call("create_training_plan", a_plan(active=True))
    assert buttons(saved).keys() == {"undo"}
    message = host.press(buttons(saved)["undo"])["structuredContent"]["message"]
    assert message == "The plan is taken back; Former is active again."
    (left,) = api.get("/plans").json()["plans"]
    assert (left["id"], left["active"]) == (former["id"], True)


def test_a_plan_taken_back_retires_none_that_was_activated_since(host, api):
    former = api.post("/plans", a_plan(name="Former", active=True)).json()
    saved = host.call("create_training_plan", a_plan(active=True))
    third = api.post("/plans", a_plan(name="Third", active=True)).json()
    host.press(buttons(saved)["undo"])
    active = {plan["id"] for plan in api.get("/plans").json()["plans"] if plan["active"]}
    assert active == {third["id"]} != {former["id"]}


def test_a_new_plan_is_followed(host, api):
    saved = host.call("create_training_plan", a_plan())
    host.press(buttons(saved)["follow"])
    assert api.get(f"/plans/{saved['structuredContent']['id']}").json()["active"] is True


def test_a_button_of_another_account_does_nothing(host, stranger_tools, era, api):
    undo = buttons(host.call("log_workout", a_workout()))["undo"]
    assert "is no button of this account" in refusal(Host(stranger_tools, era).press(undo))
    assert len(api.get("/workouts").json()["workouts"]) == 1


@pytest.mark.parametrize("button", ["", "x", "eyJ0ZXN0IjoxfQ:1vNabc:abc"])
def test_a_button_that_was_not_made_here_does_nothing(host, button, api):
    host.call("log_workout", a_workout())
    assert refusal(host.press(button))
    assert len(api.get("/workouts").json()["workouts"]) == 1


def test_a_button_expires_after_a_day(host, time_machine, api):
    undo = buttons(host.call("log_workout", a_workout()))["undo"]
    time_machine.move_to(timezone.now() + datetime.timedelta(hours=25))
    assert "older than a day" in refusal(host.press(undo))
    assert len(api.get("/workouts").json()["workouts"]) == 1


def test_a_key_that_may_only_read_presses_nothing(host, reading_tools, era, api):
    undo = buttons(host.call("log_workout", a_workout()))["undo"]
    answer = Host(reading_tools, era).send(
        "tools/call", {"name": "press_button", "arguments": {"button": undo}}
    )
    text = answer.content.decode()
    assert "may only read" in text
    assert len(api.get("/workouts").json()["workouts"]) == 1


def test_a_batch_of_a_legacy_host_knows_its_pages(tools):
    host = Host(tools, "legacy")
    listed = tools.post([{"jsonrpc": "2.0", "id": 1, "method": "resources/list"}], **host.headers).json()
    assert len(listed[0]["result"]["resources"]) == len(WITH_PAGES)
