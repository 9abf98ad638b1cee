"""The workout under way: its page, what the page sends and reads, and what is shown after the finish."""

import datetime
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import cache, reduce, wraps
from typing import Any
from uuid import UUID

import orjson
from django.contrib.auth.decorators import login_required
from django.db.models import Exists, OuterRef
from django.http import Http404, HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from rest_framework.exceptions import ValidationError

from accounts.models import Account, Alarm
from accounts.push import vapid
from accounts.web.requests import AccountRequest
from fitness.api.errors import ApiError, api_error
from fitness.api.parsers import loads
from fitness.api.renderers import json_response
from fitness.days import ONE_DAY, today
from fitness.web.language import current, in_language
from fitness.web.shortcuts import uuid_or_none
from training.drafts.context import exercise_contexts, targets_in_words
from training.drafts.start import Template, of_exercise, of_plan, of_routine, of_workout, start
from training.models import Plan, ProgressionStep, TrainingDraft, Workout
from training.models.draft import DraftDocument, TargetOfDraft, moment
from training.models.sets import NOTED_FIELDS, DoneSets
from training.models.workout_document import WorkoutDocument
from training.plans.plan_rules import day_with_targets
from training.web.comparing import compared, volume_change
from training.web.improvement import best_improvement
from training.web.names import exercise_name, weekday_name
from training.web.picker import TRAINED, kept_exercises, version_of
from training.web.picture import picture_of
from training.web.train import finishing
from training.web.train.finishing import AnotherOpen, Discarded, Finished, Put
from training.web.train.next_time import foreseen, steps_of, unmoved
from training.web.train.serializers import (
    DraftRequestSerializer,
    NextTimeSerializer,
    RestAlarmSerializer,
)

# Of the form that starts a workout.
WEEKDAYS = [str(number) for number in range(1, 8)]
FIELDS = ("routine", "plan", "day", "workout", "exercise")

ROUTINES, WORKOUTS = 12, 5  # that are offered to begin with

DraftView = Callable[..., HttpResponse]


def train(request: HttpRequest) -> HttpResponse:
    return HttpResponse(train_page(current()))


@cache
def train_page(language: str) -> str:
    """The page, the same for everybody who reads that language: what it shows of an account is in `draft`."""
    with in_language(language):
        context = {"noted": noted_for_scripts(), "push_key": vapid.public_key()}
        return render_to_string("training/train.html", context)


def noted_for_scripts() -> str:
    """What may be noted of a set, as the scripts of the page read it."""
    names = ("name", "mark", "offered", "most", "pattern", "is_number")
    fields = [
        {**{name: getattr(one, name) for name in names}, "label": str(one.label)} for one in NOTED_FIELDS
    ]
    return orjson.dumps(fields).decode()


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def start_training(request: AccountRequest) -> HttpResponse:
    """What can be begun; a workout that is under way is resumed. A POST begins one.

    Where one is under way, a page then asks what shall happen to that.
    """
    account = request.user
    if request.method != "POST":
        return redirect("train") if account.training_drafts.open().exists() else choices(request)
    template = template_of(request)
    if discarded := uuid_or_none(request.POST.get("discard", "")):
        finishing.discard(account, discarded)
    if draft := account.training_drafts.open().first():
        asked = {name: request.POST[name] for name in FIELDS if name in request.POST}
        return render(request, "training/under_way.html", {"draft": draft, "fields": asked})
    start(account, template)
    return redirect("train")


def choices(request: AccountRequest) -> HttpResponse:
    account = request.user
    day = today()
    is_done = Exists(account.workouts.of_plan_on(day, OuterRef("pk")))
    plan: Any = account.plans.active().annotate(is_done=is_done).first()
    days = days_from(plan, day) if plan else []
    first = days[0] if days else None
    context = {
        "plan": plan,
        "first": first,
        "is_done": first and plan.is_done and not first["when"],
        "other_days": days[1:],
        "routines": account.routines.names()[:ROUTINES],
        "workouts": account.workouts.order_by("-started_at", "-id").defer("document", "notes")[:WORKOUTS],
    }
    return render(request, "training/begin.html", context)


def days_from(plan: Plan, day: datetime.date) -> list[dict[str, Any]]:
    """The plan's days of training in the seven days from a date on, and `when` they are: "" for that date."""
    dates = [day + ONE_DAY * number for number in range(7)]
    names = ["", _("Tomorrow"), *(weekday_name(date.isoweekday()) for date in dates[2:])]
    week, rules = plan.week, plan.progressions
    return [
        {**day_with_targets(week, rules, date.isoweekday(), date), "when": name}
        for date, name in zip(dates, names, strict=True)
        if not plan.days[date.weekday()]["rest"]
    ]


def template_of(request: AccountRequest) -> Template:
    """What the form asks to begin with. Raises Http404 for what is not the account's."""
    account, post = request.user, request.POST
    if "routine" in post:
        return of_routine(get_object_or_404(account.routines, pk=uuid_or_none(post["routine"])))
    if "plan" in post:
        plan = get_object_or_404(account.plans, pk=uuid_or_none(post["plan"]))
        if post.get("day", "") not in WEEKDAYS:
            raise Http404
        return of_plan(plan, int(post["day"]))
    if "workout" in post:
        return of_workout(get_object_or_404(account.workouts, pk=uuid_or_none(post["workout"])))
    if "exercise" in post:
        return of_exercise(post["exercise"].replace("\0", "")[:100])
    return Template()


@login_required
@require_GET
def finished(request: AccountRequest, pk: UUID) -> HttpResponse:
    steps = ProgressionStep.objects.of_outer_workout(request.user.pk)
    workouts = request.user.workouts.annotate(has_steps=Exists(steps))  # others take no statement more
    workout: Any = get_object_or_404(workouts, pk=pk)
    draft = request.user.training_drafts.filter(workout_id=pk).first()
    routine_id = draft and draft.document["routine_id"]
    next_time = steps_of(request.user, workout) if workout.has_steps else []
    moved = {one.rule_id for one in next_time}
    context = {
        "workout": workout,
        "routine": request.user.routines.filter(pk=routine_id).first() if routine_id else None,
        "next_time": next_time,
        "unmoved": unmoved(request.user, workout, draft.weekday if draft else None, moved),
        **summary(request.user, workout),
    }
    return render(request, "training/finished.html", context)


# --- What the page of a running workout sends and reads -----------------------------------------------


def for_page(view: DraftView) -> DraftView:
    """For views whose responses a script reads: JSON, also for errors, `{"code", "message"}`."""

    @wraps(view)
    def respond(request: HttpRequest, *arguments: Any, **options: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return refusal(401, "signed_out", _("Sign in to save your workout."))
        try:
            return view(request, *arguments, **options)
        except AnotherOpen:
            message = _("Another workout is under way. Finish or discard it first.")
            return refusal(409, "another_open", message)
        except Discarded:
            return refusal(409, "discarded", _("This workout was discarded on another device."))
        except Finished as exc:
            body = {"finished": stored(exc.workout_id), "missing": exc.missing}
            return refusal(409, "finished", _("This workout was finished already."), **body)
        except Exception as exc:
            error = api_error(exc)
            return refusal(error.status, error.code, text_of(error))

    return respond


def text_of(error: ApiError) -> str:
    """The message of an error, without a path where that would only name the whole workout."""
    whole = ("", "body", "exercises")
    return next((one["message"] for one in error.details[:1] if one["path"] in whole), error.message)


def refusal(status: int, code: str, message: str, **more: Any) -> HttpResponse:
    return json_response({"code": code, "message": message, **more}, status)


@ensure_csrf_cookie
@require_GET
@for_page
def draft(request: AccountRequest) -> HttpResponse:
    """The workout under way; without its document for a page that names the version it has."""
    account = request.user
    open_draft = account.training_drafts.open().first()
    body: dict[str, Any] = {
        "account": str(account.pk),
        "csrf_token": get_token(request),
        "units": account.units,
        "rack": account.rack,
        "time_zone": timezone.get_current_timezone_name(),
        **now(),
    }
    if open_draft is None:
        return json_response({**body, "draft": None, "exercises": {}})
    if request.GET.get("version") == str(open_draft.version) and request.GET.get("id") == str(open_draft.pk):
        return json_response({**body, "draft": {"version": open_draft.version}})
    ids = {one["exercise_id"] for one in open_draft.document["exercises"]}
    open_draft.targets = targets_in_words(open_draft)
    body |= {"draft": shown(open_draft), "exercises": contexts(account, ids, open_draft.targets)}
    if targets := open_draft.targets_of_entries:
        body["targets"] = targets
    return json_response(body)


@require_http_methods(["PUT", "DELETE"])
@for_page
def change_draft(request: AccountRequest, pk: UUID) -> HttpResponse:
    account = request.user
    if request.method == "DELETE":
        finishing.discard(account, pk)
        return HttpResponse(status=204)
    values = DraftRequestSerializer.validated(parsed(request))
    require_id(values["document"], pk)
    changed = finishing.put(account, Put(**values))
    if changed.workout_id:
        return json_response({"finished": stored(changed.workout_id), **now()})
    return json_response({**shown(changed), **now()})


@require_POST
@for_page
def next_time(request: AccountRequest, pk: UUID) -> HttpResponse:
    """What finishing the workout as it is sent would do to the targets of its plan or routine."""
    values = NextTimeSerializer.validated(parsed(request))
    require_id(values["document"], pk)
    moves = finishing.foreseen_moves(request.user, **values)
    return json_response({"next": [asdict(foreseen(one, request.user.units)) for one in moves]})


def require_id(document: DraftDocument, pk: UUID) -> None:
    if document["id"] != str(pk):
        raise ValidationError({"document": {"id": ["Must be the id in the address."]}})


@require_GET
@for_page
def exercise_context(request: AccountRequest, exercise_id: str) -> HttpResponse:
    found = contexts(request.user, {exercise_id}, {})
    if not found:
        raise Http404
    return json_response(found[exercise_id])


@require_GET
@for_page
def exercise_choices(request: AccountRequest) -> HttpResponse:
    """What the account can choose from; nothing but the version for a page that names the one it has."""
    account = request.user
    body = kept_exercises(account)
    used = body["rows"][: min(body["used"], TRAINED)]
    body["contexts"] = contexts(account, {pk for pk, *_ in used}, {})
    version = version_of(body)
    return json_response({"version": version} | ({} if request.GET.get("version") == version else body))


def parsed(request: HttpRequest) -> object:
    try:
        return loads(request.body)
    except (ValueError, RecursionError) as error:
        raise ValidationError(f"Not valid JSON: {error}.") from None


def now() -> dict[str, str]:
    return {"now": moment(timezone.now())}


def shown(draft: TrainingDraft) -> dict[str, Any]:
    return {"version": draft.version, "document": draft.document}


def contexts(account: Account, ids: set[str], targets: Mapping[str, TargetOfDraft]) -> dict[str, Any]:
    """The contexts of exercises, with their names in the language of the page."""
    found = exercise_contexts(account, ids, targets)
    return {pk: {**context, "name": exercise_name(context["name"])} for pk, context in found.items()}


def stored(workout_id: UUID) -> dict[str, str]:
    return {"id": str(workout_id), "url": reverse("finished-training", args=[workout_id])}


def summary(account: Account, workout: Workout) -> dict[str, Any]:
    """What a workout was beside the last time, with its records first.

    The number of statements does not depend on the workout.
    """
    document: WorkoutDocument = orjson.loads(workout.document)
    exercises = list(compared(account, document["exercises"], workout.started_at).values())
    return {
        "done": reduce(DoneSets.plus, (one["done"] for one in exercises), DoneSets(0, 0)),
        "exercises": sorted(exercises, key=lambda one: not one["is_record"]),
        "lead": best_improvement(exercises, account.units),
        "volume_change": volume_change(exercises),
        "records": sum(one["is_record"] for one in exercises),
        "is_compared": any(one["last"] for one in exercises),
        "picture": picture_of(workout, exercises, account.units),
    }


@require_http_methods(["PUT", "DELETE"])
@for_page
def rest_alarm(request: AccountRequest) -> HttpResponse:
    """The alarm at the end of a rest, for browsers that take alerts (accounts/push)."""
    if request.method == "DELETE":
        Alarm.objects.cancel(request.user, Alarm.Kind.REST)
    else:
        Alarm.objects.rest(request.user, RestAlarmSerializer.validated(parsed(request))["seconds"])
    return HttpResponse(status=204)
