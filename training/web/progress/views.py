import calendar
import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.dates import WEEKDAYS_ABBR
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy
from django.views.decorators.http import require_POST

from accounts.models import Account
from accounts.web.requests import AccountRequest
from fitness.days import ONE_DAY, today
from fitness.web.charts import Calendar
from fitness.web.shortcuts import get_page, redirect_back
from training import stats
from training.models.exercise import MuscleGroup
from training.models.pin import MAX_PINS
from training.models.workout_exercise import WorkoutExerciseQuerySet
from training.web.progress import figures
from training.web.progress.figures import TrainedRow, Week
from training.web.progress.filters import RecordFilter
from training.web.progress.headline import FULL_WEEKS, History, LiftHistory, Session, headline
from training.web.progress.lifts import (
    MEASURES,
    ShownLift,
    by_muscle_group,
    importance,
    shown_lift,
    with_charts,
)
from training.web.progress.week import Cell, Compared, compared, groups_by_week
from training.web.views.common import exercise_or_404

LEADING = MAX_PINS  # lifts that lead the page: those that are pinned, then those that are trained most
LIFTS = 30  # others on a page
MONTHS = 3  # that a phone shows day by day; the others have a list of their workouts
BY = {"sets": pgettext_lazy("of a workout", "Sets"), "volume": gettext_lazy("Volume")}


@dataclass(frozen=True)
class Month:
    """A month of the calendar: its weeks of (day, sessions), None outside of the month or of the year."""

    first: datetime.date
    weeks: list[list[tuple[datetime.date, int] | None]]

    @property
    def sessions(self) -> int:
        return sum(day[1] for week in self.weeks for day in week if day)


@login_required
def progress(request: AccountRequest) -> HttpResponse:
    account = request.user
    trained = figures.trained_rows(account)
    if not trained:
        return render(request, "training/progress/nothing.html")
    measure, by = chosen(request, "measure", MEASURES), chosen(request, "by", BY)
    lifts = figures.lifts(account, trained, with_volume=measure == "volume")
    weeks, sessions = figures.weeks(account), year(account)
    trained.sort(key=lambda row: importance(row, lifts.get(row.exercise_id)), reverse=True)
    leading = [row.exercise_id for row in trained[:LEADING]]
    page, next_cursor = page_of(trained, request.GET.get("cursor"))
    records = figures.records(account, [row.exercise_id for row in page])
    shown = [shown_lift(row, lifts, records.get(row.exercise_id), measure) for row in page]
    firsts = first_days(sessions)
    this_week = compared(weeks, sessions.counts)
    context = {
        "leading": with_charts([lift for lift in shown if lift.exercise_id in leading], account.units),
        "groups_of_lifts": by_muscle_group([lift for lift in shown if lift.exercise_id not in leading]),
        "measure": measure,
        "column": MEASURES[measure][1],
        "measures": [(key, label, key == measure) for key, (label, _) in MEASURES.items()],
        "by": by,
        "all_by": [(key, label, key == by) for key, label in BY.items()],
        "today": today(),
        "this_week": this_week,
        "weeks": weeks,
        "groups": groups_by_week(weeks),
        "totals": [Cell(week.work_sets, week.volume_kg, "") for week in weeks],
        "calendar": sessions,
        "calendar_links": sessions.links(reverse("workouts")),
        "months": [month(first, sessions) for first in firsts[:MONTHS]],
        "older_months": firsts[MONTHS:],
        "weekdays": list(WEEKDAYS_ABBR.values()),
        "next_cursor": next_cursor,
        "asked": f"measure={measure}&by={by}",
    }
    if page[0] is trained[0]:
        recent = figures.recent_sessions(account, leading)
        last_workout = timezone.localtime(max(row.started_at for row in trained))
        lift_histories = [lift_history(lift, recent.get(lift.exercise_id, ())) for lift in shown]
        context["headline"] = headline(history(account.units, last_workout, lift_histories, weeks, this_week))
    return render(request, "training/progress/progress.html", context)


def history(
    units: str,
    last_workout: datetime.datetime,
    lifts: Sequence[LiftHistory],
    weeks: Sequence[Week],
    this_week: Compared,
) -> History:
    before = weeks[-1 - FULL_WEEKS : -1]
    groups = [group for group in MuscleGroup.values if group != MuscleGroup.FULL_BODY]
    return History(
        now=timezone.localtime(),
        last_workout=last_workout,
        lifts=lifts,
        groups={group: [week.work_sets_of(group) for week in before] for group in groups},
        week_sets=weeks[-1].work_sets,
        usual_sets=this_week.usual and this_week.usual.sets,
        last_week_sets=weeks[-2].work_sets,
        units=units,
    )


def lift_history(lift: ShownLift, sessions: Sequence[Session]) -> LiftHistory:
    """The measure that was chosen for the page changes nothing of the sentence."""
    record = lift.record if lift.record and lift.record.beat_others else None
    return LiftHistory(
        lift.name,
        lift.own_measure,
        record and Session(timezone.localtime(record.started_at), (record.weight_kg, record.reps)),
        sessions,
        lift.own_change,
    )


@login_required
@require_POST
def pin(request: AccountRequest, pk: str) -> HttpResponse:
    exercise = exercise_or_404(request.user, pk)
    if not request.user.exercise_pins.pin(request.user, exercise):
        said = ngettext(
            "%(count)s exercises are pinned already. Unpin one first.",
            "%(count)s exercises are pinned already. Unpin one first.",
            MAX_PINS,
        )
        messages.error(request, said % {"count": MAX_PINS})
    return redirect_back(request, reverse("progress"))


@login_required
@require_POST
def unpin(request: AccountRequest, pk: str) -> HttpResponse:
    request.user.exercise_pins.of(exercise_or_404(request.user, pk)).delete()
    return redirect_back(request, reverse("progress"))


@login_required
def records(request: AccountRequest) -> HttpResponse:
    """The personal record with each exercise, newest first."""
    account = request.user
    form = RecordFilter(request.GET, account=account)
    page, next_cursor = get_page(
        request,
        WorkoutExerciseQuerySet.newest_records_first,
        form.narrowed(stats.personal_records(account)),
    )
    query = request.GET.copy()
    query.pop("cursor", None)
    context = {
        "form": form,
        "records": [
            {
                **stats.personal_record(row),
                "at": row.started_at,
                "is_assisted": row.exercise__is_assisted,
                "is_first": not row.beat_others,
            }
            for row in page
        ],
        "is_narrowed": any(query.values()),
        "next_cursor": next_cursor,
        "asked": query.urlencode(),
    }
    return render(request, "training/progress/records.html", context)


def chosen(request: AccountRequest, name: str, choices: Mapping[str, object]) -> str:
    """What the query asks for, or the first of the choices."""
    asked = request.GET.get(name, "")
    return asked if asked in choices else next(iter(choices))


def page_of(trained: Sequence[TrainedRow], cursor: str | None) -> tuple[Sequence[TrainedRow], str | None]:
    """The LIFTS behind the exercise that a cursor names, and the cursor of the next page.

    The first page has those that lead it besides.
    """
    ids = [row.exercise_id for row in trained]
    if cursor is not None and cursor not in ids[:-1]:
        raise Http404
    start = 0 if cursor is None else ids.index(cursor) + 1
    end = start + LIFTS if start else LEADING + LIFTS
    return trained[start:end], ids[end - 1] if end < len(ids) else None


def year(account: Account) -> Calendar:
    blank = Calendar(_("Workouts of the last year"), {}, today())
    return replace(blank, counts=stats.session_days(account, blank.since, blank.until))


def first_days(year: Calendar) -> list[datetime.date]:
    """The first days of the months of a year of sessions, newest first."""
    firsts = [year.until.replace(day=1)]
    while firsts[-1] > year.since:
        firsts.append((firsts[-1] - ONE_DAY).replace(day=1))
    return firsts


def month(first: datetime.date, year: Calendar) -> Month:
    weeks = calendar.Calendar().monthdatescalendar(first.year, first.month)
    return Month(first, [[day_of(day, first, year) for day in week] for week in weeks])


def day_of(day: datetime.date, first: datetime.date, year: Calendar) -> tuple[datetime.date, int] | None:
    is_shown = day.month == first.month and year.since <= day <= year.until
    return (day, year.counts.get(day, 0)) if is_shown else None
