"""The header in which a proxy names who is signed in there (AUTH_HEADER).

1. It counts from AUTH_PROXIES alone. What decides is where the connection comes from: X-Forwarded-For is a
   header as well, and whoever may write the one may write the other. TRUSTED_PROXIES has no say here.
2. Its value is an email. Accounts have nothing else that is theirs alone: two may have one display name, and
   everybody may change their own.
3. Both are checked at each request for a screen. A header that fails a check is refused, not ignored: a page
   without an account would hide from the operator that anybody can write the header, or that the proxy has
   another address by now.

Example of a failure: somebody reaches the service beside the proxy, and sends `Remote-Email: me@example.org`.
The answer is 400, whoever they are signed in as, and the log has a line with their address.
"""

import ipaddress

from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy

from accounts.web.recovery_forms import EmailField

EMAIL = EmailField()
WRONG_PEER = gettext_lazy("{header} came from {peer}, which AUTH_PROXIES does not name.")
NOT_ASCII = gettext_lazy("{header} is not in ASCII. The proxy must name a domain as DNS does: xn--….")
NO_EMAIL = gettext_lazy("{header} has no email. AUTH_HEADER must be the header with the email.")


class HeaderRefused(Exception):
    """Its text is for the person who reads the page, and for the log."""


def named_email(request: HttpRequest) -> str | None:
    """The email that the proxy names, as accounts have it; None without the header. Raises HeaderRefused."""
    name = settings.AUTH_HEADER
    value = request.headers.get(name, "").strip()
    if not value:
        return None
    peer = request.META.get("REMOTE_ADDR", "")
    if not is_proxy(peer):
        raise HeaderRefused(format_lazy(WRONG_PEER, header=name, peer=peer))
    if not value.isascii():  # WSGI reads bytes as Latin-1: other letters than the proxy has sent
        raise HeaderRefused(format_lazy(NOT_ASCII, header=name))
    try:
        return EMAIL.clean(value)
    except ValidationError:
        raise HeaderRefused(format_lazy(NO_EMAIL, header=name)) from None


def is_proxy(peer: str) -> bool:
    try:
        address = ipaddress.ip_address(peer)
    except ValueError:
        return False
    address = getattr(address, "ipv4_mapped", None) or address  # of a socket for both versions
    return any(address in network for network in settings.AUTH_PROXIES)
