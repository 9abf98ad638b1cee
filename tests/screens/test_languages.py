"""Every language on a phone: screens have room for its words, and a lifter does in it what there is to do."""

from contextlib import suppress

import pytest
from django.utils import timezone

from fitness.management.commands import seed_demo
from tests.conftest import a_set, client_of, freshly_signed_in
from tests.screens.all_screens import screens_of
from tests.screens.browser import SMALL_PHONE, expect, in_browser, overflow
from tests.screens.test_installed import install
from tests.screens.test_installed import phone as installed_phone  # noqa: F401  # a fixture
from tests.screens.test_train import FINISHED, LIFTS
from tests.screens.translated import Words, cut_texts
from tests.server import wait_until

pytestmark = in_browser

ASKING = ("delete-", "remove-", "clear-", "end-")  # a sentence and a button


def speaks(account, language):
    account.language = language
    account.save()
    return account


def start_training(user):
    exercises = [{"exercise_id": lift, "sets": [a_set(102.5, 5)] * 2} for lift in LIFTS]
    body = {"started_at": "2026-11-16T17:30:00Z", "duration_seconds": 3600, "exercises": exercises}
    workout = client_of(user).post("/workouts", body).json()
    freshly_signed_in(user).post("/train/start", {"workout": workout["id"]})


@pytest.mark.parametrize("language", ["de", "es", "fr"])
def test_every_screen_has_room_for_its_words(screen, live_server, sign_in, language):
    user = seed_demo.seed("demo@example.org", timezone.now().date(), 120, "blue horse 77")
    sign_in(speaks(user, language))
    start_training(user)
    screen.set_viewport_size(SMALL_PHONE)

    def look(name):
        assert (overflow(screen), cut_texts(screen)) == (0, []), name

    for name, address in screens_of(user):
        if name.startswith(ASKING):
            continue
        screen.goto(address)
        expect(screen.locator("html")).to_have_attribute("lang", language)
        look(name)
    screen.goto("/train")
    screen.locator(".train-tick").first.check()
    look("a workout under way")
    screen.locator("[data-do=open-finish]").click()
    expect(screen.locator(".train-finish")).to_be_visible()
    look("its end")


# --- What there is to do -----------------------------------------------------------------------------

BENCH = "Barbell Bench Press"


def in_language(language):
    """Each of these is done in one language other than English, in which the other tests are."""
    return pytest.mark.parametrize("language", [language])


@pytest.fixture
def words(language):
    return Words(language)


@pytest.fixture
def phone(screen, account, sign_in, language):
    """A phone of a small width, on which an account that has chosen the language is signed in."""
    screen.set_viewport_size(SMALL_PHONE)
    return sign_in(speaks(account, language), screen)


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def add_exercise(form, words):
    """Searches for the exercise by its name in the language, and takes the first that is found."""
    name = words(BENCH, "exercise")
    search = form.get_by_role("combobox", name=words("Add an exercise"))
    search.press_sequentially(name.lower())
    expect(form.get_by_role("option", name=name).first).to_have_attribute("aria-selected", "true")
    search.press("Enter")
    return form.get_by_role("region", name=name)


@in_language("de")
def test_a_workout_is_trained_repeated_and_discarded(phone, account, words):
    say, first = words.of_script, words.of_script("set %(number)s", number=1)
    weight = f"{say('Weight', 'of a set')}, {first}"
    phone.goto("/")
    phone.get_by_role("navigation", name=words("Main")).get_by_role("link", name=words("Train")).click()
    press(phone, words("Start", "verb"))
    phone.get_by_label(say("Add an exercise")).fill(words(BENCH, "exercise").lower())
    phone.get_by_role("button", name=words(BENCH, "exercise")).first.click()
    phone.get_by_label(weight).fill(words.number("82.5"))
    phone.get_by_label(f"{say('Reps')}, {first}").fill("5")
    phone.get_by_label(say("Done, %(set)s", set=first)).check()
    expect(phone.get_by_role("timer", name=say("Rest", "between sets"))).to_be_visible()
    press(phone, say("Finish"))
    press(phone, say("Finish"))
    phone.wait_for_url(FINISHED)
    assert account.workouts.get().volume_kg == 412.5
    phone.goto("/workouts")
    expect(phone.get_by_role("main")).to_contain_text(f"1 × {words(BENCH, 'exercise')}")
    press(phone, words("Repeat"))
    expect(phone.get_by_label(weight)).to_have_value(words.number("82.5"))
    press(phone, say("Finish"))
    press(phone, say("Discard workout"))
    phone.get_by_role("alertdialog").get_by_role("button", name=say("Discard"), exact=True).click()
    expect(phone.get_by_role("heading", name=words("Today"), level=1)).to_be_visible()
    assert not account.training_drafts.open().exists()


@in_language("es")
def test_workouts_routines_and_plans_are_written_and_used(phone, account, words):
    phone.goto("/workouts")
    phone.get_by_role("link", name=words("Log", "verb"), exact=True).click()
    phone.get_by_label(words("Title")).fill("Push")
    entry = add_exercise(phone, words)
    entry.get_by_label(words("Weight in %(unit)s", unit="kg")).fill(words.number("100.5"))
    entry.get_by_label(words("Repetitions")).fill("4")
    press(phone, words("Save workout"))
    expect(phone.get_by_text(words("Your workout is saved."))).to_be_visible()
    assert account.workouts.get().volume_kg == 402
    phone.goto("/routines")
    phone.get_by_role("link", name=words("Create a routine")).click()
    phone.get_by_label(words("Name"), exact=True).fill("Heavy")
    weight = words("Weight in %(unit)s", unit="kg")
    add_exercise(phone, words).get_by_label(weight).fill(words.number("92.5"))
    press(phone, words("Save routine"))
    expect(phone.get_by_text(words("Your routine is saved."))).to_be_visible()
    (target,) = account.routines.get().exercises
    assert target["weight_kg"] == 92.5
    entry = {"exercise_id": LIFTS[0], "sets": 3, "reps": 5, "weight_kg": 92.5}
    days = [{"weekday": day, "label": "Push", "exercises": [entry]} for day in range(1, 8)]
    client_of(account).post("/plans", {"name": "Mine", "days": days})
    phone.goto("/plans")
    press(phone, words("Activate %(name)s", name="Mine"))
    expect(phone.get_by_text(words("“%(name)s” is your active plan.", name="Mine"))).to_be_visible()


# --- Without a connection ----------------------------------------------------------------------------

KEPT_FILES = """async () => {
  const [version] = await caches.keys();
  const requests = version ? await (await caches.open(version)).keys() : [];
  return requests.map((request) => new URL(request.url).pathname);
}"""


def kept_words(page):
    """The files of words that the service worker keeps."""
    return [path for path in page.evaluate(KEPT_FILES) if "/words/" in path]


def test_train_opens_without_a_connection_in_the_language_of_the_account(
    installed_phone,  # noqa: F811
    account,
    sign_in,
):
    page = install(sign_in(speaks(account, "de"), installed_phone))
    assert page.evaluate("navigator.serviceWorker.controller.scriptURL").endswith("?language=de")
    assert kept_words(page) == ["/static/words/de.js"]
    german = Words("de").of_script
    page.context.set_offline(True)
    page.goto("/train")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.get_by_role("heading", name=german("No workout is open"))).to_be_visible()
    page.context.set_offline(False)
    speaks(account, "fr")

    def has_french():
        page.goto("/body")
        with suppress(AssertionError):
            wait_until(lambda: kept_words(page) == ["/static/words/fr.js"], within=5)
        return kept_words(page) == ["/static/words/fr.js"]

    wait_until(has_french)
    page.context.set_offline(True)
    page.goto("/train")
    expect(page.locator("html")).to_have_attribute("lang", "fr")
    expect(page.get_by_role("heading", name=Words("fr").of_script("No workout is open"))).to_be_visible()
