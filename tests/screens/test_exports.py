"""Large exports in a browser: a phone from the page of data to the file."""

import zipfile

import pytest

from accounts.models import StoredFile
from fitness.site.data import exports
from tests.imports.accounts import fill
from tests.imports.steps import work
from tests.screens.browser import PHONE, expect, in_browser

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
