"""A household whose proxy signs people in, in a browser."""

import shutil

import pytest

from tests.operations.house import running_house
from tests.screens.browser import PHONE, expect, in_browser

pytestmark = [
    *in_browser,
    pytest.mark.skipif(not shutil.which("nginx"), reason="needs nginx"),
]


@pytest.fixture
def house(tmp_path, prepared):
    with running_house(tmp_path, prepared) as address:
        yield address


@pytest.fixture
def at_home(chromium, house):
    """A page of a browser that knows the proxy."""
    context = chromium.new_context(base_url=house, viewport=PHONE)
    yield context.new_page()
    context.close()


def arrive(page, person, address="/settings/profile"):
    """Somebody signs in at the proxy, and opens a page."""
    page.goto("/offline")
    page.context.add_cookies([{"name": "proxy", "value": f"{person}@example.org", "url": page.url}])
    page.goto(address)


def test_who_is_signed_in_at_the_proxy_signs_out_there(at_home):
    at_home.goto("/")
    expect(at_home.get_by_text("Sign in to the house.")).to_be_visible()
    arrive(at_home, "ada")
    at_home.get_by_label("Name").fill("Ada")
    at_home.get_by_role("button", name="Save").click()
    expect(at_home.get_by_text("Your settings are saved.")).to_be_visible()
    arrive(at_home, "bob")
    expect(at_home.get_by_label("Name")).to_have_value("")
    arrive(at_home, "ada")
    expect(at_home.get_by_label("Name")).to_have_value("Ada")
    at_home.get_by_label("Account menu").click()
    at_home.get_by_role("button", name="Sign out").click()
    expect(at_home.get_by_text("Signed out of the house.")).to_be_visible()
    at_home.goto("/settings/profile")
    expect(at_home.get_by_text("Sign in to the house.")).to_be_visible()


def test_train_opens_before_any_other_page(at_home):
    """Nobody is asked for at its own address, but where it reads the workout."""
    arrive(at_home, "ada", "/train")
    expect(at_home.get_by_text("Saved")).to_be_visible()
    at_home.get_by_role("link", name="Choose what to train").click()
    expect(at_home.get_by_label("Account menu")).to_be_visible()
