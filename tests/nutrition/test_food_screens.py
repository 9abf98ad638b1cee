import datetime

import pytest
from django.urls import reverse

from nutrition.models import MAX_ENTRIES, FoodEntry, NutritionDay
from tests.conftest import statements
from tests.html import MARKUP, errors, form_of, holds_markup_as_text, html, plain, text
from tests.pages import save_settings

DAY = datetime.date(2026, 11, 18)  # of the tests
YESTERDAY = DAY - datetime.timedelta(days=1)
ADD = reverse("add-entry", args=[DAY])
TOTALS = {"calories": 2000, "protein_g": 150, "carbs_g": 200, "fat_g": 70}


@pytest.fixture
def banana(account):
    return account.foods.create(name="Banana", calories=105, protein_g=1.3, carbs_g=27, fat_g=0.4)


@pytest.fixture
def skyr(account):
    return account.foods.create(name="Skyr", portion=150, unit="g", calories=95, protein_g=16.5)


@pytest.fixture
def in_api(api):
    """A function that returns the totals of a day as programs read them."""
    return lambda day=DAY: api.get(f"/nutrition/{day}").json()


def eat(page, food, day=DAY, **form):
    return page.post(reverse("eat-food", args=[food.pk, day]), form)


def words(page, address="/nutrition"):
    return plain(html(page.get(address)))


# --- Adding by energy ------------------------------------------------------------------------------


def test_energy_alone_is_enough(page, account, in_api):
    assert page.post(ADD, {"calories": "300", "meal": "lunch", "next": "/"}).headers["Location"] == "/"
    assert in_api()["calories"] == 300
    assert "Added: 300 kcal." in words(page)
    entry = account.food_entries.get()
    assert (entry.meal, entry.protein_g, entry.is_included) == ("lunch", None, False)


def test_all_of_an_entry_may_be_known(page, account, in_api):
    form = {"calories": "640,5", "protein_g": "31", "carbs_g": "60", "fat_g": "20", "name": "Lasagne"}
    page.post(ADD, {**form, "meal": "dinner"})
    assert {name: in_api()[name] for name in TOTALS} == {
        "calories": 640.5,
        "protein_g": 31,
        "carbs_g": 60,
        "fat_g": 20,
    }
    assert "Dinner 640 kcal" in words(page)
    assert "Lasagne" in words(page)
    assert "unknown" not in words(page)


@pytest.mark.parametrize(
    ("field", "typed"),
    [("calories", ""), ("calories", "much"), ("calories", "100001"), ("fat_g", "-1"), ("name", "x" * 201)],
)
def test_what_an_entry_may_not_hold_is_said_at_its_field(page, account, field, typed):
    response = page.post(ADD, {"calories": "300", "protein_g": "31", field: typed})
    assert list(errors(response)) == [field]
    assert 'value="31"' in text(response)
    assert not account.food_entries.exists()


@pytest.mark.parametrize(
    ("hour", "zone", "meal"),
    [
        *((10, "UTC", "breakfast"), (11, "UTC", "lunch"), (14, "UTC", "lunch"), (15, "UTC", "snacks")),
        *((16, "UTC", "snacks"), (17, "UTC", "dinner"), (23, "UTC", "dinner")),
        *((10, "Europe/Berlin", "lunch"), (10, "America/Los_Angeles", "breakfast")),
    ],
)
def test_the_meal_is_the_one_of_the_hour_where_the_account_is(page, account, time_machine, hour, zone, meal):
    type(account).objects.filter(pk=account.pk).update(time_zone=zone)
    time_machine.move_to(f"2026-11-18T{hour}:30:00Z", tick=False)
    assert page.get("/nutrition").context["quick"]["meal"].value() == meal


def test_what_is_unknown_is_said_and_is_not_zero(page, account, skyr):
    page.post(ADD, {"calories": "300"})
    eat(page, skyr)
    shown = words(page)
    assert "protein unknown for 1 entry, carbs unknown for 2 entries, fat unknown for 2 entries" in shown
    NutritionDay.objects.log(account, DAY, TOTALS)
    shown = words(page)
    assert "unknown" not in shown
    assert shown.count("included in the totals") == 2
    assert "Not listed 1,605 kcal" in shown  # of 2,000
    NutritionDay.objects.log(account, DAY, {**TOTALS, "calories": 300})
    assert "Not listed" not in words(page)


# --- Foods -----------------------------------------------------------------------------------------


def test_a_food_needs_a_name_and_its_energy(page, account):
    page.post(
        reverse("add-food"), form_of(page.get(reverse("add-food"))) | {"name": "Rice", "calories": "130"}
    )
    food = account.foods.get()
    assert (food.portion, food.unit, food.calories, food.protein_g) == (1, "piece", 130, None)
    assert (food.is_meal, food.is_favorite) == (False, False)


def test_a_food_that_is_ticked_daily_is_on_home(page, account, banana, log_workout):
    log_workout()
    edit = reverse("edit-food", args=[banana.pk])
    page.post(edit, form_of(page.get(edit)) | {"is_meal": "on", "protein_g": ""})
    assert 'name="name" value="Banana"' in text(page.get("/"))
    assert account.foods.get().protein_g is None


def test_there_are_five_hundred_foods_at_most(page, account, monkeypatch):
    monkeypatch.setattr("nutrition.web.forms.FoodForm.max_count", 1)
    for name in ("Rice", "Oats"):
        form = form_of(page.get(reverse("add-food"))) | {"name": name, "calories": "1"}
        response = page.post(reverse("add-food"), form)
    assert "You have 1 of them" in text(response)
    assert account.foods.get().name == "Rice"


def test_favourites_are_first_then_what_was_eaten_last_then_names(page, account, banana, skyr):
    for name, is_favorite in (("Zucchini", True), ("Apple", False)):
        account.foods.create(name=name, calories=20, is_favorite=is_favorite)
    eat(page, skyr, YESTERDAY)
    expected = ["Zucchini", "Skyr", "Apple", "Banana"]
    assert [food.name for food, _ in page.get("/nutrition/foods").context["foods"]] == expected
    assert [food.name for food, _ in page.get("/nutrition").context["foods"]] == expected


def test_foods_are_searched_by_a_part_of_their_names(page, account, banana):
    account.foods.create(name="Bread", calories=20)
    found = page.get("/nutrition/foods", {"q": "NAN"})
    assert [food.name for food, _ in found.context["foods"]] == ["Banana"]
    assert "No food has that in its name" in text(page.get("/nutrition/foods", {"q": "%"}))


def test_many_foods_make_nutrition_no_longer_and_no_slower(page, account, banana):
    with statements() as few:
        page.get("/nutrition")
    for number in range(100):
        account.foods.create(name=f"Bread {number}", calories=20)
    with statements() as many:
        assert text(page.get("/nutrition")).count(">Bread ") < 6
    assert len(few) == len(many) <= 15
    with statements() as listed:
        page.get("/nutrition/foods")
    assert len(listed) == 3


@pytest.mark.parametrize(
    ("typed", "grams"),
    [
        *(("", 150), ("1", 150), ("1.5", 225), ("1,5", 225), ("80 g", 80), ("80g", 80), ("82,5 G", 82.5)),
        *((" 0.2 kg ", 200), (".5", 75), ("2 portions", 300)),
    ],
)
def test_an_amount_is_in_portions_or_in_the_unit_of_the_food(page, account, skyr, in_api, typed, grams):
    eat(page, skyr, amount=typed)
    assert account.food_entries.get().amount == grams
    assert in_api()["protein_g"] == pytest.approx(16.5 * grams / 150)


@pytest.mark.parametrize(
    ("unit", "typed", "sentence"),
    [
        ("g", "2 cups", "“Food” is measured in g: type portions, as 1.5, or “150 g”."),
        ("ml", "150 g", "“Food” is measured in ml: type portions, as 1.5, or “150 ml”."),
        ("piece", "150 g", "“Food” is counted in portions: type how many, as 1.5."),
        ("piece", "much", "“Food” is counted in portions: type how many, as 1.5."),
        ("g", "-1", "“Food” is measured in g: type portions, as 1.5, or “150 g”."),
        ("g", "0", "Enter more than 0, at most 100000 g."),
        ("ml", "101 l", "Enter more than 0, at most 100000 ml."),
        ("g", "9" * 400, "Ensure this value has at most 30 characters (it has 400)."),
    ],
)
def test_an_amount_that_does_not_fit_the_food_is_answered_by_what_does(page, account, unit, typed, sentence):
    food = account.foods.create(name="Food", unit=unit, calories=10)
    said = errors(eat(page, food, amount=typed))["amount"]
    assert said.replace("\u2068", "").replace("\u2069", "") == sentence
    assert not account.food_entries.exists()


def test_portions_are_typed_in_the_language_of_the_page(page, account, banana):
    save_settings(page, language="de")
    eat(page, banana, amount="2 portions")
    assert account.food_entries.get().amount == 2


def test_a_number_counts_each_of_the_portions_that_a_food_has_at_once(page, account):
    eggs = account.foods.create(name="Eggs", portion=2, calories=156)
    eat(page, eggs, amount="3")
    eat(page, eggs, amount="")
    assert [entry.calories for entry in account.food_entries.order_by("id")] == [234, 156]


def test_a_food_is_logged_for_the_day_of_its_page(page, banana, in_api):
    listed = text(page.get(reverse("foods-for-day", args=[YESTERDAY])))
    address = reverse("eat-food", args=[banana.pk, YESTERDAY])
    assert f'action="{address}"' in listed
    assert page.post(address).headers["Location"] == f"/nutrition/days/{YESTERDAY}"
    assert in_api(YESTERDAY)["calories"] == 105


# --- Entries ---------------------------------------------------------------------------------------


def test_a_day_lists_its_entries_by_meal(page, account, banana, skyr):
    eat(page, skyr, amount="1", meal="dinner")
    eat(page, banana, amount="2", meal="breakfast")
    eat(page, skyr, amount="80 g", meal="breakfast")
    shown = words(page)
    assert "Breakfast 261 kcal Banana 2 portions 3 g protein 210 kcal Skyr 80 g" in shown
    assert shown.index("Breakfast 261 kcal") < shown.index("Dinner 95 kcal")


def test_the_amount_of_an_entry_changes_what_it_holds_and_its_day(page, account, skyr, in_api):
    page.post(ADD, {"calories": "300"})
    eat(page, skyr)
    account.foods.update(calories=9999)  # for entries from now on
    edit = reverse("edit-entry", args=[account.food_entries.get(food=skyr).pk])
    form = form_of(page.get(edit))
    assert form["amount"] == "150 g"
    page.post(edit, form | {"amount": "300 g", "meal": "snacks"})
    entry = account.food_entries.get(food=skyr)
    assert (entry.calories, entry.protein_g, entry.carbs_g, entry.meal) == (190, 33, None, "snacks")
    assert (in_api()["calories"], in_api()["protein_g"]) == (490, 33)
    page.post(edit, form_of(page.get(edit)) | {"meal": "lunch"})
    assert account.food_entries.get(food=skyr).amount == 300


def test_an_amount_that_nobody_has_touched_stays(page, account, skyr):
    entry = skyr.eat(DAY, 100 / 3)
    edit = reverse("edit-entry", args=[entry.pk])
    page.post(edit, form_of(page.get(edit)) | {"meal": "lunch"})
    assert account.food_entries.get().amount == 100 / 3


def test_a_quick_entry_is_edited_by_what_it_holds(page, account, in_api):
    page.post(ADD, {"calories": "300"})
    edit = reverse("edit-entry", args=[account.food_entries.get().pk])
    page.post(edit, form_of(page.get(edit)) | {"calories": "280", "protein_g": "12", "name": "Soup"})
    assert (in_api()["calories"], in_api()["protein_g"]) == (280, 12)
    page.post(edit, form_of(page.get(edit)) | {"protein_g": ""})
    assert account.food_entries.get().protein_g is None
    assert in_api()["protein_g"] == 0


def test_an_edit_under_lower_totals_changes_them_by_the_difference(page, account, in_api):
    page.post(ADD, {"calories": "300"})
    NutritionDay.objects.log(account, DAY, {**TOTALS, "calories": 100})
    edit = reverse("edit-entry", args=[account.food_entries.get().pk])
    page.post(edit, form_of(page.get(edit)) | {"calories": "250"})
    assert in_api()["calories"] == 50


def test_an_entry_is_removed_after_a_confirmation(page, account, in_api):
    page.post(ADD, {"calories": "300"})
    remove = reverse("remove-entry", args=[account.food_entries.get().pk])
    assert "Remove" in words(page, remove)
    assert account.food_entries.exists()
    assert page.post(remove).headers["Location"] == f"/nutrition/days/{DAY}"
    assert in_api()["calories"] == 0
    assert page.post(remove).status_code == 404


@pytest.mark.parametrize("name", ["edit-entry", "remove-entry"])
def test_an_entry_that_is_deleted_meanwhile_is_not_found(page, account, monkeypatch, name):
    page.post(ADD, {"calories": "300"})
    address = reverse(name, args=[account.food_entries.get().pk])
    lock = type(account).lock

    def late(self):
        lock(self)
        account.food_entries.all().delete()

    monkeypatch.setattr(type(account), "lock", late)
    assert page.post(address, {"calories": "280"}).status_code == 404


def test_a_day_has_a_hundred_entries_at_most(page, account, banana):
    FoodEntry.objects.add(account, DAY, [FoodEntry(calories=1) for _ in range(MAX_ENTRIES)])
    ways = [(ADD, {"calories": "300"}), (reverse("eat-food", args=[banana.pk, DAY]), {})]
    ways += [(reverse("tick-meal", args=[banana.pk, DAY]), {})]
    ways += [(reverse("copy-day", args=[DAY]), {"entry": account.food_entries.first().pk})]
    for address, form in ways:
        page.post(address, form)
        assert "A day has at most 100 entries. Remove some first." in words(page)
    assert account.food_entries.count() == MAX_ENTRIES


# --- Copies ----------------------------------------------------------------------------------------


def test_a_meal_of_yesterday_is_offered_where_today_has_none(page, account, banana, skyr, in_api):
    for food in (banana, skyr):
        eat(page, food, YESTERDAY, amount="1", meal="breakfast")
    eat(page, skyr, YESTERDAY, amount="1", meal="dinner")
    eat(page, banana, amount="1", meal="dinner")
    for address in ("/", "/nutrition"):
        assert [offer.value for offer in page.get(address).context["offers"]] == ["breakfast"]
    copy = reverse("copy-day", args=[YESTERDAY])
    assert page.post(copy, {"meal": "breakfast", "next": "/"}).headers["Location"] == "/"
    assert in_api()["calories"] == 105 + 200
    assert page.get("/").context["offers"] == []


def test_an_entry_a_meal_and_a_day_are_copied_to_today(page, account, banana, skyr, in_api):
    eat(page, banana, YESTERDAY, amount="2", meal="lunch")
    eat(page, skyr, YESTERDAY, amount="1", meal="dinner")
    page.post(reverse("copy-day", args=[YESTERDAY]), {"entry": account.food_entries.get(food=banana).pk})
    assert (in_api()["calories"], in_api(YESTERDAY)["calories"]) == (210, 305)
    page.post(reverse("copy-day", args=[YESTERDAY]))
    assert in_api()["calories"] == 515
    assert "2 entries are copied to today." in words(page)
    page.post(reverse("copy-day", args=[YESTERDAY]), {"meal": "dinner"})
    assert in_api()["calories"] == 610
    copy = reverse("copy-day", args=[DAY])
    assert f'action="{copy}"' not in text(page.get("/nutrition"))
    assert f'action="{reverse("copy-day", args=[YESTERDAY])}"' in text(
        page.get(reverse("nutrition-day", args=[YESTERDAY]))
    )


# --- Left, complete --------------------------------------------------------------------------------


def test_what_is_left_is_said_on_home_and_on_nutrition(page, account, log_workout):
    log_workout()
    account.nutrition_targets.create(calories=2240, protein_g=62, fat_g=70)
    nothing = "Energy 0 / 2,240 kcal 2,240 left Protein 0 / 62 g 62 left %sFat 0 / 70 g 70 left"
    some = "Energy 1,000 / 2,240 kcal 1,240 left Protein 0 / 62 g 62 left %sFat 75 / 70 g 5 over"
    shown = {"/": "", "/nutrition": "Carbs 0 g "}  # Home leaves out what has no target
    for address, carbs in shown.items():
        assert nothing % carbs in words(page, address)
    page.post(ADD, {"calories": "1000", "fat_g": "75.4"})
    for address, carbs in shown.items():
        assert some % carbs in words(page, address)
    page.post(ADD, {"calories": "1360"})
    assert "Energy 2,360 / 2,240 kcal 120 over" in words(page)


def test_without_targets_nothing_is_left(page, account, stranger):
    stranger.nutrition_targets.create(calories=2240)
    assert page.get("/nutrition").context["amounts"] == []
    page.post(ADD, {"calories": "1000"})
    assert "Energy 1,000 kcal Protein 0 g Carbs 0 g Fat 0 g" in words(page)


def test_a_day_is_complete_where_its_owner_says_so(page, account):
    complete = reverse("set-complete", args=[DAY])
    assert page.post(complete, {"complete": "yes"}).status_code == 404
    page.post(ADD, {"calories": "300"})
    assert "estimate of what you use counts complete days." in words(page)
    page.post(complete, {"complete": "yes"})
    assert account.nutrition_days.get().is_complete
    assert page.get("/nutrition").status_code == 200
    page.post(complete, {"complete": "no"})
    assert not account.nutrition_days.get().is_complete


# --- Strangers, markup -----------------------------------------------------------------------------


def test_foods_and_entries_of_a_stranger_do_not_exist(page, account, stranger):
    theirs = stranger.foods.create(name="Theirs", calories=1)
    entry = theirs.eat(DAY, meal="lunch")
    for name in ("edit-entry", "remove-entry"):
        assert page.post(reverse(name, args=[entry.pk]), {"calories": "5"}).status_code == 404
    assert eat(page, theirs).status_code == 404
    assert page.post(reverse("set-complete", args=[DAY]), {"complete": "yes"}).status_code == 404
    page.post(reverse("copy-day", args=[DAY]))
    page.post(reverse("copy-day", args=[DAY]), {"entry": entry.pk})
    assert not account.food_entries.exists()
    assert stranger.food_entries.get().calories == 1
    for address in ("/nutrition", "/nutrition/foods"):
        assert "Theirs" not in text(page.get(address))


def test_markup_in_names_of_foods_and_entries_is_escaped(page, account, banana):
    account.foods.update(name=MARKUP)
    entry = account.foods.get().eat(DAY)
    FoodEntry.objects.add(account, DAY, [FoodEntry(name=MARKUP, calories=1)])
    addresses = ["/nutrition", "/nutrition/foods", reverse("eat-food", args=[banana.pk, DAY])]
    addresses += [reverse(name, args=[entry.pk]) for name in ("edit-entry", "remove-entry")]
    for address in addresses:
        assert holds_markup_as_text(text(page.get(address))), address
    assert holds_markup_as_text(text(eat(page, banana, amount="much")))
    page.post(reverse("eat-food", args=[banana.pk, DAY]))
    assert holds_markup_as_text(text(page.get("/nutrition")))  # the message
