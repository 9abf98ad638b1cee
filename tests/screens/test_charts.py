"""Line charts in a real browser: values by mouse, finger and keys, zoom, ranges, no scripts."""

import datetime
import re

import pytest
from django.utils import timezone

from tests.conftest import a_set, a_workout, client_of
from tests.screens.browser import (
    CHROMIUM,
    OPTIONS,
    PHONE,
    expect,
    in_browser,
    overflow,
)
from tests.screens.conftest import messages_of

pytestmark = in_browser

BENCH = "barbell-bench-press"
READING = re.compile(r"^\d+ [A-Z][a-z]{2} \d{4}: Weighed [\d.]+ kg, Trend [\d.]+ kg$")


@pytest.fixture
def today():
    return timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)


@pytest.fixture
def weighed(account, today):
    """An account with a weight for each of 80 days: 80 kg, then a tenth of a kilogram more each day."""
    for day in range(80):
        account.weight_logs.create(
            logged_at=today - datetime.timedelta(days=79 - day), weight_kg=round(80 + day / 10, 1)
        )
    return account


@pytest.fixture
def body(weighed, sign_in):
    """The page of body weight, with its chart drawn."""
    screen = sign_in(weighed)
    screen.goto("/body")
    expect(chart_of(screen)).to_be_visible()
    return screen


def chart_of(screen):
    return screen.get_by_role("application", name=re.compile("^Body weight"))


def reading(screen):
    return screen.locator("output.chart-reading")


def plot_box(screen):
    return screen.locator(".u-over").bounding_box()


def written(day):
    return f"{day.day} {day:%b} {day.year}"


def texts_across(screen, move):
    """What the reading says at some places of the chart, from left to right."""
    found, box = [], plot_box(screen)
    for share in (0.05, 0.35, 0.65, 0.95):
        earlier = reading(screen).inner_text()
        move(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
        expect(reading(screen)).not_to_have_text(earlier)
        expect(reading(screen)).to_have_text(READING)
        found.append(reading(screen).inner_text())
    return found


def drag(screen, start, end):
    box = plot_box(screen)
    middle = box["y"] + box["height"] / 2
    screen.mouse.move(box["x"] + start * box["width"], middle)
    screen.mouse.down()
    screen.mouse.move(box["x"] + end * box["width"], middle, steps=5)
    screen.mouse.up()


def test_a_finger_reads_values_and_days(chromium, weighed, live_server, sign_in):
    # In the headless shell a mouse leaves the page after each touch.
    browser = chromium.browser_type.launch(executable_path=CHROMIUM, args=OPTIONS)
    context = browser.new_context(base_url=live_server.url, viewport=PHONE, has_touch=True, is_mobile=True)
    screen = sign_in(weighed, context.new_page())
    messages = messages_of(screen)
    screen.goto("/body")
    chart_of(screen).scroll_into_view_if_needed()
    assert len(set(texts_across(screen, screen.touchscreen.tap))) == 4
    assert screen.locator(".u-over").evaluate("over => getComputedStyle(over).touchAction") == "pan-y"
    browser.close()
    assert messages == []


def test_arrow_keys_read_point_after_point_as_the_server_writes_them(weighed, sign_in, today):
    weighed.units = "lb"
    weighed.save()
    screen = sign_in(weighed)
    screen.goto("/body")
    newest = reading(screen).inner_text()
    chart_of(screen).focus()
    for key, days_ago, lb in (
        *(("ArrowLeft", 1, "193.6"), ("ArrowLeft", 2, "193.3"), ("ArrowRight", 1, "193.6")),
        *(("Home", 79, "176.4"), ("ArrowLeft", 79, "176.4"), ("End", 0, "193.8"), ("ArrowRight", 0, "193.8")),
    ):
        screen.keyboard.press(key)
        day = written(today - datetime.timedelta(days=days_ago))
        expect(reading(screen)).to_have_text(re.compile(f"^{day}: Weighed {lb} lb, Trend "))
    expect(reading(screen)).to_have_text(newest)
    expect(screen.get_by_role("status").filter(has_text="Weighed")).to_have_attribute("aria-live", "polite")


def test_the_mouse_reads_values_zooms_and_shows_all_again(body):
    reset = body.get_by_role("button", name="Reset zoom")
    newest = reading(body).inner_text()
    whole = texts_across(body, body.mouse.move)
    assert len(set(whole)) == 4
    assert not reset.is_visible()

    drag(body, 0.3, 0.6)
    expect(reset).to_be_visible()
    zoomed = texts_across(body, body.mouse.move)
    assert set(zoomed).isdisjoint({whole[0], whole[3]})
    body.locator(".u-over").dblclick()
    expect(reset).to_be_hidden()
    assert texts_across(body, body.mouse.move) == whole

    drag(body, 0.3, 0.6)
    chart_of(body).focus()
    body.keyboard.press("Home")
    assert not reading(body).inner_text().endswith("Weighed 80 kg, Trend 80 kg")
    body.keyboard.press("Escape")
    expect(reset).to_be_hidden()
    drag(body, 0.3, 0.6)
    reset.click()
    expect(chart_of(body)).to_be_focused()
    assert texts_across(body, body.mouse.move) == whole
    body.mouse.move(1, 1)
    expect(reading(body)).to_have_text(newest)


def test_another_range_needs_no_new_page(body):
    documents = []
    body.on("request", lambda one: one.resource_type == "document" and documents.append(one.url))
    rows = body.locator(".chart-table tbody tr")
    expect(rows).to_have_count(40)
    for name, count in (("30 days", 30), ("All", 40)):
        body.get_by_role("link", name=name).click()
        expect(body.get_by_role("link", name=name)).to_have_attribute("aria-current", "true")
        expect(body.get_by_role("link", name=name)).to_be_focused()
        expect(rows).to_have_count(count)
        expect(chart_of(body)).to_have_count(1)
        texts_across(body, body.mouse.move)
    assert body.url.endswith("/body?range=all")
    assert documents == []
    body.reload()
    expect(body.get_by_role("link", name="All")).to_have_attribute("aria-current", "true")


def test_the_range_of_an_exercise_keeps_the_page_of_its_sessions(account, sign_in, today):
    api = client_of(account)
    for day in range(45):
        at = today - datetime.timedelta(days=5 * day)
        body = a_workout(a_set(weight_kg=100 - day, reps=5), started_at=at.isoformat())
        assert api.post("/workouts", body).status_code == 201
    screen = sign_in(account)
    screen.goto(f"/exercises/{BENCH}")
    screen.get_by_role("link", name="Older workouts").click()
    sessions = screen.get_by_role("region", name="Workouts").inner_text()
    screen.evaluate("window.stays = true")
    screen.get_by_role("link", name="3 months").click()
    expect(screen.locator("[data-chart]")).to_have_count(1)
    expect(screen.get_by_role("link", name="3 months")).to_have_attribute("aria-current", "true")
    expect(screen.get_by_role("link", name="3 months")).to_be_focused()
    screen.get_by_role("link", name="e1RM").click()
    expect(screen.get_by_role("application", name="e1RM")).to_be_visible()
    expect(screen.get_by_role("link", name="3 months")).to_have_attribute("aria-current", "true")
    assert screen.get_by_role("region", name="Workouts").inner_text() == sessions
    assert screen.evaluate("window.stays")
    assert "range=3m" in screen.get_by_role("link", name="Newest").get_attribute("href")


def test_where_another_range_cannot_be_fetched_its_link_opens_the_page(body):
    body.context.clear_cookies()
    body.get_by_role("link", name="30 days").click()
    expect(body.get_by_role("button", name="Sign in")).to_be_visible()


def test_without_scripts_there_is_a_table(chromium, weighed, live_server, sign_in):
    context = chromium.new_context(base_url=live_server.url, java_script_enabled=False)
    screen = sign_in(weighed, context.new_page())
    screen.goto("/body")
    expect(screen.locator(".chart-live")).to_be_hidden()
    screen.get_by_role("link", name="30 days").click()
    expect(screen.get_by_role("link", name="30 days")).to_have_attribute("aria-current", "true")
    screen.get_by_text("Show as table").click()
    expect(screen.get_by_role("region", name="Body weight, as a table")).to_be_visible()
    context.close()


def test_small_charts_can_be_read(weighed, sign_in, today):
    for day in range(3):
        weighed.measurements.create(logged_at=today - datetime.timedelta(days=day), waist_cm=84.5, neck_cm=38)
    screen = sign_in(weighed)
    screen.goto("/body/measurements")
    screen.get_by_text("Over time, in cm").click()
    expect(screen.get_by_role("application")).to_have_count(2)
    screen.get_by_role("application", name=re.compile("^Waist")).focus()
    screen.keyboard.press("Home")
    day = written(today - datetime.timedelta(days=2))
    expect(reading(screen).first).to_have_text(f"{day}: 84.5 cm")
    screen.set_viewport_size(PHONE)
    assert overflow(screen) == 0
