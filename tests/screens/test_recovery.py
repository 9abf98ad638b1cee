"""Ways back into an account, in a real browser: by mail, without scripts, and with the keyboard alone."""

import re

import pytest
from django.core import mail
from django.urls import reverse

from accounts import links
from tests.conftest import link_in, path_of
from tests.screens.all_screens import serious_violations
from tests.screens.browser import PHONE, expect, in_browser, overflow
from tests.screens.conftest import looks

pytestmark = in_browser

NEW_PASSWORD = "blue horse 77"


@pytest.fixture
def scriptless(chromium, live_server, transactional_db):
    context = chromium.new_context(base_url=live_server.url, viewport=PHONE, java_script_enabled=False)
    yield context.new_page()
    context.close()


def test_a_forgotten_password_is_replaced_without_scripts(scriptless, account, sends_mail):
    scriptless.goto("/sign-in")
    scriptless.get_by_role("link", name="Forgot your password?").click()
    scriptless.get_by_label("Email").fill(account.email)
    scriptless.get_by_role("button", name="Send the link").click()
    expect(scriptless.get_by_role("heading", name="Check your mail")).to_be_visible()
    scriptless.goto(link_in(mail.outbox[0]))
    scriptless.get_by_label("New password", exact=True).fill(NEW_PASSWORD)
    scriptless.get_by_label("Repeat the password").fill(NEW_PASSWORD)
    scriptless.get_by_role("button", name="Set the password").click()
    expect(scriptless.get_by_text("Your new password is set.")).to_be_visible()
    scriptless.get_by_label("Email").fill(account.email)
    scriptless.get_by_label("Password").fill(NEW_PASSWORD)
    scriptless.get_by_role("button", name="Sign in", exact=True).click()
    expect(scriptless.get_by_role("navigation", name="Main")).to_be_visible()


def focus(screen, role, name):
    """Presses Tab until the element has the focus."""
    target = screen.get_by_role(role, name=name, exact=True)
    for _ in range(60):
        if target.evaluate("element => element === document.activeElement"):
            return
        screen.keyboard.press("Tab")
    raise AssertionError(f"{name} cannot be reached with Tab")


def type_into(screen, name, text):
    focus(screen, "textbox", name)
    screen.keyboard.type(text)


def press(screen, role, name):
    focus(screen, role, name)
    screen.keyboard.press("Enter")


def test_an_email_changes_with_the_keyboard_alone(screen, sign_in, account, sends_mail):
    sign_in(account).goto(reverse("account"))
    press(screen, "link", "Change email")
    screen.wait_for_url("**/email")
    type_into(screen, "New email", "other@example.org")
    press(screen, "button", "Send the link")
    expect(screen.get_by_text("We wrote to other@example.org.")).to_be_visible()
    screen.goto(link_in(mail.outbox[0]))
    press(screen, "button", "Change email")
    expect(screen.get_by_text("other@example.org is confirmed.")).to_be_visible()


def test_another_browser_is_signed_out(screen, sign_in, chromium, live_server, account):
    other = chromium.new_context(base_url=live_server.url).new_page()
    sign_in(account, other)
    sign_in(account).goto(reverse("account"))
    screen.get_by_role("button", name=re.compile("^Sign out A browser")).click()
    expect(screen.get_by_text("Signed out there.")).to_be_visible()
    other.goto(reverse("account"))
    expect(other.get_by_role("heading", name="Sign in")).to_be_visible()
    other.context.close()


@looks
@pytest.mark.parametrize("path", ["profile", "account", "developer", "data", "change-email"])
def test_no_settings_take_the_focus(screen, sign_in, account, sends_mail, path):
    sign_in(account).goto(reverse(path))
    assert screen.evaluate("document.activeElement === document.body && scrollY === 0")


@looks
def test_every_page_can_be_read(screen, sign_in, account, sends_mail):
    screen.set_viewport_size(PHONE)
    pages = [reverse("sign-in"), reverse("reset-password")]
    for link in (links.password_link(account), links.email_link(account, "other@example.org")):
        pages.append(path_of(link))
    found = {path: problems_of(screen, path) for path in pages}
    sign_in(account)
    for name in ("profile", "account", "developer", "data", "change-email"):
        found[name] = problems_of(screen, reverse(name))
    assert {path: problems for path, problems in found.items() if problems} == {}


def problems_of(screen, path):
    screen.goto(path)
    sideways = ["scrolls sideways"] if overflow(screen) > 0 else []
    return sideways + serious_violations(screen)
