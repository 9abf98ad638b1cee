"""The Idempotency-Key header: a POST that is sent again is not carried out again.

After draft-ietf-httpapi-idempotency-key-header; refused requests are not kept, so that a mended one
may come with the same key.
"""

import hashlib
import re

import orjson
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.response import Response

from fitness.api.renderers import dumps

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
REPLAYED_HEADER = {
    "schema": {"type": "string", "enum": ["true"]},
    "description": "Present when this is the answer to an earlier request with the same Idempotency-Key.",
}


def run_once(request, act, get_stored):
    """The response of `act()`, or what an earlier request with the same Idempotency-Key has made.

    `stored(instance_id)` gives the data of that record as it is now: keeping a copy of each response would
    let a client fill the disk. Raises ValidationError at `header.Idempotency-Key`, DoesNotExist where the
    record is gone, and whatever `act` raises.
    """
    made = []

    def carry_out():
        data, status = act()
        made.append(data)
        return status, orjson.loads(dumps(data))["id"]

    digest = hashlib.sha256(request.path.encode() + b"\n" + request.body).hexdigest()
    status, instance_id, replayed = request.auth.run_once(idempotency_key(request), digest, carry_out)
    if not replayed:
        return Response(made[-1], status)
    return Response(get_stored(instance_id), status, headers={REPLAYED: "true"})


def idempotency_key(request):
    key = request.headers[HEADER]
    if not re.match(ALLOWED, key):
        raise ValidationError({"header": {HEADER: ["must be 1 to 255 visible ASCII characters."]}})
    return key
