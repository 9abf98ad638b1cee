from datetime import date

import pytest

from nutrition.models import FoodEntry, NutritionDay

DAY = date(2026, 3, 2)
TOTALS = {"calories": 2000, "protein_g": 150, "carbs_g": 200, "fat_g": 70}


@pytest.fixture
def porridge(account):
    return account.foods.create(
        name="Porridge", calories=380.3, protein_g=14.1, carbs_g=61.2, fat_g=8.7, is_meal=True
    )


@pytest.fixture
def totals(account):
    """A function that returns the stored totals of the day, {name: amount}."""
    return lambda: account.nutrition_days.get(day=DAY).macros


def test_ticking_a_meal_creates_the_day(porridge, totals):
    porridge.tick(DAY)
    assert totals() == porridge.macros


def test_ticking_a_meal_adds_to_the_day(account, porridge, totals):
    NutritionDay.objects.log(account, DAY, TOTALS)
    porridge.tick(DAY)
    assert totals() == {"calories": 2380.3, "protein_g": 164.1, "carbs_g": 261.2, "fat_g": 78.7}


def test_a_meal_counts_once_a_day(porridge, totals):
    assert porridge.tick(DAY) == porridge.tick(DAY)
    assert totals() == porridge.macros


def test_unticking_subtracts_what_ticking_added(account, porridge, totals):
    NutritionDay.objects.log(account, DAY, TOTALS)
    for _ in range(20):
        porridge.tick(DAY)
        porridge.untick(DAY)
    assert totals() == TOTALS
    assert not FoodEntry.objects.filter(food=porridge).exists()


def test_unticking_subtracts_what_was_added_even_if_the_meal_has_changed(porridge, totals):
    porridge.tick(DAY)
    porridge.calories = 9999
    porridge.save()
    porridge.untick(DAY)
    assert totals() == dict.fromkeys(TOTALS, 0)


def test_unticking_what_is_not_ticked_changes_nothing(account, porridge, totals):
    porridge.untick(DAY)
    assert not account.nutrition_days.exists()
    NutritionDay.objects.log(account, DAY, TOTALS)
    porridge.untick(DAY)
    assert totals() == TOTALS


def test_new_totals_replace_the_old_ones_and_keep_the_ticks(api, porridge, totals):
    porridge.tick(DAY)
    assert api.put(f"/nutrition/{DAY}", TOTALS).status_code == 200
    assert totals() == TOTALS
    assert FoodEntry.objects.filter(food=porridge).count() == 1


def test_totals_never_fall_below_zero(api, porridge, totals):
    porridge.tick(DAY)
    api.put(f"/nutrition/{DAY}", TOTALS | {"calories": 100})
    porridge.untick(DAY)
    assert totals()["calories"] == 0


def test_totals_stay_within_what_a_put_accepts(api, account):
    feast = account.foods.create(name="Feast", **dict.fromkeys(TOTALS, 9000))
    feast.tick(DAY)
    account.foods.create(name="Feast again", **feast.macros).tick(DAY)
    stored = api.get(f"/nutrition/{DAY}").json()
    assert (stored["calories"], stored["protein_g"]) == (18_000, 10_000)
    assert api.put(f"/nutrition/{DAY}", stored).status_code == 200


def test_deleting_the_day_deletes_its_ticks(api, porridge):
    porridge.tick(DAY)
    porridge.tick(date(2026, 3, 3))
    assert api.delete(f"/nutrition/{DAY}").status_code == 204
    assert [tick.nutrition_day.day for tick in FoodEntry.objects.all()] == [date(2026, 3, 3)]


def test_deleting_a_meal_leaves_the_totals_and_what_was_eaten(account, porridge, totals):
    porridge.tick(DAY)
    before = totals()
    porridge.delete()
    assert totals() == before
    eaten = account.food_entries.get()
    assert (str(eaten), eaten.food, eaten.is_tick) == ("Porridge", None, False)


def test_what_was_eaten_of_a_food_comes_first_among_the_recent(account, porridge, time_machine):
    account.foods.create(name="Rice", calories=1).eat(DAY)
    time_machine.move_to("2026-11-19T08:00:00Z")
    porridge.eat(DAY)
    assert [food.name for food in account.foods.order_by("-used_at")] == ["Porridge", "Rice"]


def test_a_copied_tick_is_a_tick_once(account, porridge):
    porridge.tick(DAY)
    for _ in range(2):
        FoodEntry.objects.copy(account, account.food_entries.of_day(DAY), date(2026, 3, 3))
    assert account.food_entries.of_day(date(2026, 3, 3)).get().is_tick
    porridge.untick(date(2026, 3, 3))
    assert account.nutrition_days.get(day="2026-03-03").calories == 0


def test_totals_that_change_leave_whether_a_day_is_complete(account, porridge):
    day = porridge.tick(DAY).nutrition_day
    account.nutrition_days.update(is_complete=True)  # after `day` was read
    day.add([{"calories": 1.0}])
    assert account.nutrition_days.get().is_complete


def test_ticking_updates_the_time_of_the_totals(account, porridge, time_machine):
    time_machine.move_to("2026-03-02T08:00:00Z", tick=False)
    porridge.tick(DAY)
    time_machine.move_to("2026-03-02T09:00:00Z", tick=False)
    porridge.untick(DAY)
    assert account.nutrition_days.get().logged_at.hour == 9


def test_a_tick_counts_for_its_account_alone(porridge, stranger):
    porridge.tick(DAY)
    assert not stranger.nutrition_days.exists()
