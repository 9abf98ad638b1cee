"""The API reference (Swagger UI) in a real browser."""

import pytest

from tests.screens.all_screens import serious_violations
from tests.screens.browser import DESKTOP, PHONE, expect, in_browser

pytestmark = in_browser

RECORD_SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map((shift) => shift.value)))
  .observe({ type: "layout-shift", buffered: true });
"""
AFTER_A_FRAME = "new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))"
OPENED = ["Search the catalogue", "Log a workout", "Delete a weight log"]


@pytest.fixture
def open_reference(screen):
    def open_reference():
        screen.goto("/docs")
        expect(screen.get_by_text("Log a workout", exact=True)).to_be_visible()
        return screen

    return open_reference


def test_the_reference_is_accessible(open_reference):
    screen = open_reference()
    for operation in OPENED:
        screen.get_by_text(operation, exact=True).click()
    screen.get_by_role("button", name="Try it out").nth(1).click()
    expect(screen.get_by_role("button", name="Execute")).to_be_visible()
    assert serious_violations(screen) == []
    screen.get_by_role("button", name="Authorize").click()
    expect(screen.get_by_role("heading", name="Available authorizations")).to_be_visible()
    assert serious_violations(screen, ".dialog-ux") == []


def test_the_layout_does_not_shift_while_the_reference_loads(screen, open_reference):
    screen.add_init_script(RECORD_SHIFTS)
    for viewport in (DESKTOP, PHONE):
        screen.set_viewport_size(viewport)
        open_reference().evaluate(AFTER_A_FRAME)
        assert screen.evaluate("window.shifts") == [], viewport


def test_an_operation_has_its_own_address(chromium, live_server):
    # Without the fixture `screen`: Swagger UI logs a warning because the address contains "_".
    context = chromium.new_context(base_url=live_server.url)
    screen = context.new_page()
    screen.goto("/docs")
    screen.get_by_text("Log a workout", exact=True).click()
    expect(screen).to_have_url(f"{live_server.url}/docs#/Workouts/log_workout")
    screen.reload()
    expect(screen.get_by_role("button", name="Try it out")).to_be_visible()
    context.close()
