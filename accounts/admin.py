import datetime
from collections.abc import Sequence
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin import helpers
from django.contrib.admin.widgets import AutocompleteSelect
from django.contrib.auth.admin import GroupAdmin
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db import transaction
from django.db.models import Max, Model, QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.defaultfilters import pluralize, truncatechars
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from accounts import audit, staff
from accounts.admin_site import PermissionPickerMixin
from accounts.audit import AuditEvent
from accounts.invitations import DAYS_VALID, Invitation, InvitationQuerySet, link
from accounts.key_days import KeyDay
from accounts.models import Account, ApiKey, ApiKeyQuerySet
from accounts.oauth.models import OAuthClient
from accounts.web import fresh
from accounts.web.forms import FormAlreadyUsed, InvitationForm, KeyForm
from accounts.web.requests import user_of
from accounts.web.views import FORM_ALREADY_USED
from fitness.addresses import site_address
from fitness.web.admin import (
    MAX_LISTED,
    BetweenDates,
    CsvMixin,
    FirstPages,
    OnlyOfferedMixin,
    ReadOnlyAdmin,
    changes,
)
from fitness.web.admin_steps import Step, StepsAdmin, asks
from fitness.web.compression import uncompressed
from fitness.web.shortcuts import uuid_or_none

KEY_ACCOUNTS = "accounts_apikey_accounts"  # the name of the address with the accounts to choose from
ACCOUNTS_AT_ONCE = 20

ENDING_DAYS = 30


@admin.register(AuditEvent)
class AuditEventAdmin(CsvMixin, ReadOnlyAdmin):
    """The newest first, by one index each for what it is searched and filtered by: there may be millions."""

    list_display = ["event", "email", "actor_email", "at", "address", "key_hint", "beginning"]
    list_filter = [("at", BetweenDates), "event"]
    list_select_related = []
    search_fields = ["email", "address", "key_hint"]  # of which audit.matching chooses one
    search_help_text = (
        "An email or the hint of a key, or its beginning, or an address. "
        f"The newest {MAX_LISTED:,} events are listed, and the CSV file has all of them."
    )
    show_facets = admin.ShowFacets.NEVER
    sortable_by = []
    paginator = FirstPages
    fields = [
        *("event", "detail", "at", "account", "email", "actor", "actor_email"),
        *("address", "key_hint"),
    ]
    csv_fields = ["at", "event", "email", "actor_email", "address", "key_hint", "detail", "id"]

    def get_search_results(
        self, request: HttpRequest, events: QuerySet[AuditEvent], search_term: str
    ) -> tuple[QuerySet[AuditEvent], bool]:
        return (events.filter(audit.matching(search_term)) if search_term else events), False

    @admin.display(description="detail", empty_value="")
    def beginning(self, event: AuditEvent) -> str:
        return truncatechars(event.detail, 120)


class StateFilter(admin.SimpleListFilter):
    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        states = [(state, state.capitalize()) for state in ("active", "expired", "revoked")]
        return [*states, ("ending", f"Ends within {ENDING_DAYS} days")]

    def queryset(self, request: HttpRequest, keys: QuerySet[ApiKey]) -> QuerySet[ApiKey]:
        assert isinstance(keys, ApiKeyQuerySet)  # that of ApiKeyAdmin
        match self.value():
            case "active":
                return keys.active()
            case "expired":
                return keys.filter(revoked_at=None, expires_at__lte=timezone.now())
            case "revoked":
                return keys.exclude(revoked_at=None)
            case "ending":
                soon = timezone.now() + datetime.timedelta(days=ENDING_DAYS)
                return keys.active().filter(expires_at__lte=soon)
        return keys


class KindFilter(admin.SimpleListFilter):
    title = "kind"
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return [("key", "Keys"), ("connection", "Connections")]

    def queryset(self, request: HttpRequest, keys: QuerySet[ApiKey]) -> QuerySet[ApiKey]:
        assert isinstance(keys, ApiKeyQuerySet)  # that of ApiKeyAdmin
        match self.value():
            case "key":
                return keys.pasted()
            case "connection":
                return keys.connections()
        return keys


class KeyUseFilter(admin.SimpleListFilter):
    title = "use"
    parameter_name = "use"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return [("never", "never used"), ("90", "not used for 90 days"), ("inactive", "of inactive accounts")]

    def queryset(self, request: HttpRequest, keys: QuerySet[ApiKey]) -> QuerySet[ApiKey]:
        match self.value():
            case "never":
                return keys.filter(uses=None)
            case "90":
                return keys.filter(uses__last_used_at__lt=timezone.now() - datetime.timedelta(days=90))
            case "inactive":
                return keys.filter(account__is_active=False)
        return keys


class AccountSelect(AutocompleteSelect):
    """Django's own needs the permission to view accounts, which shows more than who issues a key needs."""

    def get_url(self) -> str:
        return reverse(f"admin:{KEY_ACCOUNTS}")

    def optgroups(self, name: str, value: Sequence[str], attrs: dict[str, Any] | None = None) -> Any:
        """Leaves out what is no id: Django would look it up."""
        return super().optgroups(name, [one for one in value if uuid_or_none(one)], attrs)


class AdminKeyForm(KeyForm):
    account = forms.ModelChoiceField(
        Account.objects.all(),
        widget=AccountSelect(ApiKey._meta.get_field("account"), admin.site),
    )
    field_order = ["account", *KeyForm.field_order]
    by_staff = True


class IssuingAdmin(OnlyOfferedMixin):
    """For models with a secret that is displayed once, after its creation. Instances are only added."""

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def render_form(self, request: HttpRequest, form: forms.BaseForm, title: str) -> HttpResponse:
        """Renders the admin's "add" view of a form that is not the ModelAdmin's own."""
        fieldsets = [(None, {"fields": list(form.fields)})]
        # Both helpers take any form, though their types ask for a ModelForm.
        adminform = helpers.AdminForm(form, fieldsets, {}, model_admin=self)  # type: ignore[arg-type]
        errors = helpers.AdminErrorList(form, [])  # type: ignore[arg-type]
        context = {
            **self.admin_site.each_context(request),
            "title": title,
            "adminform": adminform,
            "errors": errors,
            "media": self.media + adminform.media,
            "inline_admin_formsets": [],
            "is_popup": False,
            "show_save_and_add_another": False,
            "show_save_and_continue": False,
        }
        return self.render_change_form(request, context, add=True)

    def render_secret(self, request: HttpRequest, template: str, **context: object) -> HttpResponse:
        return uncompressed(render(request, template, {**self.admin_site.each_context(request), **context}))


@admin.register(ApiKey)
class ApiKeyAdmin(CsvMixin, StepsAdmin, IssuingAdmin):
    """Issues and revokes keys, as the developer settings do."""

    list_display = [
        *("name", "account", "hint", "scope", "may_correct", "state"),
        *("created_at", "expires_at", "last_used_at"),
    ]
    list_filter = [KindFilter, StateFilter, KeyUseFilter, "scope", "may_correct", "created_at"]
    list_select_related = ["account"]
    search_fields = ["name", "hint", "account__email"]
    fields = [
        "account",
        "name",
        "hint",
        "client",
        "scope",
        "may_correct",
        "state",
        "created_at",
        "expires_at",
        "revoked_at",
        "last_used_at",
    ]
    csv_fields = [
        *("name", "account", "hint", "scope", "state", "created_at", "expires_at", "revoked_at"),
        *("last_used_at", "issued_by_staff", "may_correct"),
    ]
    actions = ["revoke_keys"]
    steps = (
        Step(
            name="revoke",
            title="Revoke",
            question="Requests with this key get 401 from now on. This cannot be undone.",
            done="Revoked.",
            permission="accounts.change_apikey",
            check=lambda actor, key: staff.check_change(actor, key.account),
            act=lambda key: key.revoke(by_staff=True),
            is_due=lambda key: key.revoked_at is None,
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[ApiKey]:
        return ApiKey.objects.with_use()

    @admin.display(description="last used at", ordering="last_used_at", empty_value="-")
    def last_used_at(self, key: ApiKey) -> datetime.datetime | None:
        return key.last_used_at

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("accounts.change_apikey")

    @admin.action(description="Revoke the selected keys for good", permissions=["revoke"])
    @asks(
        "Requests with these keys get 401 from now on. This cannot be undone.",
        lambda keys: keys.filter(revoked_at=None).select_related("account"),
    )
    @transaction.atomic
    def revoke_keys(self, request: HttpRequest, keys: QuerySet[ApiKey]) -> None:
        chosen = list(keys)
        for key in chosen:
            staff.check_change(user_of(request), key.account)
        for key in chosen:
            key.revoke(by_staff=True)
            self.log_change(request, key, "Revoked.")
        self.message_user(request, f"Revoked: {len(chosen):,}.", messages.SUCCESS)

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.accounts_view)
        return [path("accounts/", view, name=KEY_ACCOUNTS), *super().get_urls()]

    def accounts_view(self, request: HttpRequest) -> JsonResponse:
        """The emails of the accounts to choose from, as the script of AccountSelect reads them."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        term = request.GET.get("term", "")
        accounts = staff.accounts_for_keys(user_of(request)).filter(email__icontains=term)
        emails = accounts.order_by("email").values_list("pk", "email")
        page = Paginator(emails, ACCOUNTS_AT_ONCE).get_page(request.GET.get("page"))
        results = [{"id": str(pk), "text": email} for pk, email in page]
        return JsonResponse({"results": results, "pagination": {"more": page.has_next()}})

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if not self.has_add_permission(request):
            raise PermissionDenied
        if not fresh.is_fresh(request):
            return fresh.ask(request)
        newest_key = ApiKey.objects.aggregate(newest=Max("pk", default=0))["newest"]
        initial = {"newest_key": newest_key, "account": request.GET.get("account")}
        form = AdminKeyForm(request.POST or None, initial=initial)
        if not form.is_valid():
            return self.render_form(request, form, "Issue an API key")
        account: Account = form.cleaned_data["account"]
        staff.check_key(user_of(request), account)
        try:
            issued = form.issue(account)
        except FormAlreadyUsed:
            self.message_user(request, FORM_ALREADY_USED, messages.WARNING)
            return redirect("admin:accounts_apikey_changelist")
        if issued is None:
            return self.render_form(request, form, "Issue an API key")
        key, api_key = issued
        self.log_addition(request, api_key, "Issued.")
        template = "admin/accounts/apikey/issued.html"
        return self.render_secret(request, template, title="New API key", key=key, api_key=api_key)


@admin.register(OAuthClient)
class OAuthClientAdmin(CsvMixin, ReadOnlyAdmin):
    """The programs that may ask people to connect them; the names are what they claim."""

    list_display = ["name", "client_id", "redirect_uris", "created_at"]
    list_select_related = []
    csv_fields = ["name", "client_id", "redirect_uris", "created_at"]
    search_fields = ["name", "client_id"]
    list_filter = ["created_at"]


@admin.register(KeyDay)
class KeyDayAdmin(CsvMixin, ReadOnlyAdmin):
    """The keys with most requests: of today, a week or a month."""

    list_display = ["day", "account", "api_key", "requests", "writes", "refusals"]
    csv_fields = ["day", "account", "api_key", "requests", "writes", "refusals"]
    list_filter = ["day"]
    list_select_related = ["account", "api_key"]


@admin.register(Invitation)
class InvitationAdmin(IssuingAdmin):
    list_display = ["__str__", "state", "invited_by", "created_at", "expires_at", "used_at", "used_by"]
    list_select_related = ["invited_by", "used_by"]
    list_filter = ["created_at", "used_at", "withdrawn_at"]
    search_fields = ["email", "invited_by__email", "used_by__email"]
    fields = [
        *("email", "state", "invited_by", "created_at", "expires_at"),
        *("withdrawn_at", "used_at", "used_by"),
    ]
    actions = ["withdraw"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return settings.SIGN_UP != "closed" and super().has_add_permission(request)

    def has_withdraw_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("accounts.change_invitation")

    @admin.action(description="Withdraw the selected invitations", permissions=["withdraw"])
    @asks("Their links stop working at once. This cannot be undone.", InvitationQuerySet.unused)
    def withdraw(self, request: HttpRequest, invitations: QuerySet[Invitation]) -> None:
        withdrawn = [invitation for invitation in invitations if invitation.withdraw(user_of(request))]
        for invitation in withdrawn:
            self.log_change(request, invitation, "Withdrawn.")
        count = len(withdrawn)
        self.message_user(request, f"{count} invitation{pluralize(count)} withdrawn.", messages.SUCCESS)

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = InvitationForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            return self.render_form(request, form, "Invite somebody")
        invited_by = user_of(request)
        token, invitation = Invitation.objects.invite(form.cleaned_data["email"], invited_by)
        self.log_addition(request, invitation, "Made.")
        template = "admin/accounts/invitation/made.html"
        address = link(site_address(request), token)
        return self.render_secret(
            request, template, title="New invitation", link=address, invitation=invitation, days=DAYS_VALID
        )


admin.site.unregister(Group)


@admin.register(Group)
class RoleAdmin(OnlyOfferedMixin, PermissionPickerMixin, GroupAdmin):
    """Superusers alone: who edits a group could give themselves whatever it may."""

    def has_view_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        return user_of(request).is_superuser

    has_add_permission = has_change_permission = has_delete_permission = has_view_permission

    def save_model(
        self, request: HttpRequest, group: Group, form: "forms.ModelForm[Group]", change: bool
    ) -> None:
        super().save_model(request, group, form, change)
        self.log_rights(group, changes(form, ["name", "permissions"]))

    def log_deletions(self, request: HttpRequest, groups: QuerySet[Group]) -> Any:
        for group in groups:
            self.log_rights(group, "deleted")
        return super().log_deletions(request, groups)

    def log_rights(self, group: Group, detail: str) -> None:
        audit.log_event(audit.Event.RIGHTS_CHANGED, None, detail=f"group {group.name}\n{detail}")
