"""The pages of MCP Apps in a host with the official bridge: under the extension's policy, in both themes."""

import re

import pytest

from tests import node
from tests.conftest import a_set, a_workout
from tests.mcp_endpoint.conftest import ToolClient, meta
from tests.screens.browser import expect, in_browser, violations
from tests.screens.conftest import messages_of
from tests.screens.test_train_progression import picture
from tests.training.test_plans import a_plan

pytestmark = in_browser

APPS = {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}}
HOST, FRAME = "http://host.test/", "http://frame.test/"
# MCP Apps, "Host Behavior": what a host must send where a page declares no domains.
POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; media-src 'self' data:; connect-src 'none'; frame-src 'none'; "
    "object-src 'none'; base-uri 'self'"
)
CHAT = "<!doctype html><html lang=en><title>Chat</title><style>iframe { width: 100% }</style><h1>Chat</h1>"
BENCH = "barbell-bench-press"


@pytest.fixture(autouse=True)
def requests_end_first():
    """No server is there."""


@pytest.fixture(scope="module")
def bridge(tmp_path_factory):
    """The script of the host, with the packages that it imports."""
    folder = tmp_path_factory.mktemp("host")
    (folder / "node_modules").symlink_to(node.packages())
    (folder / "host.js").write_bytes((node.SOURCE / "host.js").read_bytes())
    node.run("esbuild", "host.js", "--bundle", "--outfile=bundle.js", "--log-level=error", cwd=folder)
    return (folder / "bundle.js").read_text()


class Host:
    """Calls tools, and shows their results in their pages."""

    def __init__(self, screen, key, bridge):
        self.screen, self.tools, self.requests = screen, ToolClient(key), []
        self.page = ""
        screen.route("**/*", self.answer)
        screen.expose_function("callTool", lambda params: self.call(params["name"], params["arguments"]))
        screen.goto(HOST)
        screen.add_script_tag(content=bridge)

    def answer(self, route):
        self.requests.append(route.request.url)
        if route.request.url == HOST:
            route.fulfill(body=CHAT, content_type="text/html")
        elif route.request.url == FRAME:
            headers = {"Content-Security-Policy": POLICY, "Content-Type": "text/html"}
            route.fulfill(body=self.page, headers=headers)
        else:
            route.abort()

    def ask(self, method, params=None, **headers):
        params = {"_meta": meta(capabilities=APPS), **(params or {})}
        answer = self.tools.modern(method, params, **headers).json()
        assert "result" in answer, answer
        return answer["result"]

    def call(self, name, arguments):
        return self.ask("tools/call", {"name": name, "arguments": arguments})

    def show(self, name, arguments=None, theme="light"):
        """Calls a tool, and returns the frame with the page that shows the result."""
        listed = {tool["name"]: tool for tool in self.ask("tools/list")["tools"]}
        uri = listed[name]["_meta"]["ui"]["resourceUri"]
        (contents,) = self.ask("resources/read", {"uri": uri}, Mcp_Name=uri)["contents"]
        assert contents["mimeType"] == "text/html;profile=mcp-app"
        self.page = contents["text"]
        given = {"address": FRAME, "theme": theme, "arguments": arguments or {}}
        self.screen.evaluate("showPage", {**given, "result": self.call(name, arguments or {})})
        return self.screen.frame_locator("iframe")


@pytest.fixture
def host(chromium, transactional_db, api, bridge):
    context = chromium.new_context(viewport={"width": 400, "height": 700})
    page = context.new_page()
    messages = messages_of(page)
    host = Host(page, api.key, bridge)
    yield host
    context.close()
    assert messages == []
    assert set(host.requests) <= {HOST, FRAME}


def problems(host, name):
    """What axe finds in the page in both themes of the host, and what is wider than its frame."""
    (frame,) = host.screen.frames[1:]
    width = frame.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    found = [f"{width} px too wide"] * bool(width)
    for theme in ("light", "dark"):
        change_theme(host, theme)
        picture(host.screen, f"mcp-{name}-{theme}")
        found += violations(frame, themes=("light",))
    return found


def change_theme(host, theme):
    host.screen.evaluate("theme => bridge.setHostContext({ theme })", theme)
    root = host.screen.frame_locator("iframe").locator("html")
    expect(root).to_have_attribute("style", re.compile(f"color-scheme: {theme}"))


def test_a_lift_is_a_line_whose_values_are_read_by_key_and_pointer(host, api):
    for day, weight in ((2, 100), (9, 102.5), (16, 105)):
        api.post("/workouts", a_workout(a_set(weight, 5), started_at=f"2026-11-{day:02}T17:00:00Z"))
    page = host.show("get_exercise_history", {"exercise_id": BENCH})
    output, chart = page.locator("output"), page.get_by_role("application")
    expect(output).to_have_text("16 Nov 2026: 105 × 5, estimated maximum 122.5 kg")
    chart.focus()
    chart.press("Home")
    expect(output).to_have_text("2 Nov 2026: 100 × 5, estimated maximum 116.7 kg")
    chart.press("ArrowRight")
    expect(output).to_have_text("9 Nov 2026: 102.5 × 5, estimated maximum 119.6 kg")
    over = page.locator(".u-over")
    over.hover(position={"x": over.bounding_box()["width"] - 4, "y": 60})
    expect(output).to_contain_text("16 Nov 2026")
    page.get_by_text("Values").click()
    expect(page.get_by_role("listitem")).to_have_count(3)
    assert problems(host, "history") == []


def test_body_weight_has_its_trend_in_the_theme_of_the_host(host, api, account):
    account.units = "lb"
    account.save()
    for day, weight in ((2, 90), (5, 89.2), (9, 89.6)):
        api.post("/body/weight", {"weight_kg": weight, "logged_at": f"2026-11-{day:02}T06:00:00Z"})
    page = host.show("get_body_metrics", {"since": "2026-11-01T00:00:00Z"}, theme="dark")
    expect(page.locator("html")).to_have_attribute("style", re.compile("color-scheme: dark"))
    expect(page.get_by_role("heading")).to_have_text("Body weight, lb")
    output = page.locator("output")
    expect(output).to_contain_text("9 Nov 2026: 197.5 lb, trend 197.8 lb")
    page.get_by_role("application").press("Home")
    expect(output).to_have_text("2 Nov 2026: 198.4 lb, trend 198.4 lb")
    assert problems(host, "weight") == []


def test_a_page_without_data_says_what_the_tool_says(host):
    page = host.show("get_body_metrics")
    expect(page.get_by_text("0 weight logs and 0 tape measurements.")).to_be_visible()
    assert problems(host, "empty") == []


def logged(api):
    return api.get("/workouts").json()["workouts"]


def test_a_logged_workout_is_taken_back_and_saved_again(host, api):
    page = host.show("log_workout", a_workout(a_set(100, 5), a_set(60, 8, type="warmup"), title="Push"))
    expect(page.get_by_role("heading")).to_have_text("Push")
    expect(page.get_by_role("row", name="Barbell Bench Press")).to_contain_text("100 × 5, 60 × 8 w")
    assert problems(host, "workout") == []
    (first,) = logged(api)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status")).to_have_text("The workout is taken back.")
    assert logged(api) == []
    assert problems(host, "taken-back") == []
    expect(page.get_by_role("button", name="Undo")).to_have_count(0)  # another theme draws nothing anew
    page.get_by_role("button", name="Save it again").click()
    expect(page.get_by_role("heading")).to_have_text("Push")
    (again,) = logged(api)
    assert (again["exercises"], again["id"] == first["id"]) == (first["exercises"], False)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status")).to_be_visible()
    assert logged(api) == []


def test_a_chart_takes_the_colours_of_another_theme(host, api):
    for weight, day in ((100, 2), (105, 9)):
        api.post("/workouts", a_workout(a_set(weight, 5), started_at=f"2026-03-{day:02}T17:30:00Z"))
    page = host.show("get_exercise_history", {"exercise_id": BENCH})
    expect(page.locator("canvas")).to_be_visible()
    before = page.locator("canvas").evaluate("canvas => canvas.toDataURL()")
    change_theme(host, "dark")
    page.locator("canvas").evaluate(
        """async (canvas, before) => {
            while (canvas.toDataURL() === before) await new Promise(requestAnimationFrame);
        }""",
        before,
    )


def test_a_button_says_why_nothing_was_done(host, api):
    page = host.show("log_workout", a_workout())
    (workout,) = logged(api)
    api.delete(f"/workouts/{workout['id']}")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("alert")).to_contain_text("its record is gone already")
    expect(page.get_by_role("button", name="Undo")).to_be_enabled()


def test_a_plan_is_followed_and_taken_back(host, api):
    former = api.post("/plans", a_plan(name="Former", active=True)).json()
    page = host.show("create_training_plan", a_plan(name="New"))
    expect(page.get_by_role("heading", name="Monday")).to_be_visible()
    expect(page.get_by_role("listitem").first).to_have_text("Barbell Bench Press 3 × 8 at 60 kg")
    assert problems(host, "plan") == []
    page.get_by_role("button", name="Follow this plan").click()
    expect(page.get_by_role("status")).to_have_text("New is the active plan now.")
    assert api.get(f"/plans/{former['id']}").json()["active"] is False
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status")).to_contain_text("The plan is taken back")
    assert [plan["name"] for plan in api.get("/plans").json()["plans"]] == ["Former"]
