"""The legacy era, 2025-03-26 to 2025-11-25: a client opens with `initialize`.

No state is kept, so no request needs an `initialize` before it.
"""

from dataclasses import replace

from fitness.api.errors import ApiError
from mcp_endpoint import methods
from mcp_endpoint.jsonrpc import (
    INVALID_PARAMS,
    LEGACY_VERSIONS,
    Client,
    Message,
    Methods,
    Params,
    ProtocolError,
    Reply,
    Result,
    params_of,
    success,
    unknown_method,
)
from mcp_endpoint.methods import READ_ONLY_KEY, SERVER, instructions_for
from mcp_endpoint.prompts import get_prompt, list_prompts
from mcp_endpoint.tool import error_result
from mcp_endpoint.ui import methods as ui


def respond(message: Message, client: Client) -> Reply:
    """A notification, and a response of the client, is accepted; nothing is done.

    An unknown method is a 200: a legacy client takes 404 for "session terminated", and any other error status
    for the end of its connection.
    """
    if "method" not in message or "id" not in message:
        return Reply(202)
    opens = message["method"] == "initialize"
    shows_pages = ui.declared(message) if opens else client.session == ui.SESSION
    client = replace(client, shows_pages=shows_pages)
    method = ui.with_resources(METHODS, client).get(message["method"])
    if method is None:
        raise unknown_method(message)
    reply = success(message, method(params_of(message), client))
    return replace(reply, headers={"Mcp-Session-Id": ui.SESSION}) if opens and shows_pages else reply


def initialize(params: Params, client: Client) -> Result:
    version = params.get("protocolVersion")
    if not isinstance(version, str):
        raise ProtocolError(INVALID_PARAMS, "params.protocolVersion must be a string.")
    return {
        "protocolVersion": version if version in LEGACY_VERSIONS else LEGACY_VERSIONS[0],
        "capabilities": methods.capabilities(client),
        "serverInfo": SERVER,
        "instructions": instructions_for(client.key),
    }


def ping(params: Params, client: Client) -> Result:
    return {}


def call_tool(params: Params, client: Client) -> Result:
    """A missing scope is an error of the tool where the client names its version.

    A 403 would end its whole session, and the model would never read the reason.
    """
    try:
        return methods.call_tool(params, client)
    except methods.WriteScopeRequired as error:
        if client.version is None:
            raise
        return error_result(error.message, ApiError(403, READ_ONLY_KEY))


METHODS: Methods = {
    "initialize": initialize,
    "ping": ping,
    "tools/list": methods.list_tools,
    "tools/call": call_tool,
    "prompts/list": list_prompts,
    "prompts/get": get_prompt,
}
