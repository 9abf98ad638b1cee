"""The counters that several processes share. Only imported where REDIS_URL names a Redis."""

import logging
import time
from functools import cached_property, partial

from django.core.cache import caches
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

log = logging.getLogger("fitness.ratelimit")


class CounterCache(RedisCache):
    """Counters in Redis that fall back to this process while Redis does not answer.

    After a failure Redis is left alone for some seconds, so that an outage costs a request at
    most one timeout now and then.
    """

    PAUSE_SECONDS = 5
    MAX_SECONDS = 60 * 60  # of what is counted: sign-ups
    WARN_SECONDS = 60
    paused_until = 0.0
    warned_at = 0.0

    def add(self, key, value, timeout):
        """Skipped for a counter that this process has seen in this minute: `incr` finds or makes it."""
        if caches["local_counters"].get(f"seen:{key}"):
            return False
        remotely = partial(super().add, key, value, timeout)
        added = self.with_fallback(lambda cache: cache.add(key, value, timeout), remotely)
        caches["local_counters"].set(f"seen:{key}", timeout, 60)
        return added

    def lifetime(self, key: str) -> int:
        """The timeout that `add` was last given for a counter, in seconds."""
        return caches["local_counters"].get(f"seen:{key}", self.MAX_SECONDS)

    def incr(self, key, delta=1):
        """One round trip, where Django asks first whether the counter exists."""

        def locally(cache):
            cache.add(key, 0, self.lifetime(key))  # where Redis still answered `add`, the count begins here
            return cache.incr(key, delta)

        def remotely():
            name = self.make_and_validate_key(key)
            count = self.redis.incrby(name, delta)
            if count == delta:  # the first, or Redis has lost the counter and this one has no end yet
                self.redis.expire(name, self.lifetime(key))
            return count

        return self.with_fallback(locally, remotely)

    @cached_property
    def redis(self):
        return self._cache.get_client(write=True)

    def with_fallback(self, locally, remotely):
        if time.monotonic() >= CounterCache.paused_until:
            try:
                return remotely()
            except (RedisError, OSError) as error:
                self.pause(error)
        return locally(caches["local_counters"])

    def is_available(self):
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
