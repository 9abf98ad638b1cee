"""The screens of nutrition: a day with its meals to tick, its totals, and the days before it."""

import datetime
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse, reverse_lazy
from django.views.decorators.http import require_POST

from accounts.models import Account
from accounts.web.requests import AccountRequest
from fitness.days import ONE_DAY, day_after, day_before, today
from fitness.web.charts import Bar, BarChart
from fitness.web.crud import AddView, DeleteView, EditView
from fitness.web.days import format_day
from fitness.web.shortcuts import get_page, redirect_back, render_confirm, render_form
from nutrition.models import Meal, NutritionDayQuerySet
from nutrition.web.forms import MealForm, TotalsForm

DAYS_OF_CHART = 30


@login_required
def nutrition(request: AccountRequest) -> HttpResponse:
    return render_day(request, today())


@login_required
def nutrition_day(request: AccountRequest, day: datetime.date) -> HttpResponse:
    return render_day(request, day)


def render_day(request: AccountRequest, day: datetime.date) -> HttpResponse:
    account = request.user
    days, next_cursor = get_page(request, NutritionDayQuerySet.newest_first, account.nutrition_days.all())
    stored = account.nutrition_days.filter(day=day).first()
    context = {
        "day": day,
        "today": today(),
        "before": day_before(day),
        "after": day_after(day),
        "stored": stored,
        "meals": meals_on(account, day),
        "form": TotalsForm(account, day, stored=stored),
        "chart": energy_chart(account, day),
        "days": days,
        "next_cursor": next_cursor,
    }
    return render(request, "nutrition/day.html", context)


def meals_on(account: Account, day: datetime.date) -> list[tuple[Meal, bool]]:
    """The meals of the account by name, each with whether it is ticked for the day."""
    ticks = account.meal_ticks.filter(nutrition_day__day=day)
    ticked = set(ticks.values_list("meal_id", flat=True))
    return [(meal, meal.pk in ticked) for meal in account.meals.order_by("name", "id")]


def energy_chart(account: Account, last: datetime.date) -> BarChart:
    """The energy of each day in kcal, over DAYS_OF_CHART days; fewer at the start of the calendar."""
    first = datetime.date.fromordinal(max(last.toordinal() - DAYS_OF_CHART + 1, 1))
    calories = dict(account.nutrition_days.between(first, last).values_list("day", "calories"))
    days = [first + ONE_DAY * index for index in range((last - first).days + 1)]
    bars = [Bar(f"{day.day} {day:%b}", calories.get(day, 0)) for day in days]
    return BarChart("Energy, a bar a day", bars, "kcal")


@login_required
def set_totals(request: AccountRequest, day: datetime.date) -> HttpResponse:
    account = request.user
    stored = account.nutrition_days.filter(day=day).first()
    form = TotalsForm(account, day, request.POST or None, stored)
    if form.is_valid():
        form.save()
        messages.success(request, f"The totals of {format_day(day)} are set.")
        return redirect("nutrition-day", day)
    cancel = reverse("nutrition-day", args=[day])
    return render_form(request, form, title=f"Totals of {format_day(day)}", save="Set totals", cancel=cancel)


@login_required
def delete_day(request: AccountRequest, day: datetime.date) -> HttpResponse:
    stored = get_object_or_404(request.user.nutrition_days, day=day)
    if request.method == "POST":
        stored.remove()
        messages.success(request, f"{format_day(day)} is cleared.")
        return redirect("nutrition-day", day)
    cancel = reverse("nutrition-day", args=[day])
    text = "Its totals and the ticks of its meals are deleted. This cannot be undone."
    return render_confirm(request, f"Clear {format_day(day)}?", text, "Clear the day", cancel)


@login_required
@require_POST
def tick_meal(request: AccountRequest, pk: UUID, day: datetime.date) -> HttpResponse:
    get_object_or_404(request.user.meals, pk=pk).tick(day)
    return redirect_back(request, reverse("nutrition-day", args=[day]))


@login_required
@require_POST
def untick_meal(request: AccountRequest, pk: UUID, day: datetime.date) -> HttpResponse:
    get_object_or_404(request.user.meals, pk=pk).untick(day)
    return redirect_back(request, reverse("nutrition-day", args=[day]))


class AddMealView(AddView):
    form_class = MealForm
    title = "Add a meal"
    save_label = "Add meal"
    success_message = "The meal is added. Tick it on the days that you eat it."
    success_url = reverse_lazy("nutrition")


class EditMealView(EditView):
    form_class = MealForm
    title = "Edit a meal"
    success_message = "The meal is changed, for ticks from now on."
    success_url = reverse_lazy("nutrition")


class RemoveMealView(DeleteView[Meal]):
    manager_name = "meals"
    question = "Remove {name}?"
    text = "Its ticks go with it. The totals of past days stay as they are."
    button = "Remove meal"
    success_message = "{name} is removed."
    success_url = reverse_lazy("nutrition")
