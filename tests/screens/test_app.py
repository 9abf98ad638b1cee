"""Every screen of the app in a real browser, with a new account and with months of data."""

import pytest
from django.utils import timezone

from fitness.site import demo
from tests.screens.all_screens import screens_of, serious_violations
from tests.screens.browser import DESKTOP, PHONE, SMALL_PHONE, expect, in_browser, overflow
from tests.screens.conftest import looks

pytestmark = in_browser


@pytest.fixture
def sign_in_user(account, sign_in):
    """A function that signs in a new account, or the demo account, and returns it."""

    def sign_in_user(with_history=False):
        user = account
        if with_history:
            user = demo.seed("demo@example.org", timezone.now().date(), 120, "blue horse 77")
        sign_in(user)
        return user

    return sign_in_user


@looks
@pytest.mark.parametrize("with_history", [False, True], ids=["newcomer", "history"])
def test_every_screen_fits_and_is_accessible(screen, live_server, sign_in_user, with_history):
    user = sign_in_user(with_history)
    for name, address in screens_of(user):
        screen.goto(address)
        expect(screen.get_by_role("heading", level=1)).to_have_count(1)
        for viewport in (DESKTOP, PHONE, SMALL_PHONE):
            screen.set_viewport_size(viewport)
            assert overflow(screen) == 0, (name, viewport)
        if with_history:
            assert serious_violations(screen) == [], name


def test_a_supplement_and_a_meal_are_ticked_with_one_click(screen, live_server, sign_in_user):
    account = sign_in_user()
    account.supplements.create(name="Creatine", time="08:00")
    account.meals.create(name="Oats", calories=520, protein_g=38, carbs_g=66, fat_g=11)
    screen.goto("/")
    for name in ("Creatine", "Oats"):
        screen.get_by_role("button", name=name).click()
        expect(screen.get_by_role("button", name=name, pressed=True)).to_be_visible()
    expect(screen.get_by_text("520 kcal, 38 g protein").first).to_be_visible()
    screen.get_by_role("button", name="Creatine").click()
    expect(screen.get_by_role("button", name="Creatine", pressed=False)).to_be_visible()


def test_a_weight_is_logged_by_keyboard_and_deleted_in_a_dialog(screen, live_server, sign_in_user):
    account = sign_in_user()
    screen.goto("/body")
    screen.get_by_label("Weight (kg)").focus()
    screen.keyboard.type("82.4")
    screen.keyboard.press("Enter")
    expect(screen.get_by_text("Your body weight is logged.")).to_be_visible()
    expect(screen.get_by_role("application", name="Body weight")).to_be_visible()
    screen.get_by_role("link", name="Edit the weight").click()
    screen.get_by_role("link", name="Delete").click()
    screen.get_by_role("dialog").get_by_role("button", name="Delete weight").click()
    expect(screen.get_by_text("The weight is deleted.")).to_be_visible()
    assert not account.weight_logs.exists()


def test_a_double_click_adds_one_supplement(screen, live_server, sign_in_user):
    account = sign_in_user()
    screen.goto("/supplements/add")
    screen.get_by_label("Name").fill("Creatine")
    screen.get_by_label("Time of day").fill("08:00")
    screen.get_by_role("button", name="Add supplement").dblclick()
    expect(screen.get_by_text("The supplement is on your schedule.")).to_be_visible()
    assert account.supplements.count() == 1


def test_a_phone_can_open_every_section(screen, live_server, sign_in_user):
    sign_in_user()
    screen.set_viewport_size(SMALL_PHONE)
    screen.goto("/")
    bar = screen.get_by_role("navigation", name="Main")
    for name in ("Progress", "Body", "More", "Home"):
        bar.get_by_role("link", name=name).click()
        expect(screen.locator(".nav [aria-current]")).to_have_text(name)
    for name in ("Workouts", "Exercises", "Routines", "Plans", "Nutrition", "Supplements", "Goals"):
        bar.get_by_role("link", name="More").click()
        screen.get_by_role("main").get_by_role("link", name=name).click()
        expect(screen.get_by_role("heading", level=1)).to_contain_text(name)
    bar.get_by_role("link", name="Train").click()
    expect(screen.get_by_role("button", name="Start")).to_be_visible()


def test_an_account_is_exported_and_deleted(screen, live_server, sign_in_user):
    sign_in_user()
    screen.goto("/settings/data")
    with screen.expect_download() as download:
        screen.get_by_role("link", name="Download everything").click()
    assert download.value.suggested_filename.endswith(".zip")
    screen.get_by_role("link", name="Delete account").click()
    screen.get_by_label("Your password").fill("correct horse")
    screen.get_by_role("button", name="Delete everything").click()
    expect(screen.get_by_text("Your account and everything in it are deleted.")).to_be_visible()
