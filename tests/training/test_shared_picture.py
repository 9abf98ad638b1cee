"""What the picture of a workout says; tests/screens/test_train.py draws one."""

import pytest
from django.utils import timezone

from tests.conftest import a_set
from training.models import Exercise

LONG = "single-arm-dumbbell-overhead-triceps-extension"
LIFTS = ["barbell-bench-press", "machine-assisted-pull-up", "chin-up", LONG]


def entries(weight_kg):
    sets = [
        a_set(20, 10, type="warmup"),
        a_set(weight_kg, 5),
        a_set(weight_kg, 5),
        a_set(200, 1, completed=False),
    ]
    plank = {"exercise_id": "plank", "notes": "Set 1: 75 s\nSet 2: 60 s", "sets": []}
    weights = [sets, [a_set(90 - weight_kg, 8)], [a_set(0, 8)], [a_set(17.5, 8)]]
    lifts = [{"exercise_id": pk, "sets": some} for pk, some in zip(LIFTS, weights, strict=True)]
    return [*lifts, plank, {"exercise_id": "barbell-deadlift", "sets": [a_set(100, 5, completed=False)]}]


@pytest.fixture
def workout(log_workout):
    before = timezone.now() - timezone.timedelta(days=3)
    log_workout(exercises=entries(60), started_at=before.isoformat())
    return log_workout(exercises=entries(62.5), title="Push", started_at=timezone.now().isoformat())


def pictures(page, workout):
    return [
        page.get(f"/{place}/{workout['id']}").context["picture"] for place in ("train/finished", "workouts")
    ]


def test_the_picture_says_what_was_done_and_stars_records(page, workout):
    one, other = pictures(page, workout)
    assert one == other
    assert (one["title"], one["more"]) == ("Push", "")
    assert dict(one["facts"]) == {"Duration": "1 h", "Volume": "985 kg", "Sets": "7", "Records": "★ 2"}
    assert one["lifts"] == [
        ("Barbell Bench Press", "62.5 kg × 5", True),
        ("Machine-Assisted Pull-Up", "27.5 kg help × 8", True),
        ("Chin-Up", "8 reps", False),
        ("Single-Arm Dumbbell Overhead Triceps Extension", "17.5 kg × 8", False),
        ("Plank", "1:15 · 1:00", False),
    ]


def test_the_picture_speaks_the_language_and_the_unit_of_its_reader(page, account, workout):
    account.units = "lb"
    account.save()
    page.defaults["HTTP_ACCEPT_LANGUAGE"] = "de"
    one = pictures(page, workout)[0]
    assert dict(one["facts"])["Rekorde"] == "★ 2"
    assert one["lifts"][1] == ("Klimmzug mit Unterstützung", "60,6 lb Hilfe × 8", True)


def test_a_picture_names_twelve_exercises_at_most(page, log_workout):
    ids = Exercise.objects.values_list("pk", flat=True)[:14]
    exercises = [{"exercise_id": pk, "sets": [a_set()]} for pk in ids]
    one = pictures(page, log_workout(exercises=exercises))[0]
    assert (len(one["lifts"]), one["more"]) == (11, "and 3 more")
    one = pictures(page, log_workout(exercises=exercises[:12]))[0]
    assert (len(one["lifts"]), one["more"]) == (12, "")


def test_there_is_no_picture_of_a_workout_without_a_set(page, log_workout):
    workout = log_workout(exercises=[])
    for place in ("train/finished", "workouts"):
        assert "picture" not in page.get(f"/{place}/{workout['id']}").content.decode()
