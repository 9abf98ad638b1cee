"""Staff and the catalogue in a real browser: retire, merge, import."""

import json

import pytest

from accounts.models import Account
from tests.screens.browser import DESKTOP, PHONE, Touches, expect, in_browser, overflow
from tests.training.test_import_exercises import entry
from training.models import Exercise

pytestmark = in_browser


@pytest.fixture(params=[DESKTOP, PHONE], ids=["desktop", "phone"])
def staff(request, screen, sign_in):
    screen.set_viewport_size(request.param)
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


def test_staff_retire_an_exercise(staff):
    touches = Touches(staff)
    staff.goto("/admin/training/exercise/?q=ohp")
    touches.on(staff.get_by_role("row", name="Barbell Overhead Press").get_by_role("checkbox"))
    touches.choose(staff.get_by_label("Action:"), "Retire the selected exercises")
    touches.on(staff.get_by_role("button", name="Go", exact=True))
    retire = staff.get_by_role("button", name="Retire")
    expect(retire).to_be_visible()
    assert overflow(staff) == 0
    touches.on(retire)
    assert touches.count <= 5
    expect(staff.get_by_text("Retired: 1.")).to_be_visible()
    assert Exercise.objects.get(pk="barbell-overhead-press").retired_at


def test_staff_import_a_file(staff):
    staff.goto("/admin/training/exercise/")
    staff.get_by_role("link", name="Import a file").click()
    content = json.dumps([entry(), entry("Star Walk")]).encode()
    file = {"name": "exercises.json", "mimeType": "application/json", "buffer": content}
    staff.get_by_label("File").set_input_files(file)
    staff.get_by_role("button", name="Preview").click()
    expect(staff.get_by_text("2 entries: 2 added")).to_be_visible()
    assert overflow(staff) == 0
    staff.get_by_role("button", name="Import").click()
    expect(staff.get_by_text("Imported. 2 entries: 2 added")).to_be_visible()
    assert Exercise.objects.filter(pk="star-walk").exists()
