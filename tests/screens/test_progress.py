"""Progress, the board of records and the calendar in a real browser."""

import re

import pytest
from django.utils import timezone

from fitness.management.commands import seed_demo
from tests.screens.browser import PHONE, expect, in_browser

pytestmark = in_browser


@pytest.fixture
def lifter(transactional_db):
    return seed_demo.seed("demo@example.org", timezone.localdate(), 200, "blue horse 77")


def test_measure_records_and_days_are_reached_by_links(screen, sign_in, lifter):
    sign_in(lifter)
    screen.set_viewport_size(PHONE)
    screen.goto("/progress")
    screen.get_by_role("navigation", name="Measure").get_by_role("link", name="Heaviest").click()
    screen.get_by_role("link", name="All exercises").click()
    expect(screen.get_by_role("columnheader", name="Heaviest set").first).to_be_visible()
    screen.get_by_role("button", name="Pin Barbell Overhead Press").click()
    expect(screen).to_have_url(re.compile(r"/progress/lifts\?measure=heaviest$"))
    screen.get_by_role("main").get_by_role("link", name="Progress", exact=True).click()
    pinned = screen.get_by_role("list").get_by_role("button", name="Pin Barbell Overhead Press", pressed=True)
    expect(pinned).to_be_visible()
    screen.get_by_role("navigation", name="Sets or volume").get_by_role("link", name="Volume").click()
    expect(screen.get_by_role("heading", name="Volume a week")).to_be_visible()
    expect(screen.get_by_role("link", name="Heaviest")).to_have_attribute("aria-current", "true")
    days = screen.get_by_role("link", name=re.compile("1 workout"))
    screen.locator(".calendar-months summary").nth(1).click()
    days.last.click()
    expect(screen).to_have_url(re.compile(r"/workouts\?day=\d{4}-\d\d-\d\d$"))
    screen.goto("/progress")
    screen.get_by_role("link", name="All records").click()
    screen.get_by_label("Muscle group").select_option("Legs")
    screen.get_by_role("button", name="Show").click()
    expect(screen.get_by_role("link", name="Barbell Back Squat")).to_be_visible()
    expect(screen.get_by_role("link", name="Barbell Bench Press")).to_have_count(0)
