"""The methods that both eras have: tools/list and tools/call. Each takes (params, client)."""

from functools import cache

from django.conf import settings

from accounts.models import ApiKey
from fitness.json import Fragment, dumps
from mcp_endpoint.corrections.rows import ALL_TOOLS, CORRECTIONS, corrected_rows, for_correcting
from mcp_endpoint.instructions import instructions
from mcp_endpoint.jsonrpc import INVALID_PARAMS, INVALID_REQUEST, Client, Params, ProtocolError, Result
from mcp_endpoint.schemas import read_as
from mcp_endpoint.tool import Tool
from mcp_endpoint.tools import TOOLS
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

WITHOUT_CORRECTIONS = "corrections need a key that may also correct and delete: Settings, Developer."


class WriteScopeRequired(ProtocolError):
    """A tool that writes was called with a key that may only read: 403, as the MCP specification requires.

    (basic/authorization, "Runtime Insufficient Scope Errors")
    """

    def __init__(self, tool: Tool, client: Client) -> None:
        reason = READ_ONLY_CONNECTION if client.key.is_connection else READ_ONLY_KEY
        if tool.name in CORRECTIONS:
            reason = f"{reason} For this tool it must be one that may also correct and delete."
        super().__init__(
            INVALID_REQUEST,
            f"{tool.name} failed: {reason}",
            data={"code": "insufficient_scope"},
            status=403,
            headers={"WWW-Authenticate": client.write_challenge()},
        )


def capabilities(client: Client) -> Result:
    return {"tools": {}, "prompts": {}, **(ui.CAPABILITIES if client.shows_pages else {})}


def list_tools(params: Params, client: Client) -> Result:
    if params.get("cursor") is not None:
        raise ProtocolError(INVALID_PARAMS, "There is one page of tools; leave cursor out.")
    return {"tools": definitions(client.key.may_correct, client.shows_pages)}


@cache
def definitions(may_correct: bool, shows_pages: bool) -> Fragment:
    """The array of tools/list as JSON; it is the same for every key that may do the same."""
    tools = corrected_rows() if may_correct else TOOLS.values()
    listed = [tool.definition for tool in tools]
    return Fragment(dumps(ui.with_pages(listed) if shows_pages else listed))


def instructions_for(key: ApiKey) -> str:
    text = instructions(key.account)
    return for_correcting(text) if key.may_correct else text


def call_tool(params: Params, client: Client) -> Result:
    name, arguments = params.get("name"), params.get("arguments")
    if not isinstance(name, str):
        raise ProtocolError(INVALID_PARAMS, "params.name must be the name of a tool.")
    tool = find_tool(name, client)
    arguments = {} if arguments in (None, "") else read_as(dict, arguments)
    if not isinstance(arguments, dict):
        raise ProtocolError(INVALID_PARAMS, "params.arguments must be an object.")
    if tool.writes and not client.key.may_write:
        raise WriteScopeRequired(tool, client)
    call = ui.call if client.shows_pages else Tool.call
    result = call(tool, client.key.account, arguments)
    client.key.use.refusals += result["isError"]
    client.key.use.writes += tool.writes and not result["isError"]
    return result


def find_tool(name: str, client: Client) -> Tool:
    """Raises ProtocolError for a tool that does not exist, or not for this client.

    A key that may only read gets the tools that correct here: that it may not write is the first to say.
    """
    key = client.key
    if name == PRESS_BUTTON.name and client.shows_pages:
        return PRESS_BUTTON
    tool = ALL_TOOLS.get(name)
    if tool is None:
        raise ProtocolError(INVALID_PARAMS, f"Unknown tool: {name[:64]}")
    is_beyond_scope = tool.writes and not key.may_write
    if name in CORRECTIONS and not (key.may_correct or is_beyond_scope):
        raise ProtocolError(INVALID_PARAMS, f"Unknown tool: {name}; {WITHOUT_CORRECTIONS}")
    return tool
