"""The one error envelope: `{"error": {"code", "message", "details": [{"path", "message"}]}}`.

Whatever raises, the same steps make the response, for the API and for tools:

1. `api_error` finds the status, the code, the message and the headers of the exception.
   Example: MethodNotAllowed -> 405 method_not_allowed. Example: OperationalError -> 503 with Retry-After: 5.
2. The problems of a ValidationError become `details`, at most 100 of them and 40 KB.
   Example: 3,000 sets without `reps` -> 100 details, and a last one that says that there are more.
3. An exception that no case names is logged with its traceback and becomes a 500, which quotes nothing of it.
"""

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypedDict

from django.core.exceptions import DisallowedHost, ObjectDoesNotExist, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from django.views.decorators.csrf import csrf_exempt
from rest_framework import exceptions as drf

from fitness import logs, metrics
from fitness.addresses import public_address
from fitness.api.renderers import json_response
from fitness.db.faults import DATABASE_FAULTS, discard_connection
from fitness.json import dumps

log = logging.getLogger("fitness.api")

CHALLENGE = 'Bearer realm="api"'

RETRY_AFTER_SECONDS = {429: 60, 503: 5}

MAX_DETAILS = 100
MAX_DETAILS_BYTES = 40_000  # a response stays under 64 KB, also when a tool quotes them inside a text
MAX_ECHO = 100  # characters of a client's own text that an error message repeats

CODES = {
    400: "invalid_request",
    401: "invalid_key",
    403: "insufficient_scope",
    404: "not_found",
    405: "method_not_allowed",
    412: "precondition_failed",
    413: "payload_too_large",
    415: "unsupported_media_type",
    429: "rate_limited",
    500: "internal_error",
    503: "unavailable",
}

# The `detail` of a ValidationError: messages by fields and items.
ErrorTree: TypeAlias = "str | Sequence[ErrorTree] | Mapping[str, ErrorTree]"


class Problem(TypedDict):
    """One item of `details`, such as {"path": "body.sets[0].reps", "message": "This field is required."}."""

    path: str
    message: str


class ErrorBody(TypedDict):
    code: str
    message: str
    details: list[Problem]


class Envelope(TypedDict):
    error: ErrorBody


@dataclass(frozen=True)
class ApiError:
    """An error response of the service, before it is rendered for the API, for a tool or as a web page."""

    status: int
    message: str
    code: str = ""
    details: list[Problem] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "code", self.code or CODES[self.status])
        if self.status in RETRY_AFTER_SECONDS:
            self.headers.setdefault("Retry-After", str(RETRY_AFTER_SECONDS[self.status]))

    @property
    def envelope(self) -> Envelope:
        return {"error": {"code": self.code, "message": self.message, "details": self.details}}

    def note(self) -> None:
        """Adds the code, and the place of the first problem, to the log line of the request.

        The name of an unknown field is left out: it is a text of the client.
        """
        logs.note(code=self.code)
        if self.details and not self.details[0]["message"].startswith("unknown "):
            logs.note(place=self.details[0]["path"])


def api_error(exc: BaseException | None) -> ApiError:
    """The error response of an exception, which is counted by its code."""
    error = error_of(exc)
    metrics.ERRORS.labels(error.code).inc()
    error.note()
    return error


def error_of(exc: BaseException | None) -> ApiError:
    """An exception that no case names is logged and becomes a 500.

    So does None: Django's error handlers are not always given an exception.
    """
    match exc:
        case drf.ValidationError():
            details = first_details(exc.detail)
            return ApiError(400, invalid_message(details), details=details)
        case drf.NotFound() | Http404() | ObjectDoesNotExist():
            return ApiError(404, "No such record or address for this account.")
        case drf.APIException(status_code=401):
            code = str(exc.get_codes())
            challenge = f'{CHALLENGE}, error="{code}"'
            return ApiError(401, str(exc.detail), code, headers={"WWW-Authenticate": challenge})
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
            discard_connection(exc)
            return ApiError(503, "The service cannot reach its records at the moment. Retry shortly.")
    log.error("unhandled exception: %r", exc, exc_info=exc)
    return ApiError(500, "Something went wrong here. The X-Request-Id of this answer is in the log.")


def invalid_message(details: Sequence[Problem]) -> str:
    count = len(details)
    first = f"{details[0]['path']}: {details[0]['message']}"
    return first if count == 1 else f"{count} problems; the first is {first}"


def first_details(errors: ErrorTree) -> list[Problem]:
    """The `details` of a ValidationError: all problems, or the first ones and an item that says so."""
    details: list[Problem] = []
    size = 0
    for path, message in problems(errors):
        detail: Problem = {"path": path, "message": message}
        size += len(dumps(detail))
        if len(details) == MAX_DETAILS or size > MAX_DETAILS_BYTES:
            place = re.split(r"[.\[]", path, maxsplit=1)[0]
            message = f"These are the first {len(details)} problems; there are more. Correct these first."
            return [*details, {"path": place, "message": message}]
        details.append(detail)
    return details


def problems(errors: ErrorTree, path: str = "") -> Iterator[tuple[str, str]]:
    """Flattens DRF's nested errors into (path, message) pairs, in the body's order."""
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


def join(path: str, name: str | int) -> str:
    if name == "non_field_errors":
        return path
    if isinstance(name, int):
        return f"{path}[{name}]"
    return f"{path}.{shortened(name)}" if path else name


def shortened(value: object) -> str:
    """A client's value as an error message repeats it: the first 100 characters of a longer one."""
    text = str(value)
    return text if len(text) <= MAX_ECHO else f"{text[: MAX_ECHO - 1]}…"


def error_response(exc: BaseException | None) -> HttpResponse:
    """The error envelope for an exception from anywhere under /api."""
    error = api_error(exc)
    return json_response(error.envelope, error.status, error.headers)


def exception_handler(exc: Exception, context: Mapping[str, object]) -> HttpResponse:
    """What DRF calls for an exception of a view: EXCEPTION_HANDLER of settings.REST_FRAMEWORK."""
    return error_response(exc)


@csrf_exempt  # it stores nothing, and a POST to a wrong address is a 404, not a 403
def unrouted(request: HttpRequest, *args: str) -> HttpResponse:
    """The 404 for an address that does not exist."""
    error = ApiError(404, f"There is no {request.path[:200]} here.")
    error.note()
    return json_response(error.envelope, 404)
