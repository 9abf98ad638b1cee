import datetime
from typing import Protocol, TypedDict, cast
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone

from accounts.web.requests import AccountRequest
from fitness.web.charts import LineChart, Series
from fitness.web.shortcuts import PAGE_SIZE, get_page
from fitness.web.units import to_unit
from training import stats
from training.models import Exercise, WorkoutExercise
from training.models.exercise import ExerciseQuerySet, MuscleGroup
from training.models.sets import BestSet, best_set, estimated_1rm_kg
from training.models.workout_exercise import WorkoutExerciseQuerySet, first_sets
from training.web.filters import ExerciseFilter
from training.web.views.common import exercise_or_404, suggested
from training.web.views.workout import MAX_SETS, ShownSet, number_sets

SETS_OF_SESSION = MAX_SETS // PAGE_SIZE  # where one has more, its workout shows them
MAX_RINGS = 100  # in a chart: more cannot be distinguished, and each is 90 bytes
RANGES = {"3m": ("3 months", 91), "1y": ("1 year", 365), "all": ("All", None)}  # (label, days)


class ShownSession(TypedDict):
    """A session as the view of its exercise shows it."""

    workout_id: UUID
    started_at: datetime.datetime
    sets: list[ShownSet]
    has_more: bool
    best_set: BestSet | None
    has_record: bool


class SessionRow(stats.SessionRow, Protocol):
    """A row of `readable_rows`."""

    @property
    def first_sets(self) -> str: ...


@login_required
def exercises(request: AccountRequest) -> HttpResponse:
    narrowed = ExerciseFilter(request.GET, Exercise.objects.active(), request=request)
    found = narrowed.qs
    search = narrowed.form.cleaned_data.get("q")  # none where it is invalid
    order = ExerciseQuerySet.best_first if search else ExerciseQuerySet.by_name
    page, next_cursor = get_page(request, order, found)
    query = request.GET.copy()
    query.pop("cursor", None)
    context = {
        "form": narrowed.form,
        "exercises": page,
        "nearest": Exercise.objects.nearest(search) if search and not page else [],
        "count": found.count(),
        "next_cursor": next_cursor,
        "asked": query.urlencode(),
        "is_narrowed": any(query.values()),
    }
    return render(request, "training/exercises.html", context)


@login_required
def suggestions(request: AccountRequest) -> HttpResponse:
    """What the search of a form offers while somebody types."""
    found = suggested(request.user, request.GET.get("q", ""))
    return render(request, "training/suggestions.html", found)


@login_required
def exercise(request: AccountRequest, pk: str) -> HttpResponse:
    exercise = exercise_or_404(pk)
    account = request.user
    chosen = request.GET.get("range", "")
    if chosen not in RANGES:
        chosen = "1y"
    rows = account.workout_exercises.sessions_with(exercise.pk)
    sessions, next_cursor = get_page(request, WorkoutExerciseQuerySet.newest_first, readable_rows(rows))
    record_workouts = stats.personal_record_workouts(account, exercise.pk, sessions[::-1])
    since = beginning(chosen)
    points = stats.progress(account, exercise.pk, since)
    heaviest = list(stats.best_sets(account, exercise.pk)[: stats.MAX_SESSIONS])
    context = {
        "exercise": exercise,
        "steps": [step for step in exercise.instructions.split("\n") if step.strip()],
        "chart": chart(points, since, account.units),
        "is_cut": len(points) == stats.MAX_SESSIONS,
        "ranges": [(key, label, key == chosen) for key, (label, _) in RANGES.items()],
        "sessions": [readable_session(row, row.workout_id in record_workouts) for row in sessions],
        "next_cursor": next_cursor,
        "asked": f"range={chosen}",
        "worked": worked(exercise),
        "count": rows[: stats.MAX_SESSIONS].count(),
        "most": stats.MAX_SESSIONS,
        "best": heaviest[0] if heaviest else None,
        "strongest": max((estimated_1rm_kg(*best) for best in heaviest), default=None),
    }
    return render(request, "training/exercise.html", context)


def readable_rows(rows: WorkoutExerciseQuerySet) -> QuerySet[WorkoutExercise, SessionRow]:
    """What `readable_session` needs of sessions, and no more: sets may be many."""
    fields = ("workout_id", "started_at", "best_weight_kg", "best_reps", "first_sets")
    return rows.with_first_sets(SETS_OF_SESSION).values_list(*fields, named=True)


def beginning(chosen: str) -> datetime.datetime | None:
    """The start of one of the RANGES that ends now; None for all time."""
    days = RANGES[chosen][1]
    return timezone.now() - datetime.timedelta(days=days) if days else None


def worked(exercise: Exercise) -> dict[str, str]:
    """The part that each muscle group takes ("primary", "secondary" or "rest"), for the stylesheet."""
    if exercise.muscle_group == MuscleGroup.FULL_BODY:
        return {group.name.lower(): "primary" for group in MuscleGroup}
    parts = {group.name.lower(): "rest" for group in MuscleGroup}
    parts |= {MuscleGroup(group).name.lower(): "secondary" for group in exercise.secondary_muscles}
    return parts | {MuscleGroup(exercise.muscle_group).name.lower(): "primary"}


def chart(points: list[stats.Point], since: datetime.datetime | None, units: str) -> LineChart:
    """Estimated maximum and heaviest set of each session, records marked; the axis from `since` to now."""
    times = [timezone.localtime(point.started_at) for point in points]
    estimates = [to_unit(point.estimated_1rm_kg, units) for point in points]
    maxima = list(zip(times, estimates, strict=True))
    top_sets = [(time, to_unit(point.weight_kg, units)) for time, point in zip(times, points, strict=True)]
    marked = [pair for pair, point in zip(top_sets, points, strict=True) if point.is_record][-MAX_RINGS:]
    return LineChart(
        "Estimated one-rep maximum and heaviest set",
        [Series("Estimated 1RM", maxima), Series("Heaviest set", top_sets, "dots", marked)],
        units,
        since=timezone.localtime(since) if points and since else None,
        until=timezone.localtime() if points and since else None,
    )


def readable_session(row: SessionRow, has_record: bool) -> ShownSession:
    first, has_more = first_sets(row.first_sets, SETS_OF_SESSION)
    sets = cast(list[ShownSet], first)  # number_sets adds the keys that a WorkoutSet lacks
    number_sets(sets)
    return {
        "workout_id": row.workout_id,
        "started_at": row.started_at,
        "sets": sets,
        "has_more": has_more,
        "best_set": best_set(row.best_weight_kg, row.best_reps),
        "has_record": has_record,
    }
