from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from accounts.models import Account
from accounts.web.requests import AccountRequest
from fitness.days import today
from fitness.web.shortcuts import get_page
from training.models import Plan
from training.models.plan import PlanChange, PlanQuerySet
from training.models.planned import PlanDay
from training.plans.programs import PROGRAMS
from training.web.forms import PlanForm
from training.web.forms.base import EntriesForm
from training.web.names import weekday_name
from training.web.rules import RulesOnPage
from training.web.views.form_views import FormViews, Words

ROUTINES = 100  # that a day can be filled from
EXERCISES_OF_DAY = 70  # shown of a plan's day, so that a week has under 500


# What the history says of changes that workouts made.
MOVED = {
    "progressed": gettext_lazy("Targets moved:"),
    "deloaded": gettext_lazy("Targets stepped down:"),
}


class ShortDay(PlanDay):
    """A day as the view of its plan shows it, with how many `more` exercises it has."""

    name: str
    more: int


class PlanFormViews(FormViews[Plan]):
    noun = "plan"
    create_url = "create-plan"
    words = Words(
        save=gettext_lazy("Save plan"),
        saved=gettext_lazy("Your plan is saved."),
        delete=gettext_lazy("Delete plan"),
        delete_warning=gettext_lazy(
            "Workouts that followed it stay, and keep its name. This cannot be undone."
        ),
    )
    form_class = PlanForm

    def remove(self, instance: Plan) -> None:
        instance.remove()

    def extra_context(self, account: Account, form: EntriesForm[Plan, Any], is_new: bool) -> dict[str, Any]:
        return {"routines": account.routines.names()[:ROUTINES]}


form_views = PlanFormViews()


@login_required
def plans(request: AccountRequest) -> HttpResponse:
    page, next_cursor = get_page(request, PlanQuerySet.newest_first, request.user.plans.all())
    context = {"plans": page, "next_cursor": next_cursor, "programs": PROGRAMS.values()}
    return render(request, "training/plans.html", context)


@login_required
def plan(request: AccountRequest, pk: UUID) -> HttpResponse:
    plan = get_object_or_404(request.user.plans, pk=pk)
    rules = RulesOnPage(request.user, plan, today())
    context = {
        "plan": plan,
        "days": rules.on_days([shortened(day) for day in plan.days]),
        "today": today().isoweekday(),
        "history": [shown_change(entry) for entry in reversed(plan.history)],
        "sentences": rules.sentences(),
        "lighter_weeks": rules.lighter_weeks,
    }
    return render(request, "training/plan.html", context)


@login_required
def plan_day(request: AccountRequest, pk: UUID, weekday: int) -> HttpResponse:
    """One day with all of its exercises, where the view of its plan shows a part."""
    plan = get_object_or_404(request.user.plans, pk=pk)
    day = next((day for day in plan.days if day["weekday"] == weekday), None)
    if day is None:
        raise Http404
    rules = RulesOnPage(request.user, plan, today())
    context = {"plan": plan, "day": rules.on_days([day])[0], "name": weekday_name(weekday)}
    return render(request, "training/plan_day.html", {**context, "lighter_weeks": rules.lighter_weeks})


def shown_change(entry: PlanChange) -> dict[str, Any]:
    """A change of the history; of one that a workout made, the targets that moved are `lines`."""
    moved = MOVED.get(entry["kind"], "")
    lines = entry["detail"].removesuffix(".").split("; ") if moved else []
    return {**entry, "at": parse_datetime(entry["at"]), "moved": moved, "lines": lines}


def shortened(day: PlanDay) -> ShortDay:
    exercises = day["exercises"][:EXERCISES_OF_DAY]
    more = len(day["exercises"]) - len(exercises)
    return {**day, "name": weekday_name(day["weekday"]), "exercises": exercises, "more": more}


@login_required
@require_POST
def activate_plan(request: AccountRequest, pk: UUID) -> HttpResponse:
    plan = get_object_or_404(request.user.plans, pk=pk)
    plan.activate()
    messages.success(request, _("“%(name)s” is your active plan.") % {"name": plan.name})
    return redirect("plan", pk)
