"""The Idempotency-Key header: a POST that is sent again is not carried out again.

After draft-ietf-httpapi-idempotency-key-header; refused requests are not kept, so that a mended one
may come with the same key.
"""

import hashlib
import re

from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.response import Response

from fitness.api.renderers import Fragment, dumps

HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"
ALLOWED = r"^[\x21-\x7e]{1,255}$"

PARAMETER = OpenApiParameter(
    HEADER,
    {"type": "string", "pattern": ALLOWED},
    "header",
    description=(
        "Makes a retry safe: 1 to 255 visible ASCII characters, new for each thing to be done (a UUID, "
        "say). For 24 hours the same request with it is answered as the first one was, with "
        f"`{REPLAYED}: true`, and stores nothing; another request with it is a 400."
    ),
)
REPLAYED_HEADER = {
    "schema": {"type": "string", "enum": ["true"]},
    "description": "Present when this is the answer to an earlier request with the same Idempotency-Key.",
}


def once(request, act):
    """The answer of `act()`, or what an earlier request with the same Idempotency-Key was answered.

    Raises ValidationError at `header.Idempotency-Key`, and whatever `act` raises.
    """

    def rendered():
        response = act()
        return response.status_code, dumps(response.data).decode()

    digest = hashlib.sha256(request.path.encode() + b"\n" + request.body).hexdigest()
    status, text, replayed = request.auth.once(idempotency_key(request), digest, rendered)
    return Response(Fragment(text), status, headers={REPLAYED: "true"} if replayed else None)


def idempotency_key(request):
    key = request.headers[HEADER]
    if not re.match(ALLOWED, key):
        raise ValidationError({"header": {HEADER: ["must be 1 to 255 visible ASCII characters."]}})
    return key
