"""What a process that serves does beside its requests: it finishes changes of very many records."""

import logging
import threading
from typing import NoReturn

from django.db import connection

from training.models import CatalogueChange, Plan

log = logging.getLogger("fitness.catalogue")

# How long to wait before looking again.
SECONDS_WITH_CHANGES = 2
SECONDS_AFTER_A_FAULT = 10
SECONDS_WITHOUT_CHANGES = 60  # another process may have left some unfinished

woken = threading.Event()


def start() -> None:
    """Begins with what an earlier process left unfinished."""
    threading.Thread(target=follow_the_catalogue, name="catalogue", daemon=True).start()


def wake() -> None:
    woken.set()


def follow_the_catalogue() -> NoReturn:
    while True:
        woken.wait(carry_out())
        woken.clear()


def carry_out() -> float:
    """Carries out what is due; returns after how many seconds to look again."""
    try:
        if changed := CatalogueChange.objects.carry_out():
            log.info("%s workouts, routines and plans follow the catalogue", changed)
        if removed := Plan.objects.finish_removals():
            log.info("%s plans are deleted that another process had begun to delete", removed)
        return SECONDS_WITH_CHANGES if CatalogueChange.objects.exists() else SECONDS_WITHOUT_CHANGES
    except Exception as error:  # the thread goes on, whatever it is
        log.exception("what is done in the background failed, and is tried again: %s", error)
        return SECONDS_AFTER_A_FAULT
    finally:
        connection.close()
