import datetime
import re
from io import StringIO

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.models import Account
from fitness.site.data import archive
from tests.conftest import client_of
from training.models import Exercise
from training.models.timed import remarks, timed_sets

LISTS = {
    "/workouts": "workouts",
    "/plans": "plans",
    "/routines": "routines",
    "/body/weight": "weight",
    "/body/measurements": "measurements",
    "/nutrition": "nutrition",
    "/supplements": "supplements",
    "/supplements/logs": "logs",
    "/goals": "goals",
}

pytestmark = pytest.mark.django_db


def seed_demo(*arguments):
    output = StringIO()
    call_command("seed_demo", *arguments, stdout=output)
    return output.getvalue()


def demo_account(email="demo@example.org"):
    return Account.objects.get(email=email)


def all_lists(account):
    """The newest page of every list, as a client reads it."""
    client = client_of(account, "read")
    return {path: client.get(path, limit=100).json()[key] for path, key in LISTS.items()}


def active_plan(account):
    """The active plan, its rules and what workouts did to them, as a client reads them."""
    client = client_of(account, "read")
    (plan,) = [plan for plan in client.get("/plans").json()["plans"] if plan["active"]]
    path = f"/plans/{plan['id']}/progression"
    steps = client.get(f"{path}/steps", limit=100).json()["steps"]
    return plan, client.get(path).json(), steps


def counts(account):
    return {one.name: one.of(account).count() for one in archive.LISTS}


def test_the_demo_fills_every_list():
    seed_demo("--days", "120")
    shown = all_lists(demo_account())
    assert all(shown.values()), {path: len(records) for path, records in shown.items()}
    assert [plan["active"] for plan in shown["/plans"]] == [True, False]
    profile = client_of(demo_account(), "read").get("/me").json()
    assert all(profile.values()), profile


def test_it_prints_email_and_password():
    password = seed_demo("--days", "8").split()[-1]
    signed_in = Client().post("/sign-in", {"username": "demo@example.org", "password": password})
    assert signed_in.status_code == 302


@time_machine.travel("2026-03-02T12:00:00Z", tick=False)
def test_the_same_day_gives_the_same_data():
    seed_demo("--days", "60")
    first = all_lists(demo_account()), active_plan(demo_account())
    demo_account().delete()
    seed_demo("--days", "60")
    assert (all_lists(demo_account()), active_plan(demo_account())) == first


def test_other_emails_give_other_data():
    seed_demo("--days", "30", "--email", "a@example.org")
    seed_demo("--days", "30", "--email", "b@example.org")
    one, other = all_lists(demo_account("a@example.org")), all_lists(demo_account("b@example.org"))
    assert [log["weight_kg"] for log in one["/body/weight"]] != [
        log["weight_kg"] for log in other["/body/weight"]
    ]


def test_running_it_again_replaces_the_data():
    seed_demo("--days", "30")
    once, key = counts(demo_account()), client_of(demo_account(), "read")
    seed_demo("--days", "30")
    assert counts(demo_account()) == once
    assert key.get("/me").status_code == 200


def test_two_years_are_two_years_of_training():
    seed_demo()
    account = demo_account()
    days = set(account.workouts.values_list("started_at__date", flat=True))
    today = datetime.datetime.now(datetime.UTC).date()
    assert 250 < len(days) < 450
    assert max(days) < today
    assert min(days) > today - datetime.timedelta(days=731)
    client = client_of(account, "read")
    squats = client.get("/exercises/barbell-back-squat/history", limit=100).json()["sessions"]
    assert squats[0]["best_set"]["weight_kg"] > 120
    assert len({session["best_set"]["weight_kg"] for session in squats}) > 5


@pytest.mark.parametrize("days", ["40", "120", "730"])
def test_the_active_plan_asks_for_about_what_was_lifted(days):
    seed_demo("--days", days)
    client = client_of(demo_account(), "read")
    plan, rules, steps = active_plan(demo_account())
    last_steps = {step["exercise_id"]: step for step in reversed(steps)}
    for rule in rules["rules"]:
        step = last_steps[rule["exercise_id"]]
        target = plan["days"][rule["weekday"] - 1]["exercises"][rule["position"]]
        assert target["weight_kg"] == step["after"]["weight_kg"]
        if step["kind"] != "deloaded":
            history = client.get(f"/exercises/{rule['exercise_id']}/history", limit=20).json()["sessions"]
            (lifted,) = [one for one in history if one["workout_id"] == step["workout_id"]]
            assert abs(target["weight_kg"] - lifted["best_set"]["weight_kg"]) <= 2 * rule["increment_kg"]


def test_the_rules_of_the_demo_have_a_history_in_which_not_all_went_up():
    seed_demo()
    plan, rules, steps = active_plan(demo_account())
    assert {rule["kind"] for rule in rules["rules"]} == {"linear", "double", "effort"}
    assert {"progressed", "held"} <= {step["kind"] for step in steps}
    assert any("RPE" in step["reason"] for step in steps)
    kinds = {change["kind"] for change in plan["history"]}
    assert {"progressed"} <= kinds <= {"progressed", "deloaded"}
    assert len({change["at"][:10] for change in plan["history"]}) > 10
    assert (rules["deload_every"], rules["deload_percent"]) == (6, 85)
    assert "Every sixth week at 85 %." in plan["progression"]


def test_a_workout_of_the_demo_that_is_deleted_is_folded_out():
    seed_demo("--days", "120")
    client = client_of(demo_account())
    _, _, steps = active_plan(demo_account())
    newest = steps[0]["workout_id"]
    assert client.delete(f"/workouts/{newest}").status_code == 204
    _, _, left = active_plan(demo_account())
    assert newest not in {step["workout_id"] for step in left}


def test_the_data_of_the_demo_is_valid_in_the_api():
    seed_demo("--days", "40")
    shown = all_lists(demo_account())
    client = client_of(demo_account())
    for path in ("/workouts", "/plans", "/routines"):
        for record in shown[path][:10]:
            assert client.put(f"{path}/{record['id']}", record).status_code == 200
    for day in shown["/nutrition"][:10]:
        assert client.put(f"/nutrition/{day['day']}", day).status_code == 200
    output = StringIO()
    call_command("render_records", stdout=output)
    assert set(re.findall(r"\d+", output.getvalue())) == {"0"}


def test_what_is_held_has_times_and_no_repetitions():
    seed_demo("--days", "120")
    held = demo_account().workout_exercises.filter(exercise="plank")
    assert held.count() > 5
    for one in held:
        assert one.sets == "[]"
        assert 1 < len(timed_sets(one.notes)) < 4
        assert remarks(one.notes) == ""


def test_a_routine_is_used_as_often_as_workouts_began_with_it():
    seed_demo("--days", "40")
    assert {one["use_count"] for one in all_lists(demo_account())["/routines"]} == {0}


@pytest.mark.parametrize("days", [1, 7, 50])
def test_a_few_days_are_enough(days):
    seed_demo("--days", str(days))
    assert demo_account().plans.active().count() == 1


def test_the_account_of_a_person_is_never_overwritten(account):
    account.weight_logs.create(weight_kg=80)
    with pytest.raises(CommandError, match="the account of a person"):
        seed_demo("--email", "Lifter@example.org")
    account.refresh_from_db()
    assert account.check_password("correct horse")
    assert account.weight_logs.count() == 1
    assert account.workouts.count() == 0


BAD = [
    (["--days", "0"], "--days must be 1 to 3650"),
    (["--days", "3651"], "--days must be 1 to 3650"),
    (["--email", "nobody"], "not an email address"),
    (["--email", ""], "not an email address"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD)
def test_bad_input_is_one_line_and_stores_nothing(arguments, message):
    with pytest.raises(CommandError, match=message) as refused:
        seed_demo(*arguments)
    assert "\n" not in str(refused.value)
    assert not Account.objects.exists()


def test_without_a_catalogue_the_error_names_the_command():
    Exercise.objects.filter(pk="plank").delete()
    with pytest.raises(CommandError, match="load_catalogue"):
        seed_demo()
    assert not Account.objects.exists()
