"""What several screens show of exercises: suggestions for a search, and the last session with each."""

from collections.abc import Sequence
from typing import TypedDict

from django.http import Http404

from accounts.models import Account
from training import stats
from training.catalogue.matching import NamedExercise
from training.models import Exercise
from training.models.search import OWN_FIRST, search
from training.web.forms.base import ExerciseRow
from training.web.forms.own_exercise import Offer, offered_for
from training.web.names import meant
from training.web.picker import before_typing, trained_by

SUGGESTIONS, MOST_OF_MUSCLE = 8, 16


class Suggestions(TypedDict):
    """What a search in a form offers: exercises found, or the nearest ones if there are none."""

    found: list[Exercise]
    nearest: list[NamedExercise]
    offer: Offer | None  # where nothing is found


def suggested(account: Account, text: str) -> Suggestions:
    """The first exercises that a search finds, the account's own before others, or the nearest ones.

    A word for a muscle finds what trains it as well. Before somebody types it is what was used last.
    """
    text = text.replace("\0", "")[:200]
    exercises = Exercise.objects.seen_by(account).active()
    if not text.strip():
        ids = before_typing(account, SUGGESTIONS)
        offered = search(exercises.filter(pk__in=ids), "", account)
        return {"found": sorted(offered, key=lambda one: ids.index(one.pk)), "nearest": [], "offer": None}
    of_muscle = trained_by(account, text)
    matches = search(exercises, text, account, [*meant(text), *of_muscle])
    found = list(OWN_FIRST.cut(matches, None, MOST_OF_MUSCLE if of_muscle else SUGGESTIONS))
    if found:
        return {"found": found, "nearest": [], "offer": None}
    return {"found": [], "nearest": exercises.nearest(text), "offer": offered_for(text)}


def describe(account: Account, entries: Sequence[ExerciseRow]) -> None:
    """Adds the Exercise and the account's last session with it to the rows of a form that lack them."""
    entries = [entry for entry in entries if "exercise" not in entry]
    if not entries:
        return
    ids = {entry["exercise_id"] for entry in entries}
    catalogue = Exercise.objects.seen_by(account).find_all(ids)
    last = stats.last_sessions(account, {exercise.pk for exercise in catalogue.values()})
    for entry in entries:
        exercise = entry["exercise"] = catalogue.get(entry["exercise_id"])
        entry["last"] = last.get(exercise.pk) if exercise else None


def exercise_or_404(account: Account, exercise_id: str) -> Exercise:
    try:
        return Exercise.objects.seen_by(account).find(exercise_id)
    except Exercise.DoesNotExist:
        raise Http404 from None
