"""The start page of an account: what today asks for, and how things stand."""

import datetime

from django.db.models import Count
from django.utils import timezone

from body.web.views import recent_trend, weight_chart
from fitness.web.charts import Calendar
from nutrition.web.views import meals_on
from supplements.web.views import month_of
from training import stats

RECORDS = 5
DAYS_OF_TREND = 90


def home(account):
    """What home.html shows; the same number of statements however long the history."""
    now = timezone.now()
    day = now.date()
    return {
        "day": day,
        "today": day,
        "has_workouts": account.workouts.exists(),
        "has_key": account.api_keys.active().exists(),
        "planned": planned_day(account, day),
        "schedule": month_of(account, day),
        "meals": meals_on(account, day),
        "nutrition": account.nutrition_days.filter(day=day).first(),
        "calendar": session_calendar(account, day),
        "records": newest_personal_records(account),
        **this_week(account, now),
        **weight(account),
    }


def planned_day(account, day):
    """{plan, day} of the active plan, or None."""
    plan = account.plans.active().first()
    if plan is None:
        return None
    return {"plan": plan, "day": plan.days[day.weekday()]}


def this_week(account, now):
    """Totals from Monday on, each muscle group with its percentage of the largest number of sets."""
    monday = midnight(now) - datetime.timedelta(days=now.weekday())
    week = stats.totals(account, monday, now)
    most = max((group["sets"] for group in week["by_muscle_group"]), default=1)
    groups = [{**group, "percent": round(100 * group["sets"] / most)} for group in week["by_muscle_group"]]
    return {"week": week, "groups": groups}


def midnight(moment):
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def session_calendar(account, day):
    calendar = Calendar("Sessions of the last year", {}, day)
    since = datetime.datetime.combine(calendar.since, datetime.time(), datetime.UTC)
    counts = account.workouts.started(since).values_list("day").annotate(Count("id")).order_by()
    return Calendar(
        calendar.title, {datetime.date.fromordinal(number): count for number, count in counts}, day
    )


def weight(account):
    goal = account.goals.newest()
    trend = recent_trend(account, DAYS_OF_TREND)
    return {"goal": goal, "trend": trend, "weight_chart": weight_chart(trend, goal, account.units)}


def newest_personal_records(account):
    newest = stats.personal_records(account).order_by("-started_at", "-id")[:RECORDS]
    return [{**stats.personal_record(session), "at": session.started_at} for session in newest]
