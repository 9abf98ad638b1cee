"""The two rate limits: per key and per address, over django-ratelimit's counters."""

import ipaddress
import logging
import time
from functools import cached_property, partial

from django.conf import settings
from django.core.cache import caches
from django.core.cache.backends.redis import RedisCache
from django_ratelimit.core import get_usage
from redis.exceptions import RedisError

from fitness.api.exceptions import RateLimited

log = logging.getLogger("fitness.ratelimit")

LIMITS = {"key": settings.RATE_LIMIT_KEY, "address": settings.RATE_LIMIT_IP}
POLICY = ", ".join(f'"{name}";q={rate.removesuffix("/m")};w=60' for name, rate in LIMITS.items())


def count(request, limit, who):
    """Counts one request against a limit ("key" or "address").

    The usage is kept on the request for its RateLimit header. Raises RateLimited when it is over.
    """
    usage = get_usage(
        request, group=limit, key=lambda group, request: who, rate=LIMITS[limit], increment=True
    )
    request.rate_limits = {**getattr(request, "rate_limits", {}), limit: usage}
    if usage["should_limit"]:
        raise RateLimited()


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


def shared_counters_answer():
    """False while the Redis that REDIS_URL names does not count."""
    cache = caches["counters"]
    return not isinstance(cache, CounterCache) or cache.answers()


class CounterCache(RedisCache):
    """Counters in Redis that fall back to this process while Redis does not answer.

    After a failure Redis is left alone for some seconds, so that an outage costs a request at
    most one timeout now and then.
    """

    PAUSE_SECONDS = 5
    LONGEST_SECONDS = 15 * 60  # of what is counted: the pause after failed sign-ins
    WARN_SECONDS = 60
    paused_until = 0.0
    warned_at = 0.0

    def add(self, key, *args, **kwargs):
        """Skipped for a counter that this process has seen in this minute: `incr` finds or makes it."""
        if caches["local_counters"].get(f"seen:{key}"):
            return False
        remotely = partial(super().add, key, *args, **kwargs)
        added = self.answered(lambda cache: cache.add(key, *args, **kwargs), remotely)
        caches["local_counters"].set(f"seen:{key}", True, 60)
        return added

    def incr(self, key, delta=1):
        """One round trip, where Django asks first whether the counter exists."""

        def locally(cache):
            cache.add(key, 0)  # where Redis still answered `add`, the count begins here
            return cache.incr(key, delta)

        def remotely():
            name = self.make_and_validate_key(key)
            count = self.redis.incrby(name, delta)
            if count == delta:  # Redis has lost the counter, and this one has no end yet
                self.redis.expire(name, self.LONGEST_SECONDS, nx=True)
            return count

        return self.answered(locally, remotely)

    @cached_property
    def redis(self):
        return self._cache.get_client(write=True)

    def answered(self, locally, remotely):
        if time.monotonic() >= CounterCache.paused_until:
            try:
                return remotely()
            except (RedisError, OSError) as error:
                self.pause(error)
        return locally(caches["local_counters"])

    def answers(self):
        """Whether Redis takes a write: one that is full answers a ping, but counts nothing."""
        try:
            self.set("answers", 1, timeout=60)
        except (RedisError, OSError):
            return False
        return True

    def pause(self, error):
        now = time.monotonic()
        CounterCache.paused_until = now + self.PAUSE_SECONDS
        if now - CounterCache.warned_at >= self.WARN_SECONDS or not CounterCache.warned_at:
            CounterCache.warned_at = now
            log.warning("Redis does not answer; each process counts for itself: %s", error)
