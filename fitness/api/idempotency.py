"""The Idempotency-Key header: a POST that is sent again is not carried out again.

After draft-ietf-httpapi-idempotency-key-header. Step by step:

1. The header is checked. Example: `two words` -> 400 at header.Idempotency-Key.
2. ApiKey.carry_out_once opens a transaction and stores the key with the SHA-256 of path and body. A retry at
   the same time waits here; a stored key with another hash is a 400. One that has expired is deleted first.
3. A new key: the handler runs in that transaction, and the id of what it has made is stored beside the key.
   Where the handler fails (a body without `started_at` -> 400), nothing is stored, so the corrected request
   may carry the same key.
4. A stored key: the response holds what the first request has made, as it is now, with Idempotent-Replayed.
"""

import hashlib
import re
from collections.abc import Callable
from typing import Any, Protocol

import orjson
from django.http import HttpRequest
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError

from fitness.api.operations import Result
from fitness.json import dumps

HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"
ALLOWED = r"^[\x21-\x7e]{1,255}$"

PARAMETER = OpenApiParameter(
    HEADER,
    {"type": "string", "pattern": ALLOWED},
    "header",
    description=(
        "Makes a retry safe: 1 to 255 visible ASCII characters, new for each thing to be done (a UUID, "
        "say). For 24 hours the same request with it stores nothing and is answered with the status of the "
        f"first one and the record that it made, with `{REPLAYED}: true` (404 where that record was deleted "
        "since); another request with it is a 400."
    ),
)
REPLAYED_HEADER: dict[str, Any] = {
    "schema": {"type": "string", "enum": ["true"]},
    "description": "Present when this is the answer to an earlier request with the same Idempotency-Key.",
}


class RunsOnce(Protocol):
    """An API key: accounts.models.ApiKey, which this module may not import."""

    def carry_out_once(
        self, idempotency_key: str, request_digest: str, act: Callable[[], tuple[int, str]]
    ) -> tuple[int, str, bool]: ...


def run_once(
    api_key: RunsOnce, request: HttpRequest, act: Callable[[], Result], get_stored: Callable[[str], object]
) -> Result:
    """The result of `act()`, or what an earlier request with the same Idempotency-Key has made.

    `get_stored(instance_id)` returns the data of that instance as it is now: storing a copy of each response
    would let a client fill the disk. Raises ValidationError at `header.Idempotency-Key`, DoesNotExist where
    the instance is gone, and whatever `act` raises.
    """
    made: list[Result] = []

    def carry_out() -> tuple[int, str]:
        made.append(act())
        return made[-1].status, orjson.loads(dumps(made[-1].data))["id"]

    digest = hashlib.sha256(request.path.encode() + b"\n" + request.body).hexdigest()
    status, instance_id, replayed = api_key.carry_out_once(idempotency_key(request), digest, carry_out)
    return Result(get_stored(instance_id), status, {REPLAYED: "true"}) if replayed else made[-1]


def idempotency_key(request: HttpRequest) -> str:
    key = request.headers[HEADER]
    if not re.match(ALLOWED, key):
        raise ValidationError({"header": {HEADER: ["must be 1 to 255 visible ASCII characters."]}})
    return key
