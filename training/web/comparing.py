"""The exercises of a workout beside the session before with each."""

import datetime
from collections.abc import Iterable
from typing import TypedDict
from uuid import UUID

from accounts.models import Account
from training import stats
from training.models import WorkoutExercise
from training.models.sets import (
    DoneSession,
    DoneSets,
    Lift,
    WorkoutSet,
    best_lift,
    counts_as_work,
    done_sets,
    is_just_done,
    lifts_of,
    rank,
    volume_kg,
)
from training.models.workout_document import DocumentEntry
from training.models.workout_exercise import first_sets

SETS = 100  # compared of a session


class DoneBefore(DoneSession):
    """A session with its day, and the notes that may have times."""

    workout_id: UUID
    started_at: datetime.datetime
    notes: str


class LastTime(DoneBefore):
    """The session before."""

    volume_kg: float


class Change(TypedDict):
    """How much the best set and the volume differ from the session before."""

    weight_kg: float
    reps: int
    volume_kg: float


class ComparedExercise(TypedDict):
    """An exercise of a workout and the session before, None for the first one.

    `is_record` if its best set beat all earlier ones; the first one with a best set beats none, `is_first`.
    """

    exercise_id: str
    name: str
    notes: str
    done: DoneSets
    best: Lift | None
    volume_kg: float
    record: Lift | None  # before this workout
    last: LastTime | None
    change: Change | None  # None where one of the two has no lift
    is_assisted: bool  # less weight is better
    is_just_done: bool  # its sets say no more than that it was done, and are no lifts
    is_record: bool
    is_first: bool


def beats(best: Lift | None, record: Lift | None, assisted: bool) -> bool:
    if best is None or record is None:
        return False
    return rank(best, is_assisted=assisted) > rank(record, is_assisted=assisted)


def compared(
    account: Account, entries: Iterable[DocumentEntry], until: datetime.datetime
) -> dict[str, ComparedExercise]:
    """The exercises by id, each once, in the order of the workout that began at `until`.

    The number of statements does not depend on the workout.
    """
    names: dict[str, str] = {}
    notes: dict[str, list[str]] = {}
    sets_of: dict[str, list[WorkoutSet]] = {}
    for entry in entries:
        names.setdefault(entry["exercise_id"], entry["name"])
        notes.setdefault(entry["exercise_id"], []).append(entry["notes"])
        sets_of.setdefault(entry["exercise_id"], []).extend(entry["sets"])
    sessions = stats.recent_sessions(account, set(names), 1, SETS, until)
    records = stats.best_sets_before(account, set(names), until)
    found = {}
    for exercise_id, sets in sets_of.items():
        record, assisted, timed = records.get(exercise_id, (None, False, False))
        lifts = lifts_of(without_just_done(sets, timed))
        best = best_lift(lifts, is_assisted=assisted)
        last = last_time(sessions[exercise_id][0], assisted, timed) if exercise_id in sessions else None
        volume, noted = volume_kg(lifts), "\n".join(notes[exercise_id])
        found[exercise_id] = ComparedExercise(
            exercise_id=exercise_id,
            name=names[exercise_id],
            notes=noted,
            done=done_sets(sets, noted),
            best=best,
            volume_kg=volume,
            record=record,
            last=last,
            change=change(best, volume, last) if best and last else None,
            is_assisted=assisted,
            is_just_done=bool(sets) and not without_just_done(sets, timed),
            is_record=beats(best, record, assisted),
            is_first=best is not None and record is None,
        )
    return found


def volume_change(exercises: Iterable[ComparedExercise]) -> float:
    """In kg, over the exercises that were done before, each against its session before."""
    return sum(one["change"]["volume_kg"] for one in exercises if one["change"])


def without_just_done(sets: Iterable[WorkoutSet], is_timed: bool) -> list[WorkoutSet]:
    """The sets, of an exercise that `is_timed` without those that say no more than that it was done."""
    return [one for one in sets if not (is_timed and is_just_done(one))]


def change(best: Lift, volume: float, last: LastTime) -> Change | None:
    if last["best"] is None:
        return None
    weight_kg, reps = last["best"]
    return {
        "weight_kg": best[0] - weight_kg,
        "reps": best[1] - reps,
        "volume_kg": volume - last["volume_kg"],
    }


def last_time(session: WorkoutExercise, assisted: bool, timed: bool) -> LastTime:
    """A session of `recent_sessions`."""
    sets = first_sets(session.first_sets, SETS)[0]
    lifts = lifts_of(without_just_done(sets, timed))
    return {
        "workout_id": session.workout_id,
        "started_at": session.started_at,
        "notes": session.notes,
        "sets": [one for one in sets if counts_as_work(one)],
        "best": best_lift(lifts, is_assisted=assisted),
        "volume_kg": session.volume_kg,
    }
