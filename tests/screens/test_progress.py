"""Progress, the board of records and the calendar in a real browser."""

import re

import pytest
from django.utils import timezone

from accounts.models import Account
from fitness.site import demo
from tests.screens.browser import DESKTOP, PHONE, SMALL_PHONE, expect, in_browser, overflow, violations
from tests.screens.conftest import looks

pytestmark = in_browser

ADDRESSES = [
    "/progress",
    "/progress?measure=reps&by=volume",
    "/progress/records",
    "/progress/records?period=90-days&muscle_group=Core",
    "/more",
]


@pytest.fixture
def lifter(transactional_db):
    return demo.seed("demo@example.org", timezone.localdate(), 200, "blue horse 77")


@looks
def test_pages_of_progress_fit_and_are_accessible(screen, sign_in, lifter):
    sign_in(lifter)
    for address in ADDRESSES:
        screen.goto(address)
        for viewport in (PHONE, SMALL_PHONE, DESKTOP):
            screen.set_viewport_size(viewport)
            assert overflow(screen) == 0, (address, viewport)
            assert viewport == PHONE or violations(screen) == [], (address, viewport)


@looks
def test_an_empty_page_of_progress_is_accessible(screen, sign_in, account):
    sign_in(account)
    for viewport in (DESKTOP, SMALL_PHONE):
        screen.set_viewport_size(viewport)
        screen.goto("/progress")
        expect(screen.get_by_role("button", name="Start")).to_be_visible()
        assert overflow(screen) == 0
        assert violations(screen) == []


@looks
def test_pounds_and_reps_fit_a_small_phone(screen, sign_in, lifter):
    Account.objects.filter(pk=lifter.pk).update(units="lb")
    sign_in(lifter)
    screen.set_viewport_size(SMALL_PHONE)
    for measure in ("e1rm", "heaviest", "volume", "reps"):
        for by in ("sets", "volume"):
            screen.goto(f"/progress?measure={measure}&by={by}")
            assert overflow(screen) == 0, (measure, by)
    screen.goto("/progress/records")
    assert overflow(screen) == 0


@looks
def test_links_for_a_thumb_are_large_enough(screen, sign_in, lifter):
    sign_in(lifter)
    screen.set_viewport_size(PHONE)
    screen.goto("/progress")
    for links in (".lifts-name", ".ranges a", ".calendar-months a", ".calendar-months summary", ".nav a"):
        boxes = [link.bounding_box() for link in screen.locator(links).all() if link.is_visible()]
        assert boxes
        assert min(box["height"] for box in boxes) >= 44, links


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_measure_records_and_days_are_reached_by_links(screen, sign_in, lifter, viewport):
    sign_in(lifter)
    screen.set_viewport_size(viewport)
    screen.goto("/progress")
    screen.get_by_role("navigation", name="Measure").get_by_role("link", name="Heaviest").click()
    screen.get_by_role("group").filter(has_text="Shoulders").locator("summary").click()
    expect(screen.get_by_role("columnheader", name="Heaviest set")).to_be_visible()
    screen.get_by_role("button", name="Pin Barbell Overhead Press").click()
    pinned = screen.get_by_role("list").get_by_role("button", name="Pin Barbell Overhead Press", pressed=True)
    expect(pinned).to_be_visible()
    screen.get_by_role("navigation", name="Sets or volume").get_by_role("link", name="Volume").click()
    expect(screen.get_by_role("heading", name="Volume a week")).to_be_visible()
    expect(screen.get_by_role("link", name="Heaviest")).to_have_attribute("aria-current", "true")
    days = screen.get_by_role("link", name=re.compile("1 workout"))
    if viewport == PHONE:
        screen.locator(".calendar-months summary").nth(1).click()
    days.last.click()
    expect(screen).to_have_url(re.compile(r"/workouts\?day=\d{4}-\d\d-\d\d$"))
    screen.goto("/progress")
    screen.get_by_role("link", name="All records").click()
    screen.get_by_label("Muscle group").select_option("Legs")
    screen.get_by_role("button", name="Show").click()
    expect(screen.get_by_role("link", name="Barbell Back Squat")).to_be_visible()
    expect(screen.get_by_role("link", name="Barbell Bench Press")).to_have_count(0)
