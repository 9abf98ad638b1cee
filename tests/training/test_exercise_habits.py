"""What Train remembers of an exercise from workout to workout: rests, and a note that stays."""

import json

import pytest

from tests.conftest import freshly_signed_in, statements
from tests.pages import save_settings
from tests.training.test_drafts import (  # noqa: F401  # fixtures
    BENCH,
    at,
    draft,
    finish,
    read,
    routine,
    send,
    start,
    tick,
)
from training.models import Exercise, ExerciseHabit
from training.models.catalogue_refresh import refresh_from_catalogue
from training.models.exercise_habit import Habit

KEPT = "dumbbell-bench-press"
HABIT = {"rest_seconds": 195, "rests_in_superset": True, "setup": "Seat 4, narrow grip"}


def with_habit(document, minutes=0, **habit):
    """The document with another habit of its exercise, as a page sends it."""
    (entry,) = document["exercises"]
    return {**document, "exercises": [{**entry, **habit, "changed_at": at(minutes)}]}


def habit_of(page):
    context = read(page)["exercises"][BENCH]
    return {name: context[name] for name in HABIT}


@pytest.mark.parametrize("is_finished", [True, False])
def test_a_habit_is_there_in_the_next_workout(page, draft, routine, is_finished):  # noqa: F811
    assert send(page, with_habit(draft, **HABIT)).status_code == 200
    if is_finished:
        assert finish(page, tick(read(page)["draft"]["document"], 0)).status_code == 200
    else:
        page.delete(f"/train/drafts/{draft['id']}")
    start(page, routine=routine["id"])
    (entry,) = read(page)["draft"]["document"]["exercises"]
    assert {name: entry[name] for name in HABIT} == habit_of(page) == HABIT


def test_an_exercise_without_a_habit_has_the_rest_that_the_account_prefers(page, draft, routine):  # noqa: F811
    save_settings(page, rest_seconds="45")
    assert finish(page, tick(draft, 0)).status_code == 200  # with the rest that it began with
    start(page, routine=routine["id"])
    assert habit_of(page)["rest_seconds"] == 120
    ExerciseHabit.objects.all().delete()
    assert habit_of(page)["rest_seconds"] == 45


def test_the_exercises_page_shows_its_setup_to_its_owner_alone(page, draft, stranger):  # noqa: F811
    send(page, with_habit(draft, setup="<b>Seat</b> 4"))
    address = f"/exercises/{BENCH}"
    assert "Setup: <bdi>&lt;b&gt;Seat&lt;/b&gt; 4</bdi>" in page.get(address).content.decode()
    assert "Seat" not in freshly_signed_in(stranger).get(address).content.decode()


def test_a_change_without_a_habit_costs_no_statement(page, draft):  # noqa: F811
    with statements() as executed:
        send(page, tick(draft, 0))
    assert not [sql for sql in executed if "exerciserest" in sql]


@pytest.mark.parametrize(("own", "expected"), [(None, HABIT["setup"]), ("", HABIT["setup"]), ("Own", "Own")])
def test_a_habit_follows_when_its_exercise_is_merged(page, account, draft, own, expected):  # noqa: F811
    send(page, with_habit(draft, **HABIT))
    if own is not None:
        ExerciseHabit.objects.remember(account, {KEPT: Habit(setup=own)})
    Exercise.objects.get(pk=BENCH).merge_into(Exercise.objects.get(pk=KEPT))
    refresh_from_catalogue()
    (habit,) = account.exercise_habits.all()
    assert (habit.exercise_id, habit.setup) == (KEPT, expected)
    assert habit.rest_seconds == (195 if own is None else 120)
    assert habit_of(page)["setup"] == expected  # under the id that the draft has


@pytest.mark.parametrize("setup", ["x" * 501, 4, None])
def test_what_is_no_setup_is_rejected(page, draft, setup):  # noqa: F811
    assert send(page, with_habit(draft, setup=setup)).status_code == 400
    assert json.dumps(read(page)["draft"]["document"]) == json.dumps(draft)
