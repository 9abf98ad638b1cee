"""What hosts that show pages get beside the tools: resources, and tools that name their pages."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from fitness.json import Fragment, JsonObject, dumps
from mcp_endpoint.jsonrpc import INVALID_PARAMS, Client, Methods, Params, ProtocolError, Result
from mcp_endpoint.tool import Tool
from mcp_endpoint.tools import TOOLS
from mcp_endpoint.ui.buttons import PRESS_BUTTON
from mcp_endpoint.ui.pages import BY_URI, MIME_TYPE, PAGES

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


def declared(params: Params) -> bool:
    """Whether an `initialize` declares it."""
    return shows_pages(params.get("capabilities"))


def with_page(tool: Tool) -> JsonObject:
    """The tool's item in tools/list, with the address of the page that shows its results."""
    page = PAGES.get(tool.name)
    return {**tool.definition, "_meta": {"ui": {"resourceUri": page.uri}}} if page else tool.definition


@cache
def definitions() -> Fragment:
    """The array of tools/list as JSON, for a host that shows pages."""
    button = {**PRESS_BUTTON.definition, "_meta": {"ui": {"visibility": ["app"]}}}
    return Fragment(dumps([*map(with_page, TOOLS.values()), button]))


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
