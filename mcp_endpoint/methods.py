"""The methods that both eras have: tools/list and tools/call. Each takes (params, client)."""

from django.conf import settings

from mcp_endpoint.jsonrpc import INVALID_PARAMS, INVALID_REQUEST, Client, Params, ProtocolError, Result
from mcp_endpoint.tool import Tool
from mcp_endpoint.tools import TOOLS, definitions
from mcp_endpoint.ui import extras
from mcp_endpoint.ui import methods as ui
from mcp_endpoint.ui.buttons import PRESS_BUTTON

SERVER = {
    "name": "fitness-tracking-service",
    "title": settings.SPECTACULAR_SETTINGS["TITLE"],
    "version": settings.SPECTACULAR_SETTINGS["VERSION"],
}
READ_ONLY_KEY = (
    "nothing was stored, because this API key may only read. Ask the user for a key with read and write "
    "scope; it can be created in the app under Settings, Developer."
)
READ_ONLY_CONNECTION = (
    "nothing was stored, because this connection may only read. Ask the user to connect again and allow "
    "writing, or to use a key with read and write scope."
)


class WriteScopeRequired(ProtocolError):
    """A tool that writes was called with a key that may only read: 403, as the MCP specification requires.

    (basic/authorization, "Runtime Insufficient Scope Errors")
    """

    def __init__(self, tool: Tool, client: Client) -> None:
        reason = READ_ONLY_CONNECTION if client.key.is_connection else READ_ONLY_KEY
        super().__init__(
            INVALID_REQUEST,
            f"{tool.name} failed: {reason}",
            data={"code": "insufficient_scope"},
            status=403,
            headers={"WWW-Authenticate": client.write_challenge},
        )


def capabilities(client: Client) -> Result:
    return {"tools": {}, **(ui.CAPABILITIES if client.shows_pages else {})}


def list_tools(params: Params, client: Client) -> Result:
    if params.get("cursor") is not None:
        raise ProtocolError(INVALID_PARAMS, "There is one page of tools; leave cursor out.")
    return {"tools": ui.definitions() if client.shows_pages else definitions()}


def call_tool(params: Params, client: Client) -> Result:
    name, arguments = params.get("name"), params.get("arguments")
    if not isinstance(name, str):
        raise ProtocolError(INVALID_PARAMS, "params.name must be the name of a tool.")
    tool = PRESS_BUTTON if client.shows_pages and name == PRESS_BUTTON.name else TOOLS.get(name)
    if tool is None:
        raise ProtocolError(INVALID_PARAMS, f"Unknown tool: {name[:64]}")
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        raise ProtocolError(INVALID_PARAMS, "params.arguments must be an object.")
    if tool.writes and not client.key.may_write:
        raise WriteScopeRequired(tool, client)
    call = extras.call if client.shows_pages else Tool.call
    result = call(tool, client.key.account, arguments)
    client.use.refusals += result["isError"]
    client.use.writes += tool.writes and not result["isError"]
    return result
