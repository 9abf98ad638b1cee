"""What a workout was, compared with the last time: for the page after the finish."""

import functools
from typing import Any

import orjson

from accounts.models import Account
from training.models import Workout
from training.models.sets import DoneSets
from training.models.workout_document import WorkoutDocument
from training.web.comparing import compared


def summary(account: Account, workout: Workout) -> dict[str, Any]:
    """{done, exercises, records, first_times}. The number of statements does not depend on the workout."""
    document: WorkoutDocument = orjson.loads(workout.document)
    exercises = list(compared(account, document["exercises"], workout.started_at).values())
    return {
        "done": functools.reduce(DoneSets.plus, (one["done"] for one in exercises), DoneSets(0, 0)),
        "exercises": exercises,
        "records": [one for one in exercises if one["is_record"]],
        "first_times": [one for one in exercises if one["is_first"]],
    }
