"""The addresses that a browser may return to after the consent: which are accepted, and which is meant.

1. `https` with a host. Example: https://claude.ai/api/mcp/auth_callback.
2. `http` on this very machine: localhost, 127.0.0.1 or [::1]. A program on it listens on a port that it
   chooses anew each time, so any port is meant (RFC 8252, 7.3).
3. `cursor://anysphere.cursor-mcp/…`, which opens the app Cursor: older versions know no other.

Everything else is refused, and compared letter by letter: a browser sent to another address would carry the
code there. Example: https://claude.ai.example.org is neither registered nor a beginning of what is. Scheme
and host are in lower case, and the host is one that people can read: the consent page shows it.
"""

import re
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

from django.http import HttpResponseRedirect

from accounts.oauth.models import MAX_ADDRESS
from fitness.addresses import split

LOOPBACK = ("localhost", "127.0.0.1", "::1")
APP_SCHEME, APP_HOST = "cursor", "anysphere.cursor-mcp"
SCHEMES = ["https", "http", APP_SCHEME]
HOST = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")
OURS = {"code", "state", "iss", "error"}  # parameters that the answer adds
# No space, control or non-ASCII character, and none that some parsers read as another one.
PLAIN = re.compile(r"[!-~]+")
FORBIDDEN = re.compile(r"[#*\\\"<>]")


class Redirect(HttpResponseRedirect):
    """To an address that `is_acceptable`."""

    allowed_schemes = SCHEMES


def is_acceptable(address: object) -> bool:
    if not isinstance(address, str) or not 0 < len(address) <= MAX_ADDRESS:
        return False
    if not PLAIN.fullmatch(address) or FORBIDDEN.search(address):
        return False
    parts = split(address)
    if parts is None or not address.startswith(f"{parts.scheme}://") or "@" in parts.netloc:
        return False
    if OURS & {name for name, _ in parse_qsl(parts.query, keep_blank_values=True)}:
        return False
    if parts.scheme == "https":
        return HOST.fullmatch(parts.netloc.partition(":")[0]) is not None
    return is_loopback(parts) or is_app(parts)


def is_app(parts: SplitResult | None) -> bool:
    return parts is not None and (parts.scheme, parts.netloc) == (APP_SCHEME, APP_HOST)


def is_loopback(parts: SplitResult | None) -> bool:
    return parts is not None and parts.scheme == "http" and parts.hostname in LOOPBACK


def is_meant(asked: str, registered: str) -> bool:
    """Whether a request may name `asked` where `registered` was registered."""
    if asked == registered:
        return True
    parts, other = split(asked), split(registered)
    if not (parts and other and is_acceptable(asked) and is_loopback(parts) and is_loopback(other)):
        return False
    return (parts.hostname, parts.path, parts.query) == (other.hostname, other.path, other.query)


def host_of(address: str) -> str:
    """The host that an acceptable address returns to, with a port that is not that of https."""
    parts = urlsplit(address)
    return parts.netloc if parts.scheme == "https" else parts.hostname or ""


def with_parameters(address: str, parameters: dict[str, str]) -> str:
    """The address with more parameters behind its query, which stays as it is (RFC 6749, 3.1.2)."""
    return f"{address}{'&' if '?' in address else '?'}{urlencode(parameters)}"
