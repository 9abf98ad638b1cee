"""What a workout was, compared with the last time: for the page after the finish."""

from typing import Any

import orjson

from accounts.models import Account
from training.models import Workout
from training.models.workout_document import WorkoutDocument
from training.web.comparing import compared


def summary(account: Account, workout: Workout) -> dict[str, Any]:
    """{completed_sets, exercises, records}. The number of statements does not depend on the workout."""
    document: WorkoutDocument = orjson.loads(workout.document)
    exercises = list(compared(account, document["exercises"], workout.started_at).values())
    return {
        "completed_sets": sum(one["sets"] for one in exercises),
        "exercises": exercises,
        "records": [one for one in exercises if one["is_record"]],
    }
