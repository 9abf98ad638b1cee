"""What a lifter says to an assistant: at most three calls each, what is stored, and the answer.

The calls are those of a model that knows no more than tools/list, and what calls before have answered. The
key is one that may also correct and delete.
"""

import json
from collections.abc import Callable
from datetime import date
from typing import NamedTuple

import pytest

from tests.conftest import ApiClient, a_set, a_workout
from tests.factories import AccountFactory
from tests.mcp_endpoint.conftest import ToolClient
from tests.training.test_plan_progression import week
from tests.training.test_plans import a_day, a_plan, an_exercise

BENCH, SQUAT, DEADLIFT = "barbell-bench-press", "barbell-back-squat", "barbell-deadlift"
TODAY = "2026-11-18"  # a Wednesday, 12:00 UTC
MOST_CALLS = 3


class Chat:
    """What one assistant calls, with what the service has stored of the lifter before."""

    def __init__(self, account):
        self.account = account
        key, _ = account.issue_key("assistant", "read_write", "never", may_correct=True)
        self.api, self.tools = ApiClient(key), ToolClient(key)
        self.calls, self.text = 0, ""
        self.has_said = False

    def call(self, tool, **arguments):
        """The structured result of a call that succeeds; `text` is its line with its notices."""
        result = self.send(tool, arguments)
        assert not result["isError"], result
        return result["structuredContent"]

    def refused(self, tool, **arguments):
        assert self.send(tool, arguments)["isError"]
        return self.text

    def send(self, tool, arguments):
        self.calls += 1
        result = self.tools.call(tool, arguments)
        notices = result.get("structuredContent", {}).get("notices", [])
        self.text = " ".join([result["content"][0]["text"], *notices])
        return result

    def says(self, *parts):
        self.has_said = True
        missing = [part for part in parts if part not in self.text]
        assert not missing, self.text

    def stored(self, path, **query):
        response = self.api.get(path, **query)
        assert response.status_code == 200, response.content
        return response.json()

    # What was logged before the conversation.

    def trained(self, *sets, title="Push", day="2026-11-17", exercise=BENCH, **fields):
        entry = {"exercise_id": exercise, "sets": list(sets) or [a_set(95, 10), a_set(95, 10), a_set(95, 8)]}
        body = a_workout(started_at=f"{day}T17:00:00Z", exercises=[entry], title=title, **fields)
        return self.posted("/workouts", body)

    def posted(self, path, body):
        response = self.api.post(path, body)
        assert response.status_code in (200, 201), response.content
        return response.json()

    def planned(self, name="Three days", active=True):
        return self.posted("/plans", a_plan(name=name, active=active))

    def supplement(self, name="Creatine"):
        return str(self.account.supplements.create(name=name, time="08:00", dosage="5 g").pk)


class Request(NamedTuple):
    words: str
    answer: Callable[[Chat], None]


REQUESTS: list[Request] = []


def said(words):
    """Registers what is done about a request."""

    def register(answer):
        REQUESTS.append(Request(words, answer))
        return answer

    return register


def a_session(*exercises):
    return {"started_at": f"{TODAY}T10:00:00Z", "duration_seconds": 3600, "exercises": list(exercises)}


# --- Workouts ----------------------------------------------------------------------------------------


@said("I did bench today: 100 for 5, 5, 4.")
def log_a_workout(chat):
    chat.trained()
    chat.call("search_exercises", query="bench press", detail="brief")
    sets = [a_set(100, reps) for reps in (5, 5, 4)]
    logged = chat.call("log_workout", **a_session({"exercise_id": BENCH, "sets": sets}))
    chat.says("3 sets", "1,400 kg", "New record")
    assert chat.stored(f"/workouts/{logged['id']}")["volume_kg"] == 1400


@said("Actually the last set was 9 reps.")
def correct_a_set(chat):
    chat.trained()
    (newest,) = chat.call("list_workouts", limit=1)["workouts"]
    exercises = newest["exercises"]
    exercises[0]["sets"][-1]["reps"] = 9
    changed = {name: newest[name] for name in ("started_at", "title", "duration_seconds")}
    chat.call(
        "update_workout",
        workout_id=newest["id"],
        if_updated_at=newest["updated_at"],
        exercises=exercises,
        **changed,
    )
    chat.says("Push", "2,755 kg")
    sets = chat.stored(f"/workouts/{newest['id']}")["exercises"][0]["sets"]
    assert [one["reps"] for one in sets] == [10, 10, 9]


@said("Delete that workout, it was a test.")
def delete_a_workout(chat):
    workout = chat.trained()
    (newest,) = chat.call("list_workouts", limit=1, detail="brief")["workouts"]
    deleted = chat.call("delete_workout", workout_id=newest["id"])["deleted"]
    chat.says("Deleted: Push")
    assert deleted == workout
    assert chat.stored("/workouts")["workouts"] == []


@said("No, put it back.")
def put_a_workout_back(chat):
    before = chat.trained()
    deleted = chat.call("delete_workout", workout_id=before["id"])["deleted"]
    chat.call("log_workout", **deleted)
    chat.says("Saved: Push, 17 Nov, 18:00 where you are: 1 exercise, 3 sets, 2,660 kg.")
    (again,) = chat.stored("/workouts")["workouts"]
    assert again["exercises"] == before["exercises"]
    assert again["started_at"] == before["started_at"]


@said("I only benched 90 in the second set on Tuesday, and forget the squats.")
def correct_and_drop(chat):
    entry = {"exercise_id": SQUAT, "sets": [a_set(140, 5)]}
    bench = {"exercise_id": BENCH, "sets": [a_set(95, 8), a_set(95, 8)]}
    chat.posted("/workouts", a_workout(started_at="2026-11-17T17:00:00Z", exercises=[bench, entry]))
    (newest,) = chat.call("list_workouts", limit=1)["workouts"]
    newest["exercises"][0]["sets"][1]["weight_kg"] = 90
    left_in = newest["exercises"][:1]
    chat.call("update_workout", workout_id=newest["id"], **{**rest_of(newest), "exercises": left_in})
    chat.says("Changed exercises: ", "1 exercise, 2 sets, 1,480 kg.")
    (left,) = chat.stored(f"/workouts/{newest['id']}")["exercises"]
    assert [one["weight_kg"] for one in left["sets"]] == [95, 90]


@said("Log the same workout again.")
def log_twice(chat):
    body = a_workout(started_at=f"{TODAY}T10:00:00Z", title="Push")
    chat.call("log_workout", **body)
    chat.call("log_workout", **body)
    chat.says("already a workout")
    assert len(chat.stored("/workouts")["workouts"]) == 2


@said("When did I last squat?")
def last_session(chat):
    chat.trained(a_set(140, 5), exercise=SQUAT, day="2026-11-10")
    chat.call("search_exercises", query="squat", detail="brief")
    history = chat.call("get_exercise_history", exercise_id=SQUAT, limit=1)
    assert history["sessions"][0]["started_at"] == "2026-11-10T17:00:00Z"
    chat.says("140 kg")


@said("What are my records this year?")
def records_of_a_year(chat):
    chat.trained(a_set(105, 5), day="2025-12-30")
    chat.trained(a_set(100, 8), day="2026-03-02")
    records = chat.call("get_personal_records")["records"]
    assert [one["weight_kg"] for one in records] == [105]
    chat.call("get_exercise_history", exercise_id=BENCH, since="2026-01-01T00:00:00Z")
    chat.says("100 kg")


@said("How many sets of chest did I do each of the last four weeks?")
def sets_of_a_muscle(chat):
    for day in ("2026-10-26", "2026-11-03", "2026-11-12"):
        chat.trained(day=day)
    stats = chat.call("get_training_stats", since="2026-10-19T00:00:00Z")
    chat.says(*(f"Week of {week}: 1 session; working sets: Chest 3" for week in ("26 Oct", "2 Nov", "9 Nov")))
    assert (stats["sessions"], chat.calls) == (3, 1)


@said("Did I train more this month than last month?")
def two_windows(chat):
    chat.trained(day="2026-10-05")
    chat.trained(day="2026-11-02")
    chat.trained(day="2026-11-09")
    this = chat.call("get_training_stats", since="2026-11-01T00:00:00Z")
    last = chat.call("get_training_stats", since="2026-10-01T00:00:00Z", until="2026-11-01T00:00:00Z")
    chat.says("1 Oct to 1 Nov: 1 session")
    assert (this["sessions"], last["sessions"]) == (2, 1)


@said("I did RDLs, three of eight with 80.")
def an_abbreviation(chat):
    found = chat.call("search_exercises", query="RDL", detail="brief")["exercises"]
    assert found[0]["id"] == "barbell-romanian-deadlift"
    entry = {"exercise_id": found[0]["id"], "sets": [a_set(80, 8)] * 3}
    chat.call("log_workout", **a_session(entry))
    chat.says("3 sets", "1,920 kg")


@said("Log ninety reps of a lift that does not exist.")
def an_unknown_lift(chat):
    chat.refused("log_workout", **a_session({"exercise_id": "zercher-moon", "sets": [a_set(60, 90)]}))
    chat.says("search_exercises")
    chat.call("search_exercises", query="zercher moon")
    chat.says("Nearest")
    assert chat.stored("/workouts")["workouts"] == []


@said("Change the title of yesterday's workout to Heavy push.")
def rename_a_workout(chat):
    chat.trained()
    (newest,) = chat.call("list_workouts", limit=1)["workouts"]
    chat.call("update_workout", workout_id=newest["id"], **{**rest_of(newest), "title": "Heavy push"})
    chat.says("Changed title: Heavy push, 17 Nov, 18:00 where you are")
    stored = chat.stored(f"/workouts/{newest['id']}")
    assert (stored["title"], stored["exercises"]) == ("Heavy push", newest["exercises"])


def rest_of(workout):
    """The fields that a client writes."""
    return {name: workout[name] for name in ("started_at", "duration_seconds", "notes", "exercises")}


@said("Somebody changed it on the phone meanwhile.")
def a_lost_update(chat):
    workout = chat.trained()
    chat.api.put(f"/workouts/{workout['id']}", {**rest_of(workout), "title": "From the phone"})
    chat.refused(
        "update_workout", workout_id=workout["id"], if_updated_at=workout["updated_at"], **rest_of(workout)
    )
    chat.says("changed")
    assert chat.stored(f"/workouts/{workout['id']}")["title"] == "From the phone"


# --- Plans and routines ------------------------------------------------------------------------------


@said("What do I train today?")
def today(chat):
    chat.planned()
    plan = chat.call("get_training_plan", plan_id="active")
    assert plan["days"][2]["exercises"][0]["exercise_id"] == SQUAT
    chat.says('Training plan "Three days", active: 3 training days a week, 3 exercises.')


@said("Swap the squats in my plan for leg presses.")
def swap_in_a_plan(chat):
    plan_id = chat.planned()["id"]
    plan = chat.call("get_training_plan", plan_id="active")
    plan["days"][2]["exercises"] = [an_exercise("leg-press", sets=3, reps=10, weight_kg=120)]
    sent = {name: plan[name] for name in ("name", "summary", "progression", "days")}
    changed = chat.call("update_training_plan", plan_id=plan["id"], **sent)
    chat.says("Three days")
    assert [day["weekday"] for day in changed["before"]["days"]] == [3]
    assert changed["before"]["days"][0]["exercises"][0]["exercise_id"] == SQUAT
    stored = chat.stored(f"/plans/{plan_id}")
    assert stored["days"][2]["exercises"][0]["exercise_id"] == "leg-press"
    assert stored["active"] is True


@said("Go back to the old plan.")
def activate_another(chat):
    old = chat.planned("Old", active=False)
    chat.planned("New")
    listed = chat.call("list_training_plans", detail="brief")["plans"]
    (found,) = [one for one in listed if one["name"] == "Old"]
    answer = chat.call("activate_training_plan", plan_id=found["id"])
    chat.says('Activated: Training plan "Old", active')
    assert (answer["active"], answer["retired"]["name"]) == (True, "New")
    assert chat.stored(f"/plans/{old['id']}")["active"] is True


@said("Make me a plan: bench on Mondays, the rest off.")
def make_a_plan(chat):
    days = [a_day(1, an_exercise())] + [a_day(weekday, rest=True) for weekday in range(2, 8)]
    plan = chat.call("create_training_plan", name="Bench", days=days, active=True)
    chat.says('Training plan "Bench", active: 1 training day a week')
    assert chat.stored(f"/plans/{plan['id']}")["days_per_week"] == 1


@said("Throw the plan away again.")
def delete_a_plan(chat):
    plan = chat.planned()
    deleted = chat.call("delete_training_plan", plan_id=plan["id"])["deleted"]
    chat.says('Deleted: Training plan "Three days", active')
    assert deleted["name"] == "Three days"
    assert chat.stored("/plans")["plans"] == []


@said("Save my push day as a routine.")
def save_a_routine(chat):
    routine = chat.call("create_routine", name="Push", exercises=[an_exercise()])
    chat.says('Saved: Routine "Push": 1 exercise, 3 sets.')
    assert chat.stored(f"/routines/{routine['id']}")["name"] == "Push"


@said("Four sets instead of three in the push routine.")
def correct_a_routine(chat):
    saved = chat.posted("/routines", {"name": "Push", "exercises": [an_exercise()]})
    (routine,) = chat.call("list_routines")["routines"]
    routine["exercises"][0]["sets"] = 4
    changed = chat.call(
        "update_routine", routine_id=routine["id"], name=routine["name"], exercises=routine["exercises"]
    )
    assert changed["before"]["exercises"][0]["sets"] == 3
    chat.says('Changed exercises: Routine "Push": 1 exercise, 4 sets.')
    assert chat.stored(f"/routines/{saved['id']}")["exercises"][0]["sets"] == 4


@said("Remove that routine.")
def delete_a_routine(chat):
    saved = chat.posted("/routines", {"name": "Push", "exercises": [an_exercise()]})
    deleted = chat.call("delete_routine", routine_id=saved["id"])["deleted"]
    chat.says('Deleted: Routine "Push": 1 exercise, 3 sets.')
    assert deleted["name"] == "Push"
    assert chat.stored("/routines")["routines"] == []


# --- Body --------------------------------------------------------------------------------------------


@said("I weigh 81.9 today.")
def log_weight(chat):
    chat.posted("/body/weight", {"weight_kg": 82.4, "logged_at": "2026-11-17T06:00:00Z"})
    chat.call("log_weight", weight_kg=81.9)
    chat.says("81.9 kg", "82.4 kg")
    assert [one["weight_kg"] for one in chat.stored("/body/weight")["weight"]] == [81.9, 82.4]


@said("Make that 81.4.")
def correct_a_weight(chat):
    logged = chat.call("log_weight", weight_kg=81.9)
    changed = chat.call("update_weight", weight_id=logged["id"], weight_kg=81.4)
    chat.says("Changed weight_kg: 81.4 kg")
    assert changed["before"] == {"weight_kg": 81.9}
    assert [one["weight_kg"] for one in chat.stored("/body/weight")["weight"]] == [81.4]


@said("Delete yesterday's weight, the scale was wrong.")
def delete_a_weight(chat):
    chat.posted("/body/weight", {"weight_kg": 95, "logged_at": "2026-11-17T06:00:00Z"})
    (log,) = chat.call("get_body_metrics", limit=1)["weight"]
    assert chat.call("delete_weight", weight_id=log["id"])["deleted"] == log
    chat.says("Deleted: 95.0 kg, 17 Nov, 07:00 where you are.")
    assert chat.stored("/body/weight")["weight"] == []


@said("I weigh 180 pounds.")
def pounds(chat):
    chat.refused("log_weight", weight_lb=180)
    chat.says("81.65")
    chat.says("weight_kg")
    chat.call("log_weight", weight_kg=81.65)
    assert chat.stored("/body/weight")["weight"][0]["weight_kg"] == 81.65


@said("My waist is 84 cm.")
def log_measurements(chat):
    chat.call("log_measurements", waist_cm=84)
    chat.says("84")
    assert chat.stored("/body/measurements")["measurements"][0]["waist_cm"] == 84


@said("Delete that measurement.")
def delete_measurements(chat):
    logged = chat.call("log_measurements", waist_cm=84)
    chat.call("delete_measurements", measurement_id=logged["id"])
    chat.says("Deleted: waist 84 cm, 18 Nov")
    assert chat.stored("/body/measurements")["measurements"] == []


@said("Am I losing weight?")
def trend(chat):
    for day, weight in ((1, 84), (8, 83), (15, 82)):
        chat.posted("/body/weight", {"weight_kg": weight, "logged_at": f"2026-11-{day:02}T06:00:00Z"})
    found = chat.call("get_body_trend", since="2026-11-01T00:00:00Z")
    assert found["weight"]["change_per_week"] == -1
    chat.says("84", "82")


# --- A plan that adapts ------------------------------------------------------------------------------

LINEAR = {"kind": "linear", "increment_kg": 2.5}


def ruled_plan(chat, **days):
    """Makes an active plan with a bench press on Monday, or other days; its first entries have a rule."""
    days = days or {"monday": [an_exercise(BENCH, weight_kg=60)]}
    plan = chat.posted("/plans", a_plan(active=True, days=week(**days)))
    rules = [
        {
            "weekday": day["weekday"],
            "position": 0,
            "exercise_id": day["exercises"][0]["exercise_id"],
            **LINEAR,
        }
        for day in plan["days"]
        if day["exercises"]
    ]
    assert chat.api.put(f"/plans/{plan['id']}/progression", {"rules": rules}).status_code == 200
    return plan


@said("What should I lift next Monday, and why?")
def next_monday(chat):
    plan = ruled_plan(chat)
    chat.posted(
        "/workouts", a_workout(*[a_set(60, 8)] * 3, plan_id=plan["id"], started_at="2026-11-16T17:00:00Z")
    )
    (bench,) = chat.call("get_progression", plan_id="active")["rules"]
    assert (bench["weekday"], bench["exercise"]) == (1, "Barbell Bench Press")
    assert (bench["target"]["weight_kg"], bench["forecast"][0]["weight_kg"]) == (62.5, 65)
    assert bench["reason"] == "up from 60: 3 × 8 done on 16 Nov"
    chat.says("1 rule")


@said("Make next week a deload.")
def deload_next_week(chat):
    ruled_plan(chat)
    known = chat.call("get_progression", plan_id="active")
    rules = [
        {name: one[name] for name in ("weekday", "position", "exercise_id", *LINEAR)}
        for one in known["rules"]
    ]
    set_ = chat.call(
        "set_progression", plan_id="active", rules=rules, deload_every=6, next_deload="2026-11-25"
    )
    assert set_["next_deload"] == "2026-11-23"
    chat.says("next deload week from 2026-11-23")
    (plan,) = chat.account.plans.all()
    assert [plan.progressions.is_deload(day) for day in (date(2026, 11, 22), date(2026, 11, 23))] == [
        False,
        True,
    ]


@said("Put my squat on 5/3/1, from my records.")
def five_three_one(chat):
    plan = ruled_plan(chat, monday=[an_exercise(SQUAT, sets=1, reps=5, weight_kg=100)])
    chat.posted("/workouts", a_workout(a_set(120, 5), exercise_id=SQUAT, started_at="2026-11-09T17:00:00Z"))
    (record,) = chat.call("get_personal_records")["records"]
    training_max_kg = round(record["estimated_1rm_kg"] * 0.9, 1)
    weeks = [
        {"sets": 1, "reps": reps, "percent": percent, "open": True}
        for reps, percent in ((5, 85), (3, 90), (1, 95))
    ]
    wave = {"kind": "wave", "training_max_kg": training_max_kg, "weeks": weeks, "increment_kg": 5}
    rule = {"weekday": 1, "position": 0, "exercise_id": SQUAT, **wave}
    (squat,) = chat.call("set_progression", plan_id="active", rules=[rule])["rules"]
    assert (squat["target"]["reps"], squat["target"]["open"]) == (5, True)
    (stored,) = chat.stored(f"/plans/{plan['id']}/progression")["rules"]
    assert stored["current_training_max_kg"] == training_max_kg
    chat.says("Changed rules: ", "1 rule")


@said("What if I had followed that rule last year?")
def last_year(chat):
    plan = ruled_plan(chat)
    for month in (1, 2, 3):
        chat.posted(
            "/workouts", a_workout(*[a_set(50 + month, 8)] * 3, started_at=f"2026-0{month}-05T17:00:00Z")
        )
    rule = {"weekday": 1, "position": 0, "exercise_id": BENCH, **LINEAR, "increment_kg": 5}
    answer = chat.call("set_progression", plan_id="active", rules=[rule], dry_run=True)
    (tried,) = answer["tried"]
    assert (tried["sessions"], tried["exercise"]) == (3, "Barbell Bench Press")
    assert tried["target"]["weight_kg"] > 50
    chat.says("Nothing was saved")
    assert chat.stored(f"/plans/{plan['id']}/progression")["rules"][0]["increment_kg"] == 2.5


@said("I skipped Thursday, shift the plan by a day.")
def shift_by_a_day(chat):
    ruled_plan(chat, monday=[an_exercise(BENCH)], thursday=[an_exercise(DEADLIFT)])
    plan = chat.call("get_training_plan", plan_id="active")
    days = plan["days"]
    days[3], days[4] = days[4] | {"weekday": 4}, days[3] | {"weekday": 5}
    sent = {name: plan[name] for name in ("name", "summary", "progression")}
    changed = chat.call("update_training_plan", plan_id=plan["id"], **sent, days=days)
    chat.says("Changed days, rules: ")
    assert changed["history"][-1]["detail"].endswith("Rules: 1 kept; Barbell Deadlift now on Friday.")
    rules = chat.stored(f"/plans/{plan['id']}/progression")["rules"]
    assert [(one["weekday"], one["exercise_id"]) for one in rules] == [(1, BENCH), (5, DEADLIFT)]


# --- Food, supplements, goals ------------------------------------------------------------------------

BREAKFAST = {"calories": 500, "protein_g": 30, "carbs_g": 60, "fat_g": 15}
WITH_LUNCH = {"calories": 1200, "protein_g": 75, "carbs_g": 140, "fat_g": 37}


@said("Breakfast had 500 kcal: 30 protein, 60 carbs, 15 fat.")
def breakfast(chat):
    chat.call("log_nutrition", day=TODAY, **BREAKFAST)
    chat.says("Saved: 500 kcal, 30 g protein, 60 g carbs, 15 g fat on 18 Nov.")
    assert chat.stored(f"/nutrition/{TODAY}")["calories"] == 500


@said("And lunch 700: 45, 80, 22.")
def lunch(chat):
    chat.call("log_nutrition", day=TODAY, **BREAKFAST)
    chat.call("log_nutrition", day=TODAY, **WITH_LUNCH)
    chat.says("1,200 kcal", "The day had 500 kcal")
    assert chat.stored(f"/nutrition/{TODAY}")["protein_g"] == 75


@said("What did I eat this week?")
def eaten(chat):
    chat.api.put(f"/nutrition/{TODAY}", BREAKFAST)
    days = chat.call("get_nutrition", since="2026-11-16", until=TODAY)
    chat.says("1 day, 18 Nov.")
    assert json.dumps(days).count('"calories": 500') == 1


@said("Clear today's food.")
def clear_food(chat):
    chat.api.put(f"/nutrition/{TODAY}", BREAKFAST)
    assert chat.call("clear_nutrition_day", day=TODAY)["deleted"]["calories"] == 500
    chat.says("Deleted: 500 kcal")
    assert chat.api.get(f"/nutrition/{TODAY}").status_code == 404


@said("I took my creatine.")
def tick(chat):
    pk = chat.supplement()
    (listed,) = chat.call("list_supplements")["supplements"]
    chat.call("log_supplement_taken", supplement_id=listed["id"])
    chat.says("Creatine")
    assert chat.account.supplement_logs.filter(supplement=pk, day=TODAY).exists()


@said("No, I did not.")
def undo_a_tick(chat):
    pk = chat.supplement()
    chat.call("log_supplement_taken", supplement_id=pk)
    chat.call("undo_supplement_taken", supplement_id=pk, day=TODAY)
    chat.says("Deleted: tick of 18 Nov")
    assert not chat.account.supplement_logs.exists()


@said("I take vitamin D at eight from now on.")
def add_a_supplement(chat):
    chat.call("add_supplement", name="Vitamin D", time="08:00", dosage="1000 IU")
    chat.says("Saved: Vitamin D (1000 IU) at 08:00.")
    assert chat.stored("/supplements")["supplements"][0]["name"] == "Vitamin D"


@said("Make it ten o'clock.")
def move_a_supplement(chat):
    pk = chat.supplement("Vitamin D")
    changed = chat.call("update_supplement", supplement_id=pk, time="10:00")
    chat.says("Changed time: Vitamin D (5 g) at 10:00.")
    assert changed["before"]["time"] == "08:00"
    (stored,) = chat.stored("/supplements")["supplements"]
    assert (stored["time"], stored["dosage"]) == ("10:00", "5 g")


@said("I stopped taking creatine.")
def remove_a_supplement(chat):
    pk = chat.supplement()
    chat.call("remove_supplement", supplement_id=pk)
    chat.says("Deleted: Creatine (5 g) at 08:00.")
    assert chat.stored("/supplements")["supplements"] == []


@said("I want to be 78 kilos by March.")
def set_a_goal(chat):
    chat.call("set_goal", target_weight_kg=78, deadline="2027-03-01")
    chat.says("Saved: goal 78.0 kg, no body fat target, by 1 Mar 2027.")
    assert chat.stored("/goals/current")["target_weight_kg"] == 78


@said("I lifted yesterday at half past six in the evening, here in Los Angeles.")
def another_zone(chat):
    chat.account.time_zone = "America/Los_Angeles"
    chat.account.save()
    chat.call("get_profile")
    chat.says("America/Los_Angeles")
    chat.call("log_workout", **a_workout(started_at="2026-11-17T18:30:00-08:00"))
    assert chat.stored("/workouts")["workouts"][0]["started_at"] == "2026-11-18T02:30:00Z"


@pytest.fixture
def chat(db):
    return Chat(AccountFactory(email="talker@example.org", time_zone="Europe/Berlin"))


@pytest.mark.parametrize("request_", REQUESTS, ids=[one.words for one in REQUESTS])
def test_a_request_is_done_in_at_most_three_calls(chat, request_):
    request_.answer(chat)
    assert chat.calls <= MOST_CALLS
    assert chat.has_said  # something that the answer says was asserted
