from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_POST

from fitness.web.shortcuts import get_page, render_confirm
from training.api.serializers.plan import WEEKDAYS
from training.models.plan import PlanQuerySet
from training.web.forms import PlanForm
from training.web.views.common import form_page

FORM = "training/plan_form.html"
EXERCISES_OF_DAY = 70  # on the page of a plan, so that a week has under 500


@login_required
def plans(request):
    page, next_cursor = get_page(request, PlanQuerySet.newest_first, request.user.plans.all())
    return render(request, "training/plans.html", {"plans": page, "next_cursor": next_cursor})


@login_required
def plan(request, pk):
    plan = get_object_or_404(request.user.plans, pk=pk)
    context = {
        "plan": plan,
        "days": [shortened(day) for day in plan.days],
        "today": timezone.localdate().isoweekday(),
        "history": [{**entry, "at": parse_datetime(entry["at"])} for entry in reversed(plan.history)],
    }
    return render(request, "training/plan.html", context)


@login_required
def plan_day(request: HttpRequest, pk: UUID, weekday: int) -> HttpResponse:
    """One day whole, where the page of its plan shows a part."""
    plan = get_object_or_404(request.user.plans, pk=pk)
    day = next((day for day in plan.days if day["weekday"] == weekday), None)
    if day is None:
        raise Http404
    return render(request, "training/plan_day.html", {"plan": plan, "day": day, "name": WEEKDAYS[weekday]})


def shortened(day: dict[str, Any]) -> dict[str, Any]:
    """A day as the page of its plan shows it, with how many `more` exercises it has."""
    exercises = day["exercises"][:EXERCISES_OF_DAY]
    more = len(day["exercises"]) - len(exercises)
    return {**day, "name": WEEKDAYS[day["weekday"]], "exercises": exercises, "more": more}


@login_required
def create_plan(request):
    if request.method != "POST":
        return create_page(request, PlanForm.blank(request.user))
    form = PlanForm.posted(request.user, request.POST)
    if not form.is_valid():
        return create_page(request, form)
    plan = form.save_new()
    messages.success(request, "Your plan is saved.")
    return redirect("plan", plan.pk)


@login_required
@require_POST
def new_plan_rows(request):
    form = PlanForm.posted(request.user, request.POST)
    form.rearrange(request.POST)
    return create_page(request, form)


@login_required
def edit_plan(request, pk):
    plan = get_object_or_404(request.user.plans, pk=pk)
    if request.method != "POST":
        return edit_page(request, plan, PlanForm.of(request.user, plan))
    form = PlanForm.posted(request.user, request.POST)
    if not form.is_valid():
        return edit_page(request, plan, form)
    form.save_changes(plan)
    messages.success(request, "Your changes are saved.")
    return redirect("plan", pk)


@login_required
@require_POST
def plan_rows(request, pk):
    plan = get_object_or_404(request.user.plans, pk=pk)
    form = PlanForm.posted(request.user, request.POST)
    form.rearrange(request.POST)
    return edit_page(request, plan, form)


@login_required
@require_POST
def activate_plan(request, pk):
    plan = get_object_or_404(request.user.plans, pk=pk)
    plan.activate()
    messages.success(request, f"“{plan.name}” is your active plan.")
    return redirect("plan", pk)


@login_required
def delete_plan(request, pk):
    plan = get_object_or_404(request.user.plans, pk=pk)
    if request.method == "POST":
        plan.remove()
        messages.success(request, f"“{plan.name}” is deleted.")
        return redirect("plans")
    return render_confirm(
        request,
        f"Delete “{plan.name}”?",
        "Workouts that followed it stay, and keep its name. This cannot be undone.",
        "Delete plan",
        reverse("plan", args=[pk]),
    )


def create_page(request, form):
    context = {"action": reverse("create-plan")}
    return form_page(request, FORM, form, reverse("new-plan-rows"), save="Save plan", **context)


def edit_page(request, plan, form):
    rows = reverse("plan-rows", args=[plan.pk])
    context = {"plan": plan, "action": reverse("edit-plan", args=[plan.pk])}
    return form_page(request, FORM, form, rows, save="Save changes", **context)
