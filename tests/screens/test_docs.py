"""The API reference in a real browser: Swagger UI, as this service shows it."""

import pytest

from tests.screens.browser import DESKTOP, PHONE, expect, in_browser
from tests.screens.test_app import serious

pytestmark = in_browser

NOTE_SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map((shift) => shift.value)))
  .observe({ type: "layout-shift", buffered: true });
"""
AFTER_A_FRAME = "new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))"
OPENED = ["Search the catalogue", "Log a workout", "Delete a weight log"]


@pytest.fixture
def reference(screen):
    def reference(**media):
        screen.emulate_media(reduced_motion="reduce", **media)
        screen.goto("/docs")
        expect(screen.get_by_text("Log a workout", exact=True)).to_be_visible()
        return screen

    return reference


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_reference_shuts_nobody_out(reference, scheme):
    screen = reference(color_scheme=scheme)
    for operation in OPENED:
        screen.get_by_text(operation, exact=True).click()
    screen.get_by_role("button", name="Try it out").nth(1).click()
    expect(screen.get_by_role("button", name="Execute")).to_be_visible()
    assert serious(screen) == []
    screen.get_by_role("button", name="Authorize").click()
    expect(screen.get_by_role("heading", name="Available authorizations")).to_be_visible()
    assert serious(screen, ".dialog-ux") == []


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_nothing_moves_while_the_reference_loads(screen, reference, viewport):
    screen.set_viewport_size(viewport)
    screen.add_init_script(NOTE_SHIFTS)
    reference().evaluate(AFTER_A_FRAME)
    assert screen.evaluate("window.shifts") == []


def test_an_operation_has_an_address(chromium, live_server):
    context = chromium.new_context(base_url=live_server.url)  # Swagger UI warns in the console of "_" in it
    screen = context.new_page()
    screen.goto("/docs")
    screen.get_by_text("Log a workout", exact=True).click()
    expect(screen).to_have_url(f"{live_server.url}/docs#/Workouts/log_workout")
    screen.reload()
    expect(screen.get_by_role("button", name="Try it out")).to_be_visible()
    context.close()
