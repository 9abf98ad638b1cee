from typing import Any, cast

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin import helpers
from django.contrib.admin.widgets import AutocompleteSelect
from django.core.exceptions import PermissionDenied
from django.db.models import Max, Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.defaultfilters import pluralize
from django.utils import timezone

from accounts.audit import AuditEvent
from accounts.invitations import DAYS_VALID, Invitation, link
from accounts.models import Account, ApiKey, ApiKeyQuerySet
from accounts.web.forms import AdminSignInForm, FormAlreadyUsed, InvitationForm, KeyForm
from accounts.web.requests import AccountRequest
from accounts.web.views import FORM_ALREADY_USED, site_address
from fitness.web.admin import ReadOnlyAdmin
from fitness.web.compression import uncompressed

admin.site.site_header = admin.site.site_title = "Fitness administration"
admin.site.index_title = "Records"
admin.site.login_form = AdminSignInForm


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnlyAdmin):
    list_display = ["event", "account", "at", "address", "key_hint"]
    list_filter = ["event", "at"]
    search_fields = ["account__email", "address", "key_hint"]
    date_hierarchy = "at"


class StateFilter(admin.SimpleListFilter):
    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(state, state.capitalize()) for state in ("active", "expired", "revoked")]

    # The filter is that of ApiKeyAdmin alone, so it gets its QuerySet.
    def queryset(self, request: HttpRequest, keys: ApiKeyQuerySet) -> ApiKeyQuerySet:  # type: ignore[override]
        match self.value():
            case "active":
                return keys.active()
            case "expired":
                return keys.filter(revoked_at=None, expires_at__lte=timezone.now())
            case "revoked":
                return keys.exclude(revoked_at=None)
        return keys


class AdminKeyForm(KeyForm):
    account = forms.ModelChoiceField(
        Account.objects.all(),
        widget=AutocompleteSelect(ApiKey._meta.get_field("account"), admin.site),
    )
    field_order = ["account"]


class IssuingAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # takes no parameters at runtime
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
class ApiKeyAdmin(IssuingAdmin):
    """Issues and revokes keys, as the developer settings do."""

    list_display = ["name", "account", "hint", "scope", "state", "created_at", "expires_at", "last_used_at"]
    list_filter = [StateFilter, "scope", "created_at"]
    list_select_related = ["account"]
    search_fields = ["name", "hint", "account__email"]
    fields = [
        "account",
        "name",
        "hint",
        "scope",
        "state",
        "created_at",
        "expires_at",
        "revoked_at",
        "last_used_at",
    ]
    actions = ["revoke"]

    def has_revoke_permission(self, request: AccountRequest) -> bool:
        return request.user.has_perm("accounts.change_apikey")

    @admin.action(description="Revoke the selected keys for good", permissions=["revoke"])
    def revoke(self, request: AccountRequest, keys: QuerySet[ApiKey]) -> None:
        for key in keys.filter(revoked_at=None):
            key.revoke()
            self.log_change(request, key, "Revoked.")
        self.message_user(request, "The selected keys are revoked.", messages.SUCCESS)

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if not self.has_add_permission(request):
            raise PermissionDenied
        newest_key = ApiKey.objects.aggregate(newest=Max("pk", default=0))["newest"]
        form = AdminKeyForm(request.POST or None, initial={"newest_key": newest_key})
        if not form.is_valid():
            return self.render_form(request, form, "Issue an API key")
        try:
            issued = form.issue(form.cleaned_data["account"])
        except FormAlreadyUsed:
            self.message_user(request, FORM_ALREADY_USED, messages.WARNING)
            return redirect("admin:accounts_apikey_changelist")
        if issued is None:
            return self.render_form(request, form, "Issue an API key")
        key, api_key = issued
        self.log_addition(request, api_key, "Issued.")
        template = "admin/accounts/apikey/issued.html"
        return self.render_secret(request, template, title="New API key", key=key, api_key=api_key)


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
    def withdraw(self, request: AccountRequest, invitations: QuerySet[Invitation]) -> None:
        withdrawn = [invitation for invitation in invitations if invitation.withdraw(request.user)]
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
        staff = cast(Account, request.user)  # who has a permission is signed in
        token, invitation = Invitation.objects.invite(form.cleaned_data["email"], staff)
        self.log_addition(request, invitation, "Made.")
        template = "admin/accounts/invitation/made.html"
        address = link(site_address(request), token)
        return self.render_secret(
            request, template, title="New invitation", link=address, invitation=invitation, days=DAYS_VALID
        )
