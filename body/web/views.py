"""The screens of body weight, tape measurements and goals."""

import datetime

from django.contrib.auth.decorators import login_required
from django.shortcuts import render
from django.urls import reverse_lazy
from django.utils import timezone

from body.models import SITES, GoalQuerySet, Log, LogQuerySet, MeasurementQuerySet, WeightLogQuerySet
from body.trend import body_trend
from body.web.forms import GoalForm, MeasurementForm, WeightForm
from fitness.web.charts import LineChart, Series, small_multiples
from fitness.web.crud import AddView, DeleteView, EditView
from fitness.web.shortcuts import page_of
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


class LogWeightView(AddView):
    form_class = WeightForm
    title = "Log your weight"
    success_message = "Your weight is logged."
    success_url = reverse_lazy("body")


class EditWeightView(EditView):
    form_class = WeightForm
    title = "Edit a weight"
    success_url = reverse_lazy("body")


class DeleteLogView(DeleteView[Log]):
    def name_of(self, instance: Log) -> str:
        return format_day(instance.logged_at)


class DeleteWeightView(DeleteLogView):
    manager_name = "weight_logs"
    question = "Delete the weight of {name}?"
    button = "Delete weight"
    success_message = "The weight is deleted."
    success_url = reverse_lazy("body")


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


class LogMeasurementView(AddView):
    form_class = MeasurementForm
    title = "Log measurements"
    success_message = "Your measurements are logged."
    success_url = reverse_lazy("measurements")


class EditMeasurementView(EditView):
    form_class = MeasurementForm
    title = "Edit measurements"
    success_url = reverse_lazy("measurements")


class DeleteMeasurementView(DeleteLogView):
    manager_name = "measurements"
    question = "Delete the measurements of {name}?"
    button = "Delete measurements"
    success_message = "The measurements are deleted."
    success_url = reverse_lazy("measurements")


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


class SetGoalView(AddView):
    form_class = GoalForm
    title = "Set a goal"
    save_label = "Set goal"
    success_message = "Your new goal is set."
    success_url = reverse_lazy("goals")


def format_day(day: datetime.date) -> str:
    return f"{day.day} {day:%B} {day.year}"
