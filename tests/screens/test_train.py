"""A workout on the page /train, on a phone: no tick is lost, and each workout is stored once."""

import os
import re
import signal
import struct
from contextlib import contextmanager, suppress

import pytest
from django.conf import settings

from tests.conftest import a_set, client_of, freshly_signed_in
from tests.screens.browser import (
    CHROMIUM,
    OPTIONS,
    PHONE,
    Touches,
    expect,
    in_browser,
    overflow,
    sync_api,
    violations,
)
from tests.screens.test_installed import CONTROLLED
from tests.server import Http, Newcomer, running_server
from tests.training.test_drafts import at, read, start
from tests.training.test_drafts import finish as finish_by_request
from training.models import Exercise

# TRAIN_ROUNDS=10 tries each way to lose a workout ten times.
ROUNDS = int(os.environ.get("TRAIN_ROUNDS", "1"))
pytestmark = [*in_browser, pytest.mark.usefixtures("round_number")]


@pytest.fixture(params=range(ROUNDS), ids="round {}".format)
def round_number(request):
    return request.param


BENCH, NAME = "barbell-bench-press", "Barbell Bench Press"
LIFTS = [BENCH, "barbell-deadlift", "barbell-back-squat", "lat-pulldown"]
FINISHED = re.compile("/train/finished/")
KEPT = "Not connected: kept on this phone"


def is_violation(text):
    return "Content Security Policy" in text


@pytest.fixture
def phones(chromium, live_server, sign_in):
    """A function that returns the page of another phone, on which the account is signed in."""
    contexts, errors = [], []

    def phones(account):
        context = chromium.new_context(base_url=live_server.url, viewport=PHONE, has_touch=True)
        context.on("weberror", lambda error: errors.append(str(error.error)))
        context.on("console", lambda message: is_violation(message.text) and errors.append(message.text))
        contexts.append(context)
        return sign_in(account, context.new_page())

    yield phones
    for context in contexts:
        context.close()
    assert errors == []


@pytest.fixture
def phone(phones, account):
    return phones(account)


def log_workout(account, lifts=(BENCH,), sets=3):
    exercises = [{"exercise_id": lift, "sets": [a_set(100, 5)] * sets} for lift in lifts]
    body = {"started_at": "2026-03-02T17:30:00Z", "duration_seconds": 3600, "exercises": exercises}
    return client_of(account).post("/workouts", body).json()


@pytest.fixture
def started(account):
    """The account has a workout under way, with three sets of 100 kg × 5 in the bench press."""
    repeated = log_workout(account)
    freshly_signed_in(account).post("/train/start", {"workout": repeated["id"]})
    return account


def open_train(page):
    page.goto("/train")
    return page.get_by_role("region", name=NAME)


def tick(page, *numbers):
    for number in numbers:
        page.get_by_label(f"Done, set {number}").check()


def finish(page):
    page.get_by_role("button", name="Finish").click()
    page.get_by_role("button", name="Finish").click()


def finished_workout(account):
    """The one workout that was stored beside the one before it."""
    newest, _ = account.workouts.order_by("-started_at")
    return newest


def completed_sets(account):
    return sum(finished_workout(account).exercises.values_list("completed_sets", flat=True))


def test_ticks_outlive_a_reload_and_a_closed_page_before_they_are_sent(phone, started):
    open_train(phone)
    expect(phone.get_by_text("Saved")).to_be_visible()
    phone.route("**/train/drafts/*", lambda route: route.abort())
    tick(phone, 1)
    phone.get_by_label("Weight, set 2").fill("102,5")
    timer = phone.get_by_role("timer")
    expect(timer).to_be_visible()
    phone.reload()
    expect(phone.get_by_label("Done, set 1")).to_be_checked()
    expect(phone.get_by_label("Weight, set 3")).to_have_value("102.5")
    expect(timer).to_be_visible()
    again = phone.context.new_page()
    phone.close()
    open_train(again)
    expect(again.get_by_label("Done, set 1")).to_be_checked()
    finish(again)
    again.wait_for_url(FINISHED)
    assert completed_sets(started) == 1


def test_a_change_right_before_a_reload_is_kept(phone, started):
    open_train(phone)
    expect(phone.get_by_text("Saved")).to_be_visible()
    phone.route("**/train/drafts/*", lambda route: route.abort())
    tick(phone, 1)
    phone.evaluate("IDBObjectStore.prototype.get = () => ({})")  # which takes longer than the page lives
    phone.get_by_label("Weight, set 2").fill("102,5")
    phone.reload()
    expect(phone.get_by_label("Done, set 1")).to_be_checked()
    expect(phone.get_by_label("Weight, set 3")).to_have_value("102.5")


BLOCKED = """account => {
    localStorage[`train-last-change-${account}`] = "[]";
    IDBFactory.prototype.open = () => { throw new Error("blocked"); };
}"""


def test_signing_out_takes_the_last_change_away_also_where_nothing_else_can_be_read(phone, started):
    phone.goto("/")
    phone.get_by_label("Account menu").click()
    phone.evaluate(BLOCKED, str(started.pk))
    phone.get_by_role("button", name="Sign out").click()
    expect(phone.get_by_role("heading", name="Sign in")).to_be_visible()
    assert phone.evaluate("Object.keys(localStorage)") == []


def test_a_workout_that_is_finished_offline_is_stored_once_by_any_page_that_is_opened_later(phone, started):
    open_train(phone)
    expect(phone.get_by_text("Saved")).to_be_visible()
    phone.context.set_offline(True)
    tick(phone, 1, 2)
    expect(phone.get_by_text(KEPT)).to_be_visible()
    finish(phone)
    expect(phone.get_by_text("sent as soon as there is a connection")).to_be_visible()
    phone.goto("about:blank")  # of a page that is only closed, the scripts go on for a moment
    later = phone.context.new_page()
    phone.context.set_offline(False)
    later.goto("/")
    later.get_by_role("link", name="Show it").click()
    later.wait_for_url(FINISHED)
    assert completed_sets(started) == 2


def draft_sets(account):
    return account.training_drafts.get().document["exercises"][0]["sets"]


KEPT_FINISH = """async (seconds) => {
    const { load } = await import("/static/training/train/storage.js");
    const kept = async () => (await load(localStorage["train-account"])).finish.duration_seconds;
    while ((await kept()) !== seconds) await new Promise((later) => setTimeout(later, 20));
}"""


def test_a_running_workout_opens_without_a_connection_and_is_finished_there(phone, started):
    open_train(phone)
    phone.evaluate(CONTROLLED)
    tick(phone, 1)
    expect(phone.get_by_text("Saved")).to_be_visible()
    phone.context.set_offline(True)
    again = phone.context.new_page()
    phone.close()
    open_train(again)
    expect(again.get_by_label("Done, set 1")).to_be_checked()
    expect(again.get_by_text(KEPT)).to_be_visible()
    tick(again, 2)
    finish(again)
    expect(again.get_by_text("sent as soon as there is a connection")).to_be_visible()
    again.get_by_label("Time in minutes").fill("30")
    again.get_by_label("Keep them in the workout").check()
    again.get_by_role("button", name="Finish").click()
    again.evaluate(KEPT_FINISH, 1800)
    again.reload()
    expect(again.get_by_label("Time in minutes")).to_have_value("30")
    expect(again.get_by_label("Keep them in the workout")).to_be_checked()
    later = again.context.new_page()
    again.close()
    later.context.set_offline(False)
    open_train(later)
    later.wait_for_url(FINISHED)
    assert completed_sets(started) == 2
    workout = finished_workout(started)
    assert (workout.duration_seconds, workout.document.count('"completed":false')) == (1800, 1)


MAKE_LIFTER = """
from accounts.models import Account
Account.objects.create_user("rack@example.org", "{password}")
"""


@contextmanager
def browser_of(chromium, folder, server, session):
    """The page of a browser that keeps its data in a folder. Ends with a kill."""
    context = chromium.browser_type.launch_persistent_context(
        folder, executable_path=CHROMIUM, args=OPTIONS, base_url=server.url, viewport=PHONE, has_touch=True
    )
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": server.url}])
    try:
        yield context.new_page()
    finally:
        _, _, process = os.readlink(folder / "SingletonLock").rpartition("-")  # "host-process"
        os.kill(int(process), signal.SIGKILL)
        with suppress(sync_api.Error):  # Playwright may have seen the kill by now, and closed the context
            context.close()


def test_a_killed_browser_and_a_server_that_restarts_lose_no_tick(chromium, prepared, tmp_path):
    with running_server(tmp_path, prepared) as server:
        server.manage("shell", "-c", MAKE_LIFTER.format(password=Newcomer.PASSWORD))
        person = Newcomer(server, "/sign-in")
        assert person.sign_in("rack@example.org") == 302
        with browser_of(chromium, tmp_path / "browser", server, person.session) as page:
            page.goto("/train")
            page.get_by_role("button", name="Start").click()
            page.get_by_label("Add an exercise").press_sequentially("barbell bench")
            page.get_by_role("button", name=NAME).first.click()
            page.get_by_label("Weight, set 1").fill("100")
            page.get_by_label("Reps, set 1").fill("5")
            page.get_by_label("Reps, set 2").fill("5")
            expect(page.get_by_text("Saved")).to_be_visible()
            page.route("**/train/drafts/*", lambda route: route.abort())
            tick(page, 1)
            expect(page.get_by_text(KEPT)).to_be_visible()
        with browser_of(chromium, tmp_path / "browser", server, person.session) as page:
            open_train(page)
            expect(page.get_by_label("Done, set 1")).to_be_checked()
            expect(page.get_by_text("Saved")).to_be_visible()
            server.stop()
            tick(page, 2)
            expect(page.get_by_text(KEPT)).to_be_visible()
            server.start()
            expect(page.get_by_text("Saved")).to_be_visible()
            finish(page)
            page.wait_for_url(FINISHED)
        (workout,) = Http(server, server.key("rack@example.org")).call("GET", "/workouts")[1]["workouts"]
        assert [one["completed"] for one in workout["exercises"][0]["sets"]] == [True, True]


def test_two_phones_that_tick_at_once_lose_no_tick(phones, started):
    one, other = phones(started), phones(started)
    open_train(one)
    open_train(other)
    tick(one, 1)
    tick(other, 2)
    for page in (one, other):
        expect(page.get_by_label("Done, set 1")).to_be_checked()
        expect(page.get_by_label("Done, set 2")).to_be_checked()
    finish(one)
    one.wait_for_url(FINISHED)
    expect(other.get_by_text("No workout is open")).to_be_visible()
    assert completed_sets(started) == 2


def test_sets_of_a_phone_that_was_offline_are_offered_after_the_finish(phones, started):
    one, other = phones(started), phones(started)
    open_train(other)
    expect(other.get_by_text("Saved")).to_be_visible()
    other.context.set_offline(True)
    tick(other, 2)
    open_train(one)
    tick(one, 1)
    finish(one)
    one.wait_for_url(FINISHED)
    assert completed_sets(started) == 1
    other.context.set_offline(False)
    other.get_by_role("button", name="Add them").click()
    other.wait_for_url(FINISHED)
    assert completed_sets(started) == 2


def test_a_workout_is_kept_and_not_shown_while_the_session_has_ended(phone, started, sign_in):
    open_train(phone)
    expect(phone.get_by_text("Saved")).to_be_visible()
    phone.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)
    tick(phone, 1)
    is_kept = phone.get_by_text("Your workout is kept on this phone. Sign in to save it.")
    expect(is_kept).to_be_visible()
    expect(phone.get_by_role("region")).to_have_count(1)
    phone.reload()  # whoever opens the page by now sees no set
    expect(is_kept).to_be_visible()
    expect(phone.get_by_role("region")).to_have_count(0)
    phone.get_by_role("link", name="Sign in").click()
    expect(phone.get_by_label("Password", exact=True)).to_be_visible()
    sign_in(started, phone)
    open_train(phone)
    expect(phone.get_by_label("Done, set 1")).to_be_checked()
    expect(phone.get_by_text("Saved")).to_be_visible()
    assert draft_sets(started)[0]["done_at"]


def test_a_set_that_is_ticked_while_the_finish_is_sent_is_offered(phone, started):
    def answer_late(route):
        response = route.fetch()
        phone.get_by_role("button", name="Keep training").click()
        tick(phone, 2)
        route.fulfill(response=response)

    open_train(phone)
    expect(phone.get_by_text("Saved")).to_be_visible()
    tick(phone, 1)
    expect(phone.get_by_text("Saved")).to_be_visible()
    phone.route("**/train/drafts/*", answer_late, times=1)
    finish(phone)
    phone.get_by_role("button", name="Add them").click()
    phone.wait_for_url(FINISHED)
    assert completed_sets(started) == 2


def test_a_workout_that_cannot_be_saved_is_discarded_only_after_a_question(phone, started):
    open_train(phone)
    expect(phone.get_by_text("Saved")).to_be_visible()
    body = {"code": "another_open", "message": "Another workout is open."}
    phone.route("**/train/drafts/*", lambda route: route.fulfill(status=409, json=body))
    tick(phone, 1)
    discard = phone.get_by_role("button", name="Discard this one and open the other")
    discard.click()
    phone.get_by_role("button", name="Keep it").click()
    expect(phone.get_by_role("button", name="Keep it")).to_have_count(0)
    discard.click()
    phone.get_by_role("button", name="Discard", exact=True).click()
    expect(phone.get_by_label("Done, set 1")).not_to_be_checked()


def test_finish_makes_one_workout_however_often_it_is_pressed_and_sent(phone, started):
    def lose_the_answer(route):
        route.fetch()
        route.abort()

    open_train(phone)
    expect(phone.get_by_text("Saved")).to_be_visible()
    tick(phone, 1, 2)
    phone.route("**/train/drafts/*", lose_the_answer, times=1)
    phone.get_by_role("button", name="Finish").click()
    phone.get_by_role("button", name="Finish").dblclick()
    phone.wait_for_url(FINISHED)
    assert completed_sets(started) == 2


def test_another_account_in_the_same_browser_sees_nothing_of_a_workout(phone, started, stranger, sign_in):
    open_train(phone)
    expect(phone.get_by_text("Saved")).to_be_visible()
    phone.context.set_offline(True)
    tick(phone, 1)
    expect(phone.get_by_text(KEPT)).to_be_visible()
    sign_in(stranger, phone)
    phone.context.set_offline(False)
    expect(phone.get_by_text("No workout is open")).to_be_visible()
    assert not stranger.training_drafts.exists()
    sign_in(started, phone)
    open_train(phone)
    expect(phone.get_by_label("Done, set 1")).to_be_checked()  # it was kept for its owner


KEPT_EXERCISES = """() => new Promise((resolve) => {
    indexedDB.open("exercises", 1).onsuccess = ({ target: { result } }) => {
        result.transaction("exercises").objectStore("exercises").count().onsuccess =
            ({ target: { result: count } }) => resolve(count);
    };
})"""


def test_signing_out_removes_the_workout_and_asks_first_if_it_was_not_sent(phone, started):
    open_train(phone)
    expect(phone.get_by_text("Saved")).to_be_visible()
    phone.route("**/train/drafts/*", lambda route: route.abort())
    tick(phone, 1)
    expect(phone.get_by_text(KEPT)).to_be_visible()
    phone.wait_for_function(KEPT_EXERCISES)
    phone.goto("/")
    questions = []

    def answer(dialog):
        questions.append(dialog.message)
        if len(questions) == 1:
            dialog.dismiss()
        else:
            dialog.accept()

    phone.on("dialog", answer)
    phone.get_by_label("Account menu").click()
    for _ in range(2):
        with phone.expect_event("dialog"):
            phone.get_by_role("button", name="Sign out").click()
    expect(phone.get_by_role("link", name="Sign in").first).to_be_visible()
    assert questions == ["A workout on this phone was not sent yet. Sign out and lose it?"] * 2
    assert phone.evaluate(KEPT_EXERCISES) == 0
    open_train(phone)
    expect(phone.get_by_text("Sign in to train.")).to_be_visible()
    expect(phone.get_by_role("region")).to_have_count(0)


def test_from_home_to_the_first_ticked_set_takes_at_most_three_touches(phone, account):
    log_workout(account)
    phone.goto("/")
    finger = Touches(phone)
    finger.on(phone.get_by_role("button", name="Repeat"))
    finger.on(phone.get_by_label("Done, set 1"))
    assert finger.count <= 3
    expect(phone.get_by_text("Saved")).to_be_visible()
    assert draft_sets(account)[0]["done_at"]


def test_twenty_sets_with_one_heavier_lift_take_at_most_forty_touches(phone, account):
    log_workout(account, LIFTS, sets=5)
    repeated = account.workouts.get()
    freshly_signed_in(account).post("/train/start", {"workout": str(repeated.pk)})
    finger = Touches(phone)
    phone.goto("/train")
    finger.on(phone.get_by_role("button", name="2.5 kg more, set 1"))
    for number in range(len(LIFTS)):
        for one in range(1, 6):
            finger.on(phone.get_by_label(f"Done, set {one}"))
        if number < 3:
            finger.on(phone.get_by_role("button", name="Next:"))
    finger.on(phone.get_by_role("button", name="Finish"))
    finger.on(phone.get_by_role("button", name="Finish"))
    phone.wait_for_url(FINISHED)
    assert finger.count <= 40
    newest = finished_workout(account)
    assert completed_sets(account) == 20
    assert newest.volume_kg == 5 * 5 * 102.5 + 15 * 5 * 100


def test_arrows_and_enter_choose_what_is_found(screen, started, sign_in):
    sign_in(started)
    open_train(screen)
    screen.get_by_role("button", name="Add an exercise").click()
    search = screen.get_by_role("searchbox")
    expect(search).to_be_focused()
    search.press_sequentially("lat pull")
    search.press("Enter")
    expect(screen.get_by_role("region", name="Lat Pulldown")).to_be_visible()
    screen.get_by_role("button", name="Add an exercise").click()
    search.press_sequentially("deadlift")
    expect(screen.get_by_role("button", name=DEADLIFT).first).to_be_visible()
    options = screen.locator(".finder-option")
    search.press("ArrowDown")
    expect(options.nth(0)).to_be_focused()
    options.nth(0).press("ArrowDown")
    expect(options.nth(1)).to_be_focused()
    options.nth(1).press("ArrowUp")
    options.nth(0).press("ArrowUp")
    expect(search).to_be_focused()
    search.press("ArrowDown")
    options.nth(0).press("Enter")
    expect(screen.get_by_role("region", name=DEADLIFT)).to_be_visible()


def add_by_touch(finger, *names):
    for name in ("Add an exercise", *names):
        finger.on(finger.screen.get_by_role("button", name=name).first)


def test_an_exercise_is_two_touches_away_and_a_new_one_four_also_without_a_connection(phone, started):
    log_workout(started, ["lat-pulldown"])
    open_train(phone)
    phone.evaluate(CONTROLLED)
    phone.get_by_role("button", name="Add an exercise").click()
    expect(phone.get_by_role("heading", name="Last used")).to_be_visible()
    phone.context.set_offline(True)
    again = phone.context.new_page()
    phone.close()
    lift = open_train(again)
    for names, most in ((["Lat Pulldown"], 2), (["Legs", "Quads", "Leg Extension"], 4)):
        finger = Touches(again)
        add_by_touch(finger, *names)
        assert finger.count <= most
        expect(again.get_by_role("region", name=names[-1]).get_by_label("Done, set 1")).to_be_visible()
    expect(again.get_by_role("region", name="Lat Pulldown")).to_contain_text("3 sets")
    lift.get_by_role("heading").get_by_role("button").click()
    choose(lift, "Swap")
    assert (overflow(again), violations(again, ".train-finder")) == (0, [])
    same = again.locator("h3:has-text('Trains the same') + ul").get_by_role("button")
    expect(same).to_have_text([re.compile("Chest")] * 3)
    same.first.click()
    again.get_by_role("button", name="Add an exercise").click()
    again.get_by_role("searchbox").fill("dos")
    expect(again.get_by_role("button", name="Pull-Up").first).to_be_visible()
    again.context.set_offline(False)
    again.get_by_role("searchbox").fill("Waden")
    again.get_by_role("button", name="Machine Standing Calf Raise").click()
    expect(again.get_by_text("Saved")).to_be_visible()
    exercises = started.training_drafts.get().document["exercises"]
    ids = [one["exercise_id"] for one in exercises if not one["removed_at"]]
    assert ids[:2] + ids[3:] == ["lat-pulldown", "leg-extension", "machine-standing-calf-raise"]


def begin_with_the_bench_press(phone):
    """Begins a workout of one's own with it, and returns its card."""
    phone.goto("/train")
    phone.get_by_role("button", name="Start").click()
    phone.get_by_label("Add an exercise").press_sequentially("barbell bench")
    phone.get_by_role("button", name=NAME).first.click()
    return phone.get_by_role("region", name=NAME)


def test_a_workout_of_ones_own_is_put_together(phone, account):
    """Pounds, the catalogue, sets that come and go, RPE, a note, plates, the pause, a picture of it."""
    account.units = "lb"
    account.save()
    lift = begin_with_the_bench_press(phone)
    lift.get_by_label("Weight, set 1").fill("220")
    lift.get_by_role("button", name="5 lb more, set 1").click()
    expect(lift.get_by_label("Weight, set 3")).to_have_value("225")
    lift.get_by_label("Reps, set 1").fill("5")
    lift.get_by_role("button", name="RPE, set 1").click()
    lift.get_by_role("button", name="RPE 8.5").click()
    lift.get_by_role("button", name="Plates").click()
    expect(lift.get_by_text("Each side: 45 + 45, on a 45 lb bar.")).to_be_visible()
    tick(phone, 1)
    phone.get_by_role("button", name="+15 s").click()
    lift.get_by_role("button", name="Set 3").click()
    lift.get_by_role("button", name="Remove set 3").click()
    expect(lift.get_by_label("Weight, set 3")).to_have_count(0)
    phone.get_by_role("button", name="Undo").click()
    expect(lift.get_by_label("Weight, set 3")).to_have_value("225")
    choose(lift, "Note")
    lift.get_by_label("Note").fill("Elbows in.")
    finish(phone)
    phone.wait_for_url(FINISHED)
    workout = account.workouts.get()
    entry = workout.exercises.get()
    assert (entry.notes, entry.completed_sets) == ("Elbows in.", 1)
    assert workout.volume_kg == pytest.approx(510.29, abs=0.01)  # 225 lb × 5
    assert '"rpe":8.5' in workout.document
    phone.get_by_role("button", name="Share a picture").click()
    with phone.expect_download() as saved:
        phone.get_by_role("link", name="Save picture").click()
    picture = saved.value.path().read_bytes()
    assert (picture[1:4], struct.unpack(">II", picture[16:24])) == (b"PNG", (1080, 1350))
    begin_with_the_bench_press(phone)
    expect(lift.get_by_text("225 × 5").first).to_be_visible()


def test_what_is_no_number_is_no_set(phone):
    lift = begin_with_the_bench_press(phone)
    lift.get_by_label("Done, set 1").click()
    expect(phone.get_by_text("Enter the weight first.")).to_be_visible()
    expect(lift.get_by_label("Done, set 1")).not_to_be_checked()
    lift.get_by_label("Weight, set 1").fill("heavy")
    expect(lift.get_by_label("Weight, set 1")).to_have_attribute("aria-invalid", "true")
    lift.get_by_label("Weight, set 1").press_sequentially("1x")
    lift.get_by_label("Done, set 1").click()
    expect(phone.get_by_text("Enter a number first.")).to_be_visible()
    expect(lift.get_by_label("Done, set 1")).not_to_be_checked()
    expect(lift.get_by_label("Weight, set 2")).to_have_value("")


def test_a_workout_without_a_set_is_discarded(phone, account):
    begin_with_the_bench_press(phone)
    expect(phone.get_by_text("Saved")).to_be_visible()
    assert account.training_drafts.open().exists()
    phone.get_by_role("button", name="Finish").click()
    phone.get_by_role("button", name="Finish").click()
    expect(phone.get_by_text("Tick a set first, or discard the workout.")).to_be_visible()
    phone.get_by_role("button", name="Discard workout").click()
    phone.get_by_role("button", name="Discard", exact=True).click()
    phone.wait_for_url(re.compile("/$"))
    assert not account.training_drafts.open().exists()


DEADLIFT = "Barbell Deadlift"


def add(page, name):
    page.get_by_role("button", name="Add an exercise").click()
    page.get_by_label("Add an exercise").press_sequentially(name.lower())
    page.get_by_role("button", name=name).first.click()
    expect(page.get_by_role("region", name=name).get_by_label("Done, set 1")).to_be_visible()


def choose(lift, name):
    """Presses a button that is behind More."""
    more = lift.get_by_role("button", name="More", exact=True)
    if more.get_attribute("aria-expanded") == "false":
        more.click()
    lift.get_by_role("button", name=name).click()


def fill_and_tick(lift, weight, reps):
    lift.get_by_label("Weight, set 1").fill(str(weight))
    lift.get_by_label("Reps, set 1").fill(str(reps))
    lift.get_by_label("Done, set 1").check()


def test_exercises_are_added_while_a_card_is_open(phone, started):
    lift = open_train(phone)
    for panel, added in ((None, "Lat Pulldown"), ("Plates", "Barbell Back Squat"), ("Swap", DEADLIFT)):
        if panel:
            choose(lift, panel)
        add(phone, added)
        fill_and_tick(phone.get_by_role("region", name=added), 140, 3)
        lift.get_by_role("heading").get_by_role("button").click()
    tick(lift, 1)
    finish(phone)
    phone.wait_for_url(FINISHED)
    assert completed_sets(started) == 4


def test_a_card_goes_on_while_the_catalogue_cannot_be_searched(phone, started, sign_in):
    open_train(phone)
    expect(phone.get_by_text("Saved")).to_be_visible()
    phone.get_by_role("button", name="Add an exercise").click()
    search = phone.get_by_label("Add an exercise")
    phone.context.set_offline(True)
    search.press_sequentially("no name")
    expect(phone.get_by_text("Not connected: the catalogue")).to_be_visible()
    tick(phone, 1)
    phone.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)
    phone.context.set_offline(False)
    search.press_sequentially("s")
    expect(phone.get_by_text("You are signed out: sign in to search")).to_be_visible()
    tick(phone, 2)
    expect(phone.get_by_text("2 of 3 sets")).to_be_visible()
    sign_in(started, phone)  # while no request of the page is under way
    add(open_again(phone), DEADLIFT)
    finish(phone)
    phone.wait_for_url(FINISHED)
    assert completed_sets(started) == 2


def open_again(phone):
    open_train(phone)
    expect(phone.get_by_text("Saved")).to_be_visible()
    return phone


def test_a_workout_with_a_card_that_cannot_be_drawn_goes_on_and_is_finished(phone, started):
    def break_card(route):
        answer = route.fetch()
        body = answer.json()
        body["exercises"][BENCH]["sessions"] = None
        route.fulfill(response=answer, json=body)

    phone.route("**/train/draft", break_card)
    expect(open_train(phone).get_by_role("alert")).to_contain_text("Your sets are kept")
    add(phone, DEADLIFT)
    fill_and_tick(phone.get_by_role("region", name=DEADLIFT), 140, 3)
    phone.get_by_role("button", name="Finish").click()
    expect(phone.get_by_role("row").filter(has_text="Your sets are kept")).to_be_visible()
    expect(phone.get_by_role("row", name=DEADLIFT)).to_contain_text("140 × 3")
    phone.get_by_role("button", name="Keep training").click()
    finish(phone)
    phone.wait_for_url(FINISHED)
    assert completed_sets(started) == 1


def test_a_run_and_a_plank_are_logged_by_time(phone, account):
    freshly_signed_in(account).post("/train/start")
    phone.goto("/train")
    phone.get_by_label("Add an exercise").press_sequentially("treadmill")
    phone.get_by_role("button", name="Treadmill Running").first.click()
    run = phone.get_by_role("region", name="Treadmill Running")
    run.get_by_label("Done, set 1").click()
    expect(phone.get_by_text("Enter the minutes first.")).to_be_visible()
    run.get_by_label("Minutes, set 1").fill("30")
    run.get_by_label("Distance, set 1").fill("5,2")
    tick(phone, 1)
    phone.get_by_role("button", name="Add an exercise").click()
    phone.get_by_label("Add an exercise").press_sequentially("plank")
    phone.get_by_role("button", name="Plank", exact=False).first.click()
    plank = phone.get_by_role("region", name="Plank")
    plank.get_by_label("Time, set 1").fill("60")
    plank.get_by_role("button", name="5 s more, set 1").click()
    expect(plank.get_by_label("Time, set 1")).to_have_value("1:05")
    tick(phone, 1, 2)
    expect(phone.get_by_role("timer")).to_be_visible()
    plank.get_by_role("button", name="Stopwatch, set 3").click()
    expect(phone.get_by_role("timer")).to_have_count(0)
    expect(plank.get_by_label("Time, set 3")).to_have_count(0)  # the stopwatch is in its place
    plank.get_by_role("button", name="0:01 Stop").click()
    expect(plank.get_by_label("Time, set 3")).to_have_value("0:01")
    phone.get_by_role("button", name="Finish").click()
    expect(phone.get_by_role("row", name="Treadmill Running")).to_contain_text("30:00, 5.2 km")
    expect(phone.get_by_role("row", name="Plank")).to_contain_text("1:05")
    phone.get_by_role("button", name="Finish").click()
    phone.wait_for_url(FINISHED)
    notes = account.workouts.get().exercises.order_by("position").values_list("notes", flat=True)
    assert list(notes) == ["1800 s, 5.2 km", "Set 1: 65 s\nSet 2: 65 s"]
    workout = str(account.workouts.get().pk)
    freshly_signed_in(account).post("/train/start", {"workout": workout})
    phone.goto("/train")
    expect(run.get_by_label("Minutes, set 1")).to_have_value("30")
    expect(run.get_by_text("30:00, 5.2 km")).to_be_visible()
    choose(run, "Log reps")
    run.get_by_label("Reps, set 1").fill("20")
    run.get_by_label("Done, set 1").check()
    expect(phone.get_by_text("Saved")).to_be_visible()
    assert account.training_drafts.open().get().document["exercises"][0]["measure"] == "reps"


SMALLEST = """() => [...document.querySelectorAll("a, button, input, select, textarea")]
    .filter((one) => one.checkVisibility())
    .map((one) => [one.outerHTML, (one.closest("label") ?? one).getBoundingClientRect()])
    .filter(([html, { width, height }]) => Math.min(width, height) < 44)"""


def test_train_is_accessible_and_its_targets_are_large_enough(screen, started, sign_in):
    sign_in(started)
    screen.set_viewport_size({"width": 360, "height": 740})
    lift = open_train(screen)

    def check():
        assert violations(screen) == []
        assert screen.evaluate(SMALLEST) == []
        assert overflow(screen) == 0

    tick(screen, 1)
    for panel in ("Last workouts", "Note", "Plates", "Swap"):
        choose(lift, panel)
        check()
    screen.get_by_role("button", name="Add an exercise").click()
    screen.get_by_label("Add an exercise").press_sequentially("weighted plank")
    screen.get_by_role("button", name="Weighted Plank").first.click()
    choose(screen.get_by_role("region", name="Weighted Plank"), "Log time")
    expect(screen.get_by_label("Weight, set 1")).to_be_visible()
    check()
    screen.get_by_role("button", name="Finish").click()
    screen.get_by_role("button", name="Discard workout").click()
    check()


# --- An exercise of one's own --------------------------------------------------------------------------


def test_what_no_search_finds_becomes_an_exercise_of_ones_own(phone, started):
    open_train(phone)
    phone.get_by_role("button", name="Add an exercise").click()
    phone.get_by_role("searchbox").fill("Pendulum zzz machine")
    phone.get_by_label("Muscle group").select_option("Legs")
    phone.get_by_label("Equipment").select_option("Cable")
    phone.context.set_offline(True)
    phone.get_by_role("button", name="Make and add").click()
    expect(phone.get_by_text("can be made when there is a connection")).to_be_visible()
    phone.context.set_offline(False)
    phone.get_by_role("button", name="Make and add").click()
    expect(phone.get_by_role("region", name="Pendulum zzz machine")).to_be_visible()
    (own,) = Exercise.objects.owned_by(started)
    assert own.shown == {"name": "Pendulum zzz machine", "muscle_group": "Legs", "equipment": "Cable"}


BROKEN = """(names) => names.filter((name) => {
    const whole = name.textContent;
    const lines = (text) => { name.textContent = text; return name.getClientRects().length; };
    const isBroken = whole.split(" ").some((word) => lines(word) > 1);
    name.textContent = whole;
    return isBroken;
}).length"""


def finished_routine(account, lifts):
    """The address of the page that follows a workout of a routine: with lifts done before, and times."""
    log_workout(account, lifts=lifts)
    entries = [{"exercise_id": lift, "sets": 3, "reps": 12, "weight_kg": 0} for lift in (*lifts, "plank")]
    routine = client_of(account).post("/routines", {"name": "Push", "exercises": entries}).json()
    page = freshly_signed_in(account)
    start(page, routine=routine["id"])
    draft = read(page)["draft"]["document"]
    for exercise in draft["exercises"]:
        lifted = {"seconds": 75} if exercise["exercise_id"] == "plank" else {"weight_kg": 177.5, "reps": 12}
        exercise["sets"] = [
            one | lifted | {"done_at": at(0), "changed_at": at(0)} for one in exercise["sets"]
        ]
    return finish_by_request(page, draft).json()["finished"]["url"]


def test_the_finished_page_breaks_no_name_and_has_all_in_its_width(phone, account):
    lifts = ("dumbbell-walking-lunge", "machine-standing-calf-raise", "incline-dumbbell-bench-press")
    address = finished_routine(account, lifts)
    main = phone.get_by_role("main")
    links = main.locator(".pager").get_by_role("link", name="routine")
    for units in ("kg", "lb"):
        account.units = units
        account.save()
        phone.goto(address)
        expect(main.locator(".compared > b", has_text="× 12")).to_have_count(len(lifts))
        expect(links).to_have_count(2)
        for width in (320, 360, 390):
            phone.set_viewport_size({"width": width, "height": 844})
            assert overflow(phone) == 0
            assert all(right_edge(link) <= width for link in links.all())
            assert main.locator("bdi").evaluate_all(BROKEN) == 0


def right_edge(element):
    box = element.bounding_box()
    return box["x"] + box["width"]
