"""Compression of HTML and of the API's description. Other responses of the API are left to a proxy.

The length of a compressed response that holds both a secret and a part of its request can reveal the secret
(BREACH, CVE-2013-3587). The screens are not open to that: Django masks CSRF tokens anew in each response,
cookies are SameSite, so another site can hardly request a screen as the person who is signed in, and Django
adds up to 100 random bytes. Screens that show a key or the link of an invitation are sent uncompressed all
the same.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

from fitness.api.middleware import is_for_programs

DESCRIPTION = "/api/v1/openapi.json"

GetResponse = Callable[[HttpRequest], HttpResponseBase]


class Compression:
    """Middleware that compresses responses as Django's GZipMiddleware does, except those of the API."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response
        self.gzip = GZipMiddleware(get_response)

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if is_for_programs(request) and request.path != DESCRIPTION:
            return response
        return self.gzip.process_response(request, response)


def uncompressed(response: HttpResponse) -> HttpResponse:
    """Prevents the compression of a response, here and in a proxy: nginx and Caddy observe this header."""
    response.headers["Content-Encoding"] = "identity"
    return response
