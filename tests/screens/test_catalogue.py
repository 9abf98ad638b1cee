"""Staff and the catalogue in a real browser: the search for the exercise to keep."""

import pytest

from accounts.models import Account
from tests.screens.browser import PHONE, Touches, expect, in_browser, overflow
from training.models import Exercise

pytestmark = in_browser


@pytest.fixture
def staff(screen, sign_in):
    screen.set_viewport_size(PHONE)
    return sign_in(Account.objects.create_superuser("root@example.org", "blue horse 77"))


def test_staff_merge_a_found_exercise_by_six_touches(staff):
    touches = Touches(staff)
    staff.goto("/admin/training/exercise/?q=machine+chest+press")
    touches.on(staff.get_by_role("link", name="Machine Chest Press", exact=True))
    touches.on(staff.get_by_role("link", name="Merge into another"))
    expect(staff.locator(".select2-selection")).to_have_accessible_name("Exercise to keep:")
    touches.on(staff.locator(".select2-selection"))
    staff.locator(".select2-search__field").fill("flat bench press")
    touches.on(staff.get_by_role("option", name="Barbell Bench Press", exact=True))
    touches.on(staff.get_by_role("button", name="Preview"))
    expect(staff.get_by_text("A merge cannot be undone")).to_be_visible()
    assert overflow(staff) == 0
    touches.on(staff.get_by_role("button", name="Merge for good"))
    assert touches.count <= 6
    expect(staff.get_by_text("is merged into Barbell Bench Press")).to_be_visible()
    assert Exercise.objects.get(pk="machine-chest-press").merged_into_id == "barbell-bench-press"
