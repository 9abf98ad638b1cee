"""The screens of an account's own exercises."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import orjson
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.web.requests import AccountRequest
from fitness.api.renderers import json_response
from fitness.web.shortcuts import quote, render_confirm, render_form
from training.models import Exercise, own_exercise
from training.models.own_exercise import MAX_OWN, InUse
from training.web.forms.own_exercise import MAX_NAME, OwnExerciseForm
from training.web.train.views import for_page
from training.web.views.common import exercise_or_404, suggested


@contextmanager
def gone_is_404() -> Iterator[None]:
    """For views of an exercise that may be merged or deleted between their look-up and what they do."""
    try:
        yield
    except Exercise.DoesNotExist:
        raise Http404 from None


def own_or_404(request: AccountRequest, pk: str) -> Exercise:
    """One of the account's own that was not merged."""
    exercise = Exercise.objects.owned_by(request.user).filter(pk=pk, merged_into=None).first()
    if exercise is None:
        raise Http404
    return exercise


def sent(request: AccountRequest) -> QueryDict | None:
    return request.POST if request.method == "POST" else None


@login_required
@require_GET
def own_exercises(request: AccountRequest) -> HttpResponse:
    own = Exercise.objects.owned_by(request.user).filter(merged_into=None).order_by("name", "id")
    context = {"exercises": own, "most": MAX_OWN}
    return render(request, "training/own/list.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def new_own_exercise(request: AccountRequest) -> HttpResponse:
    name = request.GET.get("name", "").replace("\0", "").strip()[:MAX_NAME]
    form = OwnExerciseForm(request.user, sent(request), name=name)
    if form.is_valid() and (exercise := form.save()):
        messages.success(
            request, _("%(name)s is an exercise of your own now.") % {"name": quote(exercise.name)}
        )
        return redirect("exercise", exercise.pk)
    return render_form(request, form, title=_("New exercise"), cancel=reverse("own-exercises"))


@require_POST
@for_page
def make_own_exercise(request: AccountRequest) -> HttpResponse:
    """For scripts: {id, name}, or 400 with what is wrong, and the exercise that has the name."""
    form = OwnExerciseForm(request.user, texts_of(request.body))
    if form.is_valid() and (exercise := form.save()):
        return json_response({"id": exercise.pk, "name": exercise.name})
    taken = form.taken and {"id": form.taken.pk, "name": form.taken.name}
    return json_response({"message": form.problem, "taken": taken}, 400)


def texts_of(body: bytes) -> dict[str, str]:
    """The texts of a JSON object; what is none counts as left out."""
    try:
        sent = orjson.loads(body)
    except ValueError:
        return {}
    fields: dict[str, Any] = sent if isinstance(sent, dict) else {}
    return {name: value for name, value in fields.items() if isinstance(value, str)}


@login_required
@require_http_methods(["GET", "POST"])
@gone_is_404()
def edit_own_exercise(request: AccountRequest, pk: str) -> HttpResponse:
    exercise = own_or_404(request, pk)
    form = OwnExerciseForm(request.user, sent(request), exercise)
    if form.is_valid() and form.save():
        messages.success(request, _("Saved. Workouts, routines and plans follow."))
        return redirect("exercise", pk)
    return render_form(request, form, title=_("Edit exercise"), cancel=reverse("exercise", args=[pk]))


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
@gone_is_404()
def delete_own_exercise(request: AccountRequest, pk: str) -> HttpResponse:
    """Deletes an exercise that nothing uses. Of another one it says so, and offers to retire it."""
    exercise = own_or_404(request, pk)
    page = reverse("exercise", args=[pk])
    if own_exercise.used(request.user, [pk]):
        messages.error(request, in_use_text() % {"name": quote(exercise.name)})
        return redirect(page)
    if request.method != "POST":
        question = _("Delete %(name)s?") % {"name": quote(exercise.name)}
        return render_confirm(request, question, _("This cannot be undone."), _("Delete"), page)
    try:
        own_exercise.delete(request.user, exercise)
    except InUse:
        messages.error(request, in_use_text() % {"name": quote(exercise.name)})
        return redirect(page)
    messages.success(request, _("%(name)s is deleted.") % {"name": quote(exercise.name)})
    return redirect("own-exercises")


def in_use_text() -> str:
    return _("%(name)s is used by workouts, routines or plans, which keep it. Retire it instead.")


@login_required
@require_POST
def retire_own_exercise(request: AccountRequest, pk: str) -> HttpResponse:
    """Retires an exercise, or takes it back (`back`)."""
    own_exercise.retire(own_or_404(request, pk), back="back" in request.POST)
    return redirect("exercise", pk)


@login_required
@require_POST
def offer_own_exercise(request: AccountRequest, pk: str) -> HttpResponse:
    """Offers an exercise to the catalogue, or takes the offer back (`back`)."""
    own_exercise.offer(own_or_404(request, pk), back="back" in request.POST)
    return redirect("exercise", pk)


@login_required
@require_GET
def choose_same_exercise(request: AccountRequest, pk: str) -> HttpResponse:
    """Which exercise an own one is the same as."""
    exercise = own_or_404(request, pk)
    text = request.GET.get("q", exercise.name)
    found = suggested(request.user, text)
    others = [one for one in (found["found"] or found["nearest"]) if one.id != pk]
    context = {"exercise": exercise, "text": text, "others": others, "is_nearest": not found["found"]}
    return render(request, "training/own/same.html", context)


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
@gone_is_404()
def merge_own_exercise(request: AccountRequest, pk: str, kept_id: str) -> HttpResponse:
    """Asks whether to merge an own exercise into another one, and does it on POST."""
    exercise, kept = own_or_404(request, pk), exercise_or_404(request.user, kept_id)
    names = {"name": quote(exercise.name), "kept": quote(kept.name)}
    if request.method != "POST":
        question = _("Merge %(name)s into %(kept)s?") % names
        text = _("Your workouts, routines and plans then have %(kept)s. This cannot be undone.") % names
        cancel = reverse("same-exercise", args=[pk])
        return render_confirm(request, question, text, _("Merge"), cancel)
    try:
        own_exercise.merge(exercise, kept)
    except ValidationError as error:
        messages.error(request, error.message)
        return redirect("same-exercise", pk)
    messages.success(
        request, _("%(name)s is merged into %(kept)s. Workouts, routines and plans follow.") % names
    )
    return redirect("exercise", kept.pk)
