"""The address of the service, and what settings and programs have to know of others."""

import ipaddress
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

if TYPE_CHECKING:  # the settings import this module
    from django.http import HttpRequest

# Where files to import are sent to: the addresses with large bodies, which nginx.conf names as well.
UPLOAD_PATH = "/settings/data/imports"
LARGE_UPLOAD_PATH = f"{UPLOAD_PATH}/large"

# What watches the service asks every few seconds.
PROBE_PATHS = ("/healthz", "/readyz")

# Where the pictures of exercises are: as static files the same for everybody.
PICTURES_PATH = "/images/"


def public_address() -> str:
    """The address that people and clients use, without a slash at its end."""
    return settings.PUBLIC_URL or settings.NOTED_ADDRESS or f"http://localhost:{settings.PORT}"


def site_address(request: "HttpRequest") -> str:
    """Like `public_address`; without PUBLIC_URL the address that this request was sent to."""
    return settings.PUBLIC_URL or f"{request.scheme}://{request.get_host()}"


def split(address: str) -> SplitResult | None:
    """The parts of an address, or None for what is none."""
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018  (reading it checks it)
    except ValueError:
        return None
    return parts


def is_number(host: str) -> bool:
    """Whether a host is named by its IP address."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def is_local(host: str | None) -> bool:
    """Whether it is this machine, by its name or its number."""
    if host is None:
        return False
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


@lru_cache(maxsize=1_000)  # each request asks for it twice
def client_of(text: str) -> str:
    """The client that an IP address counts as, in limits and in the log.

    An IPv6 client is counted by its /64 network, because one household has a whole network, an IPv4-mapped
    one by its IPv4 address. Raises ValueError where the text is no address.
    """
    address = ipaddress.ip_address(text)
    if address.version == 4:
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, 64), strict=False))
