from io import BytesIO

from django.conf import settings
from django.http import UnreadablePostError
from gunicorn.http.errors import ParseException

from fitness.api import rate_limits
from fitness.api.exceptions import PayloadTooLarge
from fitness.api.parsers import has_body
from fitness.api.views import json_error_response


class ApiGuard:
    """What comes before anything else under /api: the address's limit and the body's size."""

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        if not is_api(request):
            return self.get_response(request)
        try:
            rate_limits.count(request, "address", rate_limits.client_address(request))
            limit_body(request)
        except Exception as exc:
            response = json_error_response(exc)
        else:
            response = self.get_response(request)
        for name, value in rate_limits.headers(request).items():
            response.headers[name] = value
        response.headers.setdefault("Cache-Control", "no-store")
        close_if_unread(request, response)
        return response


def is_api(request):
    return request.path == "/api" or request.path.startswith("/api/")


def is_for_programs(request):
    """Whether the address is called by programs, which an error page would not help."""
    return is_api(request) or request.path in ("/mcp", "/mcp/")


def limit_body(request):
    """Refuses a body over the limit unread, and gives a chunked one the length it turns out to have.

    WSGI servers hand over chunked bodies without a CONTENT_LENGTH; Django would read them as empty.
    """
    if "chunked" in request.META.get("HTTP_TRANSFER_ENCODING", "").lower():
        try:
            body = request.META["wsgi.input"].read(settings.MAX_BODY_BYTES + 1)
        except (OSError, ParseException) as error:  # broken chunks, or a client that went away
            raise UnreadablePostError("the chunks of the body are malformed") from error
        if len(body) > settings.MAX_BODY_BYTES:
            raise PayloadTooLarge()
        request.META["CONTENT_LENGTH"] = str(len(body))
        request._stream = BytesIO(body)
    if int(request.META.get("CONTENT_LENGTH") or 0) > settings.MAX_BODY_BYTES:
        raise PayloadTooLarge()


def close_if_unread(request, response):
    """Ends the connection behind a refusal whose body nobody has read, rather than read it for nothing."""
    announced = has_body(request) or "HTTP_TRANSFER_ENCODING" in request.META
    was_read = hasattr(request, "_body") or isinstance(request._stream, BytesIO)
    if response.status_code >= 400 and announced and not was_read:
        response.headers["Connection"] = "close"
