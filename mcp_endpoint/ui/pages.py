"""Pictures in the chat: MCP Apps, the extension io.modelcontextprotocol/ui of 2026-01-26 (SEP-1865).

A host that shows apps reads a page, one HTML document at a `ui://` address without a request to anywhere,
and gives it the result of a tool; the page draws it. What a result needs beyond its data (the unit, a trend,
buttons) is in its `_meta`, which hosts keep from models. Clients that do not declare the extension get
nothing of all this.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from django.conf import settings

from accounts.models import Account
from body.api.views import TrendViewSet
from fitness.api.serializers import RecentWindow
from fitness.json import Fragment, JsonObject, dumps, without_fragments
from mcp_endpoint.jsonrpc import INVALID_PARAMS, Client, Methods, Params, ProtocolError, Result
from mcp_endpoint.tool import Arguments, CallResult, Tool
from mcp_endpoint.ui.buttons import PRESS_BUTTON, token

EXTENSION = "io.modelcontextprotocol/ui"
CAPABILITIES: Result = {"resources": {}, "extensions": {EXTENSION: {}}}
# A legacy client says only once, in `initialize`, that it shows pages. It repeats this id with each request.
SESSION = EXTENSION
MIME_TYPE = "text/html;profile=mcp-app"
KEY = "fitness/page"  # in `_meta` of a result
FILES = Path(__file__).parent / "files"
UPLOT = settings.BASE_DIR / "fitness" / "web" / "static" / "vendor" / "uplot"


@dataclass(frozen=True)
class Page:
    """A page, which is drawn by files/<name>.js; `has_chart` is whether it needs uPlot."""

    name: str
    title: str
    description: str
    has_chart: bool = False

    @property
    def uri(self) -> str:
        return f"ui://fitness/{self.name}.html"

    @property
    def definition(self) -> JsonObject:
        """The page's item in the result of resources/list."""
        return {
            "uri": self.uri,
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "mimeType": MIME_TYPE,
        }

    @property
    def contents(self) -> JsonObject:
        """The page's item in the result of resources/read. Without `csp` a host allows no connections."""
        return {
            "uri": self.uri,
            "mimeType": MIME_TYPE,
            "text": html(self),
            "_meta": {"ui": {"prefersBorder": True}},
        }


# By the names of the tools whose results they show.
PAGES = {
    "get_exercise_history": Page(
        "exercise_history",
        "Exercise history",
        "The line of estimated one-rep maxima of an exercise, with the best set of each session.",
        has_chart=True,
    ),
    "get_body_metrics": Page(
        "body_weight", "Body weight", "Weight logs and their trend over time.", has_chart=True
    ),
    "log_workout": Page(
        "workout", "Logged workout", "The workout that was saved, with a button that takes it back."
    ),
    "create_training_plan": Page(
        "plan", "Weekly plan", "The seven days of a plan, with buttons to follow it and to take it back."
    ),
}
BY_URI = {page.uri: page for page in PAGES.values()}


@cache
def html(page: Page) -> str:
    styles, scripts = [text("page.css")], [text("host.js"), text("dom.js"), text(f"{page.name}.js")]
    if page.has_chart:
        styles.insert(0, (UPLOT / "uPlot.min.css").read_text())
        scripts[:0] = [(UPLOT / "uPlot.iife.min.js").read_text(), text("chart.js")]
    return text("page.html").format(
        title=escape(page.title), style="\n".join(styles), script="\n".join(scripts)
    )


def text(name: str) -> str:
    return (FILES / name).read_text()


def shows_pages(capabilities: object) -> bool:
    """Whether these capabilities of a client declare the extension and its one media type."""
    found: Any = capabilities
    for name in ("extensions", EXTENSION, "mimeTypes"):
        found = found.get(name) if isinstance(found, Mapping) else None
    return isinstance(found, list) and MIME_TYPE in found


def with_pages(definitions: list[JsonObject]) -> list[JsonObject]:
    """The items of tools/list with the addresses of their pages, and the tool of the buttons there."""
    of_tools = {name: {"_meta": {"ui": {"resourceUri": page.uri}}} for name, page in PAGES.items()}
    button = {**PRESS_BUTTON.definition, "_meta": {"ui": {"visibility": ["app"]}}}
    return [*({**definition, **of_tools.get(definition["name"], {})} for definition in definitions), button]


def read_resource(params: Params, client: Client) -> Result:
    uri = params.get("uri")
    if not isinstance(uri, str) or uri not in BY_URI:
        raise ProtocolError(INVALID_PARAMS, "params.uri must be an address that resources/list names.")
    return {"contents": [BY_URI[uri].contents]}


METHODS: Methods = {
    "resources/list": lambda params, client: {"resources": [page.definition for page in PAGES.values()]},
    "resources/templates/list": lambda params, client: {"resourceTemplates": []},
    "resources/read": read_resource,
}


def call(tool: Tool, account: Account, arguments: Arguments) -> CallResult:
    """The result of tools/call for a host that shows pages; one that succeeds has what its page needs."""
    makes_plan = tool.name == "create_training_plan"
    followed = account.plans.active().values_list("pk", flat=True).first() if makes_plan else None
    result = tool.call(account, arguments)
    if result["isError"] or tool.name not in PAGES:
        return result
    page: JsonObject = {"units": account.units}
    match tool.name:
        case "log_workout":
            workout = without_fragments(result["structuredContent"])
            page["buttons"] = {"undo": token(account, "remove_workout", workout["id"])}
        case "create_training_plan":
            plan = without_fragments(result["structuredContent"])
            before = str(followed) if followed and plan["active"] else None
            page["buttons"] = {"undo": token(account, "remove_plan", plan["id"], before)}
            if not plan["active"]:
                page["buttons"]["follow"] = token(account, "follow_plan", plan["id"])
        case "get_body_metrics":  # the trend of the same window; of the last 90 days where none is given
            window = {"since": arguments["since"]} if arguments.get("since") else {}
            trend = TrendViewSet.perform("retrieve", account, RecentWindow.validated(window))
            page["trend"] = trend["points"]
    return {**result, "_meta": {KEY: Fragment(dumps(page))}}
