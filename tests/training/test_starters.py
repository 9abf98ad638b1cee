"""Starter routines and plans: what is offered to an account that has none."""

import re

import pytest
from django.urls import reverse

from tests.training.test_web import html
from training import catalogue, starters
from training.programs import PROGRAMS

DAYS = [
    *(day for starter in starters.ROUTINES.values() for day in starter.days),
    *(day for starter in PROGRAMS.values() for day in starter.days.values()),
]


def add(page, kind, key, **fields):
    address = reverse({"routines": "add-starter-routines", "plans": "add-starter-plan"}[kind])
    return page.post(address, {"starter": key, **fields})


def test_six_routines_and_six_programs_are_offered():
    assert sum(len(starter.days) for starter in starters.ROUTINES.values()) == 6
    assert len(PROGRAMS) == 6


@pytest.mark.parametrize("day", DAYS, ids=lambda day: day.name)
def test_every_exercise_is_in_the_catalogue(day):
    assert {lift.exercise_id for lift in day.lifts} <= {entry["id"] for entry in catalogue.entries()}


@pytest.mark.parametrize("key", starters.ROUTINES)
def test_starter_routines_are_routines_that_the_api_accepts(page, api, key):
    names = [day.name for day in starters.ROUTINES[key].days]
    assert add(page, "routines", key).headers["Location"] == reverse("routines")
    routines = api.get("/routines").json()["routines"]
    assert [routine["name"] for routine in routines] == names
    for routine in routines:
        body = {name: routine[name] for name in ("name", "focus", "exercises")}
        assert api.put(f"/routines/{routine['id']}", body).json() == routine


@pytest.mark.parametrize("key", PROGRAMS)
def test_a_starter_plan_is_a_plan_that_the_api_accepts(page, api, key):
    response = add(page, "plans", key)
    (plan,) = api.get("/plans").json()["plans"]
    assert response.headers["Location"] == reverse("plan", args=[plan["id"]])
    assert plan["active"]
    assert plan["days_per_week"] == len(PROGRAMS[key].days)
    body = {name: plan[name] for name in ("name", "summary", "progression", "days")}
    assert api.put(f"/plans/{plan['id']}", body).json()["days"] == plan["days"]


def test_starters_that_are_added_twice_are_there_once(page, account):
    for _ in range(2):
        assert add(page, "routines", "push-pull-legs").status_code == 302
        assert add(page, "plans", "upper-lower-double").status_code == 302
    assert account.routines.count() == 3
    assert account.plans.count() == 1


def test_a_starter_plan_leaves_the_active_plan_active(page, account):
    add(page, "plans", "linear-three-days")
    add(page, "plans", "upper-lower-double")
    assert account.plans.get(active=True).name == "Linear, three days"


def test_an_unknown_starter_is_not_found(page, account):
    for kind in ("routines", "plans"):
        assert add(page, kind, "no-such-thing").status_code == 404
    assert not account.routines.exists()


@pytest.mark.parametrize("kind", ["routines", "plans"])
def test_starters_are_offered_where_there_are_none(page, kind):
    keys = list({"routines": starters.ROUTINES, "plans": PROGRAMS}[kind])
    text = html(page.get(reverse(kind)))
    assert re.findall(r'name="starter" value="([^"]+)"', text) == keys
    assert add(page, kind, keys[0], next=reverse(kind)).headers["Location"] == reverse(kind)
    assert 'name="starter"' not in html(page.get(reverse(kind)))


def test_a_load_that_nobody_knows_reads_well(page, account):
    add(page, "routines", "full-body")
    text = html(page.get(reverse("routine", args=[account.routines.get(name="Full body A").pk])))
    assert text.count("Your own load") == 3
    assert text.count("Body weight") == 1
    assert "0 kg" not in text
