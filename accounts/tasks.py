"""What a process has counted and not stored yet is stored once a minute."""

from accounts import key_days, sessions
from fitness.background import Task

MINUTE_SECONDS = 60


def store_uses() -> float:
    key_days.unstored.store()
    sessions.unstored.store()
    return MINUTE_SECONDS


uses = Task("uses", store_uses, first_seconds=MINUTE_SECONDS, retry_seconds=MINUTE_SECONDS)
