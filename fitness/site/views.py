"""The views of no single app: start screen, API reference, deletion of an account."""

import datetime
from typing import Any

from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.db.models import Subquery
from django.db.models.fields.json import KT
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from accounts.models import Account
from accounts.web.forms import PasswordForm
from accounts.web.requests import AccountRequest
from body.trend import whole_change
from body.web.forms import WeightForm
from body.web.views import FORECAST_DAYS as TREND_DAYS
from body.web.views import recent_trend
from fitness.addresses import site_address
from fitness.days import ONE_DAY, today
from fitness.site import account_data
from fitness.web.svg_charts import Calendar
from nutrition.web.eaten import amounts, copy_offers
from nutrition.web.forms import EntryForm
from nutrition.web.views import meals_on
from supplements.web.views import schedule_on
from training import stats
from training.models.sets import shown_volume
from training.plans.plan_rules import PlanWeek, Progression, day_with_targets
from training.plans.program_plans import FITTING
from training.plans.programs import Program
from training.web.progress.weeks import month, weekdays, year_of_workouts

NEWEST_RECORDS = 3
ALWAYS_ON_HOME = 2  # parts of what is eaten: energy and protein


def home(request: HttpRequest) -> HttpResponse:
    context: dict[str, Any] = {"site": site_address(request)}
    if not request.user.is_authenticated:
        return render(request, "landing.html", context)
    context |= home_context(request.user, request.GET.get("days", ""))
    return render(request, "home.html", context)


def home_context(account: Account, days: str = "") -> dict[str, Any]:
    """The context of home.html; `days` a week are what somebody has answered who begins.

    The number of queries does not depend on the length of the history.
    """
    day = today()
    calendar = year_of_workouts(account)
    planned = plan_from(account, day)
    following = next_workout(account, planned, day)
    return {
        "day": day,
        "today": day,
        "planned": planned,
        **following,
        **({} if following["has_workouts"] else ways_to_begin(account, days)),
        "schedule": schedule_on(account, day),
        "meals": meals_on(account, day),
        **food(account, day),
        "calendar": calendar,
        "months": [month(day.replace(day=1), calendar)],
        "weekdays": weekdays(calendar),
        "records": newest_personal_records(account),
        **this_week(account, calendar),
        **weight(account),
    }


def ways_to_begin(account: Account, days: str) -> dict[str, Any]:
    """What an account without a workout is offered, with the starter that fits to `days` a week."""
    chosen = int(days) if days in map(str, FITTING) else None
    starter = FITTING[chosen] if chosen else None
    return {
        "has_routines": account.routines.exists(),
        "units": Account.Units.choices,
        "numbers_of_days": FITTING.keys(),
        "chosen": chosen,
        "starter": starter,
        "is_program": isinstance(starter, Program),
    }


def plan_from(account: Account, day: datetime.date) -> dict[str, Any] | None:
    """What the active plan has from a day on; None without one."""
    planned = None
    plan = account.plans.active().only("account", "name", "days", "rules").first()
    if plan:
        week = PlanWeek.of(account, plan.days)
        rules = Progression.from_json(plan.rules) if plan.rules else Progression()
        planned = {
            "plan": {"pk": plan.pk, "name": plan.name},
            "day": day_with_targets(week, rules, day.isoweekday(), day),
            "next": next_day(week, rules, day),
        }
    return planned


def food(account: Account, day: datetime.date) -> dict[str, Any]:
    """{amounts, offers, yesterday, quick}: what was eaten today, and what the card of food offers."""
    stored = account.nutrition_days.filter(day=day).first()
    parts = amounts(stored, account.nutrition_targets.first())
    return {
        "amounts": parts[:ALWAYS_ON_HOME] + [one for one in parts[ALWAYS_ON_HOME:] if one.target],
        "offers": copy_offers(account),
        "yesterday": day - ONE_DAY,
        "quick": EntryForm(account),
    }


def next_workout(account: Account, planned: dict[str, Any] | None, day: datetime.date) -> dict[str, Any]:
    """What is trained besides the plan's day: the workout under way, or the last one again.

    `done_id`: the last workout of this day that was the plan's.
    """
    drafts = account.training_drafts.open()
    shown = {f"draft_{name}": KT(f"document__{name}") for name in ("title", "started_at")}
    newest = account.workouts.order_by("-started_at", "-id").defer("document", "notes")
    newest = newest.annotate(
        **{name: Subquery(drafts.annotate(shown=value).values("shown")) for name, value in shown.items()}
    )
    if planned:
        done = account.workouts.of_plan_on(day, planned["plan"]["pk"]).order_by("-started_at")
        newest = newest.annotate(done_id=Subquery(done.values("pk")[:1]))
    newest_workout: Any = newest.first()
    draft = newest_workout or drafts.annotate(**shown).values_list(*shown, named=True).first()
    return {
        "has_workouts": newest_workout is not None,
        "newest_workout": newest_workout,
        "done_id": getattr(newest_workout, "done_id", None),
        "under_way": under_way(draft) if draft else None,
    }


def under_way(row: Any) -> dict[str, Any] | None:
    """{title, started_at} of the draft that a row has been annotated with."""
    if row.draft_started_at is None:
        return None
    started_at = datetime.datetime.fromisoformat(row.draft_started_at)
    return {"title": row.draft_title, "started_at": timezone.localtime(started_at)}


def next_day(week: PlanWeek, rules: Progression, today: datetime.date) -> dict[str, Any] | None:
    """The plan's next day of training after today, with its `date` and its targets then; None for a plan that
    rests all week.
    """
    dates = [today + ONE_DAY * number for number in range(1, 8)]
    date = next((date for date in dates if not week.days[date.weekday()]["rest"]), None)
    if date is None:
        return None
    day = day_with_targets(week, rules, date.isoweekday(), date)
    return {**day, "date": date, "is_tomorrow": date == dates[0]}


def this_week(account: Account, calendar: Calendar) -> dict[str, Any]:
    """{streak_days, streak_weeks, week, last_week}: totals since Monday, and those of the week before it."""
    last_week, week = stats.local_weeks(account, 2)
    return {
        "streak_days": stats.local_streak_days(account, calendar.counts, calendar.since, calendar.until),
        "streak_weeks": stats.local_streak_weeks(calendar.counts, calendar.until),
        "week": shown_week(week, calendar),
        "last_week": shown_week(last_week, calendar),
    }


def shown_week(week: stats.LocalWeek, calendar: Calendar) -> dict[str, float]:
    days = [week.monday + ONE_DAY * number for number in range(7)]
    sessions = sum(calendar.counts.get(day, 0) for day in days)
    return {"sessions": sessions, "sets": week.work_sets, "volume_kg": shown_volume(week.volume_kg)}


def weight(account: Account) -> dict[str, Any]:
    """{trend, change_kg, weight_form}: the trend of the last TREND_DAYS, and the form for the next weight."""
    trend = recent_trend(account, TREND_DAYS)
    form = WeightForm(account)
    form.suggest(trend["weight"]["last"])
    return {"trend": trend, "change_kg": whole_change(trend["points"]), "weight_form": form}


def newest_personal_records(account: Account) -> list[dict[str, Any]]:
    newest = stats.newest_personal_records(account, NEWEST_RECORDS)
    return [
        {
            **stats.personal_record(row),
            "at": row.started_at,
            "is_assisted": row.exercise__is_assisted,
            "is_first": not row.beat_others,
        }
        for row in newest
    ]


@login_required
def more(request: AccountRequest) -> HttpResponse:
    """What the bar of a phone has no room for."""
    return render(request, "more.html")


def docs(request: HttpRequest) -> HttpResponse:
    return render(request, "docs.html")


@sensitive_post_parameters()
@login_required
@never_cache
def delete_account(request: AccountRequest) -> HttpResponse:
    form = PasswordForm(request, request.POST or None)
    if form.is_valid():
        with transaction.atomic():
            account_data.delete(request.user)
            logout(request)
        messages.success(request, _("Your account and everything in it are deleted."))
        return redirect("home")
    return render(request, "accounts/delete_account.html", {"form": form})
