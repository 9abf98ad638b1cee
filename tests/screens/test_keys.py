"""API keys in a real browser: creating, copying, revoking; and the layout of the screens."""

import pytest

from tests.accounts.patterns import KEY
from tests.screens.browser import DESKTOP, SMALL_PHONE, expect, in_browser, overflow, violations
from tests.screens.conftest import looks

pytestmark = in_browser

PUBLIC_SCREENS = ["/", "/docs", "/sign-in", "/sign-up"]
SETTINGS = ["/settings/profile", "/settings/account", "/settings/developer"]


def sign_up(screen):
    screen.goto("/sign-up")
    screen.get_by_label("Email").fill("ada@example.org")
    screen.get_by_label("Password", exact=True).fill("blue horse 77")
    screen.get_by_label("Repeat the password").fill("blue horse 77")
    screen.get_by_role("button", name="Create account").click()
    expect(screen.get_by_role("heading", name="Welcome")).to_be_visible()


def create_key(screen, name="phone"):
    screen.goto("/settings/developer")
    screen.get_by_label("Name").fill(name)
    screen.get_by_role("button", name="Create key").click()


def status_with(screen, key):
    response = screen.request.get("/api/v1/workouts", headers={"Authorization": f"Bearer {key}"})
    return response.status


def test_a_key_is_created_copied_used_and_revoked(screen):
    sign_up(screen)
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
    dialog.get_by_role("button", name="Revoke key").click()
    expect(screen.get_by_text("“phone” is revoked.")).to_be_visible()
    assert status_with(screen, key) == 401


def test_a_revocation_can_be_cancelled(screen):
    sign_up(screen)
    create_key(screen)
    screen.goto("/settings/developer")
    screen.get_by_role("link", name="Revoke phone").click()
    screen.get_by_role("link", name="Keep it").click()
    expect(screen.get_by_role("dialog")).to_have_count(0)
    expect(screen.get_by_text("1 of 10 active")).to_be_visible()


def test_corrections_are_allowed_and_stopped_in_the_list(screen):
    sign_up(screen)
    screen.goto("/settings/developer")
    screen.get_by_label("Name").fill("assistant")
    screen.get_by_label("Read and write").check()
    screen.get_by_role("button", name="Create key").click()
    screen.goto("/settings/developer")
    for act, shown in (("Allow", 1), ("Stop", 0)):
        screen.get_by_role("link", name=f"{act} corrections by assistant").click()
        dialog = screen.get_by_role("dialog", name=f"{act} corrections by “assistant”?")
        assert violations(screen, ".dialog") == []
        dialog.get_by_role("button", name=f"{act} corrections").click()
        expect(screen.get_by_text("Corrects and deletes")).to_have_count(shown)


def test_a_double_click_makes_one_key_and_shows_it(screen):
    sign_up(screen)
    screen.goto("/settings/developer")
    screen.get_by_label("Name").fill("phone")
    screen.get_by_role("button", name="Create key").dblclick()
    expect(screen.get_by_role("heading", name="Your new key: phone")).to_be_visible()
    screen.goto("/settings/developer")
    expect(screen.get_by_text("1 of 10 active")).to_be_visible()


def test_reloading_the_screen_with_the_key_does_not_create_another(screen):
    sign_up(screen)
    create_key(screen)
    expect(screen.get_by_role("link", name="I have saved the key")).to_be_visible()
    screen.reload()
    expect(screen.get_by_text("already made its key")).to_be_visible()
    expect(screen.get_by_text("1 of 10 active")).to_be_visible()


def test_signing_out_is_two_clicks_away(screen):
    sign_up(screen)
    screen.get_by_label("Account menu").click()
    screen.get_by_role("button", name="Sign out").click()
    expect(screen.get_by_role("heading", name="Sign in")).to_be_visible()


def test_the_reference_shows_the_operations(screen):
    screen.goto("/docs")
    expect(screen.get_by_text("Log a workout")).to_be_visible()


@looks
@pytest.mark.parametrize("viewport", [DESKTOP, SMALL_PHONE], ids=["desktop", "phone"])
def test_no_screen_scrolls_sideways(screen, viewport):
    screen.set_viewport_size(viewport)
    for address in PUBLIC_SCREENS:
        screen.goto(address, wait_until="networkidle")
        assert overflow(screen) == 0, address
    sign_up(screen)
    assert overflow(screen) == 0, "home"
    create_key(screen, "a-name-without-any-space-in-it-" * 6)
    expect(screen.get_by_role("heading", name="Your new key")).to_be_visible()
    assert overflow(screen) == 0, "new key"
    for address in SETTINGS:
        screen.goto(address)
        assert overflow(screen) == 0, address
    screen.goto(screen.get_by_role("link", name="Revoke").get_attribute("href"))
    assert overflow(screen) == 0, "revoke"


def test_a_key_is_created_and_revoked_without_scripts(chromium, live_server, transactional_db):
    context = chromium.new_context(base_url=live_server.url, java_script_enabled=False)
    screen = context.new_page()
    sign_up(screen)
    create_key(screen)
    assert status_with(screen, key := screen.locator("#key").text_content()) == 200
    screen.goto("/settings/developer")
    screen.get_by_role("link", name="Revoke phone").click()
    screen.get_by_role("button", name="Revoke key").click()
    assert status_with(screen, key) == 401
    context.close()


def test_the_admin_complies_with_the_content_security_policy(screen, django_user_model):
    django_user_model.objects.create_superuser("root@example.org", "blue horse 77")
    screen.goto("/admin/")
    screen.get_by_label("Email").fill("root@example.org")
    screen.get_by_label("Password").fill("blue horse 77")
    screen.get_by_role("button", name="Sign in", exact=True).click()
    for address in [
        *("accounts/account/", "accounts/apikey/", "accounts/apikey/add/", "accounts/auditevent/"),
        *("training/exercise/", "training/exercise/add/", "training/workout/"),
    ]:
        screen.goto(f"/admin/{address}", wait_until="networkidle")
        expect(screen.get_by_text("Fitness administration")).to_be_visible()
