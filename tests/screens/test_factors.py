"""Second factors and passkeys in a real browser, with Chromium's virtual authenticator."""

from urllib.parse import urlsplit

import pytest

from tests.accounts.devices import code_of
from tests.factories import PASSWORD
from tests.screens.all_screens import serious_violations
from tests.screens.browser import DESKTOP, PHONE, SMALL_PHONE, expect, in_browser, overflow

pytestmark = in_browser


@pytest.fixture(autouse=True)
def passkeys_at_the_live_server(live_server, settings):
    settings.PASSKEY_ORIGIN = live_server.url
    assert urlsplit(live_server.url).hostname == "localhost"


@pytest.fixture
def authenticator(screen):
    """A phone that stores passkeys and recognises its owner; `screen` asks it."""
    session = screen.context.new_cdp_session(screen)
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    added = session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    return session, added["authenticatorId"]


def sign_in(screen, **where):
    screen.goto(where.get("address", "/sign-in"))
    screen.get_by_label("Email").fill("lifter@example.org")
    screen.get_by_label("Password").fill(PASSWORD)
    screen.get_by_role("button", name="Sign in", exact=True).click()


def sign_out(screen):
    screen.context.clear_cookies()


def add_passkey(screen, name="phone"):
    screen.goto("/settings/account/factors/passkeys/add")
    screen.get_by_label("Name").fill(name)
    screen.get_by_role("button", name="Add the passkey").click()


def set_up_app(screen):
    """Sets an app up as people do."""
    screen.goto("/settings/account/factors/authenticator")
    key = screen.locator("#key").text_content()
    screen.get_by_label("Code that the app shows").fill(code_of(key))
    screen.get_by_role("button", name="Confirm the code").click()
    expect(screen.get_by_role("heading", name="Your recovery codes")).to_be_visible()


def expect_home(screen):
    expect(screen.get_by_role("navigation", name="Main")).to_be_visible()


def expect_path(screen, path):
    """Not a pattern of addresses: the sign-in's own ends in `?next=` and the path."""
    screen.wait_for_url(lambda url: urlsplit(url).path == path)


def test_a_passkey_is_added_and_signs_in_both_ways(screen, account, authenticator):
    sign_in(screen)
    expect_home(screen)
    add_passkey(screen)
    expect(screen.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    screen.get_by_role("link", name="I have saved the codes").click()
    expect(screen.get_by_text("Never used")).to_be_visible()

    sign_out(screen)
    sign_in(screen, address="/sign-in?next=/workouts")
    screen.get_by_role("button", name="Use a passkey").click()
    expect_path(screen, "/workouts")

    sign_out(screen)
    screen.goto("/sign-in?next=/goals")
    screen.get_by_role("button", name="Sign in with a passkey").click()
    expect_path(screen, "/goals")
    assert account.passkeys.get().sign_count >= 2


def test_the_keyboard_alone_adds_a_passkey_and_signs_in(screen, account, authenticator):
    sign_in(screen)
    screen.goto("/settings/account/factors/passkeys/add")
    screen.get_by_label("Name").focus()
    screen.keyboard.type("phone")
    screen.keyboard.press("Enter")
    expect(screen.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    sign_out(screen)
    screen.goto("/sign-in")
    button = screen.get_by_role("button", name="Sign in with a passkey")
    for _ in range(20):
        screen.keyboard.press("Tab")
        if button.evaluate("(button) => button === document.activeElement"):
            break
    screen.keyboard.press("Enter")
    expect_home(screen)


def test_the_same_device_is_not_added_twice(screen, account, authenticator):
    sign_in(screen)
    add_passkey(screen)
    expect(screen.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    add_passkey(screen)
    expect(screen.get_by_text("This device has a passkey of your account already.")).to_be_visible()
    assert account.passkeys.count() == 1


def test_a_device_that_does_not_know_its_owner_signs_nobody_in(screen, account, authenticator):
    session, authenticator_id = authenticator
    sign_in(screen)
    add_passkey(screen)
    expect(screen.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    sign_out(screen)
    session.send("WebAuthn.setUserVerified", {"authenticatorId": authenticator_id, "isUserVerified": False})
    screen.goto("/sign-in")
    screen.get_by_role("button", name="Sign in with a passkey").click()
    expect(screen.get_by_text("No passkey was chosen.")).to_be_visible()
    session.send("WebAuthn.setUserVerified", {"authenticatorId": authenticator_id, "isUserVerified": True})
    screen.get_by_role("button", name="Sign in with a passkey").click()
    expect_home(screen)


def test_the_pages_are_accessible_and_fit(screen, account, authenticator):
    def check(name):
        assert serious_violations(screen) == [], name
        for viewport in (DESKTOP, PHONE, SMALL_PHONE):
            screen.set_viewport_size(viewport)
            assert overflow(screen) == 0, (name, viewport)

    screen.goto("/sign-in")
    check("sign-in")
    sign_in(screen)
    screen.goto("/settings/account/factors/authenticator")
    check("set up")
    set_up_app(screen)
    check("codes")
    add_passkey(screen, "a-name-without-any-space-" * 4)
    expect(screen.get_by_text("is added.")).to_be_visible()
    check("overview")
    passkey = account.passkeys.get().pk
    for address in [
        *("/settings/account", "/settings/account/confirm", "/settings/account/factors/passkeys/add"),
        *("/settings/account/factors/recovery-codes", "/settings/account/factors/authenticator/remove"),
        *(
            f"/settings/account/factors/passkeys/{passkey}",
            f"/settings/account/factors/passkeys/{passkey}/remove",
        ),
    ]:
        screen.goto(address)
        check(address)
    sign_out(screen)
    sign_in(screen)
    expect(screen.get_by_role("heading", name="Second step")).to_be_visible()
    check("second step")
    screen.goto("/sign-in/recovery-code")
    check("recovery code")
