"""What the page of a running workout shows beside its document, for each exercise."""

import datetime
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import NotRequired, TypedDict

from django.utils import timezone

from accounts.models import Account
from fitness.json import timestamp
from training import stats
from training.models import Exercise, ExerciseHabit, Plan, Routine, TrainingDraft, WorkoutExercise
from training.models.draft import TargetOfDraft, Targets, entry_key
from training.models.exercise_habit import Habit
from training.models.sets import WorkoutSet, is_just_done
from training.models.timed import Measure, TimedSet, remarks, timed_measure, timed_sets
from training.models.workout_exercise import first_sets
from training.pictures import pictures
from training.plans.plan_rules import ROUTINE_DAY, day_targets, reason_of

SESSIONS = 5  # shown of an exercise
SETS = 30  # shown of a session
NOTES = 500  # characters of those of a session


class ShownSession(TypedDict):
    started_at: str
    sets: list[WorkoutSet]
    timed: list[TimedSet]
    notes: str
    superset: str | None


class ShownBest(TypedDict):
    """`strongest_kg` is the highest estimated maximum, of whichever set."""

    weight_kg: float
    reps: int
    strongest_kg: float


class ShownPicture(TypedDict):
    src: str
    width: int
    height: int


class PicturesOfContext(TypedDict):
    """Nothing where none are loaded, so that what a phone reads and keeps is not larger."""

    pictures: NotRequired[list[ShownPicture]]


class ExerciseContext(PicturesOfContext):
    """`sessions` are the last ones, newest first; `best` is the best set so far: of an assisted exercise the
    one with least help. `measures` are what its sets may be measured by, first that of last time. Rests and
    setup are as in Habit.
    """

    name: str
    muscle_group: str
    equipment: str
    measures: list[str]
    is_assisted: bool
    is_without_load: bool
    instructions: str
    target: TargetOfDraft | None
    rest_seconds: int
    rests_in_superset: bool
    setup: str
    sessions: list[ShownSession]
    best: ShownBest | None


def exercise_contexts(
    account: Account, exercise_ids: Collection[str], targets: Mapping[str, TargetOfDraft]
) -> dict[str, ExerciseContext]:
    """The contexts of the exercises that exist, by the ids as they were given."""
    exercises = Exercise.objects.seen_by(account).find_all(exercise_ids)
    kept = {exercise.pk for exercise in exercises.values()}
    sessions = stats.recent_sessions(account, kept, SESSIONS, SETS)
    timed = {exercise.pk for exercise in exercises.values() if exercise.is_timed}
    shown = {pk: [shown_session(one, pk in timed) for one in rows] for pk, rows in sessions.items()}
    records = stats.lift_records(account, kept)
    new = Habit(account.rest_seconds)
    habits = defaultdict(lambda: new, ExerciseHabit.objects.of(account, kept))
    return {
        pk: {
            "name": exercise.name,
            "muscle_group": exercise.muscle_group,
            "equipment": exercise.equipment,
            "measures": measures_of(exercise, shown.get(exercise.pk, [])),
            "is_assisted": exercise.is_assisted,
            "is_without_load": exercise.is_without_load,
            "instructions": exercise.instructions,
            "target": targets.get(pk),
            "rest_seconds": habits[exercise.pk].rest_seconds,
            "rests_in_superset": habits[exercise.pk].rests_in_superset,
            "setup": habits[exercise.pk].setup,
            "sessions": shown.get(exercise.pk, []),
            "best": shown_best(records.get(exercise.pk)),
            **shown_pictures(exercise.pk),
        }
        for pk, exercise in exercises.items()
    }


def shown_best(record: stats.LiftRecord | None) -> ShownBest | None:
    if record is None:
        return None
    return {"weight_kg": record.weight_kg, "reps": record.reps, "strongest_kg": record.strongest_kg}


def shown_pictures(exercise_id: str) -> PicturesOfContext:
    found = pictures().get(exercise_id, ())
    large = (picture.large for picture in found)
    shown = [ShownPicture(src=one.address, width=one.width, height=one.height) for one in large]
    return {"pictures": shown} if shown else {}


def shown_session(session: WorkoutExercise, is_timed: bool) -> ShownSession:
    """Without sets that an exercise which `is_timed` was just done in: they have no number to go on from."""
    sets, _ = first_sets(session.first_sets, SETS)
    if is_timed:
        sets = [one for one in sets if not is_just_done(one)]
    return {
        "started_at": timestamp(session.started_at),
        "sets": sets,
        "timed": timed_sets(session.notes)[:SETS],
        "notes": remarks(session.notes)[:NOTES],
        # A name that it shares with the exercises of the same superset of the same workout alone.
        "superset": f"{session.workout_id} {session.superset_id}" if session.superset_id else None,
    }


def measures_of(exercise: Exercise, sessions: Sequence[ShownSession]) -> list[str]:
    last = measure_of(sessions[0], exercise.measures) if sessions else None
    return sorted(exercise.measures, key=lambda one: one != last)


def measure_of(session: ShownSession, measures: Sequence[str]) -> str | None:
    """What the sets of a session were measured by; None without a set that was done."""
    if any(one["completed"] for one in session["sets"]):
        return Measure.REPS.value
    return timed_measure(session["timed"], measures) if session["timed"] else None


def targets_in_words(draft: TrainingDraft) -> Targets:
    """The targets of a draft with why they are so, in the language and the unit of who reads them.

    Nothing of that is stored: it is said of the last step of the rule, where the plan or routine still asks
    for the same.
    """
    reasons = reasons_of(draft) if draft.targets_of_entries else {}
    exercises = {entry_key(one["uid"]): one["exercise_id"] for one in draft.document["exercises"]}
    found: Targets = {}
    for key, stored in draft.targets.items():
        target = found[key] = {**stored}
        first = target.get("lines", [target])[0]
        numbers = first["sets"], first["reps"], first["weight_kg"]
        if why := reasons.get((exercises.get(key, key), *numbers)):
            target["reason"] = why
    return found


def reasons_of(draft: TrainingDraft) -> dict[tuple[str, int, int, float], str]:
    """By exercise, sets, repetitions and weight, why the plan or routine of a draft asks for them."""
    account, document = draft.account, draft.document
    planning: Plan | Routine | None
    if document["routine_id"]:
        planning = account.routines.filter(pk=document["routine_id"]).first()
    else:
        planning = account.plans.filter(pk=document["plan_id"]).first() if document["plan_id"] else None
    if planning is None:
        return {}
    week, progression = planning.week, planning.progressions
    steps = account.progression_steps.last_of(progression)
    day = timezone.localdate(datetime.datetime.fromisoformat(document["started_at"]))
    found: dict[tuple[str, int, int, float], str] = {}
    for one in day_targets(week, progression, draft.weekday or ROUTINE_DAY, day):
        target = one.target
        numbers = one.entry["exercise_id"], target.sets, target.reps, target.weight_kg
        found.setdefault(numbers, reason_of(one, steps, week))
    return found
