"""JSON-RPC 2.0 as MCP uses it: its messages, its errors, and who sends them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from accounts.models import ApiKey
from fitness import logs
from fitness.json import JsonObject

LEGACY_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26")
BATCHING = "2025-03-26"  # the one version with batches
MAX_BATCH = 25
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

Message: TypeAlias = JsonObject  # a JSON-RPC message, as the client has sent it
Params: TypeAlias = JsonObject
Result: TypeAlias = Mapping[str, Any]  # of a method, in JSON values and Fragments

# The HTTP status of an error, by its code; that of others is 200.
STATUSES: Mapping[int, int] = {PARSE_ERROR: 400, INVALID_REQUEST: 400}


@dataclass(frozen=True)
class Client:
    """The key of a request, and its routing headers (None where they are missing).

    `write_challenge` makes the WWW-Authenticate header for a key that may only read, `session` is the one id
    that a client may have (see mcp_endpoint/ui), `shows_pages` whether it has said that it shows pages.
    """

    key: ApiKey
    write_challenge: Callable[[], str]
    version: str | None = None
    method: str | None = None
    name: str | None = None
    session: str | None = None
    shows_pages: bool = False


@dataclass(frozen=True)
class Reply:
    """A response over HTTP; its body is empty where `body` is None."""

    status: int
    body: Message | list[Message] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def outcome(self) -> str | int:
        """`ok`, `refused` for a tool's error, or the code of a JSON-RPC error."""
        body = self.body if isinstance(self.body, dict) else {}
        if "error" in body:
            code: int = body["error"]["code"]
            return code
        return "refused" if body.get("result", {}).get("isError") else "ok"


@dataclass(eq=False)
class ProtocolError(Exception):
    """A JSON-RPC error. Its HTTP status follows from the code and the era, unless `status` is given."""

    code: int
    message: str
    data: dict[str, Any] | None = None
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def reply(self, message_id: str | int | None = None) -> Reply:
        logs.note(code=str((self.data or {}).get("code", self.code)))
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.data is not None:
            error["data"] = self.data
        body = {"jsonrpc": "2.0", "id": message_id, "error": error}
        return Reply(self.status or STATUSES.get(self.code, 200), body, self.headers)


Methods = Mapping[str, Callable[[Params, Client], Result]]  # of an era, by their names


def check_envelope(message: object) -> Message:
    """JSON-RPC 2.0, and what MCP adds to it: an id is a string or an integer, never null."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise ProtocolError(INVALID_REQUEST, 'Send one JSON object with "jsonrpc": "2.0".')
    if "method" not in message and not message.keys() & {"result", "error"}:
        raise ProtocolError(INVALID_REQUEST, "A message needs a method.")
    if "method" in message and not isinstance(message["method"], str):
        raise ProtocolError(INVALID_REQUEST, "method must be a string.")
    if "method" in message and "id" in message and id_of(message) is None:
        raise ProtocolError(INVALID_REQUEST, "id must be a string or an integer of at most 64 bits.")
    return message


def meta_of(message: Message) -> dict[str, Any]:
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    return meta if isinstance(meta, dict) else {}


def check_cursor(params: Params, noun: str) -> None:
    if params.get("cursor") is not None:
        raise ProtocolError(INVALID_PARAMS, f"There is one page of {noun}; leave cursor out.")


def params_of(message: Message) -> Params:
    params = message.get("params")
    if params is None:
        return {}
    if not isinstance(params, dict):
        raise ProtocolError(INVALID_PARAMS, "params must be an object.")
    return params


def id_of(message: object) -> str | int | None:
    """The id of a message: a string, or an integer of at most 64 bits. None where it has no such id."""
    message_id = message.get("id") if isinstance(message, dict) else None
    if isinstance(message_id, str):
        return message_id
    if isinstance(message_id, int) and not isinstance(message_id, bool) and abs(message_id) < 2**63:
        return message_id
    return None
