"""The household's provider in a real browser, which alone enforces `form-action`, cookies and openers."""

import pytest

from accounts.models import ProviderTie
from tests.accounts.oidc import fake as fakes
from tests.accounts.oidc.conftest import ADDRESSES, set_up
from tests.factories import PASSWORD
from tests.screens.browser import PHONE, expect, in_browser, overflow, violations
from tests.screens.test_consent import consent, press, program  # noqa: F401  (a fixture)

pytestmark = in_browser


@pytest.fixture
def provider(settings, live_server):
    with fakes.running() as fake:
        set_up(settings, fake)
        settings.ROOT_URLCONF = ADDRESSES
        settings.PUBLIC_URL = live_server.url
        yield fake


@pytest.fixture
def phone(screen, provider):
    screen.set_viewport_size(PHONE)
    return screen


@pytest.fixture
def tied(account, provider):
    ProviderTie.objects.tie(account, provider.issuer, provider.person["sub"])
    return account


def is_right(screen):
    assert violations(screen) == []
    assert overflow(screen) == 0


def sign_in(screen, address="/sign-in"):
    screen.goto(address)
    screen.get_by_role("link", name="Sign in with Authentik").click()


def test_there_and_back_and_out_again(phone, provider, account):
    sign_in(phone)
    expect(phone.get_by_text("There is an account with lifter@example.org.")).to_be_visible()
    is_right(phone)
    phone.get_by_label("Email").fill("lifter@example.org")
    phone.get_by_label("Password").fill(PASSWORD)
    phone.get_by_role("button", name="Sign in", exact=True).click()
    expect(phone.get_by_role("heading", name="Connect Authentik?")).to_be_visible()
    is_right(phone)
    phone.get_by_role("button", name="Connect").click()
    expect(phone.get_by_text("Authentik opens your account from now on.")).to_be_visible()
    sign_out(phone)
    sign_in(phone, "/sign-in?next=/settings/account")
    expect(phone.get_by_role("heading", name="Authentik")).to_be_visible()
    is_right(phone)
    sign_out(phone)
    expect(phone.get_by_role("heading", name="Sign in")).to_be_visible()  # where the provider led to
    assert provider.ended == 1


def sign_out(screen):
    screen.goto("/settings/account")
    screen.get_by_label("Account menu").click()
    screen.get_by_role("button", name="Sign out").click()
    screen.wait_for_url("**/sign-in")


def without_refresh(route):
    """The page stays, for somebody whose browser does not go on by itself."""
    answer = route.fetch()
    route.fulfill(response=answer, body=answer.text().replace('http-equiv="refresh"', ""))


def without_status(route):
    """Chromium would write a page that is a 503 to the console."""
    answer = route.fetch()
    assert answer.status == 503
    route.fulfill(response=answer, status=200)


def test_the_other_pages_can_be_read(phone, provider, settings, tied, monkeypatch):
    tied.set_unusable_password()
    tied.save()
    sign_in(phone, "/sign-in?next=/settings/account/confirm")
    expect(phone.get_by_role("link", name="Sign in with Authentik again")).to_be_visible()
    is_right(phone)
    phone.goto("/settings/account/provider/untie")
    is_right(phone)
    phone.route("**/sign-out", without_refresh)
    phone.get_by_label("Account menu").click()
    phone.get_by_role("button", name="Sign out").click()
    expect(phone.get_by_role("link", name="Go on to Authentik")).to_be_visible()
    is_right(phone)
    settings.OIDC_ONLY = True
    phone.goto("/sign-up")
    is_right(phone)
    phone.goto("/sign-in")
    expect(phone.get_by_label("Password")).to_be_hidden()
    is_right(phone)
    phone.get_by_text("For staff: sign in with a password").click()
    expect(phone.get_by_label("Password")).to_be_visible()
    is_right(phone)
    monkeypatch.setattr("accounts.oidc.discovery.KEPT_SECONDS", 0)
    provider.server.server_close()
    phone.route("**/sign-in/provider", without_status)
    sign_in(phone)
    expect(phone.get_by_role("heading", name="Authentik does not answer")).to_be_visible()
    is_right(phone)


def test_a_program_in_a_window_of_its_own_is_connected(phone, provider, tied, program, live_server):  # noqa: F811
    asked = consent(program, live_server)
    phone.goto(f"http://127.0.0.1:{program.server_port}/opener#{asked}")
    with phone.expect_popup() as opened:
        phone.locator("#message").click()
    popup = opened.value
    popup.get_by_role("link", name="Sign in with Authentik").click()
    press(popup, "Connect")
    expect(phone.locator("#message")).to_have_text("got a-state")
