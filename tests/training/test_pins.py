"""Lifts that are pinned lead the page of progress."""

import pytest

from tests.conftest import a_set, a_workout, client_of, freshly_signed_in, statements
from tests.html import text
from tests.training.test_merged_exercises import KEPT, OLD, merge
from tests.training.test_progress_page import days_ago, lifts_of
from training.models import Exercise
from training.models.pin import MAX_PINS

BENCH, SQUAT = "barbell-bench-press", "barbell-back-squat"


def pin(page, exercise_id, **values):
    return page.post(f"/progress/pins/{exercise_id}", values)


def leading(page):
    return [lift.exercise_id for lift, _ in page.get("/progress").context["leading"]]


@pytest.fixture
def trained(log_workout):
    """Ids of nine exercises, the one that was done most first."""
    alike = Exercise.objects.active().filter(equipment="Barbell", mechanic="compound")
    ids = list(alike.order_by("pk").values_list("pk", flat=True)[:9])
    for number, exercise_id in enumerate(ids):
        for days in range(1, 10 - number):
            log_workout(a_set(), exercise_id=exercise_id, started_at=days_ago(days))
    return ids


def test_the_six_that_are_trained_most_lead_until_others_are_pinned(page, trained):
    assert leading(page) == trained[:6]
    answer = pin(page, trained[8], next="/progress?measure=heaviest")
    assert answer.headers["Location"] == "/progress?measure=heaviest"
    assert leading(page) == [trained[8], *trained[:5]]
    assert f'aria-label="Pin {Exercise.objects.get(pk=trained[8])}" aria-pressed="true"' in text(
        page.get("/progress")
    )
    page.post(f"/progress/pins/{trained[8]}/remove")
    assert leading(page) == trained[:6]


def test_all_are_in_a_list_by_muscle_group(page, trained):
    response = page.get("/progress/lifts")
    assert sorted(lift.exercise_id for lift in lifts_of(response)) == sorted(trained)
    for group, lifts in response.context["groups_of_lifts"]:
        assert {lift.muscle_group for lift in lifts} == {group}
    answer = pin(page, trained[8], next="/progress/lifts?measure=reps")
    assert answer.headers["Location"] == "/progress/lifts?measure=reps"
    assert f'aria-label="Pin {Exercise.objects.get(pk=trained[8])}" aria-pressed="true"' in text(
        page.get("/progress/lifts")
    )


def test_pinning_twice_is_pinning_once_and_six_are_all(page, account, trained):
    for exercise_id in [*trained[:MAX_PINS], trained[0]]:
        pin(page, exercise_id)
    assert account.exercise_pins.count() == MAX_PINS
    pin(page, trained[8])
    assert account.exercise_pins.count() == MAX_PINS
    assert "6 exercises are pinned already. Unpin one first." in text(page.get("/progress"))


def test_the_page_of_an_exercise_pins_it(page, account, log_workout):
    assert "Pin" not in text(page.get(f"/exercises/{BENCH}")).partition('id="sessions"')[0].replace(
        "Pinned", ""
    )
    log_workout(a_set(), exercise_id=BENCH)
    assert f'action="/progress/pins/{BENCH}"' in text(page.get(f"/exercises/{BENCH}"))
    assert pin(page, BENCH, next=f"/exercises/{BENCH}").headers["Location"] == f"/exercises/{BENCH}"
    assert f'action="/progress/pins/{BENCH}/remove"' in text(page.get(f"/exercises/{BENCH}"))


def test_a_pin_of_another_account_pins_nothing_here(page, stranger, log_workout):
    stranger.exercise_pins.create(exercise_id=BENCH)
    log_workout(a_set(), exercise_id=BENCH)
    assert f'action="/progress/pins/{BENCH}"' in text(page.get(f"/exercises/{BENCH}"))


def test_a_merged_exercise_leaves_its_pin_to_the_one_that_is_kept(page, account, log_workout):
    for exercise_id in (OLD, KEPT):
        log_workout(a_set(), exercise_id=exercise_id, started_at=days_ago(2))
    pin(page, OLD)
    merge()
    (lift,) = lifts_of(page.get("/progress"))
    assert (lift.exercise_id, lift.is_pinned) == (KEPT, True)
    pin(page, OLD)
    assert account.exercise_pins.count() == 1
    page.post(f"/progress/pins/{KEPT}/remove")
    assert not account.exercise_pins.exists()


def test_nobody_pins_for_others_or_what_does_not_exist(page, account, stranger):
    client_of(stranger).post("/workouts", a_workout(a_set(), exercise_id=SQUAT))
    pin(freshly_signed_in(stranger), SQUAT)
    assert not account.exercise_pins.exists()
    page.post(f"/progress/pins/{SQUAT}/remove")
    assert stranger.exercise_pins.count() == 1
    assert pin(page, "no-such-exercise").status_code == 404
    assert page.get(f"/progress/pins/{SQUAT}").status_code == 405


def test_pins_take_no_statement_of_their_own(page, trained):
    with statements() as without:
        page.get("/progress")
    for exercise_id in trained[:3]:
        pin(page, exercise_id)
    with statements() as with_pins:
        page.get("/progress")
    assert len(without) == len(with_pins)
