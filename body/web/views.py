"""The screens of body weight, tape measurements and goals."""

import datetime

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone

from body.models import SITES, GoalQuerySet, LogQuerySet, MeasurementQuerySet, WeightLogQuerySet
from body.trend import body_trend
from body.web.forms import GoalForm, MeasurementForm, WeightForm
from fitness.web.charts import LineChart, Series, small_multiples
from fitness.web.shortcuts import confirm, form_page, page_of
from fitness.web.units import shown

MAX_LOGS = 2_000  # that charts read: a page costs the same however long the history
MAX_MEASUREMENTS = 500
RANGES = {"30d": ("30 days", 30), "90d": ("90 days", 90), "1y": ("Year", 365), "all": ("All", None)}


@login_required
def weight(request):
    chosen = request.GET.get("range") if request.GET.get("range") in RANGES else "90d"
    logs, next_cursor = page_of(request, WeightLogQuerySet.newest_first, request.user.weight_logs.all())
    trend = recent_trend(request.user, RANGES[chosen][1])
    goal = request.user.goals.newest()
    context = {
        "form": WeightForm(request.user),
        "logs": logs,
        "next_cursor": next_cursor,
        "trend": trend,
        "goal": goal,
        "chart": weight_chart(trend, goal, request.user.units),
        "ranges": [(name, label) for name, (label, _) in RANGES.items()],
        "chosen": chosen,
    }
    return render(request, "body/weight.html", context)


def recent_trend(account, days):
    """The answer of GET /stats/body for so many days up to now, or for all of them; of the newest logs."""
    until = timezone.now()
    since = until - datetime.timedelta(days=days) if days else None
    newest = account.weight_logs.logged(since, until).order_by("-logged_at", "-id")
    logs = newest.values_list("logged_at", "weight_kg", "body_fat_percent", named=True)
    return body_trend(list(logs[:MAX_LOGS])[::-1])


def weight_chart(trend, goal, units):
    points = trend["points"]
    target_kg = goal and goal.target_weight_kg
    return LineChart(
        title="Body weight",
        series=[
            Series("Weighed", [(one["day"], shown(one["weight_kg"], units)) for one in points], "dots"),
            Series("Trend", [(one["day"], shown(one["trend_kg"], units)) for one in points]),
        ],
        unit=units,
        goal=shown(target_kg, units) if target_kg else None,
    )


@login_required
def log_weight(request):
    form = WeightForm(request.user, request.POST or None)
    if form.is_valid():
        form.save()
        messages.success(request, "Your weight is logged.")
        return redirect("body")
    return form_page(request, form, title="Log your weight", cancel=reverse("body"))


@login_required
def edit_weight(request, pk):
    log = get_object_or_404(request.user.weight_logs, pk=pk)
    form = WeightForm(request.user, request.POST or None, log)
    if form.is_valid():
        form.save()
        messages.success(request, "Your changes are saved.")
        return redirect("body")
    return form_page(request, form, title="Edit a weight", cancel=reverse("body"))


@login_required
def delete_weight(request, pk):
    log = get_object_or_404(request.user.weight_logs, pk=pk)
    if request.method == "POST":
        log.delete()
        messages.success(request, "The weight is deleted.")
        return redirect("body")
    question = f"Delete the weight of {day_of(log)}?"
    return confirm(request, question, "This cannot be undone.", "Delete weight", reverse("body"))


@login_required
def measurements(request):
    account = request.user
    logs, next_cursor = page_of(request, MeasurementQuerySet.newest_first, account.measurements.all())
    context = {
        "logs": [(log, sites_of(log)) for log in logs],
        "next_cursor": next_cursor,
        "charts": site_charts(account.measurements.order_by("-logged_at", "-id")[:MAX_MEASUREMENTS]),
    }
    return render(request, "body/measurements.html", context)


def sites_of(log):
    """(name, cm) of the sites that were measured."""
    return [(site_name(site), getattr(log, site)) for site in SITES if getattr(log, site) is not None]


def site_charts(logs: LogQuerySet) -> list[LineChart]:
    """A chart for each site of logs that come newest first."""
    columns = list(logs.values("logged_at", *SITES))[::-1]
    series = [
        Series(site_name(site), [(row["logged_at"], row[site]) for row in columns if row[site] is not None])
        for site in SITES
    ]
    return small_multiples(series, "cm")


def site_name(site):
    return site.removesuffix("_cm").capitalize()


@login_required
def log_measurement(request):
    form = MeasurementForm(request.user, request.POST or None)
    if form.is_valid():
        form.save()
        messages.success(request, "Your measurements are logged.")
        return redirect("measurements")
    return form_page(request, form, title="Log measurements", cancel=reverse("measurements"))


@login_required
def edit_measurement(request, pk):
    log = get_object_or_404(request.user.measurements, pk=pk)
    form = MeasurementForm(request.user, request.POST or None, log)
    if form.is_valid():
        form.save()
        messages.success(request, "Your changes are saved.")
        return redirect("measurements")
    return form_page(request, form, title="Edit measurements", cancel=reverse("measurements"))


@login_required
def delete_measurement(request, pk):
    log = get_object_or_404(request.user.measurements, pk=pk)
    if request.method == "POST":
        log.delete()
        messages.success(request, "The measurements are deleted.")
        return redirect("measurements")
    question = f"Delete the measurements of {day_of(log)}?"
    cancel = reverse("measurements")
    return confirm(request, question, "This cannot be undone.", "Delete measurements", cancel)


@login_required
def goals(request):
    found, next_cursor = page_of(request, GoalQuerySet.newest_first, request.user.goals.all())
    current = request.user.goals.newest()
    context = {
        "current": current,
        "former": [goal for goal in found if goal != current],
        "next_cursor": next_cursor,
        "latest_kg": request.user.weight_logs.latest_kg(),
    }
    if current:
        context["progress"] = current.progress(context["latest_kg"])
    return render(request, "body/goals.html", context)


@login_required
def set_goal(request):
    form = GoalForm(request.user, request.POST or None)
    if form.is_valid():
        form.save()
        messages.success(request, "Your new goal is set.")
        return redirect("goals")
    return form_page(request, form, title="Set a goal", save="Set goal", cancel=reverse("goals"))


def day_of(log):
    return f"{log.logged_at.day} {log.logged_at:%B %Y}"
