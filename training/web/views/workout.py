import itertools
from datetime import datetime
from operator import attrgetter
from string import ascii_uppercase
from typing import Any
from uuid import UUID

import orjson
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from accounts.models import Account
from fitness.web.shortcuts import get_page, render_confirm
from training import stats
from training.models import Exercise, Routine, Workout, WorkoutExercise
from training.models.workout import WorkoutQuerySet
from training.web.forms import WorkoutForm
from training.web.forms.base import uuid_or_none
from training.web.views.common import describe, form_page

FORM = "training/workout_form.html"
MAX_SETS = 500  # on one page
LISTED_EXERCISES = 4  # of each workout in the list


@login_required
def workouts(request):
    rows = request.user.workouts.with_exercise_count().defer("document", "notes")
    page, next_cursor = get_page(request, WorkoutQuerySet.newest_first, rows)
    list_exercises(page)
    months = itertools.groupby(page, key=month_of)
    context = {
        "months": [(month, list(group)) for month, group in months],
        "count": request.user.workout_count,
        "next_cursor": next_cursor,
    }
    return render(request, "training/workouts.html", context)


def month_of(workout: Workout) -> str:
    return timezone.localtime(workout.started_at).strftime("%B %Y")


def list_exercises(workouts: list[Workout]) -> None:
    """Gives each workout of a list its first exercises as `listed`, and how many `more` it has.

    Read from their rows: parsing the records of fifteen workouts of 10,000 sets took 110 ms.
    """
    # Not the account's rows: naming it too makes SQLite walk all of them.
    rows = WorkoutExercise.objects.heads([workout.pk for workout in workouts], LISTED_EXERCISES)
    rows = rows.values_list("workout_id", "exercise__name", "set_count", named=True)
    listed = {pk: list(group) for pk, group in itertools.groupby(rows, key=attrgetter("workout_id"))}
    for workout in workouts:
        workout.listed = listed.get(workout.pk, [])
        workout.more = workout.exercise_count - len(workout.listed)


@login_required
def workout(request: HttpRequest, pk: UUID) -> HttpResponse:
    return workout_page(request, pk, "training/workout.html", "1")


@login_required
def workout_sets(request: HttpRequest, pk: UUID) -> HttpResponse:
    """All sets of a workout that has more than its page shows."""
    return workout_page(request, pk, "training/workout_sets.html", request.GET.get("page"))


def workout_page(request: HttpRequest, pk: UUID, template: str, number: str | None) -> HttpResponse:
    workout = readable(get_object_or_404(request.user.workouts, pk=pk).document)
    mark_personal_records(workout, stats.personal_records(request.user).filter(workout=pk))
    name_supersets(workout["exercises"])
    exercises = workout.pop("exercises")
    page = Paginator(range(sum(map(rows_of, exercises))), MAX_SETS).get_page(number)
    context = {
        "workout": workout,
        "exercise_count": len(exercises),
        "page": page,
        "entries": entries_within(exercises, page.object_list),
    }
    del exercises  # 4 MB of a very long workout, which rendering would hold on to
    return render(request, template, context)


@login_required
def log_workout(request):
    if request.method != "POST":
        return log_page(request, prefilled(request))
    form = WorkoutForm.posted(request.user, request.POST)
    if not (form.is_valid() and (workout := form.save())):
        return log_page(request, form)
    messages.success(request, "Your workout is saved.")
    return redirect("workout", workout.pk)


@login_required
@require_POST
def new_workout_rows(request):
    form = WorkoutForm.posted(request.user, request.POST)
    form.rearrange(request.POST)
    return log_page(request, form)


@login_required
def edit_workout(request, pk):
    workout = get_object_or_404(request.user.workouts, pk=pk)
    if request.method != "POST":
        return edit_page(request, workout, WorkoutForm.of(request.user, workout))
    form = WorkoutForm.posted(request.user, request.POST)
    if not (form.is_valid() and form.save(workout)):
        return edit_page(request, workout, form)
    messages.success(request, "Your changes are saved.")
    return redirect("workout", pk)


@login_required
@require_POST
def workout_rows(request, pk):
    workout = get_object_or_404(request.user.workouts, pk=pk)
    form = WorkoutForm.posted(request.user, request.POST)
    form.rearrange(request.POST)
    return edit_page(request, workout, form)


@login_required
def delete_workout(request, pk):
    workout = get_object_or_404(request.user.workouts, pk=pk)
    if request.method == "POST":
        workout.remove()
        messages.success(request, f"“{workout}” is deleted.")
        return redirect("workouts")
    return render_confirm(
        request,
        f"Delete “{workout}”?",
        "Its sets leave your history, records and totals. This cannot be undone.",
        "Delete workout",
        reverse("workout", args=[pk]),
    )


@login_required
def workout_entry(request, exercise_id):
    """The rows of one more exercise, for the script that adds it to the form."""
    exercise = get_object_or_404(Exercise, pk=exercise_id)
    form = WorkoutForm.blank(request.user)
    entry = form.new_entry(exercise)
    describe(request.user, [entry])
    return render(request, "training/workout_entry.html", {"form": form, "entry": entry, "list": "exercises"})


def log_page(request, form):
    context = {
        "action": reverse("log-workout"),
        "routines": [] if form.entries else most_used_routines(request.user),
    }
    return workout_form_page(request, form, reverse("new-workout-rows"), save="Save workout", **context)


def most_used_routines(account: Account) -> QuerySet[Routine, dict[str, Any]]:
    return account.routines.order_by("-use_count", "name").values("pk", "name")[:8]


def edit_page(request, workout, form):
    rows = reverse("workout-rows", args=[workout.pk])
    context = {"workout": workout, "action": reverse("edit-workout", args=[workout.pk])}
    return workout_form_page(request, form, rows, save="Save changes", **context)


def workout_form_page(request, form, rows, **context):
    plans = list(request.user.plans.order_by("-active", "-created_at").values("pk", "name")[:100])
    zone = timezone.get_current_timezone_name()
    return form_page(request, FORM, form, rows, plans=plans, zone=zone, **context)


def prefilled(request):
    """A new workout's form; with the sets of a routine or of a plan's day where the address names one."""
    account = request.user
    if routine_id := uuid_or_none(request.GET.get("routine", "")):
        routine = get_object_or_404(account.routines, pk=routine_id)
        return WorkoutForm.planned(account, routine.exercises, title=routine.name, routine=str(routine.pk))
    if plan_id := uuid_or_none(request.GET.get("plan", "")):
        plan = get_object_or_404(account.plans, pk=plan_id)
        day = next((day for day in plan.days if str(day["weekday"]) == request.GET.get("day")), None)
        if day:
            return WorkoutForm.planned(account, day["exercises"], title=day["label"], plan_id=str(plan.pk))
    form = WorkoutForm.blank(account)
    form.add_exercise(f"exercises {request.GET.get('exercise', '')}")
    return form


# --- How a workout reads -------------------------------------------------------------------------


def readable(document):
    """The workout that clients read, with what a page says about it besides."""
    workout = orjson.loads(document)
    workout["started_at"] = timezone.localtime(datetime.fromisoformat(workout["started_at"]))
    workout["sets"] = sum(one["completed"] for entry in workout["exercises"] for one in entry["sets"])
    for entry in workout["exercises"]:
        number_sets(entry["sets"])
    return workout


def rows_of(entry: dict) -> int:
    """How many rows an exercise takes: one for each set, and one if it has none."""
    return len(entry["sets"]) or 1


def entries_within(exercises: list[dict], rows: range) -> list[dict]:
    """The exercises that have some of these rows of a workout, each with its sets among them."""
    within, start = [], 0
    for entry in exercises:
        first, last = max(rows.start - start, 0), min(rows.stop - start, rows_of(entry))
        if first < last:
            within.append({**entry, "sets": entry["sets"][first:last]})
        start += rows_of(entry)
    return within


def number_sets(sets):
    """Working sets count from 1; a warm-up is a W."""
    numbers = itertools.count(1)
    for one in sets:
        one["number"] = "W" if one["type"] == "warmup" else next(numbers)


def mark_personal_records(workout, personal_records):
    """Marks the first set that is the account's record with its exercise."""
    best = {row.exercise_id: (row.best_weight_kg, row.best_reps) for row in personal_records}
    for entry in workout["exercises"]:
        for one in entry["sets"]:
            held = (one["weight_kg"], one["reps"]) == best.get(entry["exercise_id"])
            if held and one["completed"] and one["type"] == "working":
                one["is_record"] = True
                del best[entry["exercise_id"]]


def name_supersets(exercises):
    """Gives exercises that share a superset its letter, in the order of their appearance."""
    names = {}
    for entry in exercises:
        if entry["superset_id"] is not None:
            letter = names.setdefault(entry["superset_id"], ascii_uppercase[len(names) % 26])
            entry["superset"] = letter
