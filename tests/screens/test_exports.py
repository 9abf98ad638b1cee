"""Large exports in a browser: what a phone shows from the page of data to the file."""

import zipfile

import pytest
from django.urls import reverse

from accounts.models import StoredFile, Task
from fitness.site.data import exports
from tests.imports.accounts import fill
from tests.imports.steps import work
from tests.screens.browser import PHONE, SMALL_PHONE, expect, in_browser, overflow, violations

pytestmark = in_browser


@pytest.fixture
def screen_of_large(sign_in, account, monkeypatch):
    """The phone of somebody with much data."""
    monkeypatch.setattr(exports, "SMALL_BYTES", 0)
    fill(account)
    screen = sign_in(account)
    screen.set_viewport_size(PHONE)
    return screen


def test_a_phone_has_a_large_file_made_and_downloads_it(screen_of_large, tmp_path):
    screen = screen_of_large
    screen.goto("/settings/data")
    screen.get_by_role("button", name="Prepare everything").click()
    expect(screen.get_by_text("Waiting")).to_be_visible()
    work()
    with screen.expect_download() as download:
        screen.get_by_role("link", name="Download fitness-").click()
    download.value.save_as(tmp_path / "file.zip")
    with zipfile.ZipFile(tmp_path / "file.zip") as archive:
        assert archive.testzip() is None
    screen.goto("/settings/data")
    screen.get_by_role("button", name="Delete fitness-").click()
    expect(screen.get_by_role("button", name="Delete fitness-")).to_have_count(0)
    assert not StoredFile.objects.exists()


def test_without_scripts(chromium, live_server, sign_in, screen_of_large, account):
    context = chromium.new_context(base_url=live_server.url, java_script_enabled=False, viewport=PHONE)
    screen = sign_in(account, context.new_page())
    screen.goto("/settings/data/export/hevy")
    screen.get_by_role("button", name="Prepare the file").click()
    expect(screen.get_by_role("progressbar")).to_be_visible()
    work()
    expect(screen.get_by_role("link", name="Download hevy-")).to_be_visible()
    context.close()


def test_every_page_fits_and_is_accessible(screen_of_large, account):
    screen = screen_of_large
    screen.set_viewport_size(SMALL_PHONE)

    def look(address):
        screen.goto(address)
        assert overflow(screen) <= 0
        assert violations(screen) == []

    look("/settings/data")
    look("/settings/data/export/everything")
    screen.get_by_role("button", name="Prepare the file").click()
    expect(screen.get_by_text("Waiting")).to_be_visible()
    file = account.stored_files.get()
    StoredFile.objects.filter(account=account).update(size=12_500_000)
    address = reverse("prepared-export", args=[file.pk])
    look(address)
    expect(screen.get_by_text("11.9 MB so far")).to_be_visible()
    look("/settings/data")
    work()
    look(address)
    look("/settings/data")
    StoredFile.objects.filter(account=account).update(is_whole=False, problem="It does not fit.")
    Task.objects.filter(account=account).delete()
    look(address)
