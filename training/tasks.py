"""The background task of the catalogue: changes of very many workouts, made beside requests.

See fitness/background.py for how tasks run.
"""

import logging

from fitness.background import Task
from training.models import CatalogueChange, Plan
from training.models.following import follow_catalogue

log = logging.getLogger("fitness.catalogue")

SECONDS_WITH_CHANGES = 2
SECONDS_WITHOUT_CHANGES = 60  # another process may have left some unfinished


def carry_out() -> float:
    """Finishes changes of exercises and deletions of plans. Returns the seconds until the next run."""
    if changed := follow_catalogue():
        log.info("%s workouts, routines and plans follow the catalogue", changed)
    if removed := Plan.objects.finish_deletions():
        log.info("%s plans are deleted that another process had begun to delete", removed)
    return SECONDS_WITH_CHANGES if CatalogueChange.objects.exists() else SECONDS_WITHOUT_CHANGES


catalogue = Task("catalogue", carry_out, retry_seconds=10)
