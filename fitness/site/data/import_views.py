"""The pages of imports: the file, what it does not say, the preview, the steps, the result, the undo."""

import hashlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, cast
from uuid import UUID
from zoneinfo import ZoneInfo

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.imports.kinds import Answers
from accounts.imports.models import ImportItem, ImportRun
from accounts.models import Account, StoredFile
from accounts.models.task import LONG_BYTES
from accounts.web.requests import AccountRequest
from fitness.api import rate_limits
from fitness.api.exceptions import RateLimited, StorageFull
from fitness.api.renderers import json_response
from fitness.imports.findings import Ask
from fitness.imports.messages import Unreadable
from fitness.middleware import drain
from fitness.site.data import importing, preparing
from fitness.site.data.assessing import answers_of
from fitness.site.data.registry import ALL_FORMATS
from fitness.site.data.reports import (
    SUGGESTED,
    newest_runs,
    outcome,
    preview,
    progress,
    records_in_words,
    shown,
)
from fitness.spreadsheets import csv_pieces
from fitness.web.errors import render_error
from fitness.web.forms import StyledFormMixin
from fitness.web.local_time import known_zone, zone_choices
from fitness.web.shortcuts import quote, render_confirm, too_many_requests
from fitness.web.units import KG_PER_POUND, in_local_form
from training.models import ExerciseName
from training.models.exercise import Equipment, MuscleGroup
from training.models.own_exercise import TooMany
from training.web.forms.own_exercise import Offer, offered_for
from training.web.names import exercise_name
from training.web.views.common import suggested

OWN = "own"  # to make an exercise of the account's own of a name
NOTE, LEAVE_OUT = ExerciseName.Fate.NOTE.value, ExerciseName.Fate.LEAVE_OUT.value
REFUSED_COLUMNS = ("line", "column", "value", "code")
State = ImportItem.State
GONE = (
    gettext_noop("This import is not here any more"),
    gettext_noop(
        "A newer file has replaced it, or nobody went on with it for a week. Nothing of it was stored: "
        "choose the file again under Settings, Data."
    ),
)
REFUSALS = (importing.Busy, StorageFull, RateLimited)
RunView = Callable[[AccountRequest, ImportRun], HttpResponseBase]


class FileForm(StyledFormMixin, forms.Form):
    """The file, and the zone of the browser, which its script fills in."""

    file = forms.FileField(
        label=gettext_lazy("File"),
        widget=forms.FileInput(attrs={"accept": ".csv,.txt,.json,.zip"}),
        error_messages={
            "empty": gettext_lazy("This file is empty."),
            "required": gettext_lazy("Choose a file."),
        },
    )
    time_zone = forms.CharField(
        required=False, max_length=64, widget=forms.HiddenInput(attrs={"data-time-zone": ""})
    )

    def answers(self, account: Account) -> Answers:
        """What is supposed until somebody says otherwise."""
        zone = account.time_zone or known_zone(self.cleaned_data["time_zone"]) or "UTC"
        return Answers(ZoneInfo(zone), account.units)


class LargeFileForm(FileForm):
    """The export of a health app, which has an address with another limit."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, auto_id="large_%s", **options)
        self.fields["file"].label = _("The export, as the phone has made it")
        self.fields["file"].help_text = _(
            "Sending it takes a while, and so does reading it: then you need not stay."
        )
        self.fields["file"].widget.attrs["accept"] = ".zip,.xml"


class AnswersForm(StyledFormMixin, forms.Form):
    """What the file does not say. Where an answer is missing, the one before stays."""

    time_zone = forms.ChoiceField(
        label=gettext_lazy("Time zone"), help_text=gettext_lazy("The file has local times, and not where.")
    )
    unit = forms.ChoiceField(label=gettext_lazy("Weights are in"), widget=forms.RadioSelect)
    day_first = forms.ChoiceField(
        label=gettext_lazy("Dates are written"),
        choices=[
            ("True", gettext_lazy("day first: 04/05 is 4 May")),
            ("False", gettext_lazy("month first: 04/05 is 5 April")),
        ],
        widget=forms.RadioSelect,
    )

    def __init__(self, run: ImportRun, data: QueryDict | None = None) -> None:
        self.run = run
        reading = run.report["reading"]
        said = {"time_zone": run.time_zone, "unit": run.unit, "day_first": str(run.day_first)}
        super().__init__(None if data is None else {**said, **data.dict()}, initial=said)
        cast(forms.ChoiceField, self.fields["time_zone"]).choices = zone_choices()
        cast(forms.ChoiceField, self.fields["unit"]).choices = unit_choices(reading["heaviest"])
        for name, ask in (("time_zone", Ask.TIMEZONE), ("unit", Ask.UNIT), ("day_first", Ask.DAY_FIRST)):
            if ask not in reading["asks"]:
                del self.fields[name]

    def answers(self) -> Answers:
        run, said = self.run, self.cleaned_data
        return Answers(
            zone=ZoneInfo(said.get("time_zone", run.time_zone)),
            unit=said.get("unit", run.unit),
            day_first=said.get("day_first", str(run.day_first)) == "True",
        )


def unit_choices(heaviest: float) -> list[tuple[str, str]]:
    """The two units, with what the heaviest weight of the file is in each."""
    in_kg = f"{round(heaviest * KG_PER_POUND, 1):g}"
    weights = {"heaviest": in_local_form(f"{heaviest:g}"), "in_kg": in_local_form(in_kg)}
    return [
        ("kg", _("kg: the heaviest is %(heaviest)s kg") % weights),
        ("lb", _("lb: the heaviest is %(heaviest)s lb, %(in_kg)s kg") % weights),
    ]


@dataclass
class NameChoice:
    """An unknown name with what may become of it."""

    name: str
    sets: int | None
    options: list[tuple[str, str]]
    chosen: str
    search: str = ""
    nothing_found: bool = False

    @property
    def field(self) -> str:
        """The name of its field: the same however many names there are, for a page that is sent again."""
        return f"name-{hashlib.sha256(self.name.encode()).hexdigest()[:12]}"

    def sent(self, post: Mapping[str, str]) -> str:
        """What was chosen; one button makes all that would be notes exercises of the account's own."""
        chosen = post.get(self.field, self.chosen)
        if not self.offer:  # its options have no OWN
            return NOTE if chosen == OWN else chosen
        return OWN if chosen == NOTE and "own_all" in post else chosen

    @cached_property
    def offer(self) -> Offer | None:
        return offered_for(self.name)

    def own_values(self, post: Mapping[str, str]) -> tuple[str, str]:
        """The (muscle group, equipment) that were chosen for an own exercise, or those of the offer."""
        assert self.offer is not None
        group, equipment = (post.get(f"{self.field}-{name}", "") for name in ("muscle_group", "equipment"))
        return (
            group if group in MuscleGroup else self.offer.muscle_group,
            equipment if equipment in Equipment else self.offer.equipment,
        )


def name_choices(run: ImportRun) -> list[NameChoice]:
    """The names of the run that the catalogue does not know, with what was chosen for them."""
    stored = run.account.exercise_names.filter(source=run.source).select_related("exercise")
    chosen = {name.name: name for name in stored}
    unknown = {one["name"]: one for one in run.report["unknown_names"]}
    names = [*unknown, *(name for name in run.report["chosen_names"] if name not in unknown)]
    return [name_choice(name, unknown.get(name), chosen.get(name)) for name in names]


def name_choice(name: str, unknown: Mapping[str, Any] | None, chosen: ExerciseName | None) -> NameChoice:
    options = [(NOTE, _("Keep as a note")), (LEAVE_OUT, _("Leave out"))]
    if offered_for(name):
        options.append((OWN, _("Make it an exercise of your own")))
    if unknown:
        options += [(one["id"], exercise_name(one["name"])) for one in unknown["suggestions"]]
    value = (chosen.exercise_id or chosen.fate) if chosen else NOTE
    if chosen and chosen.exercise and value not in dict(options):
        options.append((value, exercise_name(chosen.exercise.name)))
    return NameChoice(name, unknown["sets"] if unknown else None, options, value)


def with_search(account: Account, names: list[NameChoice], sent: Mapping[str, str]) -> list[NameChoice]:
    """The names as they were sent, with what somebody has searched for as options of one of them."""
    for one in names:
        one.chosen = sent.get(one.field, one.chosen)
        if one.chosen == OWN and one.offer:
            group, equipment = one.own_values(sent)
            one.offer = replace(one.offer, muscle_group=group, equipment=equipment)
        one.search = sent.get(f"{one.field}-search", "")
        if sent.get("search") == one.field:
            found = suggested(account, one.search)["found"]
            known = dict(one.options)
            one.options += [
                (exercise.pk, exercise_name(exercise.name)) for exercise in found if exercise.pk not in known
            ]
            one.nothing_found = not found
    return names


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
    is_large = isinstance(form, LargeFileForm)
    context = {
        "file_form": FileForm() if is_large else form,
        "large_form": form if is_large else LargeFileForm(),
        "formats": ALL_FORMATS,
        "runs": newest_runs(request.user),
    }
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
        except REFUSALS as error:
            return refused(request, form, error)
    return data_page(request, form, status=400)


@csrf_exempt  # until the handler of the file is there: the check reads the body
@login_required
@require_POST
def upload_large(request: AccountRequest) -> HttpResponse:
    """As `upload`, of a file that is stored while it comes: it fits neither into memory nor into /tmp."""
    try:
        rate_limits.count(request, "uploads", str(request.user.pk))
        with importing.alone():
            return large_file(request)
    except REFUSALS as error:
        drain(request)
        return refused(request, LargeFileForm({}, {}), error)


def large_file(request: AccountRequest) -> HttpResponse:
    stored = importing.expect(request.user, int(request.META.get("CONTENT_LENGTH") or 0))
    request.upload_handlers = [importing.IntoParts(stored)]
    try:
        return begin_large(request, stored)
    finally:
        if not request.user.import_runs.filter(pk=stored.pk).exists():
            stored.remove()
            request.user.count_files()


@csrf_protect
def begin_large(request: AccountRequest, stored: StoredFile) -> HttpResponse:
    form = LargeFileForm(request.POST, request.FILES)
    if not form.is_valid():
        return data_page(request, form, status=400)
    # Long work, however small: an archive may hold a thousand times as much.
    size = max(stored.size, LONG_BYTES + 1)
    run = importing.arrived(stored, form.answers(request.user), size)
    return redirect("import", run.pk)


def refused(request: AccountRequest, form: FileForm, error: Exception) -> HttpResponse:
    """The page with why a file is not taken."""
    if isinstance(error, RateLimited):
        return too_many_requests(request, error.wait, _("You have brought ten files in this hour."))
    text = error.message if isinstance(error, StorageFull) else f"{error}."
    form.errors["file"] = form.error_class([text])
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
