"""What the service compresses itself: pages and the API's description. Answers to keys are left to a proxy.

A page may hold what its reader typed beside what only its reader may see, and then its compressed length
says something about both (BREACH, CVE-2013-3587). Nothing secret can be guessed by that here: tokens of forms
are masked anew in each answer, cookies are SameSite, so another site can hardly ask for a page as its reader,
and Django adds up to 100 random bytes. A page that shows a secret goes out uncompressed all the same.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

from fitness.api.middleware import is_for_programs

DESCRIPTION = "/api/v1/openapi.json"

GetResponse = Callable[[HttpRequest], HttpResponseBase]


class Compression:
    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response
        self.gzip = GZipMiddleware(get_response)

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if is_for_programs(request) and request.path != DESCRIPTION:
            return response
        return self.gzip.process_response(request, response)


def uncompressed(response: HttpResponse) -> HttpResponse:
    """Says that neither the service nor a proxy may compress the response: nginx and Caddy heed this."""
    response.headers["Content-Encoding"] = "identity"
    return response
