import datetime
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy
from django.views.decorators.http import require_POST

from accounts.models import Account
from accounts.web.requests import AccountRequest
from fitness.days import today
from fitness.web.shortcuts import get_page, redirect_back
from training import stats
from training.models.exercise import MuscleGroup
from training.models.pin import MAX_PINS
from training.models.timed import in_short, longest, timed_sets
from training.models.workout_exercise import WorkoutExerciseQuerySet
from training.stats import BestOfSession, LocalWeek, TrainedRow
from training.web.figure import muscles_of_week
from training.web.filters import RecordFilter
from training.web.progress.headline import FULL_WEEKS, History, LiftHistory, headline
from training.web.progress.lifts import (
    MEASURES,
    ShownLift,
    by_importance,
    by_muscle_group,
    shown_lifts,
    with_charts,
)
from training.web.progress.weeks import (
    SHOWN,
    Cell,
    Compared,
    compared,
    first_days,
    groups_by_week,
    month,
    weekdays,
    year_of_workouts,
)
from training.web.views.common import exercise_or_404

LEADING = MAX_PINS  # lifts that the page shows: those that are pinned, then those that are trained most
IN_SENTENCE = 36  # lifts that the sentence at the top is made from
LIFTS = 40  # on a page of all of them, and of their records
MONTHS = 3  # that a phone shows day by day; the others have a list of their workouts
BY = {"sets": pgettext_lazy("of a workout", "Sets"), "volume": gettext_lazy("Volume")}


class LongestRecord(NamedTuple):
    """The longest session with an exercise that is measured by time or distance."""

    exercise_id: str
    name: str
    workout_id: UUID
    at: datetime.datetime
    held: str


@login_required
def progress(request: AccountRequest) -> HttpResponse:
    account = request.user
    measure, by = chosen(request, "measure", MEASURES), chosen(request, "by", BY)
    trained, lifts = by_importance(account, with_volume=measure == "volume")
    if not trained:
        return render(request, "training/progress/nothing.html")
    weeks, sessions = stats.local_weeks(account, SHOWN), year_of_workouts(account)
    shown = shown_lifts(account, trained[:IN_SENTENCE], lifts, measure)
    recent = stats.recent_best_sets(account, [lift.exercise_id for lift in shown[:LEADING]])
    lift_histories = [lift_history(lift, recent.get(lift.exercise_id, ())) for lift in shown]
    last_workout = timezone.localtime(max(row.started_at for row in trained))
    this_week, firsts = compared(weeks, sessions.counts), first_days(sessions)
    context = {
        "headline": headline(history(account.units, last_workout, lift_histories, weeks, this_week)),
        "leading": with_charts(shown[:LEADING], account.units),
        **measures(measure),
        "by": by,
        "all_by": [(key, label, key == by) for key, label in BY.items()],
        "today": today(),
        "this_week": this_week,
        "muscles": muscles_of_week(account),
        "weeks": weeks,
        "groups": groups_by_week(weeks),
        "totals": [Cell(week.work_sets, week.volume_kg, "") for week in weeks],
        "calendar": sessions,
        "months": [month(first, sessions) for first in firsts[:MONTHS]],
        "older_months": firsts[MONTHS:],
        "weekdays": weekdays(sessions),
    }
    return render(request, "training/progress/progress.html", context)


@login_required
def lifts(request: AccountRequest) -> HttpResponse:
    """All exercises that the account has done, in pages, the most important ones first."""
    measure = chosen(request, "measure", MEASURES)
    trained, lifts = by_importance(request.user, with_volume=measure == "volume")
    if not trained:
        return render(request, "training/progress/nothing.html")
    page, next_cursor = page_of(trained, request.GET.get("cursor"))
    context = {
        "groups_of_lifts": by_muscle_group(shown_lifts(request.user, page, lifts, measure)),
        **measures(measure),
        "next_cursor": next_cursor,
    }
    return render(request, "training/progress/all_lifts.html", context)


def measures(chosen: str) -> dict[str, object]:
    """What the templates of both pages need to know of the measure that was chosen."""
    return {
        "measure": chosen,
        "column": MEASURES[chosen][1],
        "measures": [(key, label, key == chosen) for key, (label, _) in MEASURES.items()],
    }


def history(
    units: str,
    last_workout: datetime.datetime,
    lifts: Sequence[LiftHistory],
    weeks: Sequence[LocalWeek],
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


def lift_history(lift: ShownLift, sessions: Sequence[BestOfSession]) -> LiftHistory:
    """What is a record or has stalled is so by its own measure; its change is the one that the page shows."""
    record = lift.record if lift.record and lift.record.beat_others else None
    return LiftHistory(
        lift.name,
        lift.own_measure,
        record and BestOfSession(timezone.localtime(record.started_at), (record.weight_kg, record.reps)),
        sessions,
        lift.change,
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
        LIFTS,
    )
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
        "longest": [] if "cursor" in request.GET else longest_records(form, account),
        "is_narrowed": any(value for name, value in request.GET.items() if name != "cursor"),
        "next_cursor": next_cursor,
    }
    return render(request, "training/progress/records.html", context)


def longest_records(form: RecordFilter, account: Account) -> list[LongestRecord]:
    """The records by time or distance, newest first."""
    columns = ("exercise_id", "exercise__name", "workout_id", "started_at", "notes")
    rows = form.narrowed(stats.longest_sessions(account).order_by("-started_at").values_list(*columns))
    return [
        LongestRecord(
            exercise_id,
            name,
            workout_id,
            timezone.localtime(started_at),
            in_short(longest(timed_sets(notes)), account.units),
        )
        for exercise_id, name, workout_id, started_at, notes in rows
    ]


def chosen(request: AccountRequest, name: str, choices: Mapping[str, object]) -> str:
    """What the query asks for, or the first of the choices."""
    asked = request.GET.get(name, "")
    return asked if asked in choices else next(iter(choices))


def page_of(trained: Sequence[TrainedRow], cursor: str | None) -> tuple[Sequence[TrainedRow], str | None]:
    """The LIFTS behind the exercise that a cursor names, and the cursor of the next page."""
    ids = [row.exercise_id for row in trained]
    if cursor is not None and cursor not in ids[:-1]:
        raise Http404
    start = 0 if cursor is None else ids.index(cursor) + 1
    end = start + LIFTS
    return trained[start:end], ids[end - 1] if end < len(ids) else None
