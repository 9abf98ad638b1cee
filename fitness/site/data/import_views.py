"""The pages of imports: the file, the preview, the steps, the result, and taking it back."""

from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.imports.models import ImportItem, ImportRun
from accounts.web.requests import AccountRequest
from fitness.api import rate_limits
from fitness.api.exceptions import RateLimited, StorageFull
from fitness.api.renderers import json_response
from fitness.imports.tables import Unreadable
from fitness.site.data import importing, preparing
from fitness.site.data.assessing import answers_of
from fitness.site.data.forms import OWN, AnswersForm, FileForm, name_choices, with_search
from fitness.site.data.previews import newest_runs, outcome, preview, progress, records_in_words
from fitness.site.data.registry import FORMATS
from fitness.site.data.reports import SUGGESTED, shown
from fitness.spreadsheets import csv_pieces
from fitness.web.errors import render_error
from fitness.web.shortcuts import quote, render_confirm, too_many_requests
from training.models import ExerciseName
from training.models.own_exercise import TooMany

REFUSED_COLUMNS = ("line", "column", "value", "code")
State = ImportItem.State
GONE = (
    gettext_noop("This import is not here any more"),
    gettext_noop(
        "A newer file has replaced it, or nobody went on with it for a week. Nothing of it was stored: "
        "choose the file again under Settings, Data."
    ),
)
RunView = Callable[[AccountRequest, ImportRun], HttpResponseBase]


def of_run(view: RunView) -> Callable[[AccountRequest, UUID], HttpResponseBase]:
    """A view of one of the account's runs, which the path names."""

    @wraps(view)
    def of_path(request: AccountRequest, pk: UUID) -> HttpResponseBase:
        run = request.user.import_runs.select_related("account").filter(pk=pk).first()
        return view(request, run) if run else render_error(request, 404, GONE)

    return of_path


@login_required
@never_cache
@require_GET
def data(request: AccountRequest) -> HttpResponse:
    return data_page(request, FileForm())


def data_page(request: AccountRequest, form: FileForm, status: int = 200) -> HttpResponse:
    context = {"file_form": form, "formats": FORMATS, "runs": newest_runs(request.user)}
    context |= preparing.overview(request.user)
    return render(request, "accounts/data.html", context, status=status)


@login_required
@require_POST
def upload(request: AccountRequest) -> HttpResponse:
    """Stores a file for the worker. The page of its run shows how far that is."""
    form = FileForm(request.POST, request.FILES)
    if form.is_valid():
        file = form.cleaned_data["file"]
        try:
            rate_limits.count(request, "uploads", str(request.user.pk))
            run = importing.upload(request.user, file, file.name, form.answers(request.user), file.size)
            return redirect("import", run.pk)
        except importing.Busy as error:
            form.add_error("file", f"{error}.")
        except StorageFull as error:
            form.add_error("file", error.message)
        except RateLimited as error:
            return too_many_requests(request, error.wait, _("You have brought ten files in this hour."))
    return data_page(request, form, status=400)


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
@of_run
def import_run(request: AccountRequest, run: ImportRun) -> HttpResponse:
    """The preview of a run, its bar, or its result; for a script how far it is."""
    if "application/json" in request.headers.get("Accept", ""):
        return json_response(progress(run))
    if run.state == ImportRun.State.READ:
        return answered(request, run) if request.method == "POST" else import_preview(request, run)
    if request.method == "POST":  # sent by a page that is out of date
        return redirect("import", run.pk)
    return render(request, "data/import.html", {"run": run, **outcome(run)})


def answered(request: AccountRequest, run: ImportRun) -> HttpResponse:
    """Has a run looked at anew with what the form of the preview says, or what it shows stored."""
    form = AnswersForm(run, request.POST)
    if not form.is_valid() or request.POST.get("search"):
        return import_preview(request, run, form)
    address = reverse("import", args=[run.pk])
    try:
        if choose_names(run, request) or form.answers() != answers_of(run):
            importing.change_answers(run, form.answers())
            address += "?answered=yes" if "import" in request.POST else ""
        elif "import" in request.POST:
            importing.begin_storing(run)
    except TooMany as error:
        form.add_error(None, error)
        return import_preview(request, run, form)
    except Unreadable as error:
        form.add_error(None, str(error))
        return import_preview(request, run, form)
    except importing.Busy:  # another tab was quicker
        pass
    return redirect(address)


def import_preview(request: AccountRequest, run: ImportRun, form: AnswersForm | None = None) -> HttpResponse:
    names = with_search(request.user, name_choices(run), request.POST)
    context = {
        "run": run,
        "form": form or AnswersForm(run),
        "names": names,
        "offered": SUGGESTED,
        **preview(run),
    }
    return render(request, "data/preview.html", context)


def choose_names(run: ImportRun, request: AccountRequest) -> bool:
    """Stores what the form says about unknown names, for this and later imports; whether that is new.

    Raises TooMany.
    """
    names = name_choices(run)
    said = {one.name: (one.chosen, one.sent(request.POST)) for one in names}
    changed = {name: now for name, (before, now) in said.items() if now != before}
    if own := {one.name: one.own_values(request.POST) for one in names if changed.get(one.name) == OWN}:
        importing.make_own(run, own)
    ExerciseName.objects.choose(request.user, run.source, changed)
    return bool(changed)


@login_required
@require_POST
@of_run
def go_on(request: AccountRequest, run: ImportRun) -> HttpResponse:
    """Goes on with an import that has stopped, for want of room for example."""
    begin = importing.begin_undoing if run.state == ImportRun.State.UNDOING else importing.begin_storing
    with suppress(
        importing.Busy, Unreadable
    ):  # another page of the run was quicker; its page says what is wrong
        begin(run)
    return redirect("import", run.pk)


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
@of_run
def undo(request: AccountRequest, run: ImportRun) -> HttpResponse:
    """Asks whether to take an import back, and has it done on POST."""
    if request.method == "POST":
        with suppress(importing.Busy):
            importing.begin_undoing(run, changed_too="changed_too" in request.POST)
        return redirect("import", run.pk)
    if run.is_archive:
        is_there = run.state in (ImportRun.State.STORING, ImportRun.State.UNDOING)
        return confirm_emptying(request, run) if is_there else redirect("import", run.pk)
    name = "changed_too" if "changed_too" in request.GET else ""
    removed = records_in_words(run, State.KEPT if name else State.STORED)
    page = reverse("import", args=[run.pk])
    if not removed:
        return redirect(page)
    file = {"file": quote(run.file_name)}
    if name:
        question = _("Remove what you have changed since the import of %(file)s?") % file
        text = _("%(records)s will be removed.") % {"records": removed}
        return render_confirm(request, question, text, _("Remove"), page, name)
    question = _("Undo the import of %(file)s?") % file
    text = _("%(records)s will be removed. What you have changed since the import stays.")
    return render_confirm(request, question, text % {"records": removed}, _("Undo the import"), page)


def confirm_emptying(request: AccountRequest, run: ImportRun) -> HttpResponse:
    question = _("Stop restoring %(file)s?") % {"file": quote(run.file_name)}
    text = _(
        "All records that are restored by now are removed, and your account has none again. Your profile and "
        "settings stay."
    )
    return render_confirm(request, question, text, _("Empty the account"), reverse("import", args=[run.pk]))


@login_required
@never_cache
@require_GET
@of_run
def refused_rows(request: AccountRequest, run: ImportRun) -> HttpResponse:
    """All refused rows of a file, as CSV: MAX_PROBLEMS at most."""
    problems = (list(shown(one, *REFUSED_COLUMNS).values()) for one in run.findings.problems())
    headers = {"Content-Disposition": 'attachment; filename="refused.csv"'}
    content = b"".join(csv_pieces((*REFUSED_COLUMNS, "text"), problems))
    return HttpResponse(content, content_type="text/csv; charset=utf-8", headers=headers)
