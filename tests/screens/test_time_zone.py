"""The time zone of a browser: taken over at sign-up, and offered once to an account without one."""

import pytest

from accounts.models import Account
from tests.factories import PASSWORD
from tests.screens.browser import SMALL_PHONE, expect, in_browser, overflow, violations

pytestmark = in_browser

LOS_ANGELES = "America/Los_Angeles"


@pytest.fixture
def in_los_angeles(screen):
    devtools = screen.context.new_cdp_session(screen)
    devtools.send("Emulation.setTimezoneOverride", {"timezoneId": LOS_ANGELES})
    return screen


def test_a_new_account_has_the_zone_of_its_browser(in_los_angeles, live_server):
    screen = in_los_angeles
    screen.goto("/sign-up")
    screen.get_by_label("Email").fill("new@example.org")
    for label in ("Password", "Repeat the password"):
        screen.get_by_label(label, exact=True).fill(PASSWORD)
    screen.get_by_role("button", name="Create account").click()
    expect(screen.get_by_role("heading", level=1)).to_contain_text("Welcome")
    expect(screen.get_by_role("button", name="Use it")).to_have_count(0)
    assert Account.objects.get().time_zone == LOS_ANGELES


def test_an_older_account_is_offered_its_zone_once(in_los_angeles, live_server, account, sign_in):
    screen = sign_in(account)
    screen.goto("/")
    offer = screen.get_by_text(f"Show times in {LOS_ANGELES}?")
    expect(offer).to_be_visible()
    screen.set_viewport_size(SMALL_PHONE)
    assert overflow(screen) == 0
    assert violations(screen) == []
    screen.get_by_role("button", name="Use it").click()
    expect(screen.get_by_text(f"Times are shown in {LOS_ANGELES}.")).to_be_visible()
    expect(offer).to_have_count(0)
    screen.goto("/settings/profile")
    expect(screen.get_by_label("Time zone")).to_have_value(LOS_ANGELES)
