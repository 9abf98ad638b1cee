"""What several screens show of exercises: suggestions for a search, and the last session with each."""

from collections.abc import Sequence
from typing import TypedDict

from accounts.models import Account
from training import stats
from training.catalogue.matching import NamedExercise
from training.models import Exercise
from training.models.exercise import ExerciseQuerySet
from training.web.forms.rows import ExerciseRow

SUGGESTIONS = 8


class Suggestions(TypedDict):
    """What a search in a form offers: exercises found, or the nearest ones if there are none."""

    found: list[Exercise]
    nearest: list[NamedExercise]


def suggested(account: Account, search: str) -> Suggestions:
    """The first exercises that a search finds, in the order of the API, or the nearest if there are none."""
    search = search.replace("\0", "")[:200]
    matches = Exercise.objects.search(search, account)
    found = list(ExerciseQuerySet.best_first.cut(matches, None, SUGGESTIONS))
    return {"found": found, "nearest": [] if found else Exercise.objects.nearest(search)}


def describe(account: Account, entries: Sequence[ExerciseRow]) -> None:
    """Adds the Exercise and the account's last session with it to the rows of a form."""
    ids = {entry["exercise_id"] for entry in entries}
    catalogue = Exercise.objects.in_bulk(ids)
    last = stats.last_sessions(account, catalogue)
    for entry in entries:
        entry["exercise"] = catalogue.get(entry["exercise_id"])
        entry["last"] = last.get(entry["exercise_id"])
