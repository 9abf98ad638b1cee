"""The one error envelope: `{"error": {"code", "message", "details": [{"path", "message"}]}}`."""

import logging
import re
from dataclasses import dataclass, field

from django.core.exceptions import DisallowedHost, ObjectDoesNotExist, SuspiciousOperation
from django.db import IntegrityError, InterfaceError, OperationalError, connection
from django.http import Http404, UnreadablePostError
from rest_framework import exceptions as drf
from rest_framework.response import Response
from rest_framework.views import set_rollback

from fitness.addresses import public_address
from fitness.api.renderers import dumps

log = logging.getLogger("fitness.api")

RETRY_AFTER_SECONDS = {429: 60, 503: 5}

MAX_DETAILS = 100
MAX_DETAILS_BYTES = 40_000  # an answer stays under 64 KB, also when a tool quotes them inside a text
MAX_ECHO = 100  # characters of a client's own text that a refusal repeats

CODES = {
    400: "invalid_request",
    401: "invalid_key",
    403: "insufficient_scope",
    404: "not_found",
    405: "method_not_allowed",
    413: "payload_too_large",
    415: "unsupported_media_type",
    429: "rate_limited",
    500: "internal_error",
    503: "unavailable",
}

# A record that vanished between its check and its use (IntegrityError) is a race: a retry gets
# the true answer.
DATABASE_FAULTS = (OperationalError, InterfaceError, IntegrityError)


@dataclass(frozen=True)
class ApiError:
    """A refusal or a fault, as every interface of the service tells it."""

    status: int
    message: str
    code: str = ""
    details: list = field(default_factory=list)
    headers: dict = field(default_factory=dict)

    def __post_init__(self):
        object.__setattr__(self, "code", self.code or CODES[self.status])
        if self.status in RETRY_AFTER_SECONDS:
            self.headers.setdefault("Retry-After", str(RETRY_AFTER_SECONDS[self.status]))

    @property
    def envelope(self):
        return {"error": {"code": self.code, "message": self.message, "details": self.details}}


def api_error(exc):
    """The Refusal that an exception stands for; an unforeseen one is logged and becomes a 500."""
    match exc:
        case drf.ValidationError():
            details = first_details(exc.detail)
            return ApiError(400, invalid_message(details), details=details)
        case drf.NotFound() | Http404() | ObjectDoesNotExist():
            return ApiError(404, "No such record or address for this account.")
        case drf.APIException(status_code=401):
            return ApiError(
                401,
                str(exc.detail),
                exc.detail.code,
                headers={"WWW-Authenticate": f'Bearer realm="api", error="{exc.detail.code}"'},
            )
        case drf.MethodNotAllowed():
            return ApiError(405, str(exc.detail))
        case drf.APIException():
            return ApiError(exc.status_code, str(exc.detail))
        case DisallowedHost():
            return ApiError(
                400,
                f"The service answers at {public_address()} alone, and the Host header names another "
                "address. Whoever runs the service sets its address with PUBLIC_URL.",
            )
        case SuspiciousOperation() | UnreadablePostError():
            return ApiError(400, "The request is malformed: check its Host header, address and length.")
        case _ if isinstance(exc, DATABASE_FAULTS):
            log.error("database fault: %s", exc, exc_info=exc)
            leave_connection()
            return ApiError(503, "The service cannot reach its records at the moment. Retry shortly.")
    log.error("unforeseen: %r", exc, exc_info=exc)
    return ApiError(500, "Something went wrong here. The X-Request-Id of this answer is in the log.")


def leave_connection():
    """Lets the next request open another, because this one may stay of no use.

    SQLite keeps a connection read-only that was opened while the file was. What ended a connection to
    PostgreSQL ended those that wait in the pool as well.
    """
    if connection.in_atomic_block:
        return
    connection.close()
    if pool := getattr(connection, "pool", None):
        pool.check()


def invalid_message(details):
    count = len(details)
    first = f"{details[0]['path']}: {details[0]['message']}"
    return first if count == 1 else f"{count} problems; the first is {first}"


def first_details(errors):
    """The `details` of a refusal: every problem, or the first of very many and a last item that says so."""
    details, size = [], 0
    for path, message in problems(errors):
        detail = {"path": path, "message": message}
        size += len(dumps(detail))
        if len(details) == MAX_DETAILS or size > MAX_DETAILS_BYTES:
            place = re.match(r"[^.\[]*", path)[0]
            message = f"These are the first {len(details)} problems; there are more. Correct these first."
            return [*details, {"path": place, "message": message}]
        details.append(detail)
    return details


def problems(errors, path=""):
    """Flattens the framework's nested errors into (path, message) pairs, in the body's order."""
    if isinstance(errors, dict):
        for name, nested in errors.items():
            yield from problems(nested, join(path, name))
    elif isinstance(errors, list) and any(isinstance(item, dict) for item in errors):
        for index, nested in enumerate(errors):
            yield from problems(nested, join(path, index))
    elif isinstance(errors, list):
        for message in errors:
            yield path, str(message)
    else:
        yield path, str(errors)


def join(path, name):
    if name == "non_field_errors":
        return path
    if isinstance(name, int):
        return f"{path}[{name}]"
    return f"{path}.{shortened(name)}" if path else name


def shortened(value):
    """A client's value as a refusal repeats it: enough to recognise it, never all of a long one."""
    text = str(value)
    return text if len(text) <= MAX_ECHO else f"{text[: MAX_ECHO - 1]}…"


def error_response(exc, context=None):
    """The framework's exception handler for every view under /api."""
    set_rollback()
    error = api_error(exc)
    return Response(error.envelope, status=error.status, headers=error.headers)
