"""The rate limits, over django-ratelimit's counters: those of the API, and those of pages."""

import ipaddress

from django.conf import settings
from django.core.cache import caches
from django_ratelimit.core import get_usage

from fitness.api.exceptions import RateLimited

# A limit's name and its rate, `120/m` or `60/h`. Each counts for itself.
LIMITS = {
    "key": settings.RATE_LIMIT_KEY,
    "address": settings.RATE_LIMIT_IP,
    "pages": settings.RATE_LIMIT_PAGES,
    "sign-up": settings.RATE_LIMIT_SIGN_UP,
}
POLICY = ", ".join(f'"{name}";q={LIMITS[name].removesuffix("/m")};w=60' for name in ("key", "address"))


def count(request, limit, who):
    """Counts one request of `who` (an address, the id of a key) against one of the LIMITS.

    The usage is kept on the request for its RateLimit header. Raises RateLimited when it is over.
    """
    usage = get_usage(
        request, group=limit, key=lambda group, request: who, rate=LIMITS[limit], increment=True
    )
    request.rate_limits = {**getattr(request, "rate_limits", {}), limit: usage}
    if usage["should_limit"]:
        raise RateLimited(usage["time_left"])


def headers(request):
    """The RateLimit fields of draft-ietf-httpapi-ratelimit-headers for this request's answer."""
    states = [
        f'"{limit}";r={max(usage["limit"] - usage["count"], 0)};t={usage["time_left"]}'
        for limit, usage in getattr(request, "rate_limits", {}).items()
    ]
    return {"RateLimit-Policy": POLICY, "RateLimit": ", ".join(states)} if states else {}


def client_address(request):
    """The address that a request counts against.

    X-Forwarded-For is believed for as many hops as TRUSTED_PROXIES says. An IPv6 client is its
    /64 network, because that is what one household holds; an IPv4-mapped one its IPv4 address.
    """
    text = request.META.get("REMOTE_ADDR", "")
    if hops := settings.TRUSTED_PROXIES:
        forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
        text = forwarded[-hops].strip() if len(forwarded) >= hops else text
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return request.META.get("REMOTE_ADDR", "")
    if address.version == 4:
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, 64), strict=False))


def shared_counters_available():
    """False while the Redis that REDIS_URL names does not count."""
    cache = caches["counters"]
    return not hasattr(cache, "is_available") or cache.is_available()
