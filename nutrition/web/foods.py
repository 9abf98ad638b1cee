"""The screens of what is eaten: entries of a day, and the foods of an account."""

import datetime
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import F, QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse, reverse_lazy
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from accounts.models import Account
from accounts.web.requests import AccountRequest
from fitness.days import today
from fitness.web.crud import AddView, DeleteView, EditView
from fitness.web.shortcuts import quote, redirect_back, render_confirm, render_form
from fitness.web.templatetags.units import number
from nutrition.models import MAX_ENTRIES, Food, FoodEntry, TooMany
from nutrition.web.amounts import written
from nutrition.web.eaten import meal_now
from nutrition.web.forms import AmountForm, EntryForm, FoodForm

P = ParamSpec("P")
View = Callable[Concatenate[AccountRequest, P], HttpResponse]


def answers_refusals(view: View[P]) -> View[P]:
    """A view of entries that leads back with a message where the day has as many as it may.

    It answers 404 for an entry that was deleted since the view has found it.
    """

    @wraps(view)
    def guarded(request: AccountRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except TooMany:
            full = gettext("A day has at most %(count)s entries. Remove some first.")
            messages.error(request, full % {"count": MAX_ENTRIES})
            return redirect_back(request, reverse("nutrition"))
        except FoodEntry.DoesNotExist:
            raise Http404 from None

    return guarded


def in_order(foods: QuerySet[Food], most: int | None = None) -> list[tuple[Food, str]]:
    """Favourites, then what was eaten last, then by name, each with its portion as people read it."""
    found = foods.order_by("-is_favorite", F("used_at").desc(nulls_last=True), "name", "id")[:most]
    return [(food, written(food.portion, food.unit)) for food in found]


# --- Foods ------------------------------------------------------------------------------------------


@login_required
def foods(request: AccountRequest, day: datetime.date | None = None) -> HttpResponse:
    """The foods of the account, each with a button that logs it for the day; today by default."""
    search = request.GET.get("q", "").strip()
    found = in_order(request.user.foods.filter(name__icontains=search))
    context = {"day": day or today(), "today": today(), "foods": found, "search": search}
    return render(request, "nutrition/foods.html", context)


@login_required
@answers_refusals
def eat_food(request: AccountRequest, pk: UUID, day: datetime.date) -> HttpResponse:
    """Logs an amount of a food. A button on another screen sends none: that is a portion."""
    food = get_object_or_404(request.user.foods, pk=pk)
    form = AmountForm(food, request.POST if request.method == "POST" else None)
    on_day = reverse("nutrition-day", args=[day])
    if form.is_valid():
        meal = form.cleaned_data["meal"] if "meal" in request.POST else meal_now()
        amount = form.cleaned_data["amount"]
        food.eat(day, amount, meal)
        said = f"{quote(food.name)}, {written(amount, food.unit)}"
        messages.success(request, gettext("Added: %(food)s.") % {"food": said})
        return redirect_back(request, on_day)
    return render_form(request, form, title=food.name, save=gettext("Add"), cancel=on_day)


@login_required
@require_POST
@answers_refusals
def tick_meal(request: AccountRequest, pk: UUID, day: datetime.date) -> HttpResponse:
    get_object_or_404(request.user.foods, pk=pk).tick(day)
    return redirect_back(request, reverse("nutrition-day", args=[day]))


@login_required
@require_POST
def untick_meal(request: AccountRequest, pk: UUID, day: datetime.date) -> HttpResponse:
    get_object_or_404(request.user.foods, pk=pk).untick(day)
    return redirect_back(request, reverse("nutrition-day", args=[day]))


class AddFoodView(AddView):
    form_class = FoodForm
    title = _("Add a food")
    save_label = _("Add food")
    success_message = _("The food is added.")
    success_url = reverse_lazy("foods")


class EditFoodView(EditView):
    form_class = FoodForm
    title = _("Edit a food")
    success_message = _("The food is changed, for entries from now on.")
    success_url = reverse_lazy("foods")
    delete_name = "remove-food"


class RemoveFoodView(DeleteView[Food]):
    manager_name = "foods"
    question = _("Remove {name}?")
    text = _("What was eaten of it stays, by its name.")
    button = _("Remove food")
    success_message = _("{name} is removed.")
    success_url = reverse_lazy("foods")


# --- Entries ----------------------------------------------------------------------------------------


@login_required
@answers_refusals
def add_entry(request: AccountRequest, day: datetime.date) -> HttpResponse:
    form = EntryForm(request.user, request.POST or None)
    on_day = reverse("nutrition-day", args=[day])
    if form.is_valid():
        FoodEntry.objects.add(request.user, day, [FoodEntry(**form.values)])
        energy = gettext("%(amount)s kcal") % {"amount": number(form.values["calories"])}
        messages.success(request, gettext("Added: %(food)s.") % {"food": energy})
        return redirect_back(request, on_day)
    return render_form(request, form, title=gettext("Add what you ate"), save=gettext("Add"), cancel=on_day)


def get_entry(account: Account, pk: int) -> FoodEntry:
    entries = account.food_entries.select_related("nutrition_day", "food")
    entry: FoodEntry = get_object_or_404(entries, pk=pk)
    return entry


@login_required
@answers_refusals
def edit_entry(request: AccountRequest, pk: int) -> HttpResponse:
    """An entry of a food has an amount to change, others what they hold."""
    entry = get_entry(request.user, pk)
    form: EntryForm | AmountForm
    if entry.food and entry.amount:
        form = AmountForm(entry.food, request.POST or None, entry)
    else:
        form = EntryForm(request.user, request.POST or None, entry)
    on_day = reverse("nutrition-day", args=[entry.day])
    if form.is_valid():
        entry.edit(form.values)
        messages.success(request, gettext("Your changes are saved."))
        return redirect(on_day)
    title, delete = str(entry) or gettext("Quick entry"), reverse("remove-entry", args=[entry.pk])
    return render_form(request, form, title=title, cancel=on_day, delete=delete)


@login_required
@answers_refusals
def remove_entry(request: AccountRequest, pk: int) -> HttpResponse:
    entry = get_entry(request.user, pk)
    on_day = reverse("nutrition-day", args=[entry.day])
    if request.method == "POST":
        entry.remove()
        messages.success(request, gettext("The entry is removed."))
        return redirect(on_day)
    question = gettext("Remove {name}?").format(name=quote(str(entry) or gettext("Quick entry")))
    text = gettext("What it holds is taken off the totals of its day. This cannot be undone.")
    return render_confirm(request, question, text, gettext("Remove entry"), on_day)


@login_required
@require_POST
@answers_refusals
def copy_day(request: AccountRequest, day: datetime.date) -> HttpResponse:
    """Copies the entries of a day to today, or those of the `meal` or the one `entry` that the form names."""
    sent = request.POST
    entries = [
        one
        for one in request.user.food_entries.of_day(day)
        if sent.get("meal", one.meal) == one.meal and sent.get("entry", str(one.pk)) == str(one.pk)
    ]
    count = len(FoodEntry.objects.copy(request.user, entries, today()))
    text = ngettext("%(count)s entry is copied to today.", "%(count)s entries are copied to today.", count)
    messages.success(request, text % {"count": count})
    return redirect_back(request, reverse("nutrition"))
