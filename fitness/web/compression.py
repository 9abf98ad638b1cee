"""Compression of the screens. Of the API only its description is compressed (fitness/urls.py), the rest by a
proxy.

The length of a compressed response that holds both a secret and a part of its request can reveal the secret
(BREACH, CVE-2013-3587). The screens are not open to that: Django masks CSRF tokens anew in each response,
cookies are SameSite, so another site can hardly request a screen as the person who is signed in, and Django
adds up to 100 random bytes. Screens that show a key or the link of an invitation are sent uncompressed all
the same.
"""

from typing import TypeVar

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

gzip = GZipMiddleware(lambda request: HttpResponse())


def compressed(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    return gzip.process_response(request, response)


R = TypeVar("R", bound=HttpResponseBase)


def uncompressed(response: R) -> R:
    """Prevents the compression of a response, here and in a proxy: nginx and Caddy observe this header."""
    response.headers["Content-Encoding"] = "identity"
    return response
