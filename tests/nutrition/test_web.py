import datetime

import pytest
from django.urls import reverse

from nutrition.models import NutritionDay
from tests.html import MARKUP, errors, form_of, holds_markup_as_text, html, plain, text

PORTION = {"portion": "1", "unit": "piece"}
OATS = PORTION | {"name": "Oats", "calories": "520", "protein_g": "38.5", "carbs_g": "66", "fat_g": "11"}
TOTALS = {"calories": "2450", "protein_g": "172", "carbs_g": "260.5", "fat_g": "74"}
DAY = datetime.date(2026, 3, 2)
ON_DAY = "/nutrition/days/2026-03-02"


@pytest.fixture
def meal(account):
    return account.foods.create(name="Oats", calories=520, protein_g=38.5, carbs_g=66, fat_g=11, is_meal=True)


def tick(page, meal, name="tick-meal", **form):
    return page.post(reverse(name, args=[meal.pk, DAY]), form)


def test_a_meal_is_added_edited_and_removed(page, account):
    add = reverse("add-food")
    form = form_of(page.get(add)) | OATS
    page.post(add, form)
    page.post(add, form)  # sent twice
    meal = account.foods.get()
    edit = reverse("edit-food", args=[meal.pk])
    page.post(edit, form_of(page.get(edit)) | {"calories": "500"})
    assert account.foods.get().macros == {"calories": 500, "protein_g": 38.5, "carbs_g": 66, "fat_g": 11}
    page.post(reverse("remove-food", args=[meal.pk]))
    assert not account.foods.exists()


@pytest.mark.parametrize(
    ("field", "typed"), [("name", ""), ("name", "x" * 201), ("calories", "100001"), ("fat_g", "-1")]
)
def test_a_meal_obeys_the_bounds_of_a_day(page, account, field, typed):
    response = page.post(reverse("add-food"), OATS | {field: typed})
    assert list(errors(response)) == [field]
    assert "66" in text(response)
    assert not account.foods.exists()


def test_a_tick_adds_the_meal_to_the_day_in_the_api(page, api, meal):
    for _ in range(2):
        assert tick(page, meal).headers["Location"] == ON_DAY
    assert api.get("/nutrition/2026-03-02").json()["protein_g"] == 38.5
    assert 'aria-pressed="true"' in text(page.get(ON_DAY))
    tick(page, meal, "untick-meal")
    assert api.get("/nutrition/2026-03-02").json()["calories"] == 0


def test_a_tick_redirects_back_to_its_screen_and_to_no_other_site(page, meal):
    assert tick(page, meal, next="/").headers["Location"] == "/"
    assert tick(page, meal, next="https://example.com/").headers["Location"] == ON_DAY


def test_totals_of_a_day_replace_those_stored(page, api, meal):
    tick(page, meal)
    form = form_of(page.get(f"{ON_DAY}/totals"))
    assert form["protein_g"] == 38.5
    page.post(f"{ON_DAY}/totals", form | TOTALS)
    day = api.get("/nutrition/2026-03-02").json()
    assert (day["calories"], day["carbs_g"]) == (2450, 260.5)
    assert 'aria-pressed="true"' in text(page.get(ON_DAY))


def test_incomplete_totals_are_rejected_and_kept_in_the_form(page, account):
    response = page.post(f"{ON_DAY}/totals", TOTALS | {"fat_g": ""})
    assert list(errors(response)) == ["fat_g"]
    assert 'value="260.5"' in text(response)
    assert not account.nutrition_days.exists()


def test_a_day_is_cleared_after_a_confirmation(page, account, meal):
    tick(page, meal)
    assert "Clear 2 March 2026?" in text(page.get(f"{ON_DAY}/clear"))
    page.post(f"{ON_DAY}/clear")
    assert not account.nutrition_days.exists()
    assert page.get(f"{ON_DAY}/clear").status_code == 404


def test_bars_are_the_thirty_days_up_to_the_displayed_one(page, account):
    NutritionDay.objects.log(account, DAY, {"calories": 2450, "protein_g": 1, "carbs_g": 1, "fat_g": 1})
    bars = page.get(ON_DAY).context["chart"].bars
    assert len(bars) == 30
    assert (bars[-1].label, bars[-1].value) == ("2 Mar", 2450)


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31", "2024-02-29"])
def test_the_calendar_has_two_ends(page, day):
    assert page.get(f"/nutrition/days/{day}").status_code == 200


@pytest.mark.parametrize("day", ["2026-02-30", "2026-3-2", "today"])
def test_an_address_without_a_valid_day_is_not_found(page, day):
    assert page.get(f"/nutrition/days/{day}").status_code == 404


def test_a_strangers_meal_does_not_exist(page, stranger):
    theirs = stranger.foods.create(name="Theirs", calories=1, protein_g=1, carbs_g=1, fat_g=1)
    for name in ["edit-food", "remove-food"]:
        assert page.post(reverse(name, args=[theirs.pk]), OATS).status_code == 404
    assert tick(page, theirs).status_code == tick(page, theirs, "untick-meal").status_code == 404
    assert stranger.foods.get().name == "Theirs"


def test_markup_in_names_is_escaped(page, account, meal):
    account.foods.update(name=MARKUP)
    for address in [
        "/nutrition",
        "/",
        reverse("edit-food", args=[meal.pk]),
        f"/nutrition/foods/{meal.pk}/remove",
    ]:
        assert holds_markup_as_text(text(page.get(address)))


# --- Targets and means -----------------------------------------------------------------------------

TARGETS = "/nutrition/targets"


def log_days(account, calories, last=DAY):
    """A day for each of the energies, up to the last one."""
    for ago, kcal in enumerate(reversed(calories)):
        totals = {"calories": kcal, "protein_g": 1, "carbs_g": 1, "fat_g": 1}
        NutritionDay.objects.log(account, last - datetime.timedelta(days=ago), totals)


def energy(page):
    return page.get(ON_DAY).context["amounts"][0]


def test_targets_are_set_one_by_one_changed_and_removed(page, account):
    assert page.post(TARGETS, {"calories": "2600", "protein_g": "152.5"}).headers["Location"] == "/nutrition"
    shown = plain(html(page.get(ON_DAY)))
    assert "Energy 0 / 2,600 kcal 2,600 left Protein 0 / 152 g 152 left" in shown
    form = form_of(page.get(TARGETS))
    assert form["protein_g"] == 152.5
    page.post(TARGETS, form | {"calories": "", "fat_g": "70"})
    stored = account.nutrition_targets.get()
    assert (stored.calories, stored.protein_g, stored.carbs_g, stored.fat_g) == (None, 152.5, None, 70)
    page.post(TARGETS, dict.fromkeys(form, ""))
    assert not account.nutrition_targets.exists()


@pytest.mark.parametrize(("field", "typed"), [("calories", "0"), ("calories", "100001"), ("fat_g", "much")])
def test_a_target_has_bounds(page, account, field, typed):
    assert list(errors(page.post(TARGETS, {"protein_g": "150", field: typed}))) == [field]
    assert not account.nutrition_targets.exists()


def test_targets_of_a_stranger_are_not_shown(page, account, stranger):
    stranger.nutrition_targets.create(calories=2600)
    assert "2,600" not in text(page.get("/nutrition"))
    page.post(TARGETS, {"calories": "2000"})
    assert (stranger.nutrition_targets.get().calories, account.nutrition_targets.get().calories) == (
        2600,
        2000,
    )


def test_a_day_is_compared_with_its_target_and_with_the_week_before(page, account, stranger):
    log_days(stranger, [9000] * 10)
    log_days(account, [9999, 2100, 2300, 2200, 2200, 2200, 2200, 2200, 1300])
    account.nutrition_targets.create(calories=2600)
    assert (energy(page).total, energy(page).target, energy(page).mean) == (1300, 2600, 2200)
    assert page.get(ON_DAY).context["chart"].goal == 2600


def test_the_mean_is_that_of_the_days_that_are_logged(page, account):
    log_days(account, [2000], DAY - datetime.timedelta(days=7))
    log_days(account, [3000], DAY - datetime.timedelta(days=1))
    assert (energy(page).total, energy(page).mean) == (None, 2500)


def test_nothing_is_compared_where_there_is_nothing(page, account):
    log_days(account, [2000], DAY - datetime.timedelta(days=8))
    assert page.get(ON_DAY).context["amounts"] == []


def test_each_day_is_compared_with_the_day_logged_before(page, account):
    log_days(account, range(2000, 2020))
    log_days(account, [1000], DAY - datetime.timedelta(days=40))
    first = page.get("/nutrition")
    older = page.get("/nutrition", {"cursor": first.context["next_cursor"]})
    changes = [row.change for response in (first, older) for row in response.context["days"]]
    assert changes == [1] * 19 + [1000, None]


def test_a_day_that_is_not_over_is_compared_with_none(page, account, time_machine):
    time_machine.move_to("2026-03-02T09:00:00Z", tick=False)
    log_days(account, [2500, 2400, 690])
    assert [row.change for row in page.get("/nutrition").context["days"]] == [None, -100, None]
    time_machine.move_to("2026-03-03T09:00:00Z", tick=False)
    assert [row.change for row in page.get("/nutrition").context["days"]] == [-1710, -100, None]
