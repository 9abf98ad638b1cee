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
from mcp_endpoint.phrases import day, load
from training import stats
from training.models import Exercise
from training.models.sets import Lift, WorkoutSet, estimated_1rm_kg, lifts_of
from training.models.timed import timed_in_short

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


class Sessions(NamedTuple):
    """What the sessions of a history do not say of themselves."""

    highest: Estimated | None
    least_help: list[str]  # of an assisted exercise: its set with least help, in words
    timed: list[str]  # times and distances of sessions, in words


def sessions(account: Account, history: JsonObject) -> Sessions:
    """In two statements, three for an assisted exercise."""
    helped = least_help(account, assisted_among(account, [history["exercise"]["id"]]))
    highest = None if helped else highest_of_sessions(history)
    return Sessions(highest, helped, timed(account, history))


def timed(account: Account, history: JsonObject) -> list[str]:
    """The times and distances that the notes of the sessions name: `16 Nov 1:30 · 45 s`."""
    ids = [session["workout_id"] for session in history["sessions"]]
    rows = account.workout_exercises.filter(workout__in=ids, exercise=history["exercise"]["id"])
    with_notes = rows.exclude(notes="").order_by("-started_at", "position")
    texts = [
        (started_at, timed_in_short(notes, Account.Units.KG))
        for started_at, notes in with_notes.values_list("started_at", "notes")
    ]
    return [f"{day(started_at)} {text}" for started_at, text in texts if text]


class Records(NamedTuple):
    """What personal records do not say of themselves."""

    higher: dict[str, Estimated]  # by exercise: the set with the highest estimate, above that of the record
    least_help: list[str]


def records(account: Account, found: list[JsonObject]) -> Records:
    """In two statements, three with assisted exercises; none without records."""
    assisted = assisted_among(account, [one["exercise_id"] for one in found])
    others = [one for one in found if one["exercise_id"] not in assisted]
    higher = higher_estimates(account, others) if others else {}
    return Records(higher, least_help(account, assisted))


def assisted_among(account: Account, exercise_ids: list[str]) -> set[str]:
    return Exercise.objects.seen_by(account).assisted_among(exercise_ids)


def least_help(account: Account, assisted: set[str]) -> list[str]:
    """The set with least help of each of the exercises: `Assisted Pull-Up 20 kg × 8 (9 Nov)`."""
    if not assisted:
        return []
    rows = stats.best_sessions_with(account, assisted)
    return [f"{row.exercise__name} {load(row.weight_kg, row.reps)} ({day(row.started_at)})" for row in rows]


def highest_of_sessions(history: JsonObject) -> Estimated | None:
    """The set with the highest estimate of a page of a history."""
    return highest(
        estimated
        for session in history["sessions"]
        for estimated in estimates(
            without_fragments(session["sets"]), datetime.datetime.fromisoformat(session["started_at"])
        )
    )


def higher_estimates(account: Account, records: list[JsonObject]) -> dict[str, Estimated]:
    """By exercise the set with the highest estimate, where that is above the estimate of the record."""
    recorded = {one["exercise_id"]: one for one in records}
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
    ticked: dict[datetime.date, set[UUID]] = {date: set() for date in days}
    logs = account.supplement_logs.between(days[-1], today)
    for date, supplement_id in logs.values_list("day", "supplement_id"):
        ticked[date].add(supplement_id)
    return ticked
