"""The screens of the supplement schedule: a day to tick, and the month around it."""

import calendar
import datetime

from django.contrib.auth.decorators import login_required
from django.shortcuts import get_object_or_404, render
from django.urls import reverse, reverse_lazy
from django.utils import timezone
from django.views.decorators.http import require_POST

from fitness.web.crud import AddView, DeleteView, EditView
from fitness.web.shortcuts import back, neighbour, today
from supplements.models import Supplement
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


class AddSupplementView(AddView):
    form_class = SupplementForm
    title = "Add a supplement"
    save_label = "Add supplement"
    success_message = "The supplement is on your schedule."
    success_url = reverse_lazy("supplements")


class EditSupplementView(EditView):
    form_class = SupplementForm
    title = "Edit a supplement"
    success_url = reverse_lazy("supplements")


class RemoveSupplementView(DeleteView[Supplement]):
    manager_name = "supplements"
    question = "Remove {name}?"
    text = "All its ticks are deleted too. This cannot be undone."
    button = "Remove supplement"
    success_message = "{name} is removed."
    success_url = reverse_lazy("supplements")
