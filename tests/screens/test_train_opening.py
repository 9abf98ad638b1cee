"""How /train opens: what is there before its scripts, what they load first, and what they load later."""

import re

from tests.screens.browser import SMALL_PHONE, expect, in_browser, overflow, violations
from tests.screens.test_train import (  # noqa: F401  # fixtures
    FINISHED,
    NAME,
    finished_workout,
    open_train,
    phone,
    phones,
    started,
    tick,
)

pytestmark = in_browser

ANY_SCRIPT = re.compile(r"/static/training/train/\w+\.js")
LATER = re.compile(r"/train/(later|choices|finish_view|finder|next_time|plates_view|rest_alarm)\.js")
NOT_LOADED = "This part of the page is not loaded."


def test_the_frame_looks_as_the_scripts_draw_it(phone, started):  # noqa: F811
    phone.set_viewport_size(SMALL_PHONE)
    phone.route("**/train/draft", lambda route: None)  # on its way
    phone.goto("/train")
    drawn = phone.locator("#train")
    expect(phone.locator(".train-opening")).to_have_count(0)
    scripted = drawn.inner_text()
    phone.route(ANY_SCRIPT, lambda route: route.abort())
    phone.goto("/train")
    expect(phone.locator(".train-opening")).to_have_count(2)
    assert drawn.inner_text() == scripted
    assert (overflow(phone), violations(phone)) == (0, [])


def test_who_has_no_scripts_reads_where_to_log_instead(chromium, live_server, transactional_db):
    context = chromium.new_context(base_url=live_server.url, java_script_enabled=False)
    page = context.new_page()
    page.goto("/train")
    expect(page.locator("noscript p")).to_be_visible()
    assert [one.inner_text() for one in page.locator("h1").all() if one.is_visible()] == ["Train"]
    expect(page.get_by_text("Opening your workout…")).to_be_hidden()
    context.close()


def test_the_server_is_asked_while_the_scripts_load(phone, started):  # noqa: F811
    with phone.expect_request("**/train/draft") as asked:
        phone.route("**/train/main.js", lambda route: asked.value and route.continue_())
        phone.goto("/train", wait_until="commit")
    expect(phone.get_by_role("region", name=NAME)).to_be_visible()


def test_saved_is_said_once_everything_is_there(phone, started):  # noqa: F811
    waiting = []
    phone.route(LATER, lambda route: waiting.append(route))
    bench = open_train(phone)
    tick(phone, 1)  # a touch before that counts
    expect(bench.get_by_text("1 of 3 sets")).to_be_visible()
    expect(phone.get_by_text("Connecting…")).to_be_visible()
    for route in waiting:
        route.continue_()
    phone.unroute(LATER)
    expect(phone.get_by_text("Saved")).to_be_visible()
    phone.context.set_offline(True)
    phone.get_by_role("button", name="Finish").click()
    expect(phone.get_by_role("region", name="Summary").get_by_label("Title")).to_be_visible()


def test_what_there_is_to_choose_has_the_focus_though_it_comes_after_the_touch(phone, started):  # noqa: F811
    waiting = []
    phone.route(LATER, lambda route: waiting.append(route))
    open_train(phone)
    phone.get_by_role("button", name="Add an exercise").click()
    expect(phone.get_by_text("Opening…")).to_be_visible()
    for route in waiting:
        route.continue_()
    phone.unroute(LATER)
    expect(phone.locator(".train-finder")).to_be_focused()  # the search would open the keyboard


def test_a_part_that_does_not_come_is_named_and_opens_with_the_connection(phone, started):  # noqa: F811
    phone.route(LATER, lambda route: route.abort())
    open_train(phone)
    phone.get_by_role("button", name="Add an exercise").click()
    expect(phone.get_by_text(NOT_LOADED)).to_be_visible()
    assert violations(phone) == []
    tick(phone, 1)
    phone.get_by_role("button", name="Finish").click()
    expect(phone.get_by_text(NOT_LOADED)).to_be_visible()
    phone.get_by_role("button", name="Keep training").click()
    expect(phone.get_by_label("Done, set 1")).to_be_checked()
    phone.unroute(LATER)
    phone.evaluate("dispatchEvent(new Event('online'))")
    expect(phone.get_by_text("Saved")).to_be_visible()
    phone.get_by_role("button", name="Finish").click()
    phone.get_by_role("button", name="Finish").click()
    phone.wait_for_url(FINISHED)
    assert finished_workout(started).exercises.get().completed_sets == 1
