"""What somebody does every day in a real browser: ticks, weights, forms."""

import datetime
import re

from django.utils import timezone

from tests.screens.browser import PHONE, expect, in_browser

pytestmark = in_browser


def test_a_supplement_and_a_meal_are_ticked_with_one_click(screen, live_server, account, sign_in):
    sign_in(account)
    account.supplements.create(name="Creatine", time="08:00")
    account.foods.create(name="Oats", calories=520, protein_g=38, carbs_g=66, fat_g=11, is_meal=True)
    screen.goto("/")
    for name in ("Creatine", "Oats"):
        screen.get_by_role("button", name=name).click()
        expect(screen.get_by_role("button", name=name, pressed=True)).to_be_visible()
    expect(screen.get_by_text("520 kcal, 38 g protein").first).to_be_visible()
    screen.get_by_role("button", name="Creatine").click()
    expect(screen.get_by_role("button", name="Creatine", pressed=False)).to_be_visible()


def test_food_is_logged_from_home_in_three_touches_at_most(screen, live_server, account, sign_in):
    touches = 0

    def touch(found):
        nonlocal touches
        assert min(found.bounding_box()[side] for side in ("width", "height")) >= 40
        found.click()
        touches += 1

    def taken(said):
        nonlocal touches
        expect(screen.get_by_text(said)).to_be_visible()
        count, touches = touches, 0
        screen.goto("/")
        return count

    today = timezone.localdate()
    account.foods.create(name="Banana", calories=105)
    porridge = account.foods.create(name="Porridge", portion=80, unit="g", calories=290)
    porridge.eat(today - datetime.timedelta(days=1), meal="breakfast")
    account.nutrition_targets.create(calories=2000)
    sign_in(account)
    screen.set_viewport_size(PHONE)
    screen.goto("/")

    touch(screen.get_by_role("textbox", name="Energy (kcal)"))
    screen.keyboard.type("300")
    touch(screen.get_by_role("button", name="Add", exact=True))
    assert taken("1,700 left") == 2

    touch(screen.get_by_role("button", name="Breakfast"))
    assert taken("1 entry is copied to today.") == 1

    touch(screen.get_by_role("link", name="Nutrition").locator("visible=true").first)
    touch(screen.get_by_role("button", name="Banana"))
    assert taken(re.compile("Added: .*Banana.*, 1 portion")) == 2

    touch(screen.get_by_role("link", name="Nutrition").locator("visible=true").first)
    touch(screen.get_by_role("textbox", name="Amount of Porridge"))
    screen.keyboard.type("150 g")
    touch(screen.get_by_role("button", name="Porridge"))
    assert taken(re.compile("Added: .*Porridge.*, 150 g")) == 3
    assert account.food_entries.count() == 5


def test_a_weight_is_logged_by_keyboard_and_deleted_in_a_dialog(screen, live_server, account, sign_in):
    sign_in(account)
    screen.goto("/body")
    screen.get_by_label("Weight (kg)").focus()
    screen.keyboard.type("82.4")
    screen.keyboard.press("Enter")
    expect(screen.get_by_text("Your body weight is logged.")).to_be_visible()
    expect(screen.get_by_role("application", name="Body weight")).to_be_visible()
    screen.set_viewport_size(PHONE)
    screen.get_by_role("link", name="Edit the weight").click()
    screen.get_by_role("link", name="Delete").click()
    screen.get_by_role("dialog").get_by_role("button", name="Delete weight").click()
    expect(screen.get_by_text("The weight is deleted.")).to_be_visible()
    assert not account.weight_logs.exists()


def test_a_double_click_adds_one_supplement(screen, live_server, account, sign_in):
    sign_in(account)
    screen.goto("/supplements/add")
    screen.get_by_label("Name").fill("Creatine")
    screen.get_by_label("Time of day").fill("08:00")
    screen.get_by_role("button", name="Add supplement").dblclick()
    expect(screen.get_by_text("The supplement is on your schedule.")).to_be_visible()
    assert account.supplements.count() == 1
