"""What a body uses, as Body says it."""

import datetime
import re

import pytest
from django.urls import reverse

from body.models import WeightLog
from nutrition.models import NutritionDay
from tests.html import errors, form_of, html, plain

DAY = datetime.date(2026, 11, 18)  # of the tests
EATEN = 2400.0  # kcal a day


@pytest.fixture
def log_days(account):
    """A function that stores days up to today: a body weight in the morning, and all that was eaten."""

    def store(days, kg_per_day=0.0, start_kg=80.0, **intake):
        dates = [DAY - datetime.timedelta(days=back) for back in range(days - 1, -1, -1)]
        at = [datetime.datetime.combine(date, datetime.time(6), datetime.UTC) for date in dates]
        macros = {
            "calories": EATEN,
            "protein_g": 150,
            "carbs_g": 250,
            "fat_g": 80,
            "is_complete": True,
        } | intake
        NutritionDay.objects.bulk_create(
            NutritionDay(account=account, day=date, logged_at=time, **macros)
            for date, time in zip(dates, at, strict=True)
        )
        WeightLog.objects.bulk_create(
            WeightLog(
                account=account, logged_at=time, weight_kg=start_kg + kg_per_day * number + 0.1 * (number % 2)
            )
            for number, time in enumerate(at)
        )

    return store


def words(page):
    return plain(html(page.get(reverse("body"))))


def choose(page, rate):
    form = form_of(page.get(reverse("set-nutrition-targets")))
    return page.post(f"{reverse('set-nutrition-targets')}?next=/body", form | {"kg_per_week": rate})


def test_nobody_is_told_who_logs_nothing(page):
    assert "What you use" not in words(page)


def test_what_is_missing_is_counted(page, log_days):
    log_days(9)  # of which today is not over
    assert "6 more complete days a body weight on 1 more day" in words(page)


def test_days_that_are_not_complete_do_not_count(page, log_days):
    log_days(28, is_complete=False)
    assert "14 more complete days" in words(page)


def test_a_weight_that_stays_means_that_what_is_eaten_is_used(page, log_days):
    log_days(56)
    shown = words(page)
    assert "You use about 2,400 kcal a day, ±" in shown
    assert "From 55 complete days of the last 55, and from body weights of 56 days." in shown


def test_a_falling_weight_means_that_more_is_used(page, log_days):
    log_days(56, kg_per_day=-0.05)  # 385 kcal of the body a day
    assert re.search(r"You use about 2,7[89]0 kcal a day", words(page))


def test_a_rate_gives_a_target_that_is_set_by_a_button_alone(page, account, log_days):
    log_days(56)
    assert choose(page, "-0.5").headers["Location"] == "/body"
    assert "To lose 0.5 kg a week eat about 1,850 kcal a day (12,950 a week)." in words(page)
    assert account.nutrition_targets.get().calories is None
    page.post(reverse("set-target-of-rate"))
    assert account.nutrition_targets.get().calories == 1850
    assert "That is your daily target." in words(page)


def test_the_screen_of_the_targets_says_what_to_eat_for_the_rate_and_sets_it(page, account, log_days):
    log_days(56)
    targets = reverse("set-nutrition-targets")
    answer = page.post(targets, form_of(page.get(targets)) | {"kg_per_week": "-0.5"})
    assert answer.headers["Location"] == targets
    shown = plain(html(page.get(targets)))
    assert "You use about 2,400 kcal a day, ±" in shown
    assert "To lose 0.5 kg a week eat about 1,850 kcal a day" in shown
    assert "Choose a change of your body weight" not in shown
    answer = page.post(reverse("set-target-of-rate"), {"next": targets})
    assert answer.headers["Location"] == targets
    assert page.get(targets).context["form"]["calories"].value() == 1850


def test_the_other_targets_keep_the_rate(page, account, log_days):
    log_days(56)
    choose(page, "-0.5")
    form = form_of(page.get(reverse("set-nutrition-targets")))
    page.post(reverse("set-nutrition-targets"), form | {"calories": "2000", "protein_g": "160"})
    targets = account.nutrition_targets.get()
    assert (targets.calories, targets.protein_g, targets.kg_per_week) == (2000, 160, -0.5)
    page.post(reverse("set-nutrition-targets"), form | {"calories": "", "protein_g": ""})
    assert account.nutrition_targets.get().kg_per_week == -0.5
    choose(page, "")
    assert not account.nutrition_targets.exists()


def test_pounds_are_chosen_and_shown(page, account, log_days):
    account.units = "lb"
    account.save()
    log_days(56)
    choose(page, "-1")
    assert account.nutrition_targets.get().kg_per_week == pytest.approx(-0.45359237)
    assert "To lose 1 lb a week eat about 1,900 kcal a day" in words(page)


@pytest.mark.parametrize(
    ("start_kg", "rate"), [(80, "-1"), (80, "0,9"), (80, "-3"), (300, "2.1"), (None, "3")]
)
def test_a_rate_that_is_too_fast_is_refused(page, account, log_days, start_kg, rate):
    if start_kg:
        log_days(56, start_kg=start_kg)
    said = "More than a hundredth of your body weight a week is too fast. Choose less."
    assert errors(choose(page, rate)) == {"kg_per_week": said}
    assert not account.nutrition_targets.exists()


def test_too_little_is_never_suggested(page, account, log_days):
    log_days(56, calories=1500.0)
    choose(page, "-0.5")
    assert "For this you would eat less than 1,200 kcal a day. Choose a slower change." in words(page)
    page.post(reverse("set-target-of-rate"))
    assert account.nutrition_targets.get().calories is None


def test_days_are_those_of_the_zone(page, account, log_days):
    """What is logged at six in UTC is of the evening before in Los Angeles."""
    log_days(56)
    account.time_zone = "America/Los_Angeles"
    account.save()
    assert "From 55 complete days of the last 55, and from body weights of 55 days." in words(page)


def test_another_account_has_no_part_in_it(page, log_days, stranger):
    log_days(56)
    NutritionDay.objects.update(account=stranger)
    assert "14 more complete days" in words(page)
