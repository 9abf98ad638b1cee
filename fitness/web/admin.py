"""What the admin of several apps needs."""

import csv
import datetime
import io
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, cast

from django import forms
from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.utils import lookup_field
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import BadRequest, PermissionDenied, ValidationError
from django.db.models import ForeignKey, Model, QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import URLPattern, path
from django.utils import timezone

from fitness.db.owned import Owned, account_of
from fitness.web.bases import ModelAdmin, Paginator

MAX_LISTED = 10_000
ROWS_AT_ONCE = 500
# Of lookups that no filter offers: a year that does not exist is an error.
CALENDAR_PARTS = ("__year", "__month", "__day")
# With these a spreadsheet begins a formula, which could send what is in other cells.
FORMULA_BEGINNINGS = (*"=+-@\uff1d\uff0b\uff0d\uff20", "\t", "\r", "\n")


class OnlyOfferedMixin(ModelAdmin):
    """Refuses actions, rows and filters that a list does not offer."""

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if set(request.POST.getlist("action")) - {"", *self.get_actions(request)}:
            raise PermissionDenied  # Django leaves them out, with a redirect
        for pk in request.POST.getlist(ACTION_CHECKBOX_NAME):
            self.check_pk(pk)
        return super().changelist_view(request, extra_context)

    def check_pk(self, pk: str) -> None:
        """Refuses what cannot be the id of a row: Django would send it to the database."""
        try:
            self.opts.pk.clean(pk, None)
        except ValidationError:
            raise BadRequest(f"no id of {self.opts.verbose_name_plural}") from None

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Names rows that a member of staff may not open without Django's link, which would be refused."""
        closed = list(self.closed_fields(request))
        return [unlinked(name) if name in closed else name for name in super().get_fields(request, obj)]

    def closed_fields(self, request: HttpRequest) -> Iterator[Any]:
        """The fields that refer to rows whose pages the member of staff may not open."""
        for field in self.opts.concrete_fields:
            if not isinstance(field, ForeignKey):
                continue
            model = cast(type[Model], field.related_model)  # a text only until all models are loaded
            related = self.admin_site._registry.get(model)
            if related and not related.has_view_or_change_permission(request):
                yield field.name

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Django allows any column, so that staff could find out what is in one that no page shows."""
        if lookup == "account__id__exact" or (self.date_hierarchy and lookup.startswith(self.date_hierarchy)):
            return True
        names = [name_of_filter(item) for item in self.list_filter]
        is_offered = any(lookup == name or lookup.startswith(f"{name}_") for name in names)
        return is_offered and not lookup.endswith(CALENDAR_PARTS)


def unlinked(name: Any) -> Callable[[Model], str]:
    """A column that has the name of the row to which a field refers."""

    @admin.display(description=name.replace("_", " "))
    def row_name(instance: Model) -> str:
        return as_text(getattr(instance, name))

    return row_name


def name_of_filter(item: Any) -> str:
    """The parameter, or the field, of an item of `list_filter`."""
    if isinstance(item, tuple):
        return str(item[0])
    return str(getattr(item, "parameter_name", item))


class ReadOnlyAdmin(OnlyOfferedMixin):
    """For models that staff may only view: owners change and delete them in the app and over the API."""

    list_select_related = ["account"]
    search_fields = ["account__email"]
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any, Any]:
        """Without what is left of deleted accounts."""
        rows = super().get_queryset(request)
        if not issubclass(self.model, Owned):
            return rows
        accounts = cast(type[Model], account_of(self.model).related_model)
        return rows.exclude(account__in=accounts._base_manager.exclude(deleted_at=None))

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class FirstPages(Paginator):
    """Lists MAX_LISTED rows at most: counting millions would take longer than all the rest of a page."""

    object_list: QuerySet[Any, Any]

    @cached_property
    def count(self) -> int:
        return self.object_list.order_by()[:MAX_LISTED].count()


class BetweenDates(admin.FieldListFilter):
    """Filters a DateTimeField from one day to another, both included, by two inputs."""

    template = "admin/between_dates.html"

    def expected_parameters(self) -> list[str | None]:
        return [f"{self.field_path}_from", f"{self.field_path}_until"]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        first, last = self.days()
        try:
            if first:
                queryset = queryset.filter((f"{self.field_path}__gte", midnight(first)))
            if last:
                day_after = midnight(last) + datetime.timedelta(days=1)
                queryset = queryset.filter((f"{self.field_path}__lt", day_after))
        except (ValueError, OverflowError) as error:
            raise IncorrectLookupParameters(error) from None
        return queryset

    def days(self) -> list[str]:
        values: dict[str, Any] = self.used_parameters  # each as often as it is in the address
        return [values.get(str(name), [""])[-1] for name in self.expected_parameters()]

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        """What the template shows: the two inputs, and the other parameters of the list."""
        names = self.expected_parameters()
        inputs = zip(names, ("From", "Until"), self.days(), strict=True)
        others = [
            (name, value)
            for name, values in changelist.filter_params.items()
            for value in values
            if name not in names
        ]
        yield {"inputs": list(inputs), "others": others}


def midnight(day: str) -> datetime.datetime:
    """The beginning of a day like 2026-03-02, in the time zone that the admin shows."""
    time = datetime.time(tzinfo=timezone.get_current_timezone())
    return datetime.datetime.combine(datetime.date.fromisoformat(day), time)


class CsvMixin(ModelAdmin):
    """Offers the whole filtered list as CSV, with these columns, which are named as in `list_display`."""

    csv_fields: Sequence[str]
    change_list_template = "admin/change_list_with_csv.html"

    def get_urls(self) -> list[URLPattern]:
        name = f"{self.opts.app_label}_{self.opts.model_name}_csv"
        return [path("csv/", self.admin_site.admin_view(self.csv_view), name=name), *super().get_urls()]

    def csv_view(self, request: HttpRequest) -> StreamingHttpResponse:
        if not self.has_view_or_change_permission(request):
            raise PermissionDenied
        try:
            instances = self.get_changelist_instance(request).queryset
        except IncorrectLookupParameters:
            raise BadRequest("a filter of the list cannot be read") from None
        name = f"{self.opts.model_name}-{timezone.now():%Y-%m-%d}.csv"
        return StreamingHttpResponse(
            self.csv_lines(instances),
            content_type="text/csv; charset=utf-8",
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )

    def csv_lines(self, instances: QuerySet[Any]) -> Iterator[str]:
        """The file in pieces of ROWS_AT_ONCE rows, read from the database while they are sent."""
        yield csv_text([self.csv_fields])
        for batch in in_batches(instances):
            yield csv_text(
                [cell(lookup_field(name, instance, self)[2]) for name in self.csv_fields]
                for instance in batch
            )


def in_batches(instances: QuerySet[Any]) -> Iterator[list[Any]]:
    """The rows in their order, each batch by a statement of its own.

    A cursor would belong to one thread, and the server makes the pieces of a response in several.
    """
    keys = list(instances.values_list("pk", flat=True))
    for start in range(0, len(keys), ROWS_AT_ONCE):
        batch = keys[start : start + ROWS_AT_ONCE]
        by_key = {instance.pk: instance for instance in instances.filter(pk__in=batch)}
        yield [by_key[key] for key in batch if key in by_key]


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer).writerows(rows)
    return buffer.getvalue()


def cell(value: object) -> object:
    """A value as it is written to a file for spreadsheets, which must not take a text for a formula."""
    if isinstance(value, datetime.datetime):
        return value.isoformat()
    text = str(value) if isinstance(value, Model) else value
    return f"'{text}" if isinstance(text, str) and text.startswith(FORMULA_BEGINNINGS) else text


def changes(form: "forms.ModelForm[Any]", names: Collection[str]) -> str:
    """What a valid form changes of these fields, as lines: `name: old → new`."""
    return "\n".join(
        f"{name}: {as_text(form.initial.get(name))} → {as_text(form.cleaned_data[name])}"
        for name in form.changed_data
        if name in names
    )


def as_text(value: object) -> str:
    if isinstance(value, list | QuerySet):
        return ", ".join(map(str, value)) or "–"
    return "–" if value in (None, "") else str(value)
