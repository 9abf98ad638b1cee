"""Reads what summaries of tools that read say beyond the results: each function takes one statement.

Its cost does not grow with the history: it reads the window that was asked for, or a bounded one.
"""

import datetime
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple
from uuid import UUID

from django.utils import timezone

from accounts.models import Account
from fitness.api.serializers import Values
from fitness.days import ONE_DAY, utc_today
from fitness.json import JsonObject, without_fragments
from training import stats
from training.models import Exercise
from training.models.sets import Lift, WorkoutSet, estimated_1rm_kg, lifts_of

ESTIMATED_DAYS = 365  # in which a higher estimate than that of a personal record is looked for
TICKED_DAYS = 7
MAX_SETS = 100  # of a session, among which an estimate is looked for


class Training(NamedTuple):
    """The weeks of a window; the streak as of today where the window ends later, else None."""

    weeks: list[stats.Week]
    streak_days: int | None


def training(account: Account, values: Values) -> Training:
    """In one statement, and two for a streak."""
    since, until = values["since"], values["until"]
    end_of_today = datetime.datetime.combine(utc_today() + ONE_DAY, datetime.time(), datetime.UTC)
    streak_days = stats.streak_days(account, timezone.now()) if until > end_of_today else None
    return Training(stats.weeks(account, since, until), streak_days)


class Estimated(NamedTuple):
    """A set that counts as work, with its estimate and the start of its workout."""

    estimated_1rm_kg: float
    lift: Lift
    started_at: datetime.datetime


def highest_of_sessions(account: Account, history: JsonObject) -> Estimated | None:
    """The set with the highest estimate of a page of a history; None for an exercise with assistance."""
    if Exercise.objects.seen_by(account).assisted_among([history["exercise"]["id"]]):
        return None
    return highest(
        estimated
        for session in history["sessions"]
        for estimated in estimates(
            without_fragments(session["sets"]), datetime.datetime.fromisoformat(session["started_at"])
        )
    )


def higher_estimates(account: Account, records: list[JsonObject]) -> dict[str, Estimated]:
    """By exercise the set with the highest estimate, where that is above the estimate of the record.

    In two statements.
    """
    recorded = {one["exercise_id"]: one for one in records}
    for exercise_id in Exercise.objects.seen_by(account).assisted_among(recorded):
        del recorded[exercise_id]
    found: dict[str, list[Estimated]] = defaultdict(list)
    since = timezone.now() - ESTIMATED_DAYS * ONE_DAY
    for exercise_id, started_at, text in stats.sets_since(account, recorded, since, MAX_SETS):
        found[exercise_id] += estimates(text, started_at)
    best = {exercise_id: highest(of_exercise) for exercise_id, of_exercise in found.items()}
    return {
        exercise_id: one
        for exercise_id, one in best.items()
        if one and one.estimated_1rm_kg > recorded[exercise_id]["estimated_1rm_kg"]
    }


def estimates(sets: Iterable[WorkoutSet], started_at: datetime.datetime) -> list[Estimated]:
    return [Estimated(estimated_1rm_kg(*lift), lift, started_at) for lift in lifts_of(sets)]


def highest(estimated: Iterable[Estimated]) -> Estimated | None:
    return max(estimated, default=None)


def ticks(account: Account) -> dict[datetime.date, set[UUID]]:
    """The supplements that were ticked on each of the last days, today (UTC) first."""
    today = utc_today()
    days = [today - number * ONE_DAY for number in range(TICKED_DAYS)]
    ticked: dict[datetime.date, set[UUID]] = {day: set() for day in days}
    logs = account.supplement_logs.between(days[-1], today)
    for day, supplement_id in logs.values_list("day", "supplement_id"):
        ticked[day].add(supplement_id)
    return ticked
