"""Training in a real browser: logging, editing, routines, plans and the chart of an exercise."""

import json
import re

import pytest

from tests.conftest import a_set, client_of
from tests.screens.browser import DESKTOP, PHONE, SMALL_PHONE, expect, in_browser, overflow

pytestmark = in_browser

BENCH = "barbell-bench-press"


@pytest.fixture
def signed_in(account, sign_in):
    return sign_in(account)


def add_exercise(form, name):
    """Types the name of an exercise and selects the first suggestion by the Enter key."""
    search = form.get_by_role("combobox", name="Add an exercise")
    search.press_sequentially(name.lower())
    expect(form.get_by_role("option", name=name).first).to_have_attribute("aria-selected", "true")
    search.press("Enter")
    return form.get_by_role("region", name=name)


def set_group(entry, number):
    return entry.get_by_role("group", name=f"Set {number}")


def test_a_workout_is_logged_and_edited_by_keyboard(signed_in, account):
    screen = signed_in
    screen.goto("/workouts")
    screen.get_by_role("link", name="Log", exact=True).click()
    screen.get_by_label("Title").fill("Push")
    entry = add_exercise(screen, "Barbell Bench Press")
    expect(entry.get_by_label("Weight in kg")).to_be_focused()
    screen.keyboard.type("100")
    screen.keyboard.press("Enter")
    screen.keyboard.type("5")
    entry.get_by_role("button", name="Add set").click()
    expect(set_group(entry, 2).get_by_label("Weight in kg")).to_have_value("100")
    expect(set_group(entry, 2).get_by_label("Weight in kg")).to_be_focused()
    screen.keyboard.type("60")
    set_group(entry, 2).get_by_label("Warm-up").check()
    entry.get_by_role("button", name="Add set").click()
    added = entry.get_by_role("group").nth(2)
    added.get_by_label("Warm-up").uncheck()
    expect(entry.locator(".set-number")).to_have_text(["1", "W", "2"])
    added.get_by_role("button", name="Remove this set").click()
    screen.get_by_role("button", name="Save workout").dblclick()

    expect(screen.get_by_text("Your workout is saved.")).to_be_visible()
    workout = account.workouts.get()
    assert workout.volume_kg == 500
    screen.get_by_role("link", name="Edit").click()
    add_exercise(screen, "Chin-Up").get_by_label("Repetitions").fill("8")
    screen.get_by_role("button", name="Move Chin-Up up").click()
    screen.get_by_role("button", name="Save changes").click()
    expect(screen.get_by_text("Your changes are saved.")).to_be_visible()
    entries = account.workouts.get().exercises.order_by("position")
    assert list(entries.values_list("exercise_id", "completed_sets")) == [("chin-up", 1), (BENCH, 2)]


def test_what_was_held_is_logged_with_its_seconds_and_found_before_typing(signed_in, account, log_workout):
    log_workout(exercises=[{"exercise_id": "plank", "notes": "90 s", "sets": []}])
    screen = signed_in
    screen.set_viewport_size(PHONE)
    screen.goto("/workouts/new")
    screen.get_by_role("option", name="Plank").click()
    entry = screen.get_by_role("region", name="Plank")
    expect(entry.get_by_label("Seconds")).to_be_focused()
    screen.keyboard.type("1:30")
    entry.get_by_role("button", name="Add set").click()
    expect(set_group(entry, 2).get_by_label("Seconds")).to_be_focused()
    screen.keyboard.type("45")
    search = screen.get_by_role("combobox", name="Add an exercise")
    expect(screen.get_by_role("listbox")).to_be_hidden()
    search.focus()
    expect(screen.get_by_role("option", name="Plank")).to_be_in_viewport()
    screen.get_by_role("button", name="Chest").click()
    expect(screen.get_by_role("option", name="Bench Press").first).to_be_visible()
    screen.keyboard.press("Escape")
    search.fill("")
    assert overflow(screen) == 0
    entry.get_by_text("Notes and superset").click()
    entry.get_by_label("Notes").fill("Shaky.")
    screen.get_by_role("button", name="Save workout").click()
    expect(screen.get_by_text("Your workout is saved.")).to_be_visible()
    stored = account.workouts.order_by("-created_at").first().exercises.get()
    assert stored.notes == "Shaky.\nSet 1: 90 s\nSet 2: 45 s"


def test_an_earlier_workout_is_copied_with_the_save_button_in_sight(signed_in, account, log_workout):
    deadlifts = {"exercise_id": "barbell-deadlift", "sets": [a_set(150, 5)]}
    log_workout(title="Pull", exercises=[deadlifts], started_at="2026-03-01T10:00:00Z")
    log_workout(a_set(100, 5), a_set(100, 4), title="Push", started_at="2026-03-02T10:00:00Z")
    screen = signed_in
    screen.set_viewport_size(PHONE)
    screen.goto("/workouts/new")
    save = screen.get_by_role("button", name="Save workout")
    expect(save).to_be_in_viewport()
    screen.get_by_role("link", name="Push").click()
    expect(screen.get_by_label("Title")).to_have_value("Push")
    expect(screen.get_by_role("navigation", name="Copy a workout")).to_be_hidden()
    set_group(screen, 2).get_by_label("Weight in kg").click()
    screen.keyboard.type("105")
    expect(save).to_be_in_viewport()
    expect(add_exercise(screen, "Barbell Deadlift").get_by_label("Weight in kg")).to_have_value("150")
    save.click()
    expect(screen.get_by_text("Your workout is saved.")).to_be_visible()
    assert account.workouts.latest("created_at").volume_kg == 500 + 420 + 750


def test_a_new_routine_is_logged_afterwards_by_ticks_and_numbers(signed_in, account):
    screen = signed_in
    screen.goto("/routines")
    screen.get_by_role("link", name="Create a routine").click()
    screen.get_by_label("Name").fill("Heavy")
    planned = add_exercise(screen, "Barbell Bench Press")
    planned.get_by_label("Sets").fill("4")
    planned.get_by_label("Reps").fill("5")
    planned.get_by_label("Weight in kg").fill("92.5")
    screen.get_by_role("button", name="Save routine").click()
    screen.get_by_role("link", name="Log", exact=True).click()
    expect(screen.get_by_label("Title")).to_have_value("Heavy")
    sets = [set_group(screen, number) for number in range(1, 5)]
    expect(sets[0].get_by_label("Weight in kg")).to_have_attribute("placeholder", "92.5")
    sets[0].get_by_label("Done").check()
    sets[1].get_by_label("Weight in kg").fill("95")
    expect(sets[1].get_by_label("Done")).to_be_checked()
    sets[2].get_by_label("Repetitions").fill("3")
    sets[2].get_by_label("Done").uncheck()
    sets[3].get_by_label("Repetitions").fill("3")
    sets[3].get_by_label("Repetitions").fill("")
    expect(sets[3].get_by_label("Done")).not_to_be_checked()
    screen.get_by_role("button", name="Save workout").click()
    expect(screen.get_by_text("Your workout is saved.")).to_be_visible()
    stored = json.loads(account.workouts.get().exercises.get().sets)
    assert [(one["weight_kg"], one["reps"], one["completed"]) for one in stored] == [
        (92.5, 5, True),
        (95, 5, True),
        (92.5, 3, False),
    ]
    assert account.routines.get().use_count == 1


def test_a_form_asks_before_what_was_typed_is_lost(signed_in, account):
    screen, asked = signed_in, []
    screen.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    screen.goto("/workouts/new")
    screen.get_by_role("link", name="Cancel").click()
    expect(screen).to_have_url(re.compile("/workouts$"))
    screen.goto("/workouts/new")
    screen.get_by_label("Title").fill("Push")
    with screen.expect_event("dialog"):
        screen.get_by_role("link", name="Cancel").click()
    expect(screen.get_by_label("Title")).to_have_value("Push")
    screen.get_by_role("button", name="Save workout").click()
    expect(screen.get_by_text("Your workout is saved.")).to_be_visible()
    assert asked == ["beforeunload"]


def test_a_plan_is_created_and_activated(signed_in, account):
    screen = signed_in
    screen.goto("/plans/new")
    screen.get_by_label("Name").fill("Mine")
    screen.get_by_role("button", name="Save plan").click()
    monday, wednesday = (screen.get_by_role("region", name=name) for name in ("Monday", "Wednesday"))
    monday.get_by_role("link", name="Add exercises").click()
    screen.get_by_role("button", name="Save day").click()
    expect(screen.get_by_text("Name the day")).to_be_visible()
    screen.get_by_label("What to call it").fill("Push")
    add_exercise(screen, "Barbell Bench Press").get_by_label("Weight in kg").fill("90")
    screen.get_by_role("button", name="Save day").click()
    wednesday.get_by_role("link", name="Add exercises").click()
    # The list that comes later would move the button that is touched next.
    expect(screen.get_by_role("option", name="Barbell Bench Press")).to_be_visible()
    screen.get_by_label("Fill from").select_option(label="Monday: Push")
    screen.get_by_role("button", name="Fill").click()
    expect(screen.get_by_label("Weight in kg")).to_have_value("90")
    add_exercise(screen, "Chin-Up").get_by_label("Weight in kg").fill("0")
    screen.get_by_role("button", name="Save day").click()
    expect(wednesday.get_by_role("link", name="Chin-Up")).to_be_visible()
    screen.get_by_role("button", name="Activate").click()
    expect(screen.get_by_text("“Mine” is your active plan.")).to_be_visible()
    monday, _, wednesday, *_ = account.plans.get(active=True).days
    assert [entry["weight_kg"] for entry in monday["exercises"]] == [90]
    assert [entry["weight_kg"] for entry in wednesday["exercises"]] == [90, 0]


def test_a_workout_is_logged_without_scripts(chromium, account, live_server, sign_in):
    context = chromium.new_context(base_url=live_server.url, java_script_enabled=False)
    screen = context.new_page()
    sign_in(account, screen)
    screen.goto("/workouts/new")
    screen.get_by_label("Add an exercise").fill("bench press")
    screen.keyboard.press("Enter")
    assert not account.workouts.exists()
    screen.get_by_label("Add an exercise").fill("bench press")
    screen.get_by_role("button", name="Search").click()
    screen.get_by_role("button", name="Barbell Bench Press").first.click()
    screen.get_by_label("Weight in kg").fill("100")
    screen.get_by_label("Repetitions").fill("5")
    screen.get_by_role("button", name="Add set").click()
    screen.get_by_role("button", name="Save workout").click()
    expect(screen.get_by_text("Your workout is saved.")).to_be_visible()
    assert account.workouts.get().volume_kg == 1000
    context.close()


def test_no_training_screen_scrolls_sideways(signed_in, account):
    screen, api = signed_in, client_of(account)
    entry = {"exercise_id": BENCH, "sets": 3, "reps": 5, "weight_kg": 102.5, "note": "Slow. " * 20}
    long_name = "a-name-without-any-space-in-it-" * 6
    routine = api.post("/routines", {"name": long_name, "focus": long_name, "exercises": [entry]}).json()
    days = [{"weekday": day, "label": long_name, "exercises": [entry]} for day in range(1, 8)]
    plan = api.post("/plans", {"name": long_name, "days": days}).json()
    sets = [a_set(102.05828325, 10_000, rpe=8.5), a_set(60, 8, type="warmup"), a_set(100, 5, completed=False)]
    exercises = [{"exercise_id": BENCH, "superset_id": "A", "notes": long_name, "sets": sets}] * 2
    body = {"title": long_name, "notes": long_name, "duration_seconds": 86_399, "exercises": exercises}
    for month in range(1, 10):
        workout = api.post("/workouts", {**body, "started_at": f"2026-0{month}-02T10:00:00Z"}).json()
    for address in [
        "/workouts",
        "/workouts/new",
        f"/workouts/new?routine={routine['id']}",
        *(f"/workouts/{workout['id']}{action}" for action in ["", "/edit", "/delete"]),
        "/routines",
        f"/routines/new?workout={workout['id']}",
        *(f"/routines/{routine['id']}{action}" for action in ["", "/edit", "/delete"]),
        "/plans",
        *(f"/plans/{plan['id']}{action}" for action in ["", "/edit", "/days/1/edit", "/delete"]),
        "/exercises",
        f"/exercises/{BENCH}?range=all",
    ]:
        screen.goto(address)
        for viewport in (DESKTOP, PHONE, SMALL_PHONE):
            screen.set_viewport_size(viewport)
            assert overflow(screen) == 0, (address, viewport)
    expect(screen.get_by_role("application", name="Heaviest set")).to_be_visible()
