"""Whether two workouts are the same, whatever made them."""

import copy

import pytest

from tests.imports.reading import sample
from training.imports.building import digest_of_values
from training.models import Exercise, Workout

pytestmark = pytest.mark.usefixtures("autumn")


@pytest.fixture
def workouts(db):
    """The workouts of a file, with exercises of the catalogue."""
    catalogue = Exercise.objects.in_bulk()
    found = sample("strong_semicolon.csv", zone="Europe/Berlin").workouts
    for workout in found:
        for entry in workout["exercises"]:
            entry["exercise"] = catalogue[entry["exercise"].id]
    return found


def test_a_workout_of_a_file_is_one_that_the_api_takes(workouts, account, api):
    """What the service answers can be sent back as it is."""
    for values in workouts:
        logged = Workout.objects.log(account, values)
        stored = api.get(f"/workouts/{logged.pk}").json()
        again = api.post("/workouts", stored).json()
        assert again["exercises"] == stored["exercises"]


def changed(values, change):
    other = copy.deepcopy(values)
    change(other)
    return other


@pytest.mark.parametrize(
    ("change", "is_same"),
    [
        (lambda values: values.update(title="Other", notes="other", duration_seconds=1), True),
        (lambda values: values["exercises"][0].update(notes="other"), True),
        (lambda values: values["exercises"][0]["sets"][1].update(rpe=None, weight_kg=82.504), True),
        (lambda values: values["exercises"][0]["sets"][1].update(weight_kg=82.51), False),
        (lambda values: values["exercises"][0]["sets"][1].update(reps=7), False),
        (lambda values: values["exercises"][0]["sets"][1].update(type="warmup"), False),
        (lambda values: values["exercises"][0]["sets"].pop(), False),
        (lambda values: values["exercises"].reverse(), False),
        (lambda values: values["exercises"].pop(), False),
    ],
)
def test_exercises_and_sets_make_a_workout_the_same(workouts, change, is_same):
    values = workouts[0]
    assert (digest_of_values(changed(values, change)) == digest_of_values(values)) is is_same
