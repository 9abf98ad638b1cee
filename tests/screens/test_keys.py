"""API keys in a real browser: copying, the dialog that revokes, and a form that is sent once."""

import pytest

from tests.accounts.patterns import KEY
from tests.screens.browser import DESKTOP, SMALL_PHONE, expect, in_browser, overflow, violations

pytestmark = in_browser


@pytest.fixture
def developer(screen, sign_in, account):
    """The browser of an account without keys, at the form that makes them."""
    sign_in(account).goto("/settings/developer")
    return screen


def create_key(screen, name="phone"):
    screen.get_by_label("Name").fill(name)
    screen.get_by_role("button", name="Create key").click()
    expect(screen.get_by_role("heading", name="Your new key")).to_be_visible()


def status_with(screen, key):
    response = screen.request.get("/api/v1/workouts", headers={"Authorization": f"Bearer {key}"})
    return response.status


def test_a_newcomer_creates_copies_uses_and_revokes_a_key(screen, live_server, transactional_db):
    screen.goto("/sign-up")
    screen.get_by_label("Email").fill("ada@example.org")
    screen.get_by_label("Password", exact=True).fill("blue horse 77")
    screen.get_by_label("Repeat the password").fill("blue horse 77")
    screen.get_by_role("button", name="Create account").click()
    expect(screen.get_by_role("heading", name="Welcome")).to_be_visible()
    screen.goto("/settings/developer")
    create_key(screen)
    screen.get_by_role("button", name="Copy").first.click()
    expect(screen.get_by_role("button", name="Copied")).to_be_visible()
    key = screen.evaluate("navigator.clipboard.readText()")
    assert KEY.fullmatch(key)
    assert status_with(screen, key) == 200

    screen.get_by_role("link", name="I have saved the key").click()
    assert key not in screen.content()
    screen.get_by_role("link", name="Revoke phone").click()
    dialog = screen.get_by_role("dialog", name="Revoke “phone”?")
    assert violations(screen, ".dialog") == []
    dialog.get_by_role("button", name="Revoke key").click()
    expect(screen.get_by_text("“phone” is revoked.")).to_be_visible()
    assert status_with(screen, key) == 401


def test_a_revocation_can_be_cancelled(developer, account):
    account.issue_key("phone", "read", "never")
    developer.reload()
    developer.get_by_role("link", name="Revoke phone").click()
    developer.get_by_role("link", name="Keep it").click()
    expect(developer.get_by_role("dialog")).to_have_count(0)
    expect(developer.get_by_text("1 of 10 active")).to_be_visible()


def test_a_double_click_makes_one_key_and_shows_it(developer, account):
    developer.get_by_label("Name").fill("phone")
    developer.get_by_role("button", name="Create key").dblclick()
    expect(developer.get_by_role("heading", name="Your new key: phone")).to_be_visible()
    assert account.api_keys.count() == 1


def test_a_key_with_a_long_name_can_be_read(developer):
    """On the page that shows it once, in the list, and on the page that asks before it is revoked."""
    create_key(developer, "a-name-without-any-space-in-it-" * 6)
    assert_fits(developer)
    developer.goto("/settings/developer")
    assert_fits(developer)
    developer.goto(developer.get_by_role("link", name="Revoke").get_attribute("href"))
    assert_fits(developer)


def assert_fits(screen):
    for viewport in (DESKTOP, SMALL_PHONE):
        screen.set_viewport_size(viewport)
        assert overflow(screen) == 0, (screen.url, viewport)
    assert violations(screen) == []
