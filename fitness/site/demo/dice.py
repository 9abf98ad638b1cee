import datetime
import random
from uuid import UUID


class Dice(random.Random):
    """A random generator with a seed, so that the demo's data can be repeated."""

    def chance(self, probability: float) -> bool:
        return self.random() < probability

    def near(self, mean: float, deviation: float, step: float | None = None) -> float:
        """A normally distributed number, rounded to a multiple of `step` if there is one."""
        drawn = self.gauss(mean, deviation)
        return round(round(drawn / step) * step, 6) if step else drawn

    def time_on(self, day: datetime.date, hour: float, deviation_minutes: float) -> datetime.datetime:
        """A time of a day around an hour (6.5 is half past six), in UTC and to the second."""
        minutes = min(max(self.near(hour * 60, deviation_minutes), 0), 24 * 60 - 1)
        midnight = datetime.datetime.combine(day, datetime.time(), datetime.UTC)
        return midnight + datetime.timedelta(seconds=int(minutes * 60))

    def uuid7_at(self, time: datetime.datetime) -> UUID:
        """A UUIDv7 (RFC 9562) as an instance gets that is created at this time."""
        milliseconds = int(time.timestamp() * 1000)
        return UUID(
            int=milliseconds << 80 | 7 << 76 | self.getrandbits(12) << 64 | 2 << 62 | self.getrandbits(62)
        )
