"""The legacy era, 2025-03-26 to 2025-11-25: a client opens with `initialize`.

No state is kept, so no request needs an `initialize` before it.
"""

from collections.abc import Callable, Mapping

from fitness.api.errors import ApiError
from mcp_endpoint import methods
from mcp_endpoint.instructions import instructions
from mcp_endpoint.messages import (
    INVALID_PARAMS,
    Client,
    Message,
    Params,
    ProtocolError,
    Result,
    params_of,
    unknown_method,
)
from mcp_endpoint.methods import CAPABILITIES, READ_ONLY_KEY, SERVER
from mcp_endpoint.tool import error_result

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26")
BATCHING = "2025-03-26"  # the one version with batches


def handle(message: Message, client: Client) -> Result:
    """The result of a request.

    An unknown method is a 200: a legacy client takes 404 for "session terminated", and any other error status
    for the end of its connection.
    """
    method = METHODS.get(message["method"])
    if method is None:
        raise unknown_method(message)
    return method(params_of(message), client)


def initialize(params: Params, client: Client) -> Result:
    version = params.get("protocolVersion")
    if not isinstance(version, str):
        raise ProtocolError(INVALID_PARAMS, "params.protocolVersion must be a string.")
    return {
        "protocolVersion": version if version in VERSIONS else VERSIONS[0],
        "capabilities": CAPABILITIES,
        "serverInfo": SERVER,
        "instructions": instructions(client.key.account),
    }


def ping(params: Params, client: Client) -> Result:
    return {}


def call_tool(params: Params, client: Client) -> Result:
    """A missing scope is an error of the tool where the client names its version.

    A 403 would end its whole session, and the model would never read the reason.
    """
    try:
        return methods.call_tool(params, client)
    except methods.InsufficientScope as error:
        if client.version is None:
            raise
        return error_result(error.message, ApiError(403, READ_ONLY_KEY))


METHODS: Mapping[str, Callable[[Params, Client], Result]] = {
    "initialize": initialize,
    "ping": ping,
    "tools/list": methods.list_tools,
    "tools/call": call_tool,
}
