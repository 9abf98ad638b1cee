import datetime
import json

from django.contrib.auth.decorators import login_required
from django.shortcuts import get_object_or_404, render
from django.utils import timezone

from fitness.charts import LineChart, Series
from fitness.pages import page_of
from fitness.units import shown
from training import stats
from training.filters import ExerciseFilter
from training.models import Exercise
from training.models.exercise import MuscleGroup
from training.models.workout import best_set
from training.pages.common import suggested
from training.pages.workout import number_sets
from training.views.exercise import ExerciseViewSet, HistoryViewSet

RANGES = {"3m": ("3 months", 91), "1y": ("1 year", 365), "all": ("All", None)}


@login_required
def exercises(request):
    narrowed = ExerciseFilter(request.GET, Exercise.objects.search(""))
    page, next_cursor = page_of(request, ExerciseViewSet.by_name, narrowed.qs)
    asked = request.GET.copy()
    asked.pop("cursor", None)
    context = {
        "form": narrowed.form,
        "exercises": page,
        "count": narrowed.qs.count(),
        "next_cursor": next_cursor,
        "asked": asked.urlencode(),
        "is_narrowed": any(asked.values()),
    }
    return render(request, "training/exercises.html", context)


@login_required
def suggestions(request):
    """What the search of a form offers while somebody types."""
    found = suggested(request.user, request.GET.get("q", ""))
    return render(request, "training/suggestions.html", {"found": found})


@login_required
def exercise(request, pk):
    exercise = get_object_or_404(Exercise, pk=pk)
    account = request.user
    chosen = request.GET.get("range") if request.GET.get("range") in RANGES else "1y"
    points = stats.progress(account, pk)
    sessions, next_cursor = page_of(
        request, HistoryViewSet.newest, account.workout_exercises.sessions_with(pk)
    )
    records = {point["workout_id"] for point in points if point["is_record"]}
    best = max(points, key=lambda point: (point["weight_kg"], point["reps"]), default=None)
    context = {
        "exercise": exercise,
        "steps": [step for step in exercise.instructions.split("\n") if step.strip()],
        "chart": chart(points, chosen, account.units),
        "ranges": [(key, label, key == chosen) for key, (label, _) in RANGES.items()],
        "sessions": [readable_session(row, row.workout_id in records) for row in sessions],
        "next_cursor": next_cursor,
        "asked": f"range={chosen}",
        "worked": worked(exercise),
        "count": account.workout_exercises.sessions_with(pk).count(),
        "best": best,
        "strongest": max((point["estimated_1rm_kg"] for point in points), default=None),
    }
    return render(request, "training/exercise.html", context)


def worked(exercise):
    """How much each muscle group of the figure takes part, for the stylesheet."""
    if exercise.muscle_group == MuscleGroup.FULL_BODY:
        return {group.name.lower(): "primary" for group in MuscleGroup}
    parts = {group.name.lower(): "rest" for group in MuscleGroup}
    parts |= {MuscleGroup(group).name.lower(): "secondary" for group in exercise.secondary_muscles}
    return parts | {MuscleGroup(exercise.muscle_group).name.lower(): "primary"}


def chart(points, chosen, units):
    """Estimated maximum and heaviest set of each session in the range, records marked."""
    days = RANGES[chosen][1]
    now = timezone.now()
    since = now - datetime.timedelta(days=days) if days else None
    inside = [point for point in points if since is None or point["started_at"] >= since]
    maxima = [(point["started_at"], shown(point["estimated_1rm_kg"], units)) for point in inside]
    top_sets = [(point["started_at"], shown(point["weight_kg"], units)) for point in inside]
    marked = [pair for pair, point in zip(top_sets, inside, strict=True) if point["is_record"]]
    return LineChart(
        "Estimated one-rep maximum and heaviest set",
        [Series("Estimated 1RM", maxima), Series("Heaviest set", top_sets, "dots", marked)],
        units,
        since=since if inside else None,
        until=now if inside and days else None,
    )


def readable_session(row, has_record):
    sets = json.loads(row.session_sets or row.sets)
    number_sets(sets)
    return {
        "workout_id": row.workout_id,
        "started_at": row.started_at,
        "sets": sets,
        "best_set": best_set(row.best_weight_kg, row.best_reps),
        "has_record": has_record,
    }
