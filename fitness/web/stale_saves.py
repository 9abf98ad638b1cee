"""Refuses a save in the admin that would undo what somebody else has saved since the page was opened."""

import hashlib
from typing import Any, cast

from django import forms
from django.contrib.admin.utils import unquote
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Model
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.functional import cached_property

from fitness.web.admin import as_text
from fitness.web.bases import ModelAdmin, ModelForm

DIGITS = 8


class StampedForm(ModelForm):
    """`stamp` holds a short digest of each value with which the page was opened."""

    stamp = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.stored = {name: digest(self.stored_value(name)) for name in self.fields if name != "stamp"}
        self.initial["stamp"] = stamp_of(self.stored)

    @cached_property
    def changed_data(self) -> list[str]:
        return [name for name in super().changed_data if name != "stamp"]

    def stored_value(self, name: str) -> Any:
        return self.get_initial_for_field(self.fields[name], name)

    def stored_text(self, name: str) -> str:
        return f"{self.fields[name].label}: {as_text(self.stored_value(name))}"

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        opened = dict(
            part.split(":") for part in self.cleaned_data.get("stamp", "").split() if part.count(":") == 1
        )
        changed = [name for name, value in self.stored.items() if opened.get(name, value) != value]
        if changed:
            data = cast(QueryDict, self.data).copy()
            data[self.add_prefix("stamp")] = stamp_of(self.stored)  # the next save of this page is a decision
            self.data = data
            now = "; ".join(map(self.stored_text, changed))
            raise ValidationError(
                "Somebody else has saved this since you opened the page. Below is what you have entered; "
                f"stored is {now}. Save again to replace that, or reload the page."
            )
        return cleaned


def digest(value: Any) -> str:
    if isinstance(value, list):  # perhaps of instances, in any order
        value = sorted(str(getattr(item, "pk", item)) for item in value)
    return hashlib.sha256(repr(value).encode()).hexdigest()[:DIGITS]


def stamp_of(digests: dict[str, str]) -> str:
    return " ".join(f"{name}:{value}" for name, value in digests.items())


class StaleSaveMixin(ModelAdmin):
    """For models that staff change. The template admin/change_form.html has the stamp."""

    def get_form(
        self, request: HttpRequest, obj: Model | None = None, change: bool = False, **options: Any
    ) -> "type[forms.ModelForm[Any]]":
        form = super().get_form(request, obj, change=change, **options)
        return type(form.__name__, (StampedForm, form), {}) if change else form

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Locks the row before the form reads it: the second of two saves at once waits, and is refused."""
        if request.method != "POST" or object_id is None:
            return super().changeform_view(request, object_id, form_url, extra_context)
        with transaction.atomic():
            if row := self.get_object(request, unquote(object_id)):
                self.lock(row)
            return super().changeform_view(request, object_id, form_url, extra_context)

    def lock(self, row: Model) -> None:
        """Locks a row until commit. Others may go on to store rows that refer to it."""
        self.model._base_manager.select_for_update(no_key=True).filter(pk=row.pk).first()
