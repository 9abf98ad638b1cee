"""Starter routines: what is offered to an account that has none."""

import re

import pytest
from django.urls import reverse

from tests.training.test_web import html
from training import catalogue
from training.plans import starters
from training.plans.programs import PROGRAMS

DAYS = [
    *(day for starter in starters.ROUTINES.values() for day in starter.days),
    *(day for starter in PROGRAMS.values() for day in starter.days.values()),
]


def add(page, key, **fields):
    return page.post(reverse("add-starter-routines"), {"starter": key, **fields})


def test_six_routines_and_six_programs_are_offered():
    assert sum(len(starter.days) for starter in starters.ROUTINES.values()) == 6
    assert len(PROGRAMS) == 6


@pytest.mark.parametrize("day", DAYS, ids=lambda day: day.name)
def test_every_exercise_is_in_the_catalogue(day):
    assert {lift.exercise_id for lift in day.lifts} <= {entry["id"] for entry in catalogue.entries()}


@pytest.mark.parametrize("key", starters.ROUTINES)
def test_starter_routines_are_routines_that_the_api_accepts(page, api, key):
    names = [day.name for day in starters.ROUTINES[key].days]
    assert add(page, key).headers["Location"] == reverse("routines")
    routines = api.get("/routines").json()["routines"]
    assert [routine["name"] for routine in routines] == names
    for routine in routines:
        body = {name: routine[name] for name in ("name", "focus", "exercises")}
        assert api.put(f"/routines/{routine['id']}", body).json() == routine


def test_starters_that_are_added_twice_are_there_once(page, account):
    for _ in range(2):
        assert add(page, "push-pull-legs").status_code == 302
    assert account.routines.count() == 3


def test_an_unknown_starter_is_not_found(page, account):
    assert add(page, "no-such-thing").status_code == 404
    assert not account.routines.exists()


def test_starters_are_offered_where_there_are_none(page):
    keys = list(starters.ROUTINES)
    text = html(page.get("/routines"))
    assert re.findall(r'name="starter" value="([^"]+)"', text) == keys
    assert add(page, keys[0], next="/routines").headers["Location"] == "/routines"
    assert 'name="starter"' not in html(page.get("/routines"))


def test_a_load_that_nobody_knows_reads_well(page, account):
    add(page, "full-body")
    text = html(page.get(reverse("routine", args=[account.routines.get(name="Full body A").pk])))
    assert text.count("Your own load") == 3
    assert text.count("Body weight") == 1
    assert "0 kg" not in text
