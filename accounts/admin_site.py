"""The admin's site: who acts there, what is refused there, and which permissions it has."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.contrib.auth import REDIRECT_FIELD_NAME, get_permission_codename
from django.contrib.auth.models import Permission
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import BadRequest, PermissionDenied
from django.db import models
from django.db.models.functions import Concat
from django.http import Http404, HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, URLResolver, reverse
from django.utils.encoding import escape_uri_path

from accounts import audit
from accounts.web.requests import user_of
from fitness import __version__
from fitness.web.bases import ModelAdmin

View = Callable[..., HttpResponseBase]


class StaffSite(admin.AdminSite):
    site_header = site_title = "Fitness administration"
    index_title = "Records"

    def admin_view(self, view: View, cacheable: bool = False) -> View:  # type: ignore[override]  # of any view
        """Events of the view name who acts. A refusal is stored as one after the view's transaction."""

        @wraps(view)
        def audited(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            refuse_nul(request, kwargs)
            with audit.acting(user_of(request)):
                try:
                    return view(request, *args, **kwargs)
                except PermissionDenied as refusal:
                    log_refusal(request, refusal)
                    raise
                except OverflowError:  # of a number that SQLite cannot hold
                    raise BadRequest("a number is too large") from None

        return super().admin_view(audited, cacheable)

    def get_urls(self) -> list[URLPattern | URLResolver]:
        """Without the redirect to an object's page outside of the admin: no model has one."""
        urls: list[URLPattern | URLResolver] = super().get_urls()
        return [url for url in urls if getattr(url, "name", None) != "view_on_site"]

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        return {**super().each_context(request), "version": __version__}

    # Django's asks for the password alone.
    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponseRedirect:
        """Leads to the sign-in, which asks for the second factor as well."""
        index = reverse("admin:index")
        if self.has_permission(request):
            return redirect(index)
        if request.user.is_authenticated:
            raise PermissionDenied("The admin is for staff. Sign out first if you have another account.")
        return redirect_to_login(request.GET.get(REDIRECT_FIELD_NAME, index), reverse("sign-in"))

    # Django's returns a page.
    def password_change(  # type: ignore[override]
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponseRedirect:
        """Leads to the settings, which write the change to the audit trail."""
        return redirect("account")

    def permissions_with_effect(self) -> models.QuerySet[Permission]:
        names = [name for model_admin in self._registry.values() for name in names_with_effect(model_admin)]
        permissions = Permission.objects.select_related("content_type")
        name = Concat(models.F("content_type__app_label"), models.Value("."), models.F("codename"))
        return permissions.annotate(full_name=name).filter(full_name__in=names)


def refuse_nul(request: HttpRequest, arguments: dict[str, Any]) -> None:
    """PostgreSQL takes no NUL: neither in the path of an address, where it may be `_00`, nor in its query."""
    if any("\0" in unquote(value) for value in arguments.values() if isinstance(value, str)):
        raise Http404("no id has a NUL")
    if any("\0" in value for _, values in request.GET.lists() for value in values):
        raise BadRequest("a parameter of the address has a NUL")


def log_refusal(request: HttpRequest, refusal: PermissionDenied) -> None:
    path = escape_uri_path(request.path)  # PostgreSQL stores no NUL, which is %00 in an address
    account = getattr(refusal, "account", None)  # that of staff.Refused
    audit.log_event(audit.Event.REFUSED, account, detail=f"{request.method} {path} {refusal}".strip())


@dataclass
class Holder:
    """A user with these permissions alone, to find out what they open."""

    permissions: set[str]
    is_superuser = False

    def has_perm(self, name: str, obj: object = None) -> bool:
        return name in self.permissions


def opened(model_admin: "admin.ModelAdmin[Any]", permissions: set[str]) -> set[str]:
    """What of a ModelAdmin these permissions open: adding, changing, deleting, viewing, its actions."""
    request = HttpRequest()
    request.user = Holder(permissions)  # type: ignore[assignment]  # has what a ModelAdmin asks for
    pages = model_admin.get_model_perms(request)
    return {*(name for name, is_open in pages.items() if is_open), *model_admin.get_actions(request)}


def names_with_effect(model_admin: "admin.ModelAdmin[Any]") -> list[str]:
    """The permissions that open something, the others besides what `view` opens."""
    label = model_admin.opts.app_label
    view, *others = (
        f"{label}.{get_permission_codename(action, model_admin.opts)}"
        for action in ("view", "add", "change", "delete")
    )
    viewed = opened(model_admin, {view})
    return [view] * bool(viewed) + [name for name in others if opened(model_admin, {view, name}) > viewed]


class PermissionPickerMixin(ModelAdmin):
    """For models with permissions: boxes to tick, for those that have an effect."""

    admin_site: StaffSite

    def formfield_for_manytomany(
        self, db_field: "models.ManyToManyField[Any, Any]", request: HttpRequest, **kwargs: Any
    ) -> Any:
        if db_field.related_model is Permission:
            kwargs["queryset"] = self.admin_site.permissions_with_effect()
        kwargs["widget"] = forms.CheckboxSelectMultiple
        return super().formfield_for_manytomany(db_field, request, **kwargs)
