"""What happens around every request, page or API."""

import logging
import time

from uuid_utils.compat import uuid7

from fitness import logs
from fitness.api.rate_limits import client_address

log = logging.getLogger("fitness.requests")


class RequestLog:
    """Gives each request an id and writes one line about it: what, who, outcome, time.

    Neither the query string nor the body is logged: they may hold what people would not share.
    """

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        started = time.perf_counter()
        request_id = logs.request_id.set(uuid7().hex)
        address = logs.client_address.set(client_address(request))
        try:
            response = self.get_response(request)
            response.headers["X-Request-Id"] = logs.request_id.get()
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
            logs.client_address.reset(address)
            logs.request_id.reset(request_id)
