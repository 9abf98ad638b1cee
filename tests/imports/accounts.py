"""Accounts with a record of each kind, and what of them must survive a way out and in again."""

import orjson

from nutrition.models import FoodEntry
from tests.conftest import a_set, client_of, freshly_signed_in
from tests.pages import items_of
from training.models import ExerciseHabit, ExerciseName
from training.models.exercise_habit import Habit

NEW = ("id", "created_at", "updated_at")  # of an imported record
REFERENCES = ("plan_id", "supplement_id", "food_id")
LISTS = {  # of the API: the path by the name
    "workouts": "/workouts",
    "routines": "/routines",
    "plans": "/plans",
    "weight": "/body/weight",
    "measurements": "/body/measurements",
    "goals": "/goals",
    "nutrition": "/nutrition",
    "supplements": "/supplements",
    "logs": "/supplements/logs",
}


def created(response):
    assert response.status_code in (200, 201), response.content
    return response.json()


def week(*exercises):
    """The days of a plan that trains on Mondays."""
    training = {"weekday": 1, "label": "Push", "focus": "Bench", "exercises": list(exercises)}
    return [training, *({"weekday": day, "label": "Rest", "rest": True} for day in range(2, 8))]


def planned(exercise_id="barbell-bench-press", **fields):
    return {"exercise_id": exercise_id, "sets": 3, "reps": 8, "weight_kg": 62.5, "note": "slow", **fields}


def fill(account):
    """Stores records of each kind, through the front door where there is one. Returns the client."""
    api = client_of(account)
    former = created(api.post("/plans", {"name": "Old", "days": week(), "active": True}))
    plan = created(api.post("/plans", {"name": "New", "days": week(planned()), "active": True}))
    created(api.put(f"/plans/{former['id']}", {"name": "Older", "summary": "=sum", "days": week()}))
    for name in ("A", "B"):
        created(api.post("/routines", {"name": name, "focus": "Legs", "exercises": [planned("pull-up")]}))
    account.routines.filter(name="A").update(use_count=3)
    created(api.post("/workouts", workout(plan_id=plan["id"])))
    created(api.post("/workouts", workout(title="Later", started_at="2026-03-04T17:30:00Z")))
    for day in (1, 2):
        logged_at = f"2026-03-0{day}T06:45:00.25Z"
        created(api.post("/body/weight", {"weight_kg": 82.4, "notes": "@home", "logged_at": logged_at}))
        created(api.post("/body/measurements", {"waist_cm": 80 + day, "logged_at": logged_at}))
    for target in (80, 75, 80):
        created(api.post("/goals", {"target_weight_kg": target, "deadline": "2026-12-31"}))
    totals = {"calories": 2450, "protein_g": 172, "carbs_g": 260.5, "fat_g": 74}
    created(api.put("/nutrition/2026-03-02", totals))
    oats = account.foods.create(name="Oats", calories=400, protein_g=20, carbs_g=60, fat_g=8, is_meal=True)
    for day in ("2026-03-02", "2026-03-03"):
        oats.tick(day)
    skyr = account.foods.create(
        name="Skyr", calories=62, protein_g=11, portion=100, unit="g", is_favorite=True
    )
    skyr.eat("2026-03-03", 150, meal="snacks")
    FoodEntry.objects.add(account, "2026-03-04", [FoodEntry(name="=Lunch", calories=700, meal="lunch")])
    created(api.put("/nutrition/2026-03-04", totals))
    account.nutrition_targets.create(calories=2600, protein_g=152.5)
    creatine = account.supplements.create(name="Creatine", dosage="5 g", time="08:00")
    created(api.post(f"/supplements/{creatine.pk}/logs", {"day": "2026-03-02"}))
    names = {"Ohio State": "barbell-back-squat", "Yoga": "leave_out", "Sauna": "note"}
    ExerciseName.objects.choose(account, "strong", names)
    habit = Habit(rest_seconds=90, rests_in_superset=True, setup="Seat 4, narrow grip")
    ExerciseHabit.objects.remember(account, {"barbell-back-squat": habit})
    account.exercise_pins.create(exercise_id="pull-up")
    return api


def workout(**fields):
    """The body of a workout with what other apps can hold, and what they cannot."""
    squat = {
        "exercise_id": "barbell-back-squat",
        "notes": "deep\nslow",
        "sets": [a_set(60, 5, type="warmup")],
    }
    squat["sets"] += [a_set(102.05828325, 5, rpe=8.5), a_set(110, 3, completed=False)]
    plank = {"exercise_id": "plank", "notes": "60 s", "sets": []}
    pull_up = {"exercise_id": "pull-up", "superset_id": "a", "sets": [a_set(0, 8)]}
    return {
        "title": "Leg day",
        "notes": "-1 hour of sleep",
        "started_at": "2026-03-02T17:30:00Z",
        "duration_seconds": 3930,
        "exercises": [squat, plank, pull_up],
        **fields,
    }


def everything(api, name):
    """All items of a list of the API, newest first."""
    return items_of(api, LISTS[name], name)


def exported(page, address="/settings/data/export", **query):
    response = page.get(address, query)
    assert response.status_code == 200
    return response.getvalue()


def archive_of(page):
    return orjson.loads(exported(page))


def portable(account):
    """An account's archive without what is another one after an import: ids and times of creation.

    References are replaced by the number of what they refer to.
    """
    document = archive_of(freshly_signed_in(account))
    lists = {name: items for name, items in document.items() if isinstance(items, list)}
    numbers = {item["id"]: n for items in lists.values() for n, item in enumerate(items) if "id" in item}
    shown = {
        name: [
            {
                key: numbers.get(item[key]) if key in REFERENCES else item[key]
                for key in item
                if key not in NEW
            }
            for item in items
        ]
        for name, items in lists.items()
    }
    profile = {name: document["profile"][name] for name in ("height_cm", "birth_date", "gender", "goal")}
    return {**shown, "profile": profile}
