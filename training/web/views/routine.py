from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from fitness.web.shortcuts import get_page, render_confirm
from training.models import Exercise
from training.models.routine import RoutineQuerySet
from training.web.forms import RoutineForm
from training.web.views.common import describe, form_page

FORM = "training/routine_form.html"


@login_required
def routines(request):
    page, next_cursor = get_page(request, RoutineQuerySet.newest_first, request.user.routines.all())
    return render(request, "training/routines.html", {"routines": page, "next_cursor": next_cursor})


@login_required
def routine(request, pk):
    routine = get_object_or_404(request.user.routines, pk=pk)
    return render(request, "training/routine.html", {"routine": routine})


@login_required
def create_routine(request):
    if request.method != "POST":
        return create_page(request, RoutineForm.blank(request.user))
    form = RoutineForm.posted(request.user, request.POST)
    if not form.is_valid():
        return create_page(request, form)
    routine = form.save_new()
    messages.success(request, "Your routine is saved.")
    return redirect("routine", routine.pk)


@login_required
@require_POST
def new_routine_rows(request):
    form = RoutineForm.posted(request.user, request.POST)
    form.rearrange(request.POST)
    return create_page(request, form)


@login_required
def edit_routine(request, pk):
    routine = get_object_or_404(request.user.routines, pk=pk)
    if request.method != "POST":
        return edit_page(request, routine, RoutineForm.of(request.user, routine))
    form = RoutineForm.posted(request.user, request.POST)
    if not form.is_valid():
        return edit_page(request, routine, form)
    form.save_changes(routine)
    messages.success(request, "Your changes are saved.")
    return redirect("routine", pk)


@login_required
@require_POST
def routine_rows(request, pk):
    routine = get_object_or_404(request.user.routines, pk=pk)
    form = RoutineForm.posted(request.user, request.POST)
    form.rearrange(request.POST)
    return edit_page(request, routine, form)


@login_required
def delete_routine(request, pk):
    routine = get_object_or_404(request.user.routines, pk=pk)
    if request.method == "POST":
        routine.delete()
        messages.success(request, f"“{routine.name}” is deleted.")
        return redirect("routines")
    return render_confirm(
        request,
        f"Delete “{routine.name}”?",
        "Workouts that were started from it stay. This cannot be undone.",
        "Delete routine",
        reverse("routine", args=[pk]),
    )


@login_required
def planned_entry(request, exercise_id):
    """The row of one more exercise of a routine or a plan's day, for the script that adds it."""
    exercise = get_object_or_404(Exercise, pk=exercise_id)
    form = RoutineForm.blank(request.user)
    entry = form.new_entry(exercise)
    describe(request.user, [entry])
    context = {"form": form, "entry": entry, "list": request.GET.get("list", "exercises")}
    return render(request, "training/planned_entry.html", context)


def create_page(request, form):
    context = {"action": reverse("create-routine")}
    return form_page(request, FORM, form, reverse("new-routine-rows"), save="Save routine", **context)


def edit_page(request, routine, form):
    rows = reverse("routine-rows", args=[routine.pk])
    context = {"routine": routine, "action": reverse("edit-routine", args=[routine.pk])}
    return form_page(request, FORM, form, rows, save="Save changes", **context)
