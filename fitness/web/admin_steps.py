"""What staff do in the admin after a question: to one row from its page, or to those selected in a list."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.text import capfirst

from fitness.web.bases import ModelAdmin

ITEMS_SHOWN = 20
NOTHING_TO_DO = "Nothing was changed: of what you selected, nothing needs that."
CONFIRMED = "confirmed"  # the name of the button of the question

Action = Callable[[Any, Any, Any], HttpResponse | None]


@dataclass(frozen=True)
class Step:
    """`act(row)` is offered on the page of a row for which `is_due(row)`, to staff with the permission.

    `check(user, row)` raises PermissionDenied where a rule forbids it. After the transaction, `respond` makes
    the response; without it, the page of the row says that it is `done`.
    """

    name: str  # in the address
    title: str  # of the button
    question: str  # what will happen
    done: str  # for the message and the history
    permission: str
    act: Callable[[Any], None]
    is_due: Callable[[Any], bool]
    needs_fresh: bool = False  # whether the password is asked for again
    check: Callable[[Any, Any], None] = lambda user, row: None
    respond: "Callable[[StepsAdmin, HttpRequest, Any], HttpResponse] | None" = None


class StepsAdmin(ModelAdmin):
    steps: tuple[Step, ...]

    def get_urls(self) -> list[URLPattern]:
        own = [
            path(
                f"<path:object_id>/{step.name}/",
                self.admin_site.admin_view(self.step_view),
                {"step": step},
                name=self.address_name(step),
            )
            for step in self.steps
        ]
        return [*own, *super().get_urls()]

    def address_name(self, step: Step) -> str:
        return f"{self.opts.app_label}_{self.opts.model_name}_{step.name}"

    def may_take(self, request: HttpRequest, step: Step, row: Model) -> bool:
        return request.user.has_perm(step.permission) and self.has_view_or_change_permission(request, row)

    def offered_steps(self, request: HttpRequest, row: Model) -> list[dict[str, str]]:
        return [
            {"title": step.title, "address": reverse(f"admin:{self.address_name(step)}", args=[row.pk])}
            for step in self.steps
            if step.is_due(row) and self.may_take(request, step, row)
        ]

    def step_view(self, request: HttpRequest, object_id: str, step: Step) -> HttpResponse:
        page = reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_change", args=[object_id])
        row = self.get_object(request, unquote(object_id))
        if row is None:
            raise Http404(f"There is no {self.opts.verbose_name} {object_id}.")
        if not self.may_take(request, step, row):
            raise PermissionDenied
        if request.method != "POST":
            return question(self, request, step.title, step.question, [row], 1, back=page)
        with transaction.atomic():
            step.check(request.user, row)
            if is_due := step.is_due(row):
                step.act(row)
                self.log_change(request, row, step.done)
        if is_due and step.respond:
            return step.respond(self, request, row)
        done = step.done if is_due else "There was nothing to do."
        self.message_user(request, f"{row}: {done}", messages.SUCCESS)
        return redirect(page)


def asks(text: str, due: Callable[[Any], QuerySet[Any]]) -> Callable[[Action], Action]:
    """Decorates an action of a list: a page shows how many rows it concerns, and which, and asks first.

    `due` leaves out the selected rows that need nothing done. If none is left, a message says so.
    """

    def decorate(action: Action) -> Action:
        @wraps(action)
        def asking(self: Any, request: Any, rows: QuerySet[Any]) -> HttpResponse | None:
            rows = due(rows)
            if CONFIRMED in request.POST:
                return action(self, request, rows)
            if not rows.exists():
                self.message_user(request, NOTHING_TO_DO, messages.WARNING)
                return None
            title = capfirst(action.__name__.replace("_", " "))
            hidden = [
                (name, value)
                for name in ("action", "select_across", ACTION_CHECKBOX_NAME)
                for value in request.POST.getlist(name)
            ]
            shown, back = rows[:ITEMS_SHOWN], request.get_full_path()
            return question(self, request, title, text, shown, rows.count(), hidden, back=back)

        return asking

    return decorate


def question(
    model_admin: ModelAdmin,
    request: HttpRequest,
    title: str,
    text: str,
    rows: Any,
    count: int,
    hidden: Sequence[tuple[str, str]] = (),
    *,
    back: str,
) -> HttpResponse:
    context = {
        **model_admin.admin_site.each_context(request),
        "title": title,
        "opts": model_admin.opts,
        "text": text,
        "rows": rows,
        "count": count,
        "others": count - len(rows),
        "hidden": hidden,
        "back": back,
        "confirmed": CONFIRMED,
    }
    return TemplateResponse(request, "admin/question.html", context)
