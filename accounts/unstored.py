"""What a process has counted of the use of keys and sessions is stored once a minute, and when it stops."""

import time

from django.db import connections

from accounts import key_days, sessions

MINUTE_SECONDS = 60


def store_each_minute() -> None:
    """For a thread of each process, which ends with it."""
    while True:
        time.sleep(MINUTE_SECONDS)
        store_uses()
        connections.close_all()


def store_uses() -> None:
    key_days.unstored.store()
    sessions.unstored.store()
