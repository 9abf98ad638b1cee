"""The counters that several processes share. Only imported where REDIS_URL names a Redis.

1. `add`, `incr` and `delete` use Redis, with a timeout of 0.25 s (settings).
2. Where Redis fails, this process counts in its own memory, and logs a warning at most once a minute.
   Example: Redis is stopped -> each of three processes lets 120 requests a minute of a key pass, and no
   request fails.
3. For PAUSE_SECONDS after a failure Redis is not asked, so an outage costs one timeout in five seconds.
"""

import logging
import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from django.core.cache import BaseCache, caches
from django.core.cache.backends.redis import RedisCache
from redis import Redis
from redis.exceptions import RedisError

from fitness.logs import is_first_in

log = logging.getLogger("fitness.ratelimit")

Result = TypeVar("Result")


class CounterCache(RedisCache):
    """Counters in Redis that fall back to counters of this process while Redis fails."""

    PAUSE_SECONDS = 5
    MAX_SECONDS = 60 * 60  # the longest window of a limit: sign-ups
    paused_until = 0.0

    def __init__(self, server: str, params: dict[str, dict[str, float]]) -> None:
        super().__init__(server, params)
        self.redis: Redis = Redis.from_url(server, **params["OPTIONS"])

    def add(
        self, key: str, value: int, timeout: float | None = MAX_SECONDS, version: int | None = None
    ) -> bool:
        """Does nothing for a counter that this process has added in this minute: `incr` finds or makes it."""
        if caches["local_counters"].get(f"seen:{key}"):
            return False
        remotely = partial(super().add, key, value, timeout, version)
        added = self.with_fallback(lambda cache: cache.add(key, value, timeout, version), remotely)
        caches["local_counters"].set(f"seen:{key}", timeout, 60)
        return added

    def delete(self, key: str, version: int | None = None) -> bool:
        caches["local_counters"].delete(f"seen:{key}")
        remotely = partial(super().delete, key, version)
        return self.with_fallback(lambda cache: cache.delete(key, version), remotely)

    def lifetime(self, key: str) -> int:
        """The last timeout of a counter's `add`, in seconds."""
        return int(caches["local_counters"].get(f"seen:{key}", self.MAX_SECONDS))

    def incr(self, key: str, delta: int = 1, version: int | None = None) -> int:
        """One round trip; Django's own `incr` makes another to check that the counter exists."""

        def locally(cache: BaseCache) -> int:
            # Where Redis failed after `add`, the count begins here.
            cache.add(key, 0, self.lifetime(key), version)
            return cache.incr(key, delta, version)

        def remotely() -> int:
            name = self.make_and_validate_key(key, version)
            count = int(self.redis.incrby(name, delta))
            if count == delta:  # the first one, or Redis has lost the counter and the new one has no expiry
                self.redis.expire(name, self.lifetime(key))
            return count

        return self.with_fallback(locally, remotely)

    def with_fallback(self, locally: Callable[[BaseCache], Result], remotely: Callable[[], Result]) -> Result:
        if time.monotonic() >= CounterCache.paused_until:
            try:
                return remotely()
            except (RedisError, OSError) as error:
                self.pause(error)
        return locally(caches["local_counters"])

    def is_available(self) -> bool:
        """Whether Redis takes a write: one that is full responds to a ping, but counts nothing."""
        try:
            self.set("answers", 1, timeout=60)
        except (RedisError, OSError):
            return False
        return True

    def pause(self, error: Exception) -> None:
        CounterCache.paused_until = time.monotonic() + self.PAUSE_SECONDS
        if is_first_in(60, log.name):
            log.warning("Redis does not answer; each process counts for itself: %s", error)
