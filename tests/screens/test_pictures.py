"""Pictures of exercises, as a browser shows them."""

import pytest

from tests.screens.browser import PHONE, expect, in_browser, overflow, violations
from tests.screens.test_train import (  # noqa: F401  # fixtures
    BENCH,
    NAME,
    choose,
    open_train,
    phone,
    phones,
    started,
)
from tests.training.test_pictures import data_dir, drawn, load, put, source  # noqa: F401  # fixtures
from training.models import Exercise

pytestmark = in_browser

FIRST, SECOND = f"{NAME}, picture 1 of 2", f"{NAME}, picture 2 of 2"
PAINTED = "(image) => image.complete && image.naturalWidth"


@pytest.fixture
def loaded(source, data_dir):  # noqa: F811
    put(source, "exercises/Plank/0.jpg", drawn())
    load(source)
    return data_dir


def test_pages_with_pictures_fit_a_phone_and_move_nothing(screen, sign_in, account, loaded):
    page = sign_in(account)
    page.set_viewport_size(PHONE)
    moved = "new PerformanceObserver((all) => { window.moved = all.getEntries().length })"
    page.add_init_script(f"{moved}.observe({{ type: 'layout-shift', buffered: true }})")
    for address in (f"/exercises/{BENCH}", "/exercises?q=bench"):
        page.goto(address)
        thumb = page.locator("img.thumb").first
        thumb.scroll_into_view_if_needed()
        page.wait_for_load_state("networkidle")
        assert thumb.evaluate(PAINTED) == 192
        assert (overflow(page), page.evaluate("window.moved ?? 0"), violations(page)) == (0, 0, []), address


def test_train_shows_how_to_do_it_in_its_place(phone, started, loaded):  # noqa: F811
    lift = open_train(phone)
    choose(lift, "How to")
    for name in (FIRST, SECOND):
        expect(lift.get_by_role("img", name=name)).to_be_visible()
    phone.wait_for_load_state("networkidle")
    assert lift.get_by_role("img", name=SECOND).evaluate(PAINTED) == 640
    assert (overflow(phone), violations(phone, "section")) == (0, [])


def test_train_shows_them_where_an_exercise_is_swapped(phone, started, loaded):  # noqa: F811
    lift = open_train(phone)
    choose(lift, "Swap")
    lift.get_by_label("Swap for").fill("plank")
    found = lift.locator("[data-do=choose-exercise]")
    expect(found.first.locator("img.thumb")).to_be_visible()
    phone.wait_for_load_state("networkidle")
    assert found.first.locator("img.thumb").evaluate(PAINTED) == 192
    assert found.nth(1).locator("span.thumb").count() == 1
    assert (overflow(phone), violations(phone, ".train-finder")) == (0, [])
    found.first.click()
    expect(phone.get_by_role("region", name="Plank")).to_be_visible()


def test_how_to_is_read_without_a_connection_and_without_pictures(phone, started):  # noqa: F811
    lift = open_train(phone)
    expect(phone.get_by_text("Saved")).to_be_visible()
    phone.context.set_offline(True)
    choose(lift, "How to")
    first, *_ = Exercise.objects.get(pk=BENCH).instructions.splitlines()
    expect(lift.get_by_text(first)).to_be_visible()
