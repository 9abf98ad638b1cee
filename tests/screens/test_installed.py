"""The installed app: what opens without a connection, what an update replaces, and what is never kept."""

import json
from contextlib import suppress

import pytest
from django.urls import reverse

from fitness.site import installed
from tests.screens.browser import (
    CHROMIUM,
    OPTIONS,
    PHONE,
    SMALL_PHONE,
    expect,
    in_browser,
    overflow,
    violations,
)
from tests.screens.conftest import messages_of
from tests.server import wait_until

pytestmark = in_browser

CONTENT = """async () => {
  const content = {};
  for (const version of await caches.keys()) {
    const cache = await caches.open(version);
    const paths = (await cache.keys()).map((request) => new URL(request.url).pathname);
    content[version] = Object.fromEntries(
      await Promise.all(paths.map(async (path) => [path, await (await cache.match(path)).text()]))
    );
  }
  return content;
}"""
VERSIONS = "async () => (await caches.keys()).sort()"
CONTROLLED = """async () => {
  const { serviceWorker } = navigator;
  const changed = new Promise((resolve) => serviceWorker.addEventListener("controllerchange", resolve));
  if (!serviceWorker.controller) await changed;
}"""
FIRST_STATE = """async () => {
  const registration = await navigator.serviceWorker.register("/service-worker.js");
  const worker = registration.installing ?? registration.waiting ?? registration.active;
  const changed = new Promise((resolve) => worker.addEventListener("statechange", resolve));
  if (worker.state === "installing") await changed;
  return worker.state;
}"""
WORKERS = """async () => {
  const registrations = await navigator.serviceWorker.getRegistrations();
  return registrations.map(({ active, waiting }) => [active?.scriptURL.split("/").at(-1), waiting !== null]);
}"""
GERMAN_WORKER = [["service-worker.js?language=de", False]]
SLOWLY = """
self.addEventListener("install", (event) => event.waitUntil(new Promise((then) => setTimeout(then, 4000))));
"""
TWO_LANGUAGES = """async () => {
  const until = async (holds) => {
    while (!(await holds())) await new Promise((then) => setTimeout(then, 20));
  };
  const worker = (language) => navigator.serviceWorker.register(`/service-worker.js?language=${language}`);
  const registration = await worker("fr");
  await until(() => registration.waiting);
  await worker("de");
  await until(async () => (await caches.keys()).length === 3);
  registration.waiting.postMessage("loaded");
  const isFrench = ({ scriptURL, state }) => scriptURL.endsWith("fr") && state === "activated";
  await until(() => isFrench(registration.active));
}"""
WAITING = "async () => Boolean((await navigator.serviceWorker.getRegistration())?.waiting)"


@pytest.fixture
def phone(chromium, live_server, transactional_db):
    """The page of a browser with service workers. Its console may only show that there is no connection."""
    context = chromium.new_context(base_url=live_server.url, viewport=PHONE, has_touch=True)
    page = context.new_page()
    messages = messages_of(page)
    yield page
    context.close()
    assert [text for text in messages if "net::ERR_" not in text] == []


@pytest.fixture
def release(monkeypatch):
    """A function that makes the server one of another version, and returns that version."""

    def release(name):
        script = original("en").replace(version_of(original("en")), name)
        monkeypatch.setattr(installed, "worker_script", lambda language: script)
        return name

    original = installed.worker_script
    return release


def version_of(script):
    return script.partition('"version": "')[2].partition('"')[0]


def install(page, address="/"):
    page.goto(address)
    page.evaluate(CONTROLLED)
    return page


def is_replaced(page, version):
    """Opens a page, and looks for a moment whether it makes the worker of this version take over.

    Chromium lets the older worker finish what it does, which can take longer than one page is open.
    """
    page.goto("/body")
    with suppress(AssertionError):
        wait_until(lambda: page.evaluate(VERSIONS) == [version], within=5)
    return page.evaluate(VERSIONS) == [version]


def has_german_worker(page):
    """Opens a page, and looks for a moment whether it makes the worker of its language the only one."""
    page.goto("/body")
    with suppress(AssertionError):
        wait_until(lambda: page.evaluate(WORKERS) == GERMAN_WORKER, within=5)
    return page.evaluate(WORKERS) == GERMAN_WORKER


def test_train_and_an_honest_page_open_without_a_connection(phone, account, sign_in):
    install(sign_in(account, phone))
    phone.context.set_offline(True)
    phone.goto("/workouts")
    expect(phone.get_by_role("heading", name="You are not connected")).to_be_visible()
    expect(phone.get_by_text(account.email)).to_have_count(0)
    phone.set_viewport_size(SMALL_PHONE)
    assert (overflow(phone), violations(phone)) == (0, [])
    phone.get_by_role("link", name="Open Train").click()
    expect(phone).to_have_title("Train · Fitness")
    phone.wait_for_load_state()  # its modules have come then
    names = phone.evaluate("performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert {name.rpartition("/")[2] for name in names} >= {"fitness.css", "state.js"}
    phone.go_back()
    phone.context.set_offline(False)
    phone.get_by_role("link", name="Try again").click()
    expect(phone.get_by_role("heading", name="Workouts", level=1)).to_be_visible()


def test_nothing_of_an_account_is_kept(phone, account, sign_in, log_workout):
    log_workout(title="Heavy Monday")
    install(sign_in(account, phone))
    for name in ("home", "workouts", "body", "goals", "profile", "account", "developer", "docs"):
        phone.goto(reverse(name))
    phone.goto("/")
    phone.get_by_label("Account menu").click()
    phone.get_by_role("button", name="Sign out").click()
    expect(phone.get_by_role("heading", name="Sign in")).to_be_visible()
    (content,) = phone.evaluate(CONTENT).values()
    assert content.keys() == {"/train", "/offline", *installed.shell_files(installed.pages("en"))}
    for text in content.values():
        assert not {part for part in (account.email, "Lifter", "Heavy Monday") if part in text}


def test_an_update_takes_over_when_no_other_page_is_open(phone, account, sign_in, release):
    old = version_of(installed.worker_script("en"))
    install(sign_in(account, phone))
    other = phone.context.new_page()
    other.goto("/workouts")
    new = release("new")
    phone.goto("/body")  # finds the update, which waits
    wait_until(lambda: phone.evaluate(WAITING))
    phone.goto("/body")  # and goes on waiting, because the other page may need the old files
    assert sorted(phone.evaluate(VERSIONS)) == sorted([old, new])
    other.close()
    wait_until(lambda: is_replaced(phone, new))
    phone.context.set_offline(True)
    phone.goto("/train")
    expect(phone).to_have_title("Train · Fitness")


def test_a_worker_of_another_language_keeps_what_a_newer_one_has_filled(phone, account, sign_in, monkeypatch):
    """The French one takes over while the German one is being installed, which goes on to replace it."""
    original = installed.worker_script
    added = {"de": SLOWLY}
    monkeypatch.setattr(
        installed, "worker_script", lambda language: original(language) + added.get(language, "")
    )
    install(sign_in(account, phone))
    phone.evaluate(TWO_LANGUAGES)
    account.language = "de"
    account.save()
    wait_until(lambda: has_german_worker(phone), within=30)
    phone.context.set_offline(True)
    phone.goto("/train")
    expect(phone.locator("html[lang=de]")).to_have_count(1)
    phone.context.set_offline(False)


def test_a_page_of_another_version_is_not_kept(phone, account, sign_in, release, monkeypatch):
    """As when an update runs on several machines: the worker is of one version and its pages of another."""
    monkeypatch.setattr(installed, "shell_files", lambda kept: ["/static/fitness.css"])
    installed.worker_script.cache_clear()
    sign_in(account, phone).goto("/")
    state = phone.evaluate(FIRST_STATE)
    installed.worker_script.cache_clear()
    assert (state, phone.evaluate(VERSIONS)) == ("redundant", [])


# --- Messages of a push service ---------------------------------------------------------------------

SHOWN = """async () => {
  const registration = await navigator.serviceWorker.ready;
  const notifications = await registration.getNotifications();
  return notifications.map(({ title, body, tag, data }) => ({ title, body, tag, path: data.path }));
}"""


def deliver(page, message):
    """As the push service of the browser does it, in which there is none."""
    session = page.context.new_cdp_session(page)
    found = []
    session.on("ServiceWorker.workerRegistrationUpdated", lambda event: found.extend(event["registrations"]))
    session.send("ServiceWorker.enable")
    wait_until(lambda: page.evaluate("1") and found, within=10)  # evaluating lets events through
    origin = page.evaluate("location.origin")
    facts = {"origin": origin, "registrationId": found[0]["registrationId"], "data": json.dumps(message)}
    session.send("ServiceWorker.deliverPushMessage", facts)


@pytest.fixture
def whole_chromium(chromium):
    """The headless shell shows no notifications."""
    browser = chromium.browser_type.launch(executable_path=CHROMIUM, args=OPTIONS)
    yield browser
    browser.close()


def test_a_message_is_shown_while_the_app_is_closed_and_a_later_one_takes_its_place(
    whole_chromium, live_server, account, sign_in
):
    context = whole_chromium.new_context(base_url=live_server.url, permissions=["notifications"])
    page = install(sign_in(account, context.new_page()))
    for number in (2, 3):
        text = {"title": "Rest is over", "body": f"Bench Press, set {number}"}
        message = {**text, "tag": "rest", "path": "/train"}
        deliver(page, message)
        wait_until(lambda message=message: page.evaluate(SHOWN) == [message], within=10)
    context.close()
