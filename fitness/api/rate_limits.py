"""The rate limits, over django-ratelimit's counters: those of the API, and those of web pages.

1. ApiGuard and the tool endpoint count each request against its address, before anything else.
2. KeyThrottle and the tool endpoint count it against its key once the key is found to be valid.
3. `count` notes the usage on the request, and the RateLimit headers of the response are made from it.
4. Over a limit, `count` raises. Example: the 121st request of a key in a minute -> 429 rate_limited with
   Retry-After: 60; requests that are rejected do not lengthen the wait.

The counters live in the cache `counters`: in this process, or with REDIS_URL in Redis (see counters.py).
"""

import re
from functools import cache
from typing import TypedDict

from django.conf import settings
from django.core.cache import caches
from django.core.cache.backends.locmem import LocMemCache
from django.http import HttpRequest
from django.views.generic import View
from django_ratelimit.core import get_usage
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from fitness.addresses import client_of
from fitness.api.exceptions import RateLimited

# Each limit and its rate, `120/m` or `60/h`. Each has counters of its own.
LIMITS = {
    "key": settings.RATE_LIMIT_KEY,
    "address": settings.RATE_LIMIT_IP,
    "pages": settings.RATE_LIMIT_PAGES,
    "sign-up": settings.RATE_LIMIT_SIGN_UP,
    "reset": settings.RATE_LIMIT_SIGN_UP,
    "mail": "5/h",  # to one email, of those that anybody can cause
    "register": settings.RATE_LIMIT_REGISTER,
    "client-document": "10/h",
    "provider": "300/h",  # answers of the provider that one address brings, right or wrong
    "refusals": "60/h",  # of the provider, that are stored for one address
    "uploads": "10/h",  # files to import
    "calendar": "120/h",  # readings of the calendar of an account, by all of its programs
    "exports": "20/h",  # files that a worker makes
}
LOOPBACK = ("127.0.0.1", "::/64")  # client_address gives the network of an IPv6 address
POLICY = ", ".join(f'"{name}";q={LIMITS[name].removesuffix("/m")};w=60' for name in ("key", "address"))


class Usage(TypedDict):
    """What django-ratelimit returns of a counter; `time_left` is in seconds."""

    count: int
    limit: int
    should_limit: bool
    time_left: int


SECONDS = {"m": 60, "h": 3600}


@cache  # django-ratelimit would parse the text twice for each request
def parsed(rate: str) -> tuple[int, int]:
    """(requests, seconds) of a rate."""
    requests, _, unit = rate.partition("/")
    return int(requests), SECONDS[unit]


def count(request: HttpRequest, limit: str, who: str) -> None:
    """Counts one request of `who` (an address, the id of a key) against one of the LIMITS.

    The usage is stored on the request for its RateLimit header. Raises RateLimited when it is over.
    """
    usage: Usage = get_usage(
        request, group=limit, key=lambda group, request: who, rate=parsed(LIMITS[limit]), increment=True
    )
    usages(request)[limit] = usage
    if usage["should_limit"]:
        raise RateLimited(usage["time_left"])


def usages(request: HttpRequest) -> dict[str, Usage]:
    """The limits that a request has been counted against so far. DRF's Request shares META with Django's."""
    noted: dict[str, Usage] = request.META.setdefault("rate_limits", {})  # read here alone
    return noted


class LocalCounters(LocMemCache):
    """The counters in the memory of this process."""

    def validate_key(self, key: str) -> None:
        """Does nothing: Django would look at each character for memcached, a third of a limit's time."""


class KeyThrottle(BaseThrottle):
    """Counts a request against the limit of its key. Raises RateLimited, not DRF's own exception."""

    def allow_request(self, request: Request, view: View) -> bool:
        count(request, "key", str(request.auth.pk))
        return True


def headers(request: HttpRequest) -> dict[str, str]:
    """The RateLimit fields of draft-ietf-httpapi-ratelimit-headers for the response to this request."""
    states = [
        f'"{limit}";r={max(usage["limit"] - usage["count"], 0)};t={usage["time_left"]}'
        for limit, usage in usages(request).items()
    ]
    return {"RateLimit-Policy": POLICY, "RateLimit": ", ".join(states)} if states else {}


def client_address(request: HttpRequest) -> str:
    """The address that a request counts against.

    It is read from X-Forwarded-For as many hops back as TRUSTED_PROXIES has proxies; further back, a client
    may have written what it likes.
    """
    text: str = request.META.get("REMOTE_ADDR", "")
    if hops := settings.TRUSTED_PROXIES:
        forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
        text = forwarded[-hops].strip() if len(forwarded) >= hops else text
    try:
        return client_of(text)
    except ValueError:
        return str(request.META.get("REMOTE_ADDR", ""))


# Some proxy adds one of them to what it passes on.
PASSED_ON = ("Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP")


def is_from_this_machine(request: HttpRequest) -> bool:
    """Whether a program or browser on this machine asks, and not a proxy on it for somebody else.

    False where the settings say that the service is published: a proxy need not add the address of the client
    or its Host. nginx adds neither unless it is told to; before 1.29.7 it then asks by HTTP/1.0.
    """
    if settings.PUBLIC_URL or settings.TRUSTED_PROXIES or any(name in request.headers for name in PASSED_ON):
        return False
    if request.META.get("SERVER_PROTOCOL") == "HTTP/1.0":
        return False
    host = request.META.get("HTTP_HOST", "")
    is_named = re.fullmatch(r"(127\.0\.0\.1|localhost|\[::1\])(:\d+)?", host)
    return bool(is_named) and client_address(request) in LOOPBACK


def shared_counters_available() -> bool:
    """False while the Redis that REDIS_URL names does not take writes."""
    cache = caches["counters"]
    return bool(cache.is_available()) if hasattr(cache, "is_available") else True
