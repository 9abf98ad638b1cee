import datetime
import random
from uuid import UUID


class Dice(random.Random):
    """Chance that falls the same way for the same seed."""

    def chance(self, probability):
        return self.random() < probability

    def near(self, value, spread, step=None):
        """A number around a value, normally distributed; a multiple of `step` where that is given."""
        drawn = self.gauss(value, spread)
        return round(round(drawn / step) * step, 6) if step else drawn

    def moment(self, day, hour, spread_minutes):
        """A moment of a day around an hour (6.5 is half past six), in UTC."""
        minutes = min(max(self.near(hour * 60, spread_minutes), 0), 24 * 60 - 1)
        midnight = datetime.datetime.combine(day, datetime.time(), datetime.UTC)
        return midnight + datetime.timedelta(seconds=int(minutes * 60))

    def id_at(self, moment):
        """An id of the service's form (UUIDv7), as a record made at that moment would have."""
        milliseconds = int(moment.timestamp() * 1000)
        return UUID(
            int=milliseconds << 80 | 7 << 76 | self.getrandbits(12) << 64 | 2 << 62 | self.getrandbits(62)
        )
