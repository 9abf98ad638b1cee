"""The clock of the benchmark: it starts on the day of the newest data, because screens show recent days."""

import datetime

NEWEST = datetime.datetime(2026, 9, 19, 17, 30, tzinfo=datetime.UTC)  # a Saturday
EVENING = NEWEST.replace(hour=20, minute=0)
BEHIND = datetime.datetime.now(datetime.UTC) - EVENING


def now():
    """In the place of `timezone.now`."""
    return datetime.datetime.now(datetime.UTC) - BEHIND
