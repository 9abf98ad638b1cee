import datetime
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter, itemgetter
from typing import Protocol, TypedDict
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseNotFound
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy
from django.views.decorators.http import require_safe

from accounts.models import Account
from accounts.web.requests import AccountRequest
from fitness.days import ONE_DAY, today
from fitness.web.axes import Point
from fitness.web.charts import LineChart, Series
from fitness.web.shortcuts import PAGE_SIZE, get_page
from fitness.web.units import to_unit
from training import stats
from training.models import Exercise, WorkoutExercise
from training.models.exercise import ExerciseQuerySet, MuscleGroup
from training.models.planned import PlannedExercise
from training.models.search import BEST_FIRST, OWN_FIRST
from training.models.sets import BestSet, Lift, WorkoutSet, best_set, counts_as_work
from training.models.timed import KM_OF, TimedSet, distance_unit, in_short, longest, timed_sets
from training.models.workout_exercise import WorkoutExerciseQuerySet, best_set_columns, first_sets
from training.pictures import NAME, folder, pictures
from training.plans.plan_rules import day_with_targets
from training.web.comparing import DoneBefore
from training.web.figure import areas_of, parts
from training.web.filters import ExerciseFilter
from training.web.names import BY_SHOWN_NAME, weekday_name
from training.web.views.common import exercise_or_404, suggested
from training.web.views.workout import MAX_SETS

YEAR = 365 * 24 * 3600  # in seconds
SETS_OF_SESSION = MAX_SETS // PAGE_SIZE  # where one has more, its workout shows them
MAX_RINGS = 100  # in a chart: more cannot be distinguished, and each is 90 bytes
RECENT = 6  # lifts that are offered above the list
FIRST_OF_YOURS = 12  # the others are folded
JOINED = 60  # windows at most, whose best points the line of a chart joins
RANGES = {  # (label, days)
    "3m": (gettext_lazy("3 months"), 91),
    "1y": (gettext_lazy("1 year"), 365),
    "all": (pgettext_lazy("time", "All"), None),
}
MEASURES = {"heaviest": gettext_lazy("Heaviest set"), "e1rm": gettext_lazy("e1RM")}


class ShownSession(TypedDict):
    """A session as the view of its exercise shows it."""

    workout_id: UUID
    started_at: datetime.datetime
    is_this_year: bool
    notes: str
    sets: list[WorkoutSet]
    has_more: bool
    best_set: BestSet | None
    has_record: bool
    is_first: bool  # its record beat none
    total_reps: int  # of the sets shown


class Coming(TypedDict):
    """The next day of the active plan with an exercise, and its target."""

    plan_id: UUID
    weekday: int
    day: str
    target: PlannedExercise


class SessionRow(stats.SessionRow, Protocol):
    """A row of `readable_rows`."""

    @property
    def notes(self) -> str: ...
    @property
    def first_sets(self) -> str: ...


@login_required
def exercises(request: AccountRequest) -> HttpResponse:
    seen = Exercise.objects.seen_by(request.user).active()
    narrowed = ExerciseFilter(request.GET, seen, request=request)
    search = narrowed.form.cleaned_data.get("q") if narrowed.form.is_valid() else None
    order = BEST_FIRST if search else BY_SHOWN_NAME
    others = stats.untrained(request.user, narrowed.qs)
    page, next_cursor = get_page(request, order, others)
    yours = own_exercises(request.user, narrowed.qs, is_search=bool(search))
    count = len(yours) + others.count()
    narrowed_by = [name for name, value in request.GET.items() if value and name != "cursor"]
    context = {
        "form": narrowed.form,
        "has_filters": narrowed_by not in ([], ["q"], ["muscle_group"]),
        "muscle_groups": MuscleGroup.values,
        "recent": [] if narrowed_by else sorted(yours, key=attrgetter("last_done"), reverse=True)[:RECENT],
        "yours": [] if "cursor" in request.GET else yours,
        "longest": stats.longest_sets(request.user, [exercise.pk for exercise in yours if exercise.is_timed]),
        "first_of_yours": f":{FIRST_OF_YOURS}",
        "rest_of_yours": f"{FIRST_OF_YOURS}:",
        "are_folded": len(yours) > FIRST_OF_YOURS,
        "exercises": page,
        "nearest": seen.nearest(search) if search and not count else [],
        "count": count,
        "next_cursor": next_cursor,
        "is_narrowed": bool(narrowed_by),
    }
    return render(request, "training/exercises.html", context)


def own_exercises(account: Account, exercises: ExerciseQuerySet, *, is_search: bool) -> list[Exercise]:
    """Those of the exercises that the account has done, in the order of `suggested` if they were searched."""
    own = stats.trained(account, exercises).defer("instructions", "aliases", "images")
    return list(own.order_by(*OWN_FIRST.order) if is_search else own)


@login_required
def suggestions(request: AccountRequest) -> HttpResponse:
    """What the search of a form offers while somebody types."""
    found = suggested(request.user, request.GET.get("q", ""))
    return render(request, "training/suggestions.html", found)


@login_required
def exercise(request: AccountRequest, pk: str) -> HttpResponse:
    account = request.user
    exercise = exercise_or_404(request.user, pk)
    chosen, measure = request.GET.get("range", ""), request.GET.get("measure", "")
    if chosen not in RANGES:
        chosen = "1y"
    if measure not in MEASURES:
        measure = "heaviest"
    rows = readable_rows(account.workout_exercises.sessions_with(exercise.pk), exercise.is_assisted)
    sessions, next_cursor = get_page(request, WorkoutExerciseQuerySet.newest_first, rows)
    record_workouts = stats.personal_record_workouts(account, exercise, sessions[::-1])
    since = beginning(chosen)
    count, strongest = stats.summary(account, exercise.pk)
    best = stats.best_set(account, exercise)
    weighted = bool(best and best[0]) and not exercise.is_assisted
    by_time = is_by_time(exercise, best, sessions)
    shown = [readable_session(row, {} if by_time else record_workouts) for row in sessions]
    points: list[stats.Point] = []
    times = stats.best_times(account, exercise) if by_time else []
    if by_time:
        chart = time_chart(times, since, account.units)
    else:
        points = stats.progress(account, exercise, since, session_count=count, weighted=weighted)
        chart = chart_of(exercise, points, since, account.units, measure)
    by_help = exercise.is_assisted and bool((best and best[0]) or any(one.weight_kg for one in points))
    context = {
        "exercise": exercise,
        "habit": account.exercise_habits.filter(exercise=exercise).first(),
        "is_pinned": account.exercise_pins.of(exercise).exists(),
        "steps": [step for step in exercise.instructions.split("\n") if step.strip()],
        "chart": chart,
        "window_days": days_of_window(points[0].started_at if points else None),
        "measure": measure,
        "measures": [(key, label, key == measure) for key, label in MEASURES.items()] if weighted else [],
        "range": chosen,
        "ranges": [(key, label, key == chosen) for key, (label, _) in RANGES.items()],
        "sessions": shown,
        "next_cursor": next_cursor,
        "worked": worked(exercise),
        "pictures": pictures().get(exercise.pk),
        "count": count,
        "best": best,
        **({} if "cursor" in request.GET else around_today(account, exercise, shown)),
        "by_time": by_time,
        "longest": in_short(longest([one for _, one in times]), account.units),
        "by_reps": best is not None and not weighted and not by_help,
        "strongest": strongest if weighted else None,
    }
    return render(request, "training/exercise.html", context)


def last_session(session: ShownSession) -> DoneBefore:
    """A session as `done_last_time` takes it."""
    best = session["best_set"]
    return {
        "workout_id": session["workout_id"],
        "started_at": session["started_at"],
        "notes": session["notes"],
        "sets": [one for one in session["sets"] if counts_as_work(one)],
        "best": (best["weight_kg"], best["reps"]) if best else None,
    }


def around_today(
    account: Account, exercise: Exercise, sessions: Sequence[ShownSession]
) -> dict[str, DoneBefore | Coming | None]:
    """{last, coming}: the newest session, and what the active plan has next."""
    last = last_session(sessions[0]) if sessions else None
    day = today()
    is_done = last is not None and timezone.localtime(last["started_at"]).date() == day
    return {"last": last, "coming": coming(account, exercise, day + ONE_DAY * is_done)}


def coming(account: Account, exercise: Exercise, begin: datetime.date) -> Coming | None:
    """The target from a day on. None without an active plan that has the exercise."""
    plan = account.plans.active().only("account", "days", "rules").first()
    if plan is None:
        return None
    for date in (begin + ONE_DAY * number for number in range(7)):
        weekday = date.isoweekday()
        if any(one["exercise_id"] == exercise.pk for one in plan.days[weekday - 1]["exercises"]):
            planned = day_with_targets(plan.week, plan.progressions, weekday, date)["exercises"]
            target = next(one for one in planned if one["exercise_id"] == exercise.pk)
            name = _("Today") if date == today() else weekday_name(weekday)
            return {"plan_id": plan.pk, "weekday": weekday, "day": name, "target": target}
    return None


def is_by_time(exercise: Exercise, best: Lift | None, sessions: Sequence[SessionRow]) -> bool:
    """Whether the page shows times and distances in the place of lifts: where two of three reasons hold.

    Nothing was lifted, the exercise is usually measured so, the notes of a session name some.
    """
    has_times = any(timed_sets(row.notes) for row in sessions)
    return [best is None, exercise.is_timed, has_times].count(True) > 1


def readable_rows(rows: WorkoutExerciseQuerySet, is_assisted: bool) -> QuerySet[WorkoutExercise, SessionRow]:
    """What `readable_session` needs of sessions, and no more: sets may be many."""
    fields = ("workout_id", "started_at", "weight_kg", "reps", "notes", "first_sets")
    rows = rows.with_first_sets(SETS_OF_SESSION).annotate(**best_set_columns(is_assisted=is_assisted))
    return rows.values_list(*fields, named=True)


def beginning(chosen: str) -> datetime.datetime | None:
    """The start of one of the RANGES that ends now; None for all time."""
    days = RANGES[chosen][1]
    return timezone.now() - datetime.timedelta(days=days) if days else None


def worked(exercise: Exercise) -> dict[str, str]:
    """The part that each area of the figure takes: "primary", "secondary" or "rest"."""
    others = {area: "secondary" for group in exercise.secondary_muscles for area in areas_of(group)}
    return parts(others | dict.fromkeys(areas_of(exercise.muscle_group), "primary"))


def chart_of(
    exercise: Exercise,
    points: Sequence[stats.Point],
    since: datetime.datetime | None,
    units: str,
    measure: str,
) -> LineChart:
    """The heaviest set of each session, records marked, or its estimated maximum.

    Of a lift that is done without weight its most repetitions in a set; of an assisted one its help, of which
    less is better.
    """
    times = [timezone.localtime(point.started_at) for point in points]
    weights = [(time, to_unit(point.weight_kg, units)) for time, point in zip(times, points, strict=True)]
    if not any(point.weight_kg for point in points):
        name, unit = _("Most reps in a set"), "reps"
        most = [(time, point.reps) for time, point in zip(times, points, strict=True)]
        series = [Series(name, most, "steps", marked(most, points), bests(most))]
    elif exercise.is_assisted:
        name, unit = pgettext("of a machine", "Help"), units
        series = [Series(name, weights, marked=marked(weights, points), joined=bests(weights, min))]
    elif measure == "e1rm":
        name, unit = _("e1RM"), units
        estimates = [to_unit(point.estimated_1rm_kg, units) for point in points]
        maxima = list(zip(times, estimates, strict=True))
        series = [Series(name, maxima, joined=bests(maxima))]
    else:
        name, unit = _("Heaviest set"), units
        series = [Series(name, weights, marked=marked(weights, points), joined=bests(weights))]
    return drawn(name, series, unit, since)


def time_chart(
    times: Sequence[tuple[datetime.datetime, TimedSet]], since: datetime.datetime | None, units: str
) -> LineChart:
    """The longest distance of each session from `since` on, or the longest time where none has a distance."""
    unit = distance_unit(units)
    distances = [(at, one["distance_km"] / KM_OF[unit]) for at, one in times if one["distance_km"]]
    seconds = [(at, one["seconds"]) for at, one in times if one["seconds"]]
    values = [
        (timezone.localtime(at), value) for at, value in distances or seconds if since is None or at >= since
    ]
    name = _("Distance") if distances else pgettext("duration", "Time")
    series = [Series(name, values, joined=bests(values))]
    return drawn(name, series, unit if distances else "s", since)


def drawn(name: str, series: Sequence[Series], unit: str, since: datetime.datetime | None) -> LineChart:
    """The axis is from `since` to now; it follows from the points where there are none, or of all time."""
    if since is None or not series[0].points:
        return LineChart(name, series, unit)
    return LineChart(name, series, unit, since=timezone.localtime(since), until=timezone.localtime())


def bests(values: Sequence[tuple[datetime.datetime, float]], best: Callable[..., Point] = max) -> list[Point]:
    """The best value of each window, which a line joins: so it does not fall for a light week."""
    days, until = days_of_window(values[0][0] if values else None), today()
    windows = itertools.groupby(values, lambda value: (until - value[0].date()).days // days)
    return [best(window, key=itemgetter(1)) for _, window in windows]


def days_of_window(oldest: datetime.datetime | None) -> int:
    """The length of a window: that of /progress, or more days where a chart had more than JOINED of them."""
    length = (timezone.now() - oldest).days if oldest else 0
    return max(stats.WINDOW_DAYS, math.ceil(length / JOINED))


def marked(values: Sequence[Point], points: Sequence[stats.Point]) -> list[Point]:
    """The newest of the values whose sessions were records."""
    return [value for value, point in zip(values, points, strict=True) if point.is_record][-MAX_RINGS:]


def readable_session(row: SessionRow, records: Mapping[UUID, bool]) -> ShownSession:
    sets, has_more = first_sets(row.first_sets, SETS_OF_SESSION)
    return {
        "workout_id": row.workout_id,
        "started_at": row.started_at,
        "is_this_year": timezone.localtime(row.started_at).year == today().year,
        "notes": row.notes,
        "sets": sets,
        "has_more": has_more,
        "best_set": best_set(row.weight_kg, row.reps),
        "has_record": row.workout_id in records,
        "is_first": not records.get(row.workout_id, True),
        "total_reps": sum(one["reps"] for one in sets if counts_as_work(one)),
    }


@require_safe
def picture(request: HttpRequest, name: str) -> HttpResponse:
    """A picture of an exercise, for everybody; neither a session nor the database is read."""
    try:
        content = (folder() / name).read_bytes() if NAME.fullmatch(name) else None
    except OSError:  # it is not there, or its name is too long
        content = None
    if content is None:
        return HttpResponseNotFound("There is no such picture.", content_type="text/plain")
    headers = {"Cache-Control": f"public, max-age={YEAR}, immutable"}
    return HttpResponse(content, content_type="image/webp", headers=headers)
