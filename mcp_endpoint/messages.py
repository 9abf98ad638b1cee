"""What JSON-RPC messages are made into: a Client with its key, a Reply, a ProtocolError."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from accounts.models import ApiKey
from fitness.api.renderers import JsonObject

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
    """The key of a request, and its routing headers (None where they are missing)."""

    key: ApiKey
    version: str | None = None
    method: str | None = None
    name: str | None = None


@dataclass(frozen=True)
class Reply:
    """A response over HTTP; its body is empty where `body` is None."""

    status: int
    body: Message | list[Message] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


class ProtocolError(Exception):
    """A JSON-RPC error. Its HTTP status follows from the code and the era, unless `status` is given."""

    def __init__(
        self,
        code: int,
        message: str,
        data: dict[str, Any] | None = None,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data
        self.status, self.headers = status, headers or {}

    def reply(self, message_id: str | int | None = None, statuses: Mapping[int, int] = STATUSES) -> Reply:
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.data is not None:
            error["data"] = self.data
        body = {"jsonrpc": "2.0", "id": message_id, "error": error}
        return Reply(self.status or statuses.get(self.code, 200), body, self.headers)


def unknown_method(message: Message) -> ProtocolError:
    return ProtocolError(METHOD_NOT_FOUND, f"Unknown method: {message['method'][:64]}")


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
