"""The screens of the supplement schedule: a day to tick, and the month around it."""

import calendar
import datetime
from collections import defaultdict
from typing import Any, TypedDict
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.db.models import Exists, OuterRef
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse, reverse_lazy
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from accounts.models import Account
from accounts.web.requests import AccountRequest
from fitness.days import day_after, day_before, today
from fitness.web.crud import AddView, DeleteView, EditView
from fitness.web.shortcuts import redirect_back
from supplements.models import Supplement
from supplements.web.forms import SupplementForm


class Dot(TypedDict):
    """A day of a month in the row of a supplement."""

    at: float  # the middle of the day, in percent of a row of 31 days
    day: datetime.date
    ticked: bool


class SupplementMonth(TypedDict):
    """A supplement of the schedule on a day, and in the month of that day."""

    supplement: Supplement
    ticked: bool  # on the day
    taken: int  # of the days that count
    days: int  # of the month that count: until today, since the supplement began
    dots: list[Dot]


@login_required
def supplements(request: AccountRequest, day: datetime.date | None = None) -> HttpResponse:
    """A day, today where the path names none."""
    day = day or today()
    context = {
        "day": day,
        "today": today(),
        "before": day_before(day),
        "after": day_after(day),
        "schedule": month_of(request.user, day),
    }
    return render(request, "supplements/day.html", context)


def schedule_on(account: Account, day: datetime.date) -> list[tuple[Supplement, bool]]:
    """The schedule of the account by time of day, each supplement with whether it is ticked for the day."""
    ticks = account.supplement_logs.filter(day=day, supplement=OuterRef("pk"))
    supplements: Any = account.supplements.annotate(is_ticked=Exists(ticks)).order_by("time", "name", "id")
    return [(supplement, supplement.is_ticked) for supplement in supplements]


def month_of(account: Account, day: datetime.date) -> list[SupplementMonth]:
    """The schedule of the account by time of day, on a day and in its month."""
    days = days_of_month(day)
    logs = account.supplement_logs.between(days[0], days[-1])
    days_taken = defaultdict(set)
    for supplement_id, day_taken in logs.values_list("supplement_id", "day"):
        days_taken[supplement_id].add(day_taken)
    return [
        supplement_month(supplement, day, days, days_taken[supplement.pk])
        for supplement in account.supplements.order_by("time", "name", "id")
    ]


def supplement_month(
    supplement: Supplement, day: datetime.date, days: list[datetime.date], taken: set[datetime.date]
) -> SupplementMonth:
    dots: list[Dot] = [
        {"at": round(100 * (one.day - 0.5) / 31, 2), "day": one, "ticked": one in taken} for one in days
    ]
    counted = counted_days(supplement, days, taken)
    return {
        "supplement": supplement,
        "ticked": day in taken,
        "taken": len(taken.intersection(counted)),
        "days": len(counted),
        "dots": dots,
    }


def counted_days(
    supplement: Supplement, days: list[datetime.date], taken: set[datetime.date]
) -> list[datetime.date]:
    """The days of a month on which the supplement could be taken: not to come, and not before it began.

    It began on the day when it was added, or on the first that was ticked afterwards for an earlier one.
    """
    begun = min([timezone.localdate(supplement.created_at), *taken])
    return [day for day in days if begun <= day <= today()]


def days_of_month(day: datetime.date) -> list[datetime.date]:
    length = calendar.monthrange(day.year, day.month)[1]
    return [day.replace(day=number) for number in range(1, length + 1)]


@login_required
@require_POST
def tick_supplement(request: AccountRequest, pk: UUID, day: datetime.date) -> HttpResponse:
    get_object_or_404(request.user.supplements, pk=pk).tick(day, timezone.now())
    return redirect_back(request, reverse("supplements-day", args=[day]))


@login_required
@require_POST
def untick_supplement(request: AccountRequest, pk: UUID, day: datetime.date) -> HttpResponse:
    get_object_or_404(request.user.supplements, pk=pk).logs.filter(day=day).delete()
    return redirect_back(request, reverse("supplements-day", args=[day]))


class AddSupplementView(AddView):
    form_class = SupplementForm
    title = _("Add a supplement")
    save_label = _("Add supplement")
    success_message = _("The supplement is on your schedule.")
    success_url = reverse_lazy("supplements")


class EditSupplementView(EditView):
    form_class = SupplementForm
    title = _("Edit a supplement")
    success_url = reverse_lazy("supplements")


class RemoveSupplementView(DeleteView[Supplement]):
    manager_name = "supplements"
    question = _("Remove {name}?")
    text = _("All its ticks are deleted too. This cannot be undone.")
    button = _("Remove supplement")
    success_message = _("{name} is removed.")
    success_url = reverse_lazy("supplements")
