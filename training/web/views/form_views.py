"""Create, edit and delete with a form of rows: the same views for workouts, routines and plans."""

from typing import Any, ClassVar, Generic, NamedTuple
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.models import Account
from accounts.web.requests import AccountRequest
from fitness.web.shortcuts import render_confirm
from training.web.forms.base import MAX_ROWS, EntriesForm, Instance
from training.web.views.common import describe, exercise_or_404, suggested


class Words(NamedTuple):
    """What the views say of their noun, in whole phrases."""

    save: Promise
    saved: Promise
    delete: Promise
    delete_warning: Promise


class FormViews(Generic[Instance]):
    """The views that create, edit and delete one kind of thing with a form of rows.

    An instance of a subclass has them as methods: `create` and `edit` (GET and POST), `new_rows` and
    `edited_rows` (POST, from the form's buttons that add, move and remove rows; nothing is saved), `entry`
    (the rows of one more exercise, for scripts), and `delete` (GET asks, POST does it). The account's
    manager, `routines`, and the addresses are named after the `noun`: routines, routine, new-routine-rows,
    edit-routine, routine-rows, delete-routine.
    """

    noun: ClassVar[str]
    create_url: ClassVar[str]
    words: ClassVar[Words]
    entry_template: ClassVar[str]
    form_class: type[EntriesForm[Instance, Any]]

    @method_decorator(login_required)
    def create(self, request: AccountRequest) -> HttpResponse:
        if request.method != "POST":
            return self.render_form(request, self.empty_form(request))
        form = self.form_class.posted(request.user, request.POST)
        if not (form.is_valid() and (instance := form.save())):
            return self.render_form(request, form)
        messages.success(request, self.said(str(self.words.saved), request.user, instance))
        return redirect(self.noun, instance.pk)

    @method_decorator(login_required)
    def edit(self, request: AccountRequest, pk: UUID) -> HttpResponse:
        instance = self.get_object(request, pk)
        if request.method != "POST":
            return self.render_form(request, self.stored_form(request, instance), instance)
        form = self.form_class.posted(request.user, request.POST)
        if not (form.is_valid() and form.save(instance)):
            return self.render_form(request, form, instance)
        messages.success(request, self.said(form.saved_text, request.user, instance))
        return redirect(self.noun, pk)

    @method_decorator([login_required, require_POST])
    def new_rows(self, request: AccountRequest) -> HttpResponse:
        return self.rearranged(request)

    @method_decorator([login_required, require_POST])
    def edited_rows(self, request: AccountRequest, pk: UUID) -> HttpResponse:
        return self.rearranged(request, self.get_object(request, pk))

    @method_decorator(login_required)
    def entry(self, request: AccountRequest, exercise_id: str) -> HttpResponse:
        exercise, form = exercise_or_404(request.user, exercise_id), self.form_class.blank(request.user)
        entry = form.new_entry(exercise)
        describe(request.user, [entry])
        context = {"form": form, "entry": entry, "list": request.GET.get("list", "exercises")}
        return render(request, self.entry_template, context)

    @method_decorator(login_required)
    def delete(self, request: AccountRequest, pk: UUID) -> HttpResponse:
        instance = self.get_object(request, pk)
        if request.method == "POST":
            said = self.said(_("“%(name)s” is deleted.") % {"name": instance}, request.user, instance)
            self.remove(instance)
            messages.success(request, said)
            return redirect(f"{self.noun}s")
        question = _("Delete “%(name)s”?") % {"name": instance}
        warning, button = str(self.words.delete_warning), str(self.words.delete)
        return render_confirm(request, question, warning, button, reverse(self.noun, args=[pk]))

    def get_object(self, request: AccountRequest, pk: UUID) -> Instance:
        instance: Instance = get_object_or_404(getattr(request.user, f"{self.noun}s"), pk=pk)
        return instance

    def empty_form(self, request: AccountRequest) -> EntriesForm[Instance, Any]:
        return self.form_class.blank(request.user)

    def stored_form(self, request: AccountRequest, instance: Instance) -> EntriesForm[Instance, Any]:
        return self.form_class.of(request.user, instance)

    def remove(self, instance: Instance) -> None:
        instance.delete()

    def said(self, text: str, account: Account, instance: Instance) -> str:
        """What the next page says of an instance that is saved, or that will be deleted."""
        return text

    def extra_context(
        self, account: Account, form: EntriesForm[Instance, Any], is_new: bool
    ) -> dict[str, Any]:
        """What the template of this form needs besides the form."""
        return {}

    def rearranged(self, request: AccountRequest, instance: Instance | None = None) -> HttpResponse:
        form = self.form_class.posted(request.user, request.POST)
        form.rearrange(request.POST)
        return self.render_form(request, form, instance)

    def render_form(
        self, request: AccountRequest, form: EntriesForm[Instance, Any], instance: Instance | None = None
    ) -> HttpResponse:
        more = self.extra_context(request.user, form, is_new=instance is None)
        return render_rows(request, f"training/{self.noun}_form.html", form, self.addresses(instance) | more)

    def addresses(self, instance: Instance | None) -> dict[str, Any]:
        """Where the form is sent to (`action`; `rows` by the buttons for rows), and the text of `save`."""
        if instance is None:
            action, rows = reverse(self.create_url), reverse(f"new-{self.noun}-rows")
            return {"action": action, "rows": rows, "save": self.words.save}
        action = reverse(f"edit-{self.noun}", args=[instance.pk])
        rows = reverse(f"{self.noun}-rows", args=[instance.pk])
        return {self.noun: instance, "action": action, "rows": rows, "save": _("Save changes")}


def render_rows(
    request: AccountRequest, template: str, form: EntriesForm[Instance, Any], context: dict[str, Any]
) -> HttpResponse:
    """A form when it is first shown, after a change of its rows, or with its errors.

    For a form that is too long, a message is shown instead.
    """
    if form.is_too_long:
        return render(request, "training/too_long.html", {"most": MAX_ROWS})
    lists = form.lists()
    describe(request.user, [entry for entries in lists.values() for entry in entries])
    context = {"form": form, **context}
    if (name := request.POST.get("search")) in lists:
        search = request.POST.get(f"{name}-search", "")
        context |= {"searched": name, "search": search, **suggested(request.user, search)}
    response = render(request, template, context)
    response.headers["Cache-Control"] = "no-store"  # the Back button then loads a form with a new id
    return response
