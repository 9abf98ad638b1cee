"""Targets that follow on the page /train, on a phone: what is asked, what becomes of it, and the switch."""

import os

import pytest

from tests.conftest import a_set, a_workout, freshly_signed_in
from tests.screens.browser import PHONE, Touches, expect, in_browser, overflow, violations
from tests.screens.test_train import (  # noqa: F401  # fixtures
    FINISHED,
    phone,
    phones,
    tick,
)
from tests.training.test_plans import a_week, an_exercise
from tests.training.test_train_progression import Lifter, wave_of

pytestmark = in_browser

NEXT = "Next time"


@pytest.fixture
def lifter(account):
    """A bench press on today's weekday, 3 × 8 at 60 kg, with a rule of 2.5 kg a session."""
    lifter = Lifter(account, None)
    lifter.plans(an_exercise())
    lifter.rules(lifter.rule())
    return lifter


def problems(screen):
    """What overflows at 360 pixels, and what axe finds that is serious."""
    screen.set_viewport_size({"width": 360, "height": 800})
    width = overflow(screen)
    screen.set_viewport_size(PHONE)
    found = [one for one in violations(screen) if one["impact"] in ("serious", "critical")]
    return found + [f"{width} px too wide"] * bool(width)


def picture(screen, name):
    if folder := os.environ.get("PICTURES"):
        screen.screenshot(path=f"{folder}/{name}.png", full_page=True)


def test_a_short_course_moves_the_targets_and_a_switch_leaves_them(phone, lifter):  # noqa: F811
    touches = Touches(phone)
    phone.goto("/train/start")
    touches.on(phone.get_by_role("button", name="Start").first)
    for number, (weight, is_held) in enumerate([("60", False), ("62.5", True), ("62.5", False)]):
        expect(phone.get_by_label("Weight, set 1")).to_have_value(weight)
        picture(phone, f"train-{number}")
        tick(phone, 1, 2, 3)
        before = touches.count
        touches.on(phone.get_by_role("button", name="Finish"))
        change = phone.get_by_role("region", name=NEXT).get_by_role("checkbox")
        expect(change).to_be_checked()
        if is_held:
            change.uncheck()
        picture(phone, f"finish-{number}")
        assert problems(phone) == []
        touches.on(phone.get_by_role("button", name="Finish"))
        phone.wait_for_url(FINISHED)
        expect(phone.get_by_role("heading", name=NEXT)).to_be_visible()
        picture(phone, f"finished-{number}")
        assert problems(phone) == []
        touches.on(phone.get_by_role("link", name="Train").first)
        picture(phone, f"start-{number}")
        touches.on(phone.get_by_role("button", name="Start").first)
        assert touches.count - before <= 4
    expect(phone.get_by_label("Weight, set 1")).to_have_value("65")
    expect(phone.get_by_text("up from 62.5: 3 × 8 done")).to_be_visible()
    kinds = [step["kind"] for step in reversed(lifter.steps)]
    assert kinds == ["progressed", "held_by_you", "progressed"]


def test_a_finish_without_a_connection_moves_the_target_once(phone, lifter):  # noqa: F811
    phone.goto("/train/start")
    phone.get_by_role("button", name="Start").first.click()
    expect(phone.get_by_text("Saved")).to_be_visible()
    phone.context.set_offline(True)
    tick(phone, 1, 2, 3)
    phone.get_by_role("button", name="Finish").click()
    line = phone.get_by_role("region", name=NEXT)
    expect(line).to_contain_text("Your targets move when the workout is stored.")
    phone.context.set_offline(False)
    expect(line.get_by_role("checkbox")).to_be_checked()
    phone.context.set_offline(True)
    phone.get_by_label("Notes").fill("Easy.")  # changes no target
    phone.get_by_role("button", name="Finish").click()
    expect(phone.get_by_text("Finish is kept on this phone")).to_be_visible()
    phone.context.set_offline(False)
    phone.wait_for_url(FINISHED)
    expect(phone.get_by_role("heading", name=NEXT)).to_be_visible()
    assert [step["kind"] for step in lifter.steps] == ["progressed"]


def test_a_wave_is_one_card_that_says_what_the_plan_says_also_without_a_connection(phone, account):  # noqa: F811
    lifter = Lifter(account, freshly_signed_in(account))
    lifter.plans(an_exercise(note="Use a belt."), an_exercise(), an_exercise())
    lifter.rules(*(lifter.rule(position, **wave_of(position)) for position in range(3)))
    lifter.begins()
    phone.goto("/train")
    for state in ("Saved", "Not connected"):
        expect(phone.get_by_text(state)).to_be_visible()
        expect(phone.get_by_role("region", name="Barbell Bench Press")).to_have_count(1)
        expect(phone.get_by_text("Use a belt.")).to_be_visible()
        expect(phone.get_by_text("Week 1 of 2 · Target 1 × 5 at 65 kg")).to_be_visible()
        expect(phone.get_by_label("Reps, set 3")).to_have_attribute("placeholder", "5+")
        assert problems(phone) == []
        picture(phone, "wave")
        phone.route("**/train/draft", lambda route: route.abort())  # opens what this phone keeps
        phone.reload()


def test_what_another_device_does_meanwhile_counts(phones, account, lifter):  # noqa: F811
    phone, tablet = phones(account), phones(account)  # noqa: F811
    phone.goto("/train/start")
    phone.get_by_role("button", name="Start").first.click()
    tick(phone, 1, 2)
    expect(phone.get_by_text("Saved")).to_be_visible()
    phone.get_by_role("button", name="Finish").click()
    list_of_phone = phone.get_by_role("region", name=NEXT)
    expect(list_of_phone).to_contain_text("3 × 8 at 60 kg again")
    tablet.goto("/train")
    tick(tablet, 3)
    expect(list_of_phone).to_contain_text("3 × 8 at 60 → 62.5 kg")


@pytest.mark.time_machine("2026-11-20T18:00:00Z")  # a Friday
def test_a_program_that_is_begun_on_a_friday_begins_with_its_first_day_and_its_open_set(phone):  # noqa: F811
    finger = Touches(phone)
    phone.goto("/plans")
    finger.on(
        phone.get_by_role("listitem")
        .filter(has=phone.get_by_role("heading", name="GZCLP"))
        .get_by_role("link")
    )
    finger.on(phone.get_by_role("button", name="Start this program"))
    phone.goto("/")
    expect(phone.get_by_role("heading", name="GZCLP 1")).to_be_visible()
    finger.on(phone.get_by_role("button", name="Start", exact=True).first)
    expect(phone.get_by_text("As many as are clean in the last set.")).to_be_visible()
    expect(phone.get_by_text("Target 5 × 3+")).to_be_visible()
    expect(phone.get_by_label("Reps, set 5")).to_have_attribute("placeholder", "3+")
    picture(phone, "gzclp")
    assert finger.count == 3
    assert problems(phone) == []


def test_from_home_to_any_day_of_the_plan_takes_two_touches(phone, account):  # noqa: F811
    lifter = Lifter(account, None)
    lifter.plans(an_exercise())
    lifter.api.put(lifter.path, {**lifter.stored, "days": a_week()})
    finger = Touches(phone)
    phone.goto("/")
    finger.on(phone.get_by_role("link", name="Train").first)
    picture(phone, "any-day")
    assert problems(phone) == []
    finger.on(phone.get_by_role("listitem").filter(has_text="Friday").get_by_role("button"))
    expect(phone.get_by_role("region", name="Deadlift")).to_be_visible()
    assert finger.count == 2


SETS = {
    "barbell-bench-press": 5,
    "barbell-back-squat": 5,
    "barbell-deadlift": 4,
    "lat-pulldown": 4,
    "leg-press": 4,
}


def test_twenty_two_sets_are_repeated_with_the_targets_of_their_plan(phone, account):  # noqa: F811
    lifter = Lifter(account, None)
    lifter.plans(*(an_exercise(lift, sets=count) for lift, count in SETS.items()))
    lifter.rules(*(lifter.rule(position, lift) for position, lift in enumerate(SETS)))
    lifts = [{"exercise_id": lift, "sets": [a_set(60, 8)] * count} for lift, count in SETS.items()]
    lifter.log(a_workout(exercises=lifts, **lifter.on(0)))
    finger = Touches(phone)
    phone.goto("/")
    finger.on(phone.get_by_text("Or something else"))
    finger.on(phone.get_by_role("button", name="Repeat"))
    for lift, count in enumerate(SETS.values()):
        for number in range(1, count + 1):
            finger.on(phone.get_by_label(f"Done, set {number}"))
        if lift < len(SETS) - 1:
            finger.on(phone.get_by_role("button", name="Next:"))
    finger.on(phone.get_by_role("button", name="Finish"))
    expect(phone.get_by_role("region", name=NEXT).get_by_role("checkbox")).to_have_count(5)
    finger.on(phone.get_by_role("button", name="Finish"))
    phone.wait_for_url(FINISHED)
    assert finger.count <= 30
    assert lifter.targets() == ["5×8 65"]


def test_a_mistyped_weight_is_asked_about_and_moves_nothing_until_it_is_confirmed(phone, lifter):  # noqa: F811
    phone.goto("/train/start")
    phone.get_by_role("button", name="Start").first.click()
    phone.get_by_label("Weight, set 1").fill("600")
    tick(phone, 1, 2, 3)
    phone.get_by_role("button", name="Finish").click()
    moves = phone.get_by_role("region", name=NEXT)
    expect(moves).to_contain_text("Is 602.5 kg right?")
    expect(moves.get_by_role("checkbox")).not_to_be_checked()
    assert problems(phone) == []
    picture(phone, "question")
    moves.get_by_role("checkbox").check()
    expect(moves).not_to_contain_text("Is 602.5 kg right?")
    moves.get_by_role("checkbox").uncheck()
    phone.context.set_offline(True)
    phone.get_by_role("button", name="Finish").click()
    phone.context.set_offline(False)
    phone.wait_for_url(FINISHED)
    assert lifter.targets() == ["3×8 60"]
