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
from accounts.models import Account, ApiKey
from accounts.web.forms import AdminSignInForm, FormAlreadyUsed, InvitationForm, KeyForm
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

    def lookups(self, request, model_admin):
        return [(state, state.capitalize()) for state in ("active", "expired", "revoked")]

    def queryset(self, request, keys):
        match self.value():
            case "active":
                return keys.active()
            case "expired":
                return keys.filter(revoked_at=None, expires_at__lte=timezone.now())
            case "revoked":
                return keys.exclude(revoked_at=None)


class AdminKeyForm(KeyForm):
    account = forms.ModelChoiceField(
        Account.objects.all(),
        widget=AutocompleteSelect(ApiKey._meta.get_field("account"), admin.site),
    )
    field_order = ["account"]


class IssuingAdmin(admin.ModelAdmin):
    """Of what holds a secret that only the page after making it shows: never edited, never deleted."""

    def has_change_permission(self, request: HttpRequest, issued: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, issued: Model | None = None) -> bool:
        return False

    def form_page(self, request: HttpRequest, form: forms.BaseForm, title: str) -> HttpResponse:
        adminform = helpers.AdminForm(form, [(None, {"fields": list(form.fields)})], {}, model_admin=self)
        context = {
            **self.admin_site.each_context(request),
            "title": title,
            "adminform": adminform,
            "errors": helpers.AdminErrorList(form, []),
            "media": self.media + adminform.media,
            "inline_admin_formsets": [],
            "is_popup": False,
            "show_save_and_add_another": False,
            "show_save_and_continue": False,
        }
        return self.render_change_form(request, context, add=True)

    def shown_once(self, request: HttpRequest, template: str, **context: object) -> HttpResponse:
        return uncompressed(render(request, template, {**self.admin_site.each_context(request), **context}))


@admin.register(ApiKey)
class ApiKeyAdmin(IssuingAdmin):
    """Keys are issued and revoked here, as on the settings screen."""

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

    def has_revoke_permission(self, request):
        return request.user.has_perm("accounts.change_apikey")

    @admin.action(description="Revoke the selected keys for good", permissions=["revoke"])
    def revoke(self, request, keys):
        for key in keys.filter(revoked_at=None):
            key.revoke()
            self.log_change(request, key, "Revoked.")
        self.message_user(request, "The selected keys are revoked.", messages.SUCCESS)

    def add_view(self, request, form_url="", extra_context=None):
        if not self.has_add_permission(request):
            raise PermissionDenied
        newest_key = ApiKey.objects.aggregate(newest=Max("pk", default=0))["newest"]
        form = AdminKeyForm(request.POST or None, initial={"newest_key": newest_key})
        if not form.is_valid():
            return self.form_page(request, form, "Issue an API key")
        try:
            issued = form.issue(form.cleaned_data["account"])
        except FormAlreadyUsed:
            self.message_user(request, FORM_ALREADY_USED, messages.WARNING)
            return redirect("admin:accounts_apikey_changelist")
        if issued is None:
            return self.form_page(request, form, "Issue an API key")
        key, api_key = issued
        self.log_addition(request, api_key, "Issued.")
        template = "admin/accounts/apikey/issued.html"
        return self.shown_once(request, template, title="New API key", key=key, api_key=api_key)


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
    def withdraw(self, request: HttpRequest, invitations: QuerySet[Invitation]) -> None:
        withdrawn = [invitation for invitation in invitations if invitation.withdraw(request.user)]
        for invitation in withdrawn:
            self.log_change(request, invitation, "Withdrawn.")
        count = len(withdrawn)
        self.message_user(request, f"{count} invitation{pluralize(count)} withdrawn.", messages.SUCCESS)

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict | None = None
    ) -> HttpResponse:
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = InvitationForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            return self.form_page(request, form, "Invite somebody")
        token, invitation = Invitation.objects.invite(form.cleaned_data["email"], request.user)
        self.log_addition(request, invitation, "Made.")
        template = "admin/accounts/invitation/made.html"
        address = link(site_address(request), token)
        return self.shown_once(
            request, template, title="New invitation", link=address, invitation=invitation, days=DAYS_VALID
        )
