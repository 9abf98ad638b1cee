"""Links of mails in a real browser: with the keyboard alone, and as pages that can be read."""

from django.core import mail
from django.urls import reverse

from accounts import links
from tests.conftest import link_in, path_of
from tests.screens.all_screens import serious_violations
from tests.screens.browser import DESKTOP, PHONE, expect, in_browser, overflow

pytestmark = in_browser


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


def test_the_pages_of_links_can_be_read(screen, account, sends_mail):
    for link in (links.PASSWORD.link(account), links.EmailTokens("other@example.org").link(account)):
        screen.goto(path_of(link))
        for viewport in (DESKTOP, PHONE):
            screen.set_viewport_size(viewport)
            assert overflow(screen) == 0, (link, viewport)
        assert serious_violations(screen) == []
