"""Where browsers offer passkeys."""

from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest


def are_offered_at(request: HttpRequest) -> bool:
    """Whether the page is at the address that passkeys belong to: those of localhost fail at 127.0.0.1."""
    return bool(settings.PASSKEY_ORIGIN) and urlsplit(settings.PASSKEY_ORIGIN).netloc == request.get_host()
