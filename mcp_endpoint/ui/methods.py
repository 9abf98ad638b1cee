"""What hosts that show pages get beside the tools: resources, and tools that name their pages."""

from collections.abc import Mapping
from typing import Any

from fitness.json import JsonObject
from mcp_endpoint.jsonrpc import INVALID_PARAMS, Client, Message, Methods, Params, ProtocolError, Result
from mcp_endpoint.ui.buttons import PRESS_BUTTON
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
