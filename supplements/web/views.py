"""The screens of the supplement schedule: a day to tick, and the month around it."""

import calendar
import datetime

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from fitness.web.shortcuts import back, confirm, form_page, neighbour, quoted, today
from supplements.web.forms import SupplementForm


@login_required
def supplements(request):
    return day_page(request, today())


@login_required
def supplements_day(request, day):
    return day_page(request, day)


def day_page(request, day):
    context = {
        "day": day,
        "today": today(),
        "before": neighbour(day, -1),
        "after": neighbour(day, +1),
        "schedule": month_of(request.user, day),
    }
    return render(request, "supplements/day.html", context)


def month_of(account, day):
    """Each supplement by time: {supplement, ticked (on the day), taken (days of the month), dots}."""
    days = days_of_month(day)
    logs = account.supplement_logs.between(days[0], days[-1])
    ticks = {}
    for supplement_id, one in logs.values_list("supplement_id", "day"):
        ticks.setdefault(supplement_id, set()).add(one)
    return [
        month_with(supplement, day, days, ticks.get(supplement.pk, set()))
        for supplement in account.supplements.order_by("time", "name", "id")
    ]


def month_with(supplement, day, days, ticked):
    dots = [{"at": round(100 * (one.day - 0.5) / 31, 2), "day": one, "ticked": one in ticked} for one in days]
    return {"supplement": supplement, "ticked": day in ticked, "taken": len(ticked), "dots": dots}


def days_of_month(day):
    _, length = calendar.monthrange(day.year, day.month)
    return [datetime.date(day.year, day.month, one) for one in range(1, length + 1)]


@login_required
@require_POST
def tick_supplement(request, pk, day):
    get_object_or_404(request.user.supplements, pk=pk).tick(day, timezone.now())
    return back(request, reverse("supplements-day", args=[day]))


@login_required
@require_POST
def untick_supplement(request, pk, day):
    get_object_or_404(request.user.supplements, pk=pk).logs.filter(day=day).delete()
    return back(request, reverse("supplements-day", args=[day]))


@login_required
def add_supplement(request):
    form = SupplementForm(request.user, request.POST or None)
    if form.is_valid():
        form.save()
        messages.success(request, "The supplement is on your schedule.")
        return redirect("supplements")
    cancel = reverse("supplements")
    return form_page(request, form, title="Add a supplement", save="Add supplement", cancel=cancel)


@login_required
def edit_supplement(request, pk):
    supplement = get_object_or_404(request.user.supplements, pk=pk)
    form = SupplementForm(request.user, request.POST or None, supplement)
    if form.is_valid():
        form.save()
        messages.success(request, "Your changes are saved.")
        return redirect("supplements")
    return form_page(request, form, title="Edit a supplement", cancel=reverse("supplements"))


@login_required
def remove_supplement(request, pk):
    supplement = get_object_or_404(request.user.supplements, pk=pk)
    if request.method == "POST":
        supplement.delete()
        messages.success(request, f"{quoted(supplement.name)} is removed.")
        return redirect("supplements")
    question = f"Remove {quoted(supplement.name)}?"
    text = "All its ticks are deleted too. This cannot be undone."
    return confirm(request, question, text, "Remove supplement", reverse("supplements"))
