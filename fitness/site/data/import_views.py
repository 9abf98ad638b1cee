"""The pages of imports: the file, the preview, the steps, the result, and taking it back."""

import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial, wraps
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.imports.models import ImportItem, ImportRun
from accounts.web.requests import AccountRequest
from fitness.api import rate_limits
from fitness.api.exceptions import RateLimited, StorageFull
from fitness.api.renderers import json_response
from fitness.courtesy import followed_by_rest
from fitness.imports.tables import Unreadable
from fitness.site.data import importing
from fitness.site.data.assessing import answers_of
from fitness.site.data.forms import AnswersForm, FileForm, name_choices, with_search
from fitness.site.data.previews import in_words, newest_runs, outcome, preview, progress
from fitness.site.data.reading import Options
from fitness.site.data.registry import FORMATS
from fitness.spreadsheets import csv_pieces
from fitness.web.errors import render_error
from fitness.web.shortcuts import quote, render_confirm, too_many_requests
from training.models import ExerciseName

REFUSED_COLUMNS = ("line", "column", "value", "code", "text")
# How long a browser waits for an answer: without scripts, and with them, where it shows how far it is.
SECONDS_OF_STEPS, SECONDS_OF_SCRIPT = 2.0, 0.4
State = ImportItem.State
GONE = (
    "This import is not here any more",
    "A newer file has replaced it, or nobody went on with it for a day. Nothing of it was stored: choose the "
    "file again under Settings, Data.",
)
RunView = Callable[[AccountRequest, ImportRun], HttpResponseBase]


def of_run(view: RunView) -> Callable[[AccountRequest, UUID], HttpResponseBase]:
    """A view of one of the account's runs, which the path names."""

    @wraps(view)
    def of_path(request: AccountRequest, pk: UUID) -> HttpResponseBase:
        run = request.user.import_runs.read().select_related("account").filter(pk=pk).first()
        return view(request, run) if run else render_error(request, 404, GONE)

    return of_path


@login_required
@never_cache
@require_GET
def data(request: AccountRequest) -> HttpResponse:
    return data_page(request, FileForm())


def data_page(request: AccountRequest, form: FileForm, status: int = 200) -> HttpResponse:
    context = {"file_form": form, "formats": FORMATS, "runs": newest_runs(request.user)}
    return render(request, "accounts/data.html", context, status=status)


@login_required
@require_POST
def upload(request: AccountRequest) -> HttpResponse:
    form = FileForm(request.POST, request.FILES)
    if form.is_valid():
        file = form.cleaned_data["file"]
        try:
            rate_limits.count(request, "uploads", str(request.user.pk))
            run = importing.receive(request.user, file, file.name, form.answers(request.user), Options())
            return redirect("import", run.pk)
        except Unreadable as error:
            form.add_error("file", str(error))
        except importing.Busy as error:
            form.add_error("file", f"{error}.")
        except RateLimited as error:
            return too_many_requests(request, error.wait, "You have brought ten files in this hour.")
    return data_page(request, form, status=400)


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
@of_run
def import_run(request: AccountRequest, run: ImportRun) -> HttpResponse:
    """The preview of a run, its bar, or its result."""
    if run.is_preview:
        return answered(request, run) if request.method == "POST" else import_preview(request, run)
    if request.method == "POST":  # sent by a page that is out of date
        return redirect("import", run.pk)
    return render(request, "data/import.html", {"run": run, **outcome(run)})


def answered(request: AccountRequest, run: ImportRun) -> HttpResponse:
    """Looks anew with what the form of the preview says, or begins to store what it shows."""
    form = AnswersForm(run, request.POST)
    if not form.is_valid():
        return import_preview(request, run, form)
    has_news = choose_names(run, request) or form.answers() != answers_of(run) or run.is_abandoned
    if "import" in request.POST and not has_news:
        return take_steps(request, run, importing.step)
    if has_news:
        with suppress(importing.Busy):  # another tab was quicker
            importing.change_answers(run, form.answers())
    if request.POST.get("search"):
        return import_preview(request, run, form)
    if "import" in request.POST:
        messages.info(request, "Your answers change what will be imported. Look at it, then import it.")
    return redirect("import", run.pk)


def import_preview(request: AccountRequest, run: ImportRun, form: AnswersForm | None = None) -> HttpResponse:
    names = with_search(request.user, name_choices(run), request.POST)
    context = {"run": run, "form": form or AnswersForm(run), "names": names, **preview(run)}
    return render(request, "data/preview.html", context)


def choose_names(run: ImportRun, request: AccountRequest) -> bool:
    """Stores what the form says about unknown names, for this and later imports; whether that is new."""
    said = {one.name: (one.chosen, request.POST.get(one.field, one.chosen)) for one in name_choices(run)}
    changed = {name: now for name, (before, now) in said.items() if now != before}
    ExerciseName.objects.choose(request.user, run.source, changed)
    return bool(changed)


@login_required
@require_POST
@of_run
def step(request: AccountRequest, run: ImportRun) -> HttpResponse:
    return take_steps(request, run, importing.step)


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
@of_run
def undo(request: AccountRequest, run: ImportRun) -> HttpResponse:
    """Asks whether to take an import back, and does so on POST."""
    if request.method == "POST":
        act = partial(importing.undo_step, changed_too="changed_too" in request.POST)
        return take_steps(request, run, act)
    name = "changed_too" if "changed_too" in request.GET else ""
    removed = in_words(run, State.KEPT if name else State.STORED)
    page = reverse("import", args=[run.pk])
    if not removed:
        return redirect(page)
    if name:
        question = f"Remove what you have changed since the import of {quote(run.file_name)}?"
        return render_confirm(request, question, f"{removed} will be removed.", "Remove", page, name)
    question = f"Undo the import of {quote(run.file_name)}?"
    text = f"{removed} will be removed. What you have changed since the import stays."
    return render_confirm(request, question, text, "Undo the import", page)


def take_steps(request: AccountRequest, run: ImportRun, act: Callable[[ImportRun], bool]) -> HttpResponse:
    """Some steps: a script asks for the next, and without one the page has a button to go on."""
    if "application/json" in request.headers.get("Accept", ""):
        return step_for_script(run, act)
    try:
        steps_for(SECONDS_OF_STEPS, run, act)
    except importing.Busy:  # another page of the run was quicker
        pass
    except StorageFull as error:
        messages.error(request, error.message)
    return redirect("import", run.pk)


def steps_for(seconds: float, run: ImportRun, act: Callable[[ImportRun], bool]) -> bool:
    """Takes steps, at least one, until this time is over; returns whether there are more."""
    until = time.monotonic() + seconds
    while act_and_rest(run, act):
        if time.monotonic() > until:
            return True
    return False


@followed_by_rest()
def act_and_rest(run: ImportRun, act: Callable[[ImportRun], bool]) -> bool:
    return act(run)


def step_for_script(run: ImportRun, act: Callable[[ImportRun], bool]) -> HttpResponse:
    """How far some steps have come, or the problem that stops the script until somebody goes on."""
    try:
        return json_response({"more": steps_for(SECONDS_OF_SCRIPT, run, act), **progress(run)})
    except importing.Busy:
        return json_response({"more": False, **progress(run)})
    except StorageFull as error:
        return json_response({"more": False, **progress(run), "problem": error.message})


@login_required
@never_cache
@require_GET
@of_run
def refused_rows(request: AccountRequest, run: ImportRun) -> StreamingHttpResponse:
    """All refused rows of a file, as CSV."""
    problems = run.findings.problems().values_list(*REFUSED_COLUMNS)
    pieces = csv_pieces(REFUSED_COLUMNS, problems.iterator(chunk_size=500))
    headers = {"Content-Disposition": 'attachment; filename="refused.csv"'}
    return StreamingHttpResponse(pieces, content_type="text/csv; charset=utf-8", headers=headers)
