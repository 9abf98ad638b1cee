"""Figures as tables with comparisons, the daily forms first, and what a new account and a visitor see."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.utils import timezone

from fitness.site import demo
from tests.screens.browser import (
    DESKTOP,
    PHONE,
    SMALL_PHONE,
    Touches,
    expect,
    in_browser,
    overflow,
    violations,
)
from tests.screens.conftest import looks

pytestmark = in_browser

ROW = 36  # pixels


@pytest.fixture
def veteran(live_server, transactional_db):
    return demo.seed("demo@example.org", timezone.now().date(), 120, "blue horse 77")


def assert_good(screen):
    """Nothing is wider than a small phone, and axe finds nothing in either theme."""
    for viewport in (SMALL_PHONE, DESKTOP):
        screen.set_viewport_size(viewport)
        assert overflow(screen) == 0
        assert violations(screen) == []


@looks
@pytest.mark.parametrize("address", ["/body", "/body/measurements", "/goals"])
def test_tables_of_the_body(screen, veteran, sign_in, address):
    sign_in(veteran).goto(address)
    for viewport in (PHONE, DESKTOP):
        screen.set_viewport_size(viewport)
        rows = screen.locator(".table-dense tbody tr:not(:has(.table-note))")
        heights = rows.evaluate_all("rows => rows.map((row) => row.getBoundingClientRect().height)")
        assert all(height <= ROW + 1 for height in heights), heights
    assert_good(screen)


@pytest.mark.parametrize("address", ["/", "/body"])
def test_a_weight_takes_two_taps(screen, veteran, sign_in, address):
    screen.set_viewport_size(PHONE)
    sign_in(veteran).goto(address)
    finger, count = Touches(screen), veteran.weight_logs.count()
    field = screen.get_by_label("Weight (kg)")
    assert float(field.get_attribute("placeholder")) == veteran.weight_logs.latest_kg()
    finger.on(field)
    screen.keyboard.type("81.3")
    finger.on(screen.get_by_role("form", name="Log your body weight").get_by_role("button", name="Save"))
    expect(screen.get_by_text("Your body weight is logged.")).to_be_visible()
    assert screen.url.endswith(address)
    assert finger.count == 2
    assert veteran.weight_logs.count() == count + 1
    newest = veteran.weight_logs.latest("logged_at")
    assert newest.weight_kg == 81.3
    assert timezone.now() - newest.logged_at < timedelta(minutes=1)


def test_the_form_for_the_day_is_the_first_thing_on_a_phone(screen, veteran, sign_in):
    screen.set_viewport_size(PHONE)
    sign_in(veteran).goto("/body")
    form = screen.get_by_role("form", name="Log your body weight")
    trend = screen.get_by_role("heading", name="Body weight", exact=True)
    assert form.bounding_box()["y"] < trend.bounding_box()["y"]


def test_a_weight_is_deleted_from_its_row(screen, live_server, account, sign_in):
    account.weight_logs.create(weight_kg=80)
    screen.set_viewport_size(PHONE)
    sign_in(account).goto("/body")
    screen.get_by_role("link", name="Edit the weight").click()
    screen.get_by_role("link", name="Delete").click()
    screen.get_by_role("dialog").get_by_role("button", name="Delete weight").click()
    expect(screen.get_by_text("The weight is deleted.")).to_be_visible()
    assert not account.weight_logs.exists()


@looks
def test_nutrition_with_targets_and_days(screen, veteran, sign_in):
    sign_in(veteran).goto("/nutrition")
    rows = screen.locator(".table-dense tbody tr")
    expect(rows).to_have_count(15)
    assert max(rows.evaluate_all("rows => rows.map((row) => row.offsetHeight)")) <= ROW + 1
    screen.get_by_text("Change the daily targets").click()
    assert_good(screen)
    targets = screen.get_by_role("form", name="Daily targets")
    targets.get_by_label("Energy (kcal)").fill("2750")
    targets.get_by_role("button", name="Set targets").click()
    expect(screen.get_by_text("Your daily targets are set.")).to_be_visible()
    expect(screen.get_by_role("cell", name="2,750")).to_be_visible()


@looks
def test_a_new_account_picks_a_program(screen, live_server, account, sign_in):
    screen.set_viewport_size(PHONE)
    sign_in(account).goto("/")
    screen.get_by_role("button", name="Pounds (lb)").click()
    expect(screen.get_by_role("button", name="Pounds (lb)", pressed=True)).to_be_visible()
    screen.get_by_role("link", name="4", exact=True).click()
    expect(screen.get_by_text("Upper and lower, by repetitions")).to_be_visible()
    assert_good(screen)
    screen.get_by_role("link", name="Start this program").click()
    expect(screen.get_by_role("heading", name="What could you lift for 5 repetitions?")).to_be_visible()
    assert_good(screen)
    screen.get_by_role("button", name="Start this program").click()
    expect(screen.get_by_role("heading", name="Pick a program")).to_have_count(0)
    expect(screen.get_by_role("heading", name="Import a file")).to_be_visible()
    assert account.plans.active().exists()


@looks
def test_the_landing_page_shows_the_product(screen, live_server, transactional_db):
    for scheme in ("light", "dark"):
        screen.emulate_media(color_scheme=scheme)
        screen.goto("/")
        pictures = screen.locator("main img")
        expect(pictures).to_have_count(2)
        shown = pictures.evaluate_all("all => all.map((image) => [image.currentSrc, image.naturalWidth])")
        assert all(f"-{scheme}" in source and width == 390 for source, width in shown)
    assert_good(screen)


@looks
def test_the_last_column_of_a_phone_keeps_its_distance(screen, veteran, sign_in):
    screen.set_viewport_size(SMALL_PHONE)
    sign_in(veteran).goto("/body")
    cell = screen.locator(".table-dense tbody tr").first.locator("td:visible").last
    assert cell.evaluate("cell => getComputedStyle(cell).paddingRight") == "16px"


@looks
@pytest.mark.parametrize("viewport", [SMALL_PHONE, PHONE])
def test_visitors_have_their_links_beside_the_name(screen, live_server, transactional_db, viewport):
    screen.set_viewport_size(viewport)
    screen.goto("/")
    name = screen.get_by_role("link", name="Fitness").first.bounding_box()
    button = screen.get_by_role("banner").get_by_role("link", name="Sign up").bounding_box()
    assert button["y"] < name["y"] + name["height"]
    assert overflow(screen) == 0


@looks
def test_filters_of_records_are_one_line(screen, veteran, sign_in):
    sign_in(veteran).goto("/progress/records")
    select, button = screen.get_by_label("Period"), screen.get_by_role("button", name="Show")
    assert abs(select.bounding_box()["y"] - button.bounding_box()["y"]) < 8


def test_what_is_sent_after_the_session_has_ended_is_saved_after_the_sign_in(screen, live_server, account):
    def sign_in():
        screen.get_by_label("Email").fill(account.email)
        screen.get_by_label("Password", exact=True).fill("correct horse battery")
        screen.get_by_role("button", name="Sign in", exact=True).click()

    account.set_password("correct horse battery")
    account.save()
    account.supplements.create(name="Creatine", time="08:00")
    screen.set_viewport_size(PHONE)
    screen.goto("/sign-in?next=/supplements")
    sign_in()
    for page, act, kept in (
        (
            "/supplements",
            lambda: screen.get_by_role("button", name="Creatine").first.click(),
            account.supplement_logs,
        ),
        ("/body", lambda: log_weight(screen), account.weight_logs),
    ):
        screen.goto(page)
        screen.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)
        act()
        expect(screen.get_by_text("Sign in to save what you entered.")).to_be_visible()
        sign_in()
        expect(screen.get_by_role("heading", name="Save this now?")).to_be_visible()
        assert violations(screen) == []
        assert overflow(screen) == 0
        screen.get_by_role("button", name="Save it now").click()
        expect(screen.get_by_role("heading", level=1)).not_to_have_text("Save this now?")
        assert kept.count() == 1


def log_weight(screen):
    screen.get_by_label("Weight (kg)").fill("81.3")
    screen.get_by_role("form", name="Log your body weight").get_by_role("button", name="Save").click()
