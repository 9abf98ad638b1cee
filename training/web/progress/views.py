import calendar
import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import render

from accounts.models import Account
from accounts.web.requests import AccountRequest
from fitness.days import ONE_DAY, today
from fitness.web.charts import Calendar, LineChart, Series
from fitness.web.shortcuts import get_page
from training import stats
from training.models.exercise import MuscleGroup, is_assisted
from training.models.workout_exercise import WorkoutExerciseQuerySet
from training.web.progress import figures
from training.web.progress.figures import Best, Lift, Record, Week
from training.web.progress.filters import RecordFilter
from training.web.progress.headline import Change, Changed, headline

LIFTS = 30  # on a page
FEW_SETS, MANY_SETS = 10, 20  # a week: the band that most advice for a muscle group is within
# Measures of lifts: (label, what its column shows)
MEASURES = {
    "e1rm": ("e1RM", "Best e1RM"),
    "heaviest": ("Heaviest", "Heaviest set"),
    "volume": ("Volume", "Best session in a year"),
    "reps": ("Reps", "Most reps of a top set in a year"),
}
BY = {"sets": "Sets", "volume": "Volume"}


@dataclass(frozen=True)
class ShownLift:
    """A row of the table of lifts. `value` is in kg, or in the reps, seconds or km of its measure."""

    exercise_id: str
    name: str
    value: float | None
    measure: str
    change: Change | None
    chart: LineChart
    record: Record | None
    last_done: datetime.datetime
    last_workout: object


class Cell(NamedTuple):
    """A muscle group in a week: its sets without warm-ups, which are "few", "right" or "many"."""

    sets: int
    volume_kg: float
    level: str


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
    trained = list(figures.trained(account))
    if not trained:
        return render(request, "training/progress/nothing.html")
    measure, by = chosen(request, "measure", MEASURES), chosen(request, "by", BY)
    lifts, weeks = figures.lifts(account), figures.weeks(account)
    trained.sort(key=lambda row: (importance(lifts.get(row.exercise_id)), row.started_at), reverse=True)
    page, next_cursor = page_of(trained, request.GET.get("cursor"))
    records = figures.records(account, [row.exercise_id for row in page])
    sessions = year(account)
    context = {
        "headline": headline(changes(lifts), weeks),
        "lifts": [shown_lift(row, lifts, records.get(row.exercise_id), measure) for row in page],
        "measure": measure,
        "column": MEASURES[measure][1],
        "measures": [(key, label, key == measure) for key, (label, _) in MEASURES.items()],
        "by": by,
        "all_by": [(key, label, key == by) for key, label in BY.items()],
        "weeks": weeks[-figures.SHOWN :],
        "groups": groups_by_week(weeks[-figures.SHOWN :]),
        "calendar": sessions,
        "months": months(sessions),
        "weekdays": list(calendar.day_abbr),
        "next_cursor": next_cursor,
        "asked": f"measure={measure}&by={by}",
    }
    return render(request, "training/progress/progress.html", context)


@login_required
def records(request: AccountRequest) -> HttpResponse:
    """The personal record with each exercise, newest first."""
    account = request.user
    form = RecordFilter(request.GET, account=account)
    page, next_cursor = get_page(
        request, WorkoutExerciseQuerySet.newest_records_first, form.narrowed(stats.personal_records(account))
    )
    query = request.GET.copy()
    query.pop("cursor", None)
    context = {
        "form": form,
        "records": [
            {
                **stats.personal_record(row),
                "at": row.started_at,
                "is_assisted": is_assisted(row.exercise__name),
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


def page_of(
    trained: Sequence[figures.TrainedRow], cursor: str | None
) -> tuple[Sequence[figures.TrainedRow], str | None]:
    """The LIFTS behind the exercise that a cursor names, and the cursor of the next page."""
    ids = [row.exercise_id for row in trained]
    if cursor is not None and cursor not in ids:
        raise Http404
    start = 0 if cursor is None else ids.index(cursor) + 1
    end = start + LIFTS
    return trained[start:end], ids[end - 1] if end < len(ids) else None


def importance(lift: Lift | None) -> tuple[bool, int, float]:
    """What lifts are ordered by: weights or reps before times, then most done in 90 days, then heaviest."""
    if lift is None:
        return (False, 0, 0)
    bests = lift.bests.values()
    is_lifted = any(best.weight_kg or best.reps for best in bests)
    return (is_lifted, lift.sessions, max((best.weight_kg or 0 for best in bests), default=0))


def shown_lift(
    row: figures.TrainedRow, lifts: Mapping[str, Lift], record: Record | None, measure: str
) -> ShownLift:
    lift = lifts.get(row.exercise_id) or Lift(row.exercise_id, row.exercise__name, {})
    shown_by = lift.measure if record is None else measure_of(lift, record)
    shown_by = shown_by or measure
    ever = None if record is None else record_value(record, measure, shown_by)
    return ShownLift(
        exercise_id=row.exercise_id,
        name=row.exercise__name,
        value=best_value(lift.bests.values(), shown_by) if ever is None else ever,
        measure=shown_by,
        change=change_of(lift, shown_by),
        chart=sparkline(lift, shown_by),
        record=record,
        last_done=row.started_at,
        last_workout=row.workout_id,
    )


def measure_of(lift: Lift, record: Record) -> str | None:
    """As the measure of a Lift, by all of its history."""
    if lift.measure == "reps" and record.weight_kg:
        return "help" if is_assisted(lift.name) else None
    return lift.measure


def record_value(record: Record, measure: str, shown_by: str) -> float | None:
    """The best of all time where an index has it; None for measures whose best is that of a year."""
    if shown_by == "help":
        return record.weight_kg
    if shown_by in ("time", "distance"):
        return None
    if measure not in ("e1rm", "heaviest"):
        return None
    if shown_by == "reps":
        return record.reps
    return record.strongest_kg if measure == "e1rm" else record.weight_kg


def best_value(bests: Iterable[Best], measure: str) -> float | None:
    """The best value of a measure in some windows; None where nothing of it was done in them."""
    values = [value for best in bests if (value := value_of(best, measure)) is not None]
    return (min if measure == "help" else max)(values, default=None)


def value_of(best: Best, measure: str) -> float | None:
    """The value of a measure in a window; None where nothing of it was done."""
    if measure == "help":
        return best.help_kg
    values = {
        "e1rm": best.estimated_1rm_kg and round(best.estimated_1rm_kg, 1),
        "heaviest": best.weight_kg,
        "volume": best.volume_kg,
        "reps": best.reps,
        "time": best.time,
        "distance": best.distance,
    }
    return values[measure] or None


def change_of(lift: Lift, measure: str) -> Change | None:
    """The best of the last 30 days against the best of the first 30 of 90."""
    first = figures.WINDOWS - figures.COMPARED
    then = best_of(lift, measure, first)
    now = best_of(lift, measure, figures.WINDOWS - figures.ENDS)
    return None if then is None or now is None else Change(then, now, measure)


def best_of(lift: Lift, measure: str, first: int, count: int = figures.ENDS) -> float | None:
    """The best of so many windows from the `first` on."""
    bests = [lift.bests[number] for number in range(first, first + count) if number in lift.bests]
    return best_value(bests, measure)


def changes(lifts: Mapping[str, Lift]) -> list[Changed]:
    return [
        Changed(lift.name, lift.sessions, change_of(lift, lift.measure or "e1rm")) for lift in lifts.values()
    ]


def sparkline(lift: Lift, measure: str) -> LineChart:
    """The best of each window at its middle; all lines have the same time axis.

    Of reps that of the window before counts as well: sets of many and of few take turns.
    """
    days = figures.window_days(today())
    spans = figures.ENDS if measure == "reps" else 1
    points = [
        (days[number] + ONE_DAY * (figures.WINDOW_DAYS // 2), value)
        for number in sorted(lift.bests)
        if (value := best_of(lift, measure, number - spans + 1, spans)) is not None
    ]
    return LineChart(lift.name, [Series(lift.name, points)], since=days[0], until=today())


def groups_by_week(weeks: Sequence[Week]) -> list[tuple[str, list[Cell]]]:
    """(muscle group, its Cell of each week) of the groups with a set, in the order of the catalogue."""
    return [
        (group, [cell(week, group) for week in weeks])
        for group in MuscleGroup.values
        if any(group in week.groups for week in weeks)
    ]


def cell(week: Week, group: str) -> Cell:
    _, volume_kg, sets = week.groups.get(group, (0, 0, 0))
    if not sets:
        return Cell(0, volume_kg, "")
    return Cell(sets, volume_kg, "few" if sets < FEW_SETS else "many" if sets > MANY_SETS else "right")


def year(account: Account) -> Calendar:
    blank = Calendar("Sessions of the last year", {}, today())
    return replace(blank, counts=stats.session_days(account, blank.since, blank.until))


def months(year: Calendar) -> list[Month]:
    """The months of a year of sessions, newest first."""
    last = year.until.replace(day=1)
    firsts = [last]
    while firsts[-1] > year.since:
        firsts.append((firsts[-1] - ONE_DAY).replace(day=1))
    return [month(first, year) for first in firsts]


def month(first: datetime.date, year: Calendar) -> Month:
    weeks = calendar.Calendar().monthdatescalendar(first.year, first.month)
    return Month(first, [[day_of(day, first, year) for day in week] for week in weeks])


def day_of(day: datetime.date, first: datetime.date, year: Calendar) -> tuple[datetime.date, int] | None:
    is_shown = day.month == first.month and year.since <= day <= year.until
    return (day, year.counts.get(day, 0)) if is_shown else None
