"""What leads through a workout on /train: supersets, warm-ups, plates, effort, setups, and what is next."""

import pytest

from tests.conftest import a_set, client_of, freshly_signed_in
from tests.screens.browser import Touches, expect, in_browser, overflow, violations
from tests.screens.test_installed import CONTROLLED
from tests.screens.test_train import (  # noqa: F401  # fixtures
    BENCH,
    FINISHED,
    KEPT,
    NAME,
    SMALLEST,
    choose,
    finish,
    finished_workout,
    phone,
    phones,
    started,
)

pytestmark = in_browser

ROW, ROW_NAME = "bent-over-barbell-row", "Bent Over Barbell Row"


@pytest.fixture
def two_lifts(account):
    """A workout under way with four sets each of the bench press and the row."""
    exercises = [{"exercise_id": pk, "sets": [a_set(100, 5)] * 4} for pk in (BENCH, ROW)]
    begin_again(account, exercises)
    return account


def begin_again(account, exercises):
    body = {"started_at": "2026-03-02T17:30:00Z", "duration_seconds": 3600, "exercises": exercises}
    logged = client_of(account).post("/workouts", body).json()
    freshly_signed_in(account).post("/train/start", {"workout": logged["id"]})


def opened(page):
    """The regions of both lifts."""
    page.goto("/train")
    expect(page.get_by_text("Saved")).to_be_visible()
    return page.get_by_role("region", name=NAME), page.get_by_role("region", name=ROW_NAME)


def join(touch, lift, name=ROW_NAME):
    touch(lift.get_by_role("button", name="Superset"))
    touch(lift.get_by_role("button", name=name))


def large(lift):
    """The names of the large fields of a lift."""
    fields = lift.locator("input[data-field=value]").all()
    size = "(one) => parseFloat(getComputedStyle(one).fontSize)"
    return [one.get_attribute("aria-label") for one in fields if one.evaluate(size) >= 28]


def supersets(workout):
    return list(workout.exercises.order_by("position").values_list("superset_id", flat=True))


def test_a_superset_of_two_lifts_takes_at_most_twelve_touches(phone, two_lifts):  # noqa: F811
    bench, row = opened(phone)
    finger = Touches(phone)
    join(finger.on, bench)
    expect(phone.get_by_role("group", name="Superset A").get_by_role("region")).to_have_count(2)
    for number in range(1, 5):
        assert large(bench) == [f"Weight, set {number}", f"Reps, set {number}"]
        finger.on(bench.get_by_label(f"Done, set {number}"))
        expect(phone.get_by_role("timer")).to_have_count(0)
        assert (large(bench), large(row)) == ([], [f"Weight, set {number}", f"Reps, set {number}"])
        finger.on(row.get_by_label(f"Done, set {number}"))
        expect(phone.get_by_role("timer")).to_be_visible()
    assert large(bench) == large(row) == []
    finger.on(phone.get_by_role("button", name="Finish"))
    finger.on(phone.get_by_role("button", name="Finish"))
    phone.wait_for_url(FINISHED)
    assert finger.count <= 12
    one, other = supersets(finished_workout(two_lifts))
    assert one == other is not None


def test_a_superset_outlives_two_devices_and_no_connection(phones, two_lifts):  # noqa: F811
    one, other = phones(two_lifts), phones(two_lifts)
    bench, _ = opened(one)
    opened(other)[0].get_by_label("Done, set 1").check()
    join(lambda target: target.click(), bench)
    for page in (one, other):
        expect(page.get_by_role("group", name="Superset A").get_by_label("Done, set 1").first).to_be_checked()
    bench.get_by_label("Rest after each set of this exercise").check()
    one.evaluate(CONTROLLED)
    expect(one.get_by_text("Saved")).to_be_visible()
    one.context.set_offline(True)
    again = one.context.new_page()
    one.close()
    again.goto("/train")
    bench, row = (again.get_by_role("region", name=name) for name in (NAME, ROW_NAME))
    expect(again.get_by_text(KEPT)).to_be_visible()
    assert large(row) == ["Weight, set 1", "Reps, set 1"]  # whose turn it is
    row.get_by_label("Done, set 1").check()
    again.get_by_role("button", name="Skip").click()
    bench.get_by_label("Done, set 2").check()
    expect(again.get_by_role("timer")).to_be_visible()  # as it was set, before the other lift
    bench.get_by_label("Weight, set 3").focus()
    bench.get_by_role("button", name="Set 3").click()
    bench.get_by_role("button", name="Superset").click()
    bench.get_by_role("button", name=ROW_NAME).click()
    expect(again.get_by_role("group", name="Superset")).to_have_count(0)
    finish(again)
    again.context.set_offline(False)
    again.wait_for_url(FINISHED)
    assert supersets(finished_workout(two_lifts)) == [None, None]


def test_warm_ups_of_a_lift_take_one_touch(phone, started):  # noqa: F811
    phone.goto("/train")
    lift = phone.get_by_role("region", name=NAME)
    finger = Touches(phone)
    finger.on(lift.get_by_role("button", name="Warm-ups: 40, 60, 80 kg"))
    assert finger.count == 1
    expect(lift.get_by_role("button", name="Warm-ups:")).to_have_count(0)
    rows = [
        (lift.get_by_label(f"Weight, warm-up {n}"), lift.get_by_label(f"Done, warm-up {n}"))
        for n in (1, 2, 3)
    ]
    assert [weight.input_value() for weight, _ in rows] == ["40", "60", "80"]
    assert [done.is_checked() for _, done in rows] == [False] * 3
    expect(lift.get_by_text("0 of 3 sets")).to_be_visible()
    assert large(lift)[0] == "Weight, warm-up 1"
    expect(lift.get_by_text("Last time –")).to_have_count(3)
    lift.get_by_role("button", name="Plates").click()
    expect(lift.get_by_text("Each side: 10, on a 20 kg bar.")).to_be_visible()
    expect(lift.locator("svg .train-plate")).to_have_count(1)
    rows[0][1].check()
    expect(lift.get_by_text("Each side: 20, on a 20 kg bar.")).to_be_visible()
    finish(phone)
    phone.wait_for_url(FINISHED)
    assert finished_workout(started).document.count('"type":"warmup"') == 1


def test_effort_takes_one_touch_to_open_and_one_to_choose(phone, started):  # noqa: F811
    phone.goto("/train")
    lift = phone.get_by_role("region", name=NAME)
    efforts = lift.get_by_role("group", name="RPE, set 1").get_by_role("button")
    rated = lift.get_by_role("button", name="Set 1, @9.5, RPE")

    def rate_and_take_back(opening, opening_again):
        finger = Touches(phone)
        finger.on(lift.get_by_role("button", name=opening))
        assert efforts.all_inner_texts() == ["6", "6.5", "7", "7.5", "8", "8.5", "9", "9.5", "10"]
        finger.on(lift.get_by_role("button", name="RPE 9.5"))
        assert finger.count == 2
        expect(rated).to_be_visible()
        expect(efforts).to_have_count(0)
        lift.get_by_role("button", name=opening_again).click()
        lift.get_by_role("button", name="RPE 9.5").click()
        expect(rated).to_have_count(0)

    rate_and_take_back("RPE, set 1", "RPE, set 1")
    lift.get_by_label("Done, set 1").check()
    rate_and_take_back("Set 1", "Set 1, @9.5, RPE")


def test_a_setup_is_written_offline_and_shown_in_the_next_workout(phone, started):  # noqa: F811
    phone.goto("/train")
    lift = phone.get_by_role("region", name=NAME)
    expect(phone.get_by_text("Saved")).to_be_visible()
    phone.evaluate(CONTROLLED)
    phone.context.set_offline(True)
    choose(lift, "Note")
    lift.get_by_label("Setup").fill("Seat 4, narrow grip")
    lift.get_by_label("Note").fill("Felt light.")
    lift.get_by_label("Done, set 1").check()
    finish(phone)
    phone.context.set_offline(False)
    phone.wait_for_url(FINISHED)
    assert finished_workout(started).exercises.get().notes == "Felt light."
    begin_again(started, [{"exercise_id": BENCH, "sets": [a_set(100, 5)]}])
    phone.goto("/train")
    expect(phone.get_by_text("Saved")).to_be_visible()
    phone.context.set_offline(True)
    phone.reload()
    expect(lift.get_by_text("Setup: Seat 4, narrow grip")).to_be_visible()
    expect(lift.get_by_text("Felt light.")).to_have_count(0)


def test_guidance_is_accessible_in_both_themes_and_fits_a_small_phone(screen, two_lifts, sign_in):
    two_lifts.units = "lb"
    two_lifts.save()
    sign_in(two_lifts)
    screen.set_viewport_size({"width": 360, "height": 740})
    bench, row = opened(screen)
    assert bench.locator(".train-heads span").all_inner_texts() == ["lb", "Reps"]
    bench.get_by_label("Weight, set 1").fill("225.25")
    join(lambda target: target.click(), bench)
    bench.get_by_label("Done, set 1").check()
    row.get_by_role("button", name="RPE, set 1").click()
    row.get_by_role("button", name="Plates").click()
    assert violations(screen) == []
    assert screen.evaluate(SMALLEST) == []
    assert overflow(screen) == 0
    clipped = "(one) => one.scrollWidth > one.clientWidth"
    assert not any(one.evaluate(clipped) for one in screen.locator("input[data-field=value]").all())


def test_a_keyboard_goes_on_from_where_it_was(phone, started):  # noqa: F811
    phone.goto("/train")
    lift = phone.get_by_role("region", name=NAME)
    ticks = [lift.get_by_label(f"Done, set {number}") for number in (1, 2, 3)]

    def press(element, key, then):
        element.press(key)
        expect(then).to_be_focused()

    more = lift.get_by_role("button", name="2.5 kg more, set 1")
    press(more, "Enter", more)
    press(ticks[0], "Space", ticks[0])
    press(phone.get_by_role("button", name="Skip"), "Enter", ticks[1])
    press(lift.get_by_role("button", name="Remove set 2"), "Enter", ticks[1])
    press(phone.get_by_role("button", name="Undo"), "Enter", ticks[1])
    lift.get_by_label("Weight, set 2").fill("1800")
    lift.get_by_label("Weight, set 2").press("Enter")
    press(ticks[1], "Space", ticks[1])
    press(lift.get_by_role("button", name="Yes, 1,800 kg"), "Enter", ticks[1])
    expect(ticks[1]).to_be_checked()
