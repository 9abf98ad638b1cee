"""For random accounts: their export is restored with equal records."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounts.models import Account
from nutrition.models import MAX_MACROS, MAX_PORTION, Food, FoodEntry
from tests.conftest import client_of, freshly_signed_in
from tests.factories import AccountFactory
from tests.imports.accounts import created, exported, portable, week
from tests.imports.steps import imported
from training.models import ExerciseName

pytestmark = pytest.mark.usefixtures("unlimited")

EXERCISES = st.sampled_from(["barbell-bench-press", "barbell-back-squat", "pull-up", "plank"])
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30)
NAMES = TEXTS.filter(bool)
MOMENTS = st.datetimes().map(lambda at: f"{at.isoformat()}Z")
DAYS = st.dates().map(str)
FEW = {"max_size": 3}


def numbers(low, high, **options):
    return st.floats(low, high, allow_nan=False, **options)


def some(values):
    return st.none() | values


def lists(values, **options):
    return st.lists(values, **{**FEW, **options})


SETS = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["warmup", "working"]),
        "weight_kg": numbers(0, 2000),
        "reps": st.integers(0, 10_000),
        "completed": st.booleans(),
        "rpe": some(numbers(0, 10)),
    }
)
ENTRIES = st.fixed_dictionaries(
    {"exercise_id": EXERCISES, "notes": TEXTS, "superset_id": some(TEXTS), "sets": lists(SETS)}
)
WORKOUTS = st.fixed_dictionaries(
    {
        "title": TEXTS,
        "notes": TEXTS,
        "started_at": MOMENTS,
        "duration_seconds": st.integers(0, 604_800),
        "plan_name": some(TEXTS),
        "exercises": lists(ENTRIES),
    }
)
PLANNED = st.fixed_dictionaries(
    {
        "exercise_id": EXERCISES,
        "sets": st.integers(1, 100),
        "reps": st.integers(0, 10_000),
        "weight_kg": numbers(0, 2000),
        "note": TEXTS,
    }
)
ROUTINES = st.fixed_dictionaries({"name": NAMES, "focus": TEXTS, "exercises": lists(PLANNED)})
PLANS = st.fixed_dictionaries(
    {
        "name": NAMES,
        "summary": TEXTS,
        "progression": TEXTS,
        "active": st.booleans(),
        "days": lists(PLANNED).map(lambda entries: week(*entries)),
    }
)
GOALS = st.fixed_dictionaries(
    {"target_weight_kg": some(numbers(0, 1000, exclude_min=True)), "deadline": some(DAYS)}
)
WEIGHTS = st.fixed_dictionaries(
    {"weight_kg": numbers(0, 1000, exclude_min=True), "notes": TEXTS, "logged_at": MOMENTS}
)
MEASUREMENTS = st.fixed_dictionaries({"waist_cm": numbers(0, 1000, exclude_min=True), "logged_at": MOMENTS})
MACROS = st.fixed_dictionaries({name: numbers(0, most) for name, most in MAX_MACROS.items()})
KNOWN_MACROS = st.fixed_dictionaries(
    {"calories": numbers(0, MAX_MACROS["calories"])}
    | {name: some(numbers(0, most)) for name, most in MAX_MACROS.items() if name != "calories"}
)
FOODS = st.fixed_dictionaries(
    {
        "name": NAMES,
        "portion": numbers(0, MAX_PORTION, exclude_min=True),
        "unit": st.sampled_from(Food.Unit),
        "is_meal": st.booleans(),
        "is_favorite": st.booleans(),
    }
)
MEALS = st.sampled_from(FoodEntry.Meal)
EATEN = st.tuples(FOODS, KNOWN_MACROS, lists(DAYS), lists(st.tuples(DAYS, MEALS)))
ENTRIES = st.tuples(DAYS, MEALS, TEXTS, KNOWN_MACROS)
SUPPLEMENTS = st.tuples(
    NAMES, TEXTS, st.times().map(lambda at: f"{at:%H:%M}"), lists(st.tuples(DAYS, MOMENTS))
)
SOURCES = st.sampled_from(["strong", "hevy"])
FATES = st.sampled_from(["note", "leave_out"]) | EXERCISES

ACCOUNTS = st.fixed_dictionaries(
    {
        "/plans": lists(PLANS),
        "/routines": lists(ROUTINES),
        "/workouts": lists(st.tuples(WORKOUTS, st.integers(0, 3))),  # with the number of the plan
        "/goals": lists(GOALS),
        "/body/weight": lists(WEIGHTS),
        "/body/measurements": lists(MEASUREMENTS),
        "nutrition": st.dictionaries(DAYS, MACROS, **FEW),
        "foods": lists(EATEN),
        "entries": lists(ENTRIES),
        "supplements": lists(SUPPLEMENTS),
        "exercise_pins": st.sets(EXERCISES, max_size=3),
        "exercise_names": st.dictionaries(st.tuples(SOURCES, NAMES), FATES, **FEW),
    }
)


def pin(account, exercise_ids):
    for exercise_id in exercise_ids:
        account.exercise_pins.create(exercise_id=exercise_id)


def eat(account, api, records):
    for values, macros, ticked, eaten in records["foods"]:
        food = account.foods.create(**values, **macros)
        for day in ticked:
            food.tick(day)
        for day, meal in eaten:
            food.eat(day, meal=meal)
    for day, totals in records["nutrition"].items():
        created(api.put(f"/nutrition/{day}", totals))
    for day, meal, name, macros in records["entries"]:
        FoodEntry.objects.add(account, day, [FoodEntry(name=name, meal=meal, **macros)])


def stored(records):
    """A new account with the records."""
    account = AccountFactory()
    Account.objects.filter(pk=account.pk).update(display_name="")
    api = client_of(account)
    plans = [created(api.post("/plans", plan))["id"] for plan in records["/plans"]]
    for workout, number in records["/workouts"]:
        plan_id = dict(enumerate(plans)).get(number)
        created(api.post("/workouts", {**workout, "plan_id": plan_id}))
    for path in ("/routines", "/goals", "/body/weight", "/body/measurements"):
        for body in records[path]:
            created(api.post(path, body))
    eat(account, api, records)
    for name, dosage, time, logs in records["supplements"]:
        supplement = account.supplements.create(name=name, dosage=dosage, time=time)
        for day, taken_at in logs:
            created(api.post(f"/supplements/{supplement.pk}/logs", {"day": day, "taken_at": taken_at}))
    pin(account, records["exercise_pins"])
    for (source, name), fate in records["exercise_names"].items():
        ExerciseName.objects.choose(account, source, {name: fate})
    return account


@pytest.mark.django_db
@settings(max_examples=15)
@given(ACCOUNTS)
def test_an_import_of_an_export_gives_the_same_records(records):
    account, newcomer = stored(records), AccountFactory(display_name="")
    archive = io.BytesIO(exported(freshly_signed_in(account)))
    ran = imported(newcomer, archive)
    assert (ran.refused, [*ran.findings.all()]) == ([], [])
    assert portable(newcomer) == portable(account)
