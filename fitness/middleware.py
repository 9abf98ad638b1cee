"""The outermost middleware, around every request."""

import logging
import time
from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from uuid_utils.compat import uuid7

from fitness import logs
from fitness.api.rate_limits import client_address

log = logging.getLogger("fitness.requests")


class RequestLog:
    """Gives each request an id and logs one line: method, path, status, time, key.

    Neither the query string nor the body is logged: they may hold personal data.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        started = time.perf_counter()
        request_id = uuid7().hex
        id_token = logs.request_id.set(request_id)
        address_token = logs.client_address.set(client_address(request))
        try:
            response = self.get_response(request)
            response.headers["X-Request-Id"] = request_id
            log.info(
                "%s %s %s",
                request.method,
                request.path,
                response.status_code,
                extra={
                    "milliseconds": round((time.perf_counter() - started) * 1000, 1),
                    "key": getattr(request, "key_hint", None),
                },
            )
            return response
        finally:
            logs.client_address.reset(address_token)
            logs.request_id.reset(id_token)
