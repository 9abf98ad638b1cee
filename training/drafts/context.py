"""What the page of a running workout shows beside its document, for each exercise."""

from collections.abc import Collection, Mapping
from typing import TypedDict

from django.urls import reverse

from accounts.models import Account
from fitness.api.fields import timestamp
from training import stats
from training.models import Exercise, ExerciseRest, WorkoutExercise
from training.models.draft import REST_SECONDS
from training.models.draft_document import TargetOfDraft
from training.models.sets import Lift, WorkoutSet
from training.models.workout_exercise import first_sets

SESSIONS = 5  # shown of an exercise
SETS = 30  # shown of a session


class ShownSession(TypedDict):
    started_at: str
    sets: list[WorkoutSet]


class ShownLift(TypedDict):
    weight_kg: float
    reps: int


class ExerciseContext(TypedDict):
    """`sessions` are the last ones, newest first; `best` is the personal record so far."""

    name: str
    muscle_group: str
    equipment: str
    url: str
    target: TargetOfDraft | None
    rest_seconds: int
    sessions: list[ShownSession]
    best: ShownLift | None


def exercise_contexts(
    account: Account, exercise_ids: Collection[str], targets: Mapping[str, TargetOfDraft]
) -> dict[str, ExerciseContext]:
    """The contexts of the exercises that exist, by the ids as they were given."""
    exercises = Exercise.objects.find_all(exercise_ids)
    kept = {exercise.pk for exercise in exercises.values()}
    sessions = stats.recent_sessions(account, kept, SESSIONS, SETS)
    records = stats.best_sets_by_exercise(account, kept)
    rests = dict(
        ExerciseRest.objects.filter(account=account, exercise__in=kept).values_list("exercise", "seconds")
    )
    return {
        pk: {
            "name": exercise.name,
            "muscle_group": exercise.muscle_group,
            "equipment": exercise.equipment,
            "url": reverse("exercise", args=[exercise.pk]),
            "target": targets.get(pk),
            "rest_seconds": rests.get(exercise.pk, REST_SECONDS),
            "sessions": [shown_session(one) for one in sessions.get(exercise.pk, [])],
            "best": shown_lift(records.get(exercise.pk)),
        }
        for pk, exercise in exercises.items()
    }


def shown_session(session: WorkoutExercise) -> ShownSession:
    sets, _ = first_sets(session.first_sets, SETS)  # type: ignore[attr-defined]  # annotated by recent_sessions
    return {"started_at": timestamp(session.started_at), "sets": sets}


def shown_lift(lift: Lift | None) -> ShownLift | None:
    return {"weight_kg": lift[0], "reps": lift[1]} if lift else None
