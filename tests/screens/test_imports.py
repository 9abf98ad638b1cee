"""Imports in a browser: a newcomer on a phone, with the keyboard alone, without scripts, and the bar."""

import time

import pytest

from accounts.imports.models import ImportRun
from tests.imports.steps import one_record_at_a_time
from tests.imports.test_import_pages import FILES
from tests.screens.browser import PHONE, SMALL_PHONE, Touches, expect, in_browser, overflow, violations
from training.models import Workout

pytestmark = in_browser


def choose_file(screen, name):
    screen.get_by_label("File").set_input_files(FILES / name)


def read_file(screen, name):
    """The preview of a file."""
    screen.goto("/settings/data")
    choose_file(screen, name)
    screen.get_by_role("button", name="Read the file").click()
    expect(screen.get_by_text("Nothing is stored yet")).to_be_visible()


def imported(screen):
    expect(screen.get_by_role("link", name="See your workouts")).to_be_visible()


def test_a_newcomer_has_their_history_in_six_touches(sign_in, account):
    screen = sign_in(account)
    screen.set_viewport_size(PHONE)
    touches, began = Touches(screen), time.monotonic()
    screen.goto("/")
    touches.on(screen.get_by_role("link", name="Bring records along"))
    touches.count += 2  # the field opens the phone's list of files, and a file is chosen there
    choose_file(screen, "hevy_kg.csv")
    touches.on(screen.get_by_role("button", name="Read the file"))
    touches.on(screen.get_by_role("button", name="Import 2 workouts"))
    imported(screen)
    assert touches.count <= 6
    assert time.monotonic() - began < 60
    assert Workout.objects.filter(account=account).count() == 2


def test_the_bar_goes_on_by_itself_and_comes_back_to_where_it_was(sign_in, account, monkeypatch):
    one_record_at_a_time(monkeypatch)
    screen = sign_in(account)
    read_file(screen, "hevy_kg.csv")
    run = ImportRun.objects.get(account=account)
    screen.route("**/step", lambda route: route.abort())
    screen.evaluate(
        "fetch(location.href, {method: 'POST', body: new URLSearchParams("
        "[...new FormData(document.getElementById('preview')), ['import', 'yes']])})"
    )
    run.refresh_from_db()
    screen.unroute("**/step")
    screen.goto(f"/settings/data/imports/{run.pk}")
    imported(screen)
    assert Workout.objects.filter(account=account).count() == 2


def test_undo_asks_and_says_what_was_removed(sign_in, account):
    screen = sign_in(account)
    screen.set_viewport_size(PHONE)
    read_file(screen, "hevy_kg.csv")
    screen.get_by_role("button", name="Import 2 workouts").click()
    imported(screen)
    screen.get_by_role("link", name="Undo").click()
    expect(screen.get_by_role("dialog")).to_contain_text("2 workouts will be removed")
    screen.get_by_role("button", name="Undo the import").click()
    expect(screen.get_by_text("Taken back on")).to_be_visible()
    assert not Workout.objects.filter(account=account).exists()


def test_with_the_keyboard_alone(sign_in, account):
    screen = sign_in(account)
    screen.goto("/settings/data")
    choose_file(screen, "hevy_kg.csv")
    screen.get_by_label("File").focus()
    screen.keyboard.press("Tab")
    expect(screen.get_by_role("button", name="Read the file")).to_be_focused()
    screen.keyboard.press("Enter")
    begin = screen.get_by_role("button", name="Import 2 workouts")
    expect(begin).to_be_visible()
    screen.get_by_label("Time zone").focus()
    screen.keyboard.press("Tab")
    expect(begin).to_be_focused()
    screen.keyboard.press("Enter")
    imported(screen)


def test_without_scripts(chromium, live_server, sign_in, account, monkeypatch):
    one_record_at_a_time(monkeypatch)
    context = chromium.new_context(base_url=live_server.url, java_script_enabled=False, viewport=PHONE)
    screen = sign_in(account, context.new_page())
    read_file(screen, "hevy_kg.csv")
    screen.get_by_role("button", name="Import 2 workouts").click()
    bar = screen.get_by_role("progressbar")
    expect(bar).to_have_attribute("value", "1")
    expect(bar).to_have_accessible_name("1 of 2")
    screen.get_by_role("button", name="Go on").click()
    screen.get_by_role("button", name="Go on").click()
    imported(screen)
    context.close()


@pytest.mark.parametrize("name", ["strong_comma.csv", "hevy_lbs_us.csv"])
def test_the_pages_fit_small_phones_and_break_no_rule(sign_in, account, name):
    screen = sign_in(account)
    screen.set_viewport_size(SMALL_PHONE)

    def check():
        assert overflow(screen) == 0
        assert violations(screen) == []

    read_file(screen, name)
    check()
    screen.get_by_role("button", name="Import 2 workouts").click()
    imported(screen)
    check()
    screen.get_by_role("link", name="Back to Data").click()
    expect(screen.get_by_role("link", name=name, exact=True)).to_be_visible()
    check()
