"""A weight in two taps, the first program, what visitors see, and a form sent after the session has ended."""

import re
from datetime import timedelta

import pytest
from django.conf import settings
from django.utils import timezone

from fitness.management.commands import seed_demo
from tests.screens.browser import PHONE, Touches, expect, in_browser, overflow, violations

pytestmark = in_browser


@pytest.fixture
def veteran(live_server, transactional_db):
    return seed_demo.seed("demo@example.org", timezone.now().date(), 120, "blue horse 77")


def test_a_weight_takes_two_taps(screen, veteran, sign_in):
    screen.set_viewport_size(PHONE)
    sign_in(veteran).goto("/")
    home = screen.url
    finger, count = Touches(screen), veteran.weight_logs.count()
    field = screen.get_by_label("Weight (kg)")
    assert float(field.get_attribute("placeholder")) == veteran.weight_logs.latest_kg()
    finger.on(field)
    screen.keyboard.type("81.3")
    finger.on(screen.get_by_role("form", name="Log your body weight").get_by_role("button", name="Save"))
    expect(screen.get_by_text("Your body weight is logged.")).to_be_visible()
    assert screen.url == home
    assert finger.count == 2
    assert veteran.weight_logs.count() == count + 1
    newest = veteran.weight_logs.latest("logged_at")
    assert newest.weight_kg == 81.3
    assert timezone.now() - newest.logged_at < timedelta(minutes=1)


def test_a_new_account_picks_a_program(screen, live_server, account, sign_in):
    screen.set_viewport_size(PHONE)
    sign_in(account).goto("/")
    screen.get_by_role("button", name="Pounds (lb)").click()
    expect(screen.get_by_role("button", name="Pounds (lb)", pressed=True)).to_be_visible()
    screen.get_by_role("link", name="4", exact=True).click()
    expect(screen.get_by_text("Upper and lower, by repetitions")).to_be_visible()
    screen.get_by_role("link", name="Start this program").click()
    expect(screen.get_by_role("heading", name="What could you lift for 5 repetitions?")).to_be_visible()
    screen.get_by_role("button", name="Start this program").click()
    expect(screen.get_by_role("heading", name="Pick a program")).to_have_count(0)
    expect(screen.get_by_role("heading", name="Import a file")).to_be_visible()
    assert account.plans.active().exists()


def test_the_landing_page_shows_the_product(screen, live_server, transactional_db):
    for scheme in ("light", "dark"):
        screen.emulate_media(color_scheme=scheme)
        screen.goto("/")
        pictures = screen.locator("main img")
        expect(pictures).to_have_count(2)
        shown = pictures.evaluate_all("all => all.map((image) => [image.currentSrc, image.naturalWidth])")
        assert all(f"-{scheme}" in source and width == 390 for source, width in shown)


def test_a_form_after_the_session_has_ended_leads_back_to_its_page(screen, account):
    """Which page that is, the browser says."""

    def sign_in():
        screen.get_by_label("Email").fill(account.email)
        screen.get_by_label("Password", exact=True).fill("correct horse battery")
        screen.get_by_role("button", name="Sign in", exact=True).click()

    account.set_password("correct horse battery")
    account.save()
    screen.set_viewport_size(PHONE)
    screen.goto("/sign-in?next=/body")
    sign_in()
    screen.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)
    log_weight(screen)
    sign_in()
    expect(screen).to_have_url(re.compile("/body$"))
    expect(screen.get_by_text("You were signed out, so nothing was saved.")).to_be_visible()
    assert (violations(screen), overflow(screen)) == ([], 0)
    assert not account.weight_logs.exists()


def log_weight(screen):
    screen.get_by_label("Weight (kg)").fill("81.3")
    screen.get_by_role("form", name="Log your body weight").get_by_role("button", name="Save").click()
