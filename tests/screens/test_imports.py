"""Imports in a browser, by a server with its worker: on a phone, by keyboard, without scripts, the bar."""

import signal
import time
from contextlib import contextmanager
from uuid import uuid4

import pytest
from django.conf import settings

from tests.imports.test_import_pages import FILES
from tests.screens.browser import SMALL_PHONE, Touches, expect, in_browser, overflow, violations
from tests.screens.conftest import WITHOUT_WORKERS, messages_of
from tests.server import Newcomer, running_server

pytestmark = [*in_browser, pytest.mark.xdist_group("imports in a browser")]  # one server for all


@pytest.fixture(scope="module")
def served(tmp_path_factory, prepared):
    with running_server(tmp_path_factory.mktemp("imports"), prepared) as server:
        server.start_worker()
        yield server


@pytest.fixture
def browser(chromium, served):
    """A function that returns the page of a newcomer, which must show no errors in its console."""
    person, opened = Newcomer(served), []
    assert person.sign_up(f"{uuid4().hex}@example.org") == 302

    def open_page(**options):
        context = chromium.new_context(
            base_url=served.url, viewport=SMALL_PHONE, reduced_motion="reduce", **options
        )
        context.add_init_script(WITHOUT_WORKERS)
        cookie = {"name": settings.SESSION_COOKIE_NAME, "value": person.session, "url": served.url}
        context.add_cookies([cookie])
        page = context.new_page()
        opened.append((context, messages_of(page)))
        return page

    yield open_page
    for context, messages in opened:
        context.close()
        assert messages == []


@pytest.fixture
def screen(browser):
    return browser()


@contextmanager
def at_rest(served):
    """Inside, the worker does nothing."""
    served.worker.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        served.worker.send_signal(signal.SIGCONT)


def choose_file(screen, name):
    screen.get_by_label("File").set_input_files(FILES / name)


def upload_file(screen, name):
    screen.goto("/settings/data")
    choose_file(screen, name)
    screen.get_by_role("button", name="Read the file").click()


def begin(screen):
    return screen.get_by_role("button", name="Import 2 workouts")


def imported(screen):
    expect(screen.get_by_role("link", name="See your workouts")).to_be_visible()
    expect(screen.get_by_role("definition").get_by_text("2 workouts")).to_be_visible()


def test_a_newcomer_has_their_history_in_six_touches(screen):
    touches, began = Touches(screen), time.monotonic()
    screen.goto("/")
    touches.on(screen.get_by_role("link", name="Import"))
    touches.count += 2  # the field opens the phone's list of files, and a file is chosen there
    choose_file(screen, "hevy_kg.csv")
    touches.on(screen.get_by_role("button", name="Read the file"))
    touches.on(begin(screen))
    imported(screen)
    assert touches.count <= 6
    assert time.monotonic() - began < 60


def test_the_bar_waits_for_the_worker_and_comes_back_to_where_it_was(screen, served):
    with at_rest(served):
        upload_file(screen, "hevy_kg.csv")
        expect(screen.get_by_text("Being read")).to_be_visible()
        expect(screen.get_by_role("progressbar")).to_have_accessible_name("Waiting")
        assert (overflow(screen), violations(screen)) == (0, [])
    expect(begin(screen)).to_be_visible()
    with at_rest(served):
        begin(screen).click()
        bar = screen.get_by_role("progressbar")
        expect(bar).to_have_attribute("value", "0")
        expect(bar).to_have_accessible_name("0 of 2")
        page = screen.url
        screen.goto("/")  # it goes on without its page
    screen.goto(page)
    imported(screen)


def test_with_the_keyboard_alone(screen):
    screen.goto("/settings/data")
    choose_file(screen, "hevy_kg.csv")
    screen.get_by_label("File").focus()
    screen.keyboard.press("Tab")
    expect(screen.get_by_role("button", name="Read the file")).to_be_focused()
    screen.keyboard.press("Enter")
    expect(begin(screen)).to_be_visible()
    screen.get_by_label("Time zone").focus()
    screen.keyboard.press("Tab")
    expect(begin(screen)).to_be_focused()
    screen.keyboard.press("Enter")
    imported(screen)


def test_without_scripts(browser, served):
    """The pages of what is under way are opened again by themselves."""
    screen = browser(java_script_enabled=False)
    with at_rest(served):
        upload_file(screen, "hevy_kg.csv")
        expect(screen.get_by_role("progressbar")).to_have_accessible_name("Waiting")
    begin(screen).click()
    imported(screen)
