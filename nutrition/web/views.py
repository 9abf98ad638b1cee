"""The screens of nutrition: a day with its entries and meals, its totals, and the days before it."""

import datetime
from collections.abc import Sequence
from itertools import pairwise, zip_longest
from typing import NamedTuple

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Exists, OuterRef
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from accounts.models import Account
from accounts.web.requests import AccountRequest
from fitness.days import ONE_DAY, day_after, day_before, today
from fitness.web.days import format_day, format_day_of_month
from fitness.web.shortcuts import get_page, redirect_back, render_confirm, render_form
from fitness.web.svg_charts import Bar, BarChart
from nutrition.models import Food, NutritionDay, NutritionDayQuerySet, NutritionTargets
from nutrition.web.eaten import DAYS_OF_MEAN, amounts, by_meal, copy_offers, unknown, unlisted
from nutrition.web.foods import in_order
from nutrition.web.forms import EntryForm, TargetsForm, TotalsForm

DAYS_OF_CHART = 30
FOODS_AT_HAND = 6


class DayRow(NamedTuple):
    """A day with the difference of its energy from that of the day logged before, in kcal.

    None for today, which is not over.
    """

    logged: NutritionDay
    change: float | None


@login_required
def nutrition(request: AccountRequest, day: datetime.date | None = None) -> HttpResponse:
    """A day, today where the path names none."""
    account, day = request.user, day or today()
    days, next_cursor = get_page(request, NutritionDayQuerySet.newest_first, account.nutrition_days.all())
    recent = days_until(account, day)
    stored, targets = recent.get(day), account.nutrition_targets.first()
    week = [one for one in recent.values() if 0 < (day - one.day).days <= DAYS_OF_MEAN]
    entries = list(account.food_entries.of_day(day))
    context = {
        "day": day,
        "today": today(),
        "before": day_before(day),
        "after": day_after(day),
        "stored": stored,
        "amounts": amounts(stored, targets, week),
        "unknown": unknown(entries),
        "eaten": by_meal(entries),
        "unlisted": unlisted(stored, entries),
        "quick": EntryForm(account),
        "offers": copy_offers(account) if day == today() else [],
        "yesterday": day_before(today()),
        "meals": meals_on(account, day),
        "foods": in_order(account.foods.filter(is_meal=False), FOODS_AT_HAND),
        "chart": energy_chart(day, recent, targets),
        "days": day_rows(account, days),
        "next_cursor": next_cursor,
    }
    return render(request, "nutrition/day.html", context)


def meals_on(account: Account, day: datetime.date) -> list[tuple[Food, bool]]:
    """The meals of the account by name, each with whether it is ticked for the day."""
    ticks = account.food_entries.filter(nutrition_day__day=day, food=OuterRef("pk"), is_tick=True)
    meals = account.foods.filter(is_meal=True).annotate(is_ticked=Exists(ticks)).order_by("name", "id")
    return [(meal, meal.is_ticked) for meal in meals]


def days_until(account: Account, last: datetime.date) -> dict[datetime.date, NutritionDay]:
    """What is logged of the DAYS_OF_CHART days that end with `last`."""
    logged = account.nutrition_days.between(first_of_chart(last), last)
    return {one.day: one for one in logged}


def first_of_chart(last: datetime.date) -> datetime.date:
    """DAYS_OF_CHART days end with `last`; fewer at the start of the calendar."""
    return datetime.date.fromordinal(max(last.toordinal() - DAYS_OF_CHART + 1, 1))


def day_rows(account: Account, days: Sequence[NutritionDay]) -> list[DayRow]:
    """The days of a page, newest first."""
    if not days:
        return []
    behind = NutritionDayQuerySet.newest_first.rows_behind(account.nutrition_days.all(), days[-1], 1)
    changes = [new.calories - old.calories for new, old in pairwise([*days, *behind])]
    rows = zip_longest(days, changes)
    return [DayRow(one, None if one.day == today() else change) for one, change in rows]


def energy_chart(
    last: datetime.date, recent: dict[datetime.date, NutritionDay], targets: NutritionTargets | None
) -> BarChart:
    """The energy of each day in kcal, over DAYS_OF_CHART days, with a line for the target."""
    first = first_of_chart(last)
    days = [first + ONE_DAY * index for index in range((last - first).days + 1)]
    bars = [Bar(format_day_of_month(day), recent[day].calories if day in recent else 0) for day in days]
    return BarChart(gettext("Energy, a bar a day"), bars, "kcal", targets.calories if targets else None)


@login_required
def set_totals(request: AccountRequest, day: datetime.date) -> HttpResponse:
    account = request.user
    stored = account.nutrition_days.filter(day=day).first()
    form = TotalsForm(account, request.POST or None, stored=stored)
    if form.is_valid():
        NutritionDay.objects.log(account, day, form.values)
        messages.success(request, gettext("The totals of %(day)s are set.") % {"day": format_day(day)})
        return redirect("nutrition-day", day)
    cancel = reverse("nutrition-day", args=[day])
    title = gettext("Totals of %(day)s") % {"day": format_day(day)}
    delete = reverse("clear-nutrition-day", args=[day]) if stored else ""
    return render_form(request, form, title=title, save=gettext("Set totals"), cancel=cancel, delete=delete)


@login_required
def set_targets(request: AccountRequest) -> HttpResponse:
    stored = request.user.nutrition_targets.first()
    form = TargetsForm(request.user, request.POST or None, stored=stored)
    if form.is_valid():
        NutritionTargets.objects.set_for(request.user, form.values)
        messages.success(request, gettext("Your daily targets are set."))
        changed = "kg_per_week" in form.changed_data  # of which the screen of the targets says what to eat
        return redirect_back(request, reverse("set-nutrition-targets" if changed else "nutrition"))
    context = {"form": form, "title": gettext("Daily targets"), "save": gettext("Set targets")}
    return render(request, "nutrition/targets.html", {**context, "cancel": reverse("nutrition")})


@login_required
def delete_day(request: AccountRequest, day: datetime.date) -> HttpResponse:
    stored = get_object_or_404(request.user.nutrition_days, day=day)
    if request.method == "POST":
        stored.remove()
        messages.success(request, gettext("%(day)s is cleared.") % {"day": format_day(day)})
        return redirect("nutrition-day", day)
    cancel = reverse("nutrition-day", args=[day])
    question = gettext("Clear %(day)s?") % {"day": format_day(day)}
    text = gettext("Its totals and its entries are deleted. This cannot be undone.")
    return render_confirm(request, question, text, gettext("Clear the day"), cancel)


@login_required
@require_POST
def set_complete(request: AccountRequest, day: datetime.date) -> HttpResponse:
    """Keeps whether all that was eaten is in the day."""
    stored = get_object_or_404(request.user.nutrition_days, day=day)
    stored.stored.update(is_complete=request.POST.get("complete") == "yes")
    return redirect("nutrition-day", day)
