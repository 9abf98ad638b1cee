"""Programs that are added from a page: plans with rules, and weights from the account's own records."""

import pytest

from training.programs import PROGRAMS


def add(page, key):
    return page.post("/plans/starters", {"starter": key})


@pytest.mark.parametrize("key", PROGRAMS)
def test_a_program_is_a_plan_with_its_rules(page, api, key):
    add(page, key)
    (plan,) = api.get("/plans").json()["plans"]
    rules = api.get(f"/plans/{plan['id']}/progression").json()
    assert len(rules["rules"]) == len(PROGRAMS[key].lifts)
    assert rules["deload_every"] == PROGRAMS[key].deload_every
    assert {entry["weight_kg"] for day in plan["days"] for entry in day["exercises"]} == {0}


@pytest.mark.parametrize(("units", "squat_kg"), [("kg", 90), ("lb", 88.45)])
def test_a_lift_with_a_record_begins_with_a_weight_that_can_be_loaded(
    page, api, account, log_workout, units, squat_kg
):
    account.units = units
    account.save()
    sets = [{"weight_kg": 100, "reps": 5}]
    log_workout(exercises=[{"exercise_id": "barbell-back-squat", "sets": sets}])
    add(page, "linear-three-days")
    (plan,) = api.get("/plans").json()["plans"]
    squat, bench = plan["days"][0]["exercises"][:2]
    assert squat["weight_kg"] == pytest.approx(squat_kg, abs=0.01)
    assert bench["weight_kg"] == 0


def test_a_program_that_is_added_twice_is_there_once(page, account):
    for _ in range(2):
        assert add(page, "gzclp").status_code == 302
    assert account.plans.count() == 1


def test_what_somebody_lifts_is_asked_and_sets_the_first_weights(page, api):
    assert "What could you lift for 5 repetitions?" in page.get("/plans/programs/gzclp").content.decode()
    response = page.post("/plans/programs/gzclp", {"barbell-back-squat": "100"})
    (plan,) = api.get("/plans").json()["plans"]
    assert response.headers["Location"] == f"/plans/{plan['id']}"
    squat, bench = plan["days"][0]["exercises"][:2]
    assert squat["weight_kg"] > 0
    assert bench["weight_kg"] == 0


def test_a_weight_that_is_none_is_refused_at_its_field(page, account):
    response = page.post("/plans/programs/gzclp", {"barbell-back-squat": "heavy"})
    assert "Enter a weight from 0 to 2,000 kg" in response.content.decode()
    assert not account.plans.exists()


def test_an_unknown_program_is_not_found(page):
    assert page.get("/plans/programs/no-such-thing").status_code == 404


def test_records_are_filled_in(page, log_workout):
    sets = [{"weight_kg": 100, "reps": 5}]
    log_workout(exercises=[{"exercise_id": "barbell-back-squat", "sets": sets}])
    assert 'value="100"' in page.get("/plans/programs/gzclp").content.decode()
