"""Programs that are added from a page: plans with rules, and first weights from what somebody lifts."""

import re

import pytest
from django.urls import reverse

from tests.conftest import a_set, a_workout, statements
from tests.html import plain, text
from tests.training.test_web import fields_in
from training.plans import rule_to_json
from training.plans.programs import PROGRAMS

SQUAT, DEADLIFT = "barbell-back-squat", "barbell-deadlift"
pytestmark = pytest.mark.time_machine("2026-11-16T12:00:00Z")  # a Monday, on which programs are begun


def start(page, key, **lifts):
    return page.post(reverse("start-program", args=[key]), lifts)


def only_plan(api):
    (plan,) = api.get("/plans").json()["plans"]
    return plan


@pytest.mark.parametrize("key", PROGRAMS)
def test_the_rules_of_a_program_are_its_own_over_the_api(page, api, key):
    program = PROGRAMS[key]
    start(page, key)
    path = f"/plans/{only_plan(api)['id']}/progression"
    stored = api.get(path).json()
    shown = [(rule["weekday"], rule["position"], rule["exercise_id"]) for rule in stored["rules"]]
    assert shown == [
        (weekday, position, lift.exercise_id)
        for weekday, day in program.days.items()
        for position, lift in enumerate(day.lifts)
    ]
    for rule, lift in zip(stored["rules"], program.lifts, strict=True):
        assert rule.items() >= rule_to_json(lift.rule).items()
    assert (stored["deload_every"], stored["deload_percent"]) == (
        program.deload_every,
        program.deload_percent,
    )


@pytest.mark.parametrize("key", PROGRAMS)
def test_a_program_is_a_plan_that_the_api_accepts(page, api, key):
    response = start(page, key)
    plan = only_plan(api)
    assert response.headers["Location"] == reverse("plan", args=[plan["id"]])
    assert plan["active"]
    assert plan["days_per_week"] == len(PROGRAMS[key].days)
    assert {entry["weight_kg"] for day in plan["days"] for entry in day["exercises"]} == {0}
    body = {name: plan[name] for name in ("name", "summary", "progression", "days")}
    assert api.put(f"/plans/{plan['id']}", body).json()["days"] == plan["days"]


def labels(api):
    """What each day of the one plan is called, from Monday on; "" of a day of rest."""
    return ["" if day["rest"] else day["label"] for day in only_plan(api)["days"]]


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        ("2026-11-16", ["1", "2", "", "3", "4", "", ""]),  # a Monday
        ("2026-11-17", ["4", "1", "", "2", "3", "", ""]),
        ("2026-11-18", ["3", "4", "", "1", "2", "", ""]),  # a day of rest: Thursday is next
        ("2026-11-20", ["2", "3", "", "4", "1", "", ""]),  # a Friday
        ("2026-11-21", ["1", "2", "", "3", "4", "", ""]),
    ],
)
def test_a_program_begins_with_its_first_day_whenever_it_is_begun(page, api, time_machine, at, expected):
    time_machine.move_to(f"{at}T12:00:00Z")
    start(page, "gzclp", **{SQUAT: "100"})
    assert labels(api) == [number and f"GZCLP {number}" for number in expected]
    rules = api.get(f"/plans/{only_plan(api)['id']}/progression").json()["rules"]
    squats = [rule["weekday"] for rule in rules if rule["exercise_id"] == SQUAT]
    assert squats == [day for day, number in enumerate(expected, 1) if number in ("1", "3")]


def activate_later(page, account, time_machine):
    """A program that is added on a Tuesday beside an active plan, and made the active one on a Friday."""
    time_machine.move_to("2026-11-17T12:00:00Z")
    start(page, "linear-three-days")
    start(page, "gzclp", **{SQUAT: "100"})
    plan = account.plans.get(active=False)
    yield plan
    time_machine.move_to("2026-11-20T12:00:00Z")
    page.post(reverse("activate-plan", args=[plan.pk]))
    plan.refresh_from_db()
    yield [(day["weekday"], day["label"]) for day in plan.days if not day["rest"]]


def test_a_program_that_becomes_active_later_begins_with_its_first_day(page, account, api, time_machine):
    activation = activate_later(page, account, time_machine)
    plan = next(activation)
    plan.account = account
    former = plan.progressions
    assert next(activation) == [(1, "GZCLP 2"), (2, "GZCLP 3"), (4, "GZCLP 4"), (5, "GZCLP 1")]
    assert plan.history[-1]["detail"] == "Changed: days, to begin with the first one."
    rules = api.get(f"/plans/{plan.pk}/progression").json()["rules"]
    squats = [(one["weekday"], one["kind"]) for one in rules if one["exercise_id"] == SQUAT]
    assert squats == [(2, "stages"), (5, "stages")]
    assert plan.progressions.rule_ids == former.rule_ids
    assert {one.fold for one in plan.progressions.rules} == {1}
    home = plain(text(page.get("/")))
    assert "GZCLP 1" in home


def test_a_program_that_was_trained_keeps_its_days(page, account, log_workout, time_machine):
    activation = activate_later(page, account, time_machine)
    log_workout(a_set(60, 5), exercise_id=SQUAT, plan_id=str(next(activation).pk))
    assert next(activation)[0] == (1, "GZCLP 4")


def test_a_plan_that_is_no_program_keeps_its_days(page, account, time_machine):
    activation = activate_later(page, account, time_machine)
    plan = next(activation)
    plan.days[1]["exercises"].pop()
    plan.save()
    assert next(activation)[0] == (1, "GZCLP 4")


def test_the_first_workout_of_a_program_that_is_begun_on_a_friday_is_its_first(page, time_machine):
    time_machine.move_to("2026-11-20T18:00:00Z")
    start(page, "gzclp")
    home = plain(text(page.get("/")))
    assert "GZCLP 1" in home
    assert "5 × 3+" in home
    assert "GZCLP 2" not in home
    begun = page.get("/train/start").content.decode()
    assert re.findall(r"GZCLP \d", begun) == [f"GZCLP {number}" for number in (1, 2, 3, 4)]


def test_the_source_is_named(page, api):
    start(page, "gzclp")
    assert only_plan(api)["progression"].startswith("Source: Cody Lefever")


def test_what_somebody_lifts_is_asked_and_sets_the_first_weights(page, api):
    asked = plain(text(page.get(reverse("start-program", args=["gzclp"]))))
    assert "What could you lift for 5 repetitions?" in asked
    start(page, "gzclp", **{SQUAT: "100"})
    squat, bench = only_plan(api)["days"][0]["exercises"][:2]
    assert (squat["weight_kg"], bench["weight_kg"]) == (95, 0)


@pytest.mark.parametrize(("units", "shown", "squat_kg"), [("kg", "100 kg", 90), ("lb", "220.5 lb", 88.45)])
def test_a_record_is_filled_in_and_named(page, api, account, log_workout, units, shown, squat_kg):
    account.units = units
    account.save()
    log_workout(a_set(100, 5), exercise_id=SQUAT, started_at="2026-03-02T17:30:00Z")
    asked = text(page.get(reverse("start-program", args=["linear-three-days"])))
    assert f"From your {shown} × 5 on 2 Mar 2026." in asked
    start(page, "linear-three-days", **fields_in(asked))
    squat, bench = only_plan(api)["days"][0]["exercises"][:2]
    assert squat["weight_kg"] == pytest.approx(squat_kg, abs=0.01)
    assert bench["weight_kg"] == 0


def test_an_attempt_is_no_record_to_begin_from(page, api, log_workout):
    log_workout(a_set(180, 3), exercise_id=DEADLIFT, started_at="2026-03-02T17:30:00Z")
    log_workout(a_set(180, 2), a_set(220, 0), exercise_id=DEADLIFT, started_at="2026-03-09T17:30:00Z")
    asked = text(page.get(reverse("start-program", args=["five-three-one"])))
    assert "From your 180 kg × 3 on 2 Mar 2026." in asked
    assert fields_in(asked)[DEADLIFT] == ["169.5"]


def test_a_wave_that_knows_no_training_max_yet_names_none(page):
    address = start(page, "five-three-one", **{SQUAT: "100"}).headers["Location"]
    added = " ".join(plain(text(page.get(f"{address}/days/{weekday}"))) for weekday in range(1, 8))
    assert "5/3/1, +2.5 kg a cycle" in added
    assert "As many as are clean. Then week 2 of 3" in added
    assert "5/3/1 of 105 kg, +5 kg a cycle" in plain(text(page.get(f"{address}/rules")))
    assert "of 0 kg" not in added


def test_added_weight_is_asked_where_the_body_is_the_load(page):
    read = plain(text(page.get(reverse("start-program", args=["upper-lower-double"]))))
    _, _, asked = read.partition("What could you lift")
    assert "Chin-Up, added weight (kg)" in asked
    assert "Back Squat, added weight" not in asked
    assert "Knee Raise" not in asked


def test_a_program_can_be_read_before_it_asks_for_numbers(page, account, time_machine):
    time_machine.move_to("2026-11-20T12:00:00Z")  # a Friday
    read = plain(text(page.get(reverse("start-program", args=["gzclp"]))))
    week, _, _ = read.partition("What could you lift for 5 repetitions?")
    days = re.findall(r"(Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday) (GZCLP \d)", week)
    assert days == [
        ("Friday", "GZCLP 1"),
        ("Monday", "GZCLP 2"),
        ("Tuesday", "GZCLP 3"),
        ("Thursday", "GZCLP 4"),
    ]
    said = "As many as are clean in the last set. Last set as many as are clean. Then +5 kg"
    assert f"5 × 3 at 80 kg {said}" in week
    assert not account.plans.exists()


def test_a_program_is_read_with_ones_own_records(page, log_workout):
    log_workout(a_set(150, 5), exercise_id=SQUAT, started_at="2026-03-02T17:30:00Z")
    read = plain(text(page.get(reverse("start-program", args=["five-three-one"]))))
    assert "1 × 5 at 100 kg Then week 2 of 3" in read  # 65 % of a training max of 157.5
    assert "1 × 5 at 132.5 kg As many as are clean. Then week 2 of 3" in read


@pytest.mark.parametrize("units", ["kg", "lb"])
@pytest.mark.parametrize("key", PROGRAMS)
def test_every_weight_of_a_program_has_an_example(page, account, key, units):
    account.units = units
    account.save()
    read = plain(text(page.get(reverse("start-program", args=[key]))))
    assert "a session" not in read
    assert "a cycle" not in read


def test_a_record_without_weight_is_none(page, log_workout):
    log_workout(a_set(0, 8), exercise_id="chin-up")
    assert "From your" not in text(page.get(reverse("start-program", args=["upper-lower-double"])))


@pytest.mark.parametrize("entered", ["heavy", "-5", "2001", "NaN"])
def test_what_is_no_weight_is_refused_at_its_field(page, account, entered):
    refused = start(page, "gzclp", **{SQUAT: entered})
    assert "Enter a weight from 0 to 2,000 kg, or nothing." in text(refused)
    assert f'value="{entered}"' in text(refused)
    assert not account.plans.exists()


def test_a_program_that_is_started_twice_is_there_once(page, account):
    for _ in range(2):
        assert start(page, "gzclp").status_code == 302
    assert account.plans.count() == 1


def test_a_program_leaves_the_active_plan_active(page, account):
    start(page, "linear-three-days")
    start(page, "upper-lower-double")
    assert account.plans.get(active=True).name == "Linear, three days"


def test_an_unknown_program_is_not_found(page):
    assert page.get("/plans/programs/no-such-thing").status_code == 404
    assert start(page, "no-such-thing").status_code == 404


def test_programs_are_offered_beside_plans_too(page):
    addresses = [reverse("start-program", args=[key]) for key in PROGRAMS]
    for _ in ("without a plan", "with one"):
        offered = text(page.get("/plans"))
        assert all(f'href="{address}"' in offered for address in addresses)
        start(page, "gzclp")


def test_the_length_of_the_history_adds_no_statement(page, account, api):
    def count():
        with statements() as asked:
            page.get(reverse("start-program", args=["gzclp"]))
        with statements() as added:
            start(page, "gzclp", **{SQUAT: "100"})
        account.plans.get().remove()
        return len(asked), len(added)

    count()
    before = count()
    for day in range(1, 21):
        for exercise_id in (SQUAT, "barbell-bench-press", "lat-pulldown"):
            started_at = f"2026-01-{day:02}T17:30:00Z"
            api.post("/workouts", a_workout(a_set(80, 5), exercise_id=exercise_id, started_at=started_at))
    assert count() == before
