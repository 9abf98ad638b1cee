"""What hosts that show pages get beside the tools: resources, names of pages, and what the pages need."""

from collections.abc import Callable, Mapping
from typing import Any

from accounts.models import Account
from body.trend import daily_points
from fitness.api.serializers import RecentWindow
from fitness.json import Fragment, JsonObject, dumps, without_fragments
from mcp_endpoint.jsonrpc import INVALID_PARAMS, Client, Message, Methods, Params, ProtocolError, Result
from mcp_endpoint.tool import Arguments, CallResult, Tool
from mcp_endpoint.ui.buttons import PRESS_BUTTON, plan_buttons, workout_buttons
from mcp_endpoint.ui.pages import BY_URI, MIME_TYPE, PAGES, Page

EXTENSION = "io.modelcontextprotocol/ui"
CAPABILITIES: Result = {"resources": {}, "extensions": {EXTENSION: {}}}
# A legacy client says only once, in `initialize`, that it shows pages. It repeats this id with each request.
SESSION = EXTENSION


def shows_pages(capabilities: object) -> bool:
    """Whether these capabilities of a client declare the extension and its one media type."""
    found: Any = capabilities
    for name in ("extensions", EXTENSION, "mimeTypes"):
        found = found.get(name) if isinstance(found, Mapping) else None
    return isinstance(found, list) and MIME_TYPE in found


def declared(message: Message) -> bool:
    """Whether an `initialize` declares it."""
    params = message.get("params")
    return isinstance(params, dict) and shows_pages(params.get("capabilities"))


def with_pages(definitions: list[JsonObject]) -> list[JsonObject]:
    """The items of tools/list with the addresses of their pages, and the tool of the buttons there."""
    button = {**PRESS_BUTTON.definition, "_meta": {"ui": {"visibility": ["app"]}}}
    return [*(with_page(definition, PAGES.get(definition["name"])) for definition in definitions), button]


def with_page(definition: JsonObject, page: Page | None) -> JsonObject:
    return {**definition, "_meta": {"ui": {"resourceUri": page.uri}}} if page else definition


def list_resources(params: Params, client: Client) -> Result:
    return {"resources": [page.definition for page in PAGES.values()]}


def list_templates(params: Params, client: Client) -> Result:
    return {"resourceTemplates": []}


def read_resource(params: Params, client: Client) -> Result:
    uri = params.get("uri")
    if not isinstance(uri, str) or uri not in BY_URI:
        raise ProtocolError(INVALID_PARAMS, "params.uri must be an address that resources/list names.")
    return {"contents": [BY_URI[uri].contents]}


METHODS: Methods = {
    "resources/list": list_resources,
    "resources/templates/list": list_templates,
    "resources/read": read_resource,
}


def with_resources(methods: Methods, client: Client) -> Methods:
    """The methods of an era, with those of resources for a host that shows pages."""
    return {**methods, **METHODS} if client.shows_pages else methods


# --- What a page needs beyond a result: the unit of the account's screens, a trend, buttons -----------

KEY = "fitness/page"  # in `_meta` of a result


def call(tool: Tool, account: Account, arguments: Arguments) -> CallResult:
    """The result of tools/call for a host that shows pages; one that succeeds has what its page needs."""
    more = EXTRAS[tool.name](account, arguments) if tool.name in EXTRAS else None
    result = tool.call(account, arguments)
    if result["isError"] or tool.name not in PAGES:
        return result
    page = {"units": account.units, **(more(without_fragments(result["structuredContent"])) if more else {})}
    return {**result, "_meta": {KEY: Fragment(dumps(page))}}


More = Callable[[JsonObject], JsonObject]  # the extras of a result


def workout(account: Account, arguments: Arguments) -> More:
    return lambda saved: {"buttons": workout_buttons(account, saved)}


def plan(account: Account, arguments: Arguments) -> More:
    followed = account.plans.active().values_list("pk", flat=True).first()
    before = str(followed) if followed else None
    return lambda saved: {"buttons": plan_buttons(account, saved, before)}


def body_metrics(account: Account, arguments: Arguments) -> More:
    """The trend of the same window; of the last 90 days where none is given."""

    def trend(_: JsonObject) -> JsonObject:
        window = RecentWindow.validated({"since": arguments["since"]} if arguments.get("since") else {})
        logs = account.weight_logs.of_trend(**window).oldest_first()
        rows = logs.values_list("logged_at", "weight_kg", "body_fat_percent", named=True)
        return {"trend": daily_points(list(rows), **window)}

    return trend


EXTRAS: dict[str, Callable[[Account, Arguments], More]] = {
    "log_workout": workout,
    "create_training_plan": plan,
    "get_body_metrics": body_metrics,
}
