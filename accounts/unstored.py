"""What a process has counted of the use of keys and sessions is stored once a minute, and when it stops."""

from accounts import key_days, sessions

MINUTE_SECONDS = 60


def store_uses() -> float:
    """Returns the seconds until the next time."""
    key_days.unstored.store()
    sessions.unstored.store()
    return MINUTE_SECONDS
