"""The admin of accounts. It is not in `accounts`, because a deletion involves every app."""

import datetime
from collections.abc import Iterable
from functools import partial
from typing import Any, Protocol, cast

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth.admin import UserAdmin
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.defaultfilters import filesizeformat
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy

from accounts import audit, factors, links, mail, staff
from accounts.admin_site import PermissionPickerMixin
from accounts.models import Account, CalendarFeed
from accounts.web import fresh
from accounts.web.forms import StaffPasswordForm
from accounts.web.requests import user_of
from fitness.site import account_data
from fitness.site.account_facts import DAYS, account_facts, requests_of
from fitness.web.admin import CsvMixin, OnlyOfferedMixin
from fitness.web.admin_steps import Step, StepsAdmin, question
from fitness.web.compression import uncompressed
from fitness.web.language import in_language_of
from fitness.web.stale_saves import StaleSaveMixin

END_TASK = "accounts_account_end-task"  # the name of its address
END_TASK_QUESTION = (
    "The worker stops it after its current step. What it has stored so far stays. The owner of the account "
    "can go on with an import, and ask for an export again."
)


class SignedInFilter(admin.SimpleListFilter):
    title = "last sign-in"
    parameter_name = "signed_in"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return [*((str(days), f"more than {days} days ago") for days in (30, 90, 365)), ("never", "never")]

    def queryset(self, request: HttpRequest, accounts: QuerySet[Account]) -> QuerySet[Account]:
        match self.value():
            case "never":
                return accounts.filter(state__last_login=None)
            case "30" | "90" | "365" as days:
                before = timezone.now() - datetime.timedelta(days=int(days))
                return accounts.filter(state__last_login__lt=before)
        return accounts


class ListedAccount(Protocol):
    """An account of AccountList."""

    requests: int


class AccountList(ChangeList):
    def get_results(self, request: HttpRequest) -> None:
        """Adds `requests` to the accounts of the page, by one statement; a cluster cannot sort by it."""
        super().get_results(request)
        requests = requests_of(self.result_list)
        for account in self.result_list:
            account.requests = requests.get(account.pk, 0)


def tell_old_email(before: Account, new: str) -> None:
    """After the transaction, which would wait for the mail server."""
    transaction.on_commit(partial(mail.notify, "email_changed", before, new_email=new))


def has_keys(account: Account) -> bool:
    has_feed = CalendarFeed.objects.filter(account=account).exists()
    return account.api_keys.active().exists() or has_feed


def reset_factors(account: Account) -> None:
    factors.reset(account)
    what = gettext_lazy("Staff removed your second factors and recovery codes.")
    transaction.on_commit(partial(mail.notify, "factors_changed", account, what=what))


def log_reset_link(account: Account) -> None:
    audit.log_event(audit.Event.RESET_LINK_BY_STAFF, account)


def show_reset_link(model_admin: StepsAdmin, request: HttpRequest, account: Account) -> HttpResponse:
    context = {
        **model_admin.admin_site.each_context(request),
        "title": "Reset link",
        "account": account,
        "link": links.PASSWORD.link(account),
        "hours": links.HOURS_VALID,
    }
    return uncompressed(render(request, "admin/accounts/account/reset_link.html", context))


def mail_reset_link(model_admin: StepsAdmin, request: HttpRequest, account: Account) -> HttpResponse:
    try:
        with in_language_of(account):
            mail.send("reset_password", account.email, link=links.PASSWORD.link(account))
        model_admin.message_user(request, f"We wrote to {account}.", messages.SUCCESS)
    except mail.NotSent:
        model_admin.message_user(request, "The mail could not be sent.", messages.ERROR)
    return redirect("admin:accounts_account_change", account.pk)


@admin.register(Account)
class AccountAdmin(
    StaleSaveMixin,
    StepsAdmin,
    CsvMixin,
    OnlyOfferedMixin,
    PermissionPickerMixin,
    UserAdmin,  # type: ignore[type-arg]  # takes no parameters at runtime
):
    list_display = [
        *("email", "display_name", "is_active", "last_login"),
        *("workout_count", "stored", "requests"),
    ]
    csv_fields = [
        *("email", "display_name", "is_active", "is_staff", "created_at", "last_login"),
        *("workout_count", "stored_bytes"),
    ]
    list_select_related = ["state"]
    list_filter = ["is_active", "is_staff", "is_superuser", SignedInFilter]
    search_fields = ["email", "display_name"]
    ordering = ["email"]
    date_hierarchy = "created_at"
    change_password_form = StaffPasswordForm
    fieldsets = [
        (None, {"fields": ["email"]}),
        ("Profile", {"fields": ["display_name", "height_cm", "birth_date", "gender", "goal", "units"]}),
        (
            "Rights",
            {"classes": ["collapse"], "fields": ["is_staff", "is_superuser", "groups", "user_permissions"]},
        ),
    ]
    staff_fieldsets = [(None, {"fields": ["email", "display_name"]})]
    add_fieldsets = [
        (None, {"fields": ["email", "display_name", "usable_password", "password1", "password2"]}),
    ]

    steps = (
        Step(
            name="deactivate",
            title="Deactivate",
            question="Its sessions end. Its keys and its password do not work until it is reactivated.",
            done="Deactivated.",
            permission="accounts.change_account",
            check=staff.check_deactivation,
            act=Account.deactivate,
            is_due=lambda account: account.is_active,
        ),
        Step(
            name="reactivate",
            title="Reactivate",
            question="Its keys and its password work again.",
            done="Reactivated.",
            permission="accounts.change_account",
            act=Account.reactivate,
            is_due=lambda account: not account.is_active,
        ),
        Step(
            name="reset-link",
            needs_fresh=True,
            title="Make a reset link",
            question="Whoever opens the link sets a new password of the account. It is shown to you to send.",
            done="Reset link made.",
            permission="accounts.change_account",
            act=log_reset_link,
            is_due=lambda account: account.is_active and account.may_use_password,
            respond=show_reset_link,
        ),
        Step(
            name="mail-reset-link",
            needs_fresh=True,
            title="Mail a reset link",
            question="It goes to the email of the account. Whoever opens it sets a new password.",
            done="Reset link mailed.",
            permission="accounts.change_account",
            act=log_reset_link,
            is_due=lambda account: account.is_active and account.may_use_password and settings.SENDS_MAIL,
            respond=mail_reset_link,
        ),
        Step(
            name="reset-factors",
            needs_fresh=True,
            title="Reset second factor",
            question="Its authenticator app, passkeys and recovery codes are removed, and its sessions end. "
            "Be sure who asks for it: from then on the password alone signs in.",
            done="The second factor is reset.",
            permission="accounts.change_account",
            check=staff.check_reset,
            act=reset_factors,
            is_due=factors.has_factor,
        ),
        Step(
            name="revoke-keys",
            title="Revoke all keys",
            question="Requests with the keys of this account get 401 from now on, and the address of its "
            "calendar ends. This cannot be undone.",
            done="All keys are revoked.",
            permission="accounts.change_apikey",
            act=Account.revoke_keys,
            is_due=has_keys,
        ),
    )

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.end_task_view)
        return [path("<path:object_id>/end-task/", view, name=END_TASK), *super().get_urls()]

    def end_task_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Asks, then ends the task of the account that the query names."""
        account = self.get_object(request, unquote(object_id))
        if account is None:
            raise Http404(f"There is no account {object_id}.")
        if not self.has_change_permission(request, account):
            raise PermissionDenied
        page = reverse("admin:accounts_account_change", args=[account.pk])
        tasks = {str(task.pk): task for task in account.tasks.all() if task.may_be_ended}
        task = tasks.get(request.GET.get("task", ""))
        if task is None:
            self.message_user(request, "There was nothing to do: the task has ended.", messages.SUCCESS)
            return redirect(page)
        if request.method != "POST":
            text = f"{task.get_kind_display()}: {END_TASK_QUESTION}"
            return question(self, request, "End the task", text, [account], 1, back=page)
        with transaction.atomic():
            task.delete()
            audit.log_event(audit.Event.TASK_ENDED_BY_STAFF, account, detail=str(task))
            self.log_change(request, account, f"Task ended: {task}.")
        self.message_user(request, f"{account}: Task ended.", messages.SUCCESS)
        return redirect(page)

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[ChangeList]:
        return AccountList

    @admin.display(description="last sign-in", ordering="state__last_login")
    def last_login(self, account: Account) -> datetime.datetime | None:
        return account.state.last_login

    # `workouts` would be sorted by the relation of that name.
    @admin.display(description="workouts", ordering="-state__workout_count")
    def workout_count(self, account: Account) -> int:
        return account.state.workout_count

    @admin.display(description="stored", ordering="-state__stored_bytes")
    def stored(self, account: Account) -> str:
        return filesizeformat(account.state.stored_bytes)

    def stored_bytes(self, account: Account) -> int:
        return account.state.stored_bytes

    @admin.display(description=f"requests in {DAYS} days")
    def requests(self, account: ListedAccount) -> int:
        return account.requests

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        if account := options.get("obj"):
            may_change = staff.may_change(user_of(request), account)
            context |= account_facts(account, user_of(request))
            context |= {
                "steps": self.offered_steps(request, account),
                "may_issue": may_change and request.user.has_perm("accounts.add_apikey"),
                "may_revoke": may_change and request.user.has_perm("accounts.change_apikey"),
            }
        return super().render_change_form(request, context, *args, **options)

    # Members of staff who are no superusers see and change little of an account, and nothing of each other's;
    # accounts/staff.py has the rules.

    def may_take(self, request: HttpRequest, step: Step, account: Model) -> bool:
        return staff.may_change(user_of(request), cast(Account, account)) and super().may_take(
            request, step, account
        )

    # What opens somebody else's account needs a fresh sign-in: an unattended browser must not be enough.

    def step_view(self, request: HttpRequest, object_id: str, step: Step) -> HttpResponse:
        if step.needs_fresh and not fresh.is_fresh(request):
            return fresh.ask(request)
        return super().step_view(request, object_id, step)

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:
        if self.has_change_permission(request) and not fresh.is_fresh(request):
            return fresh.ask(request)
        return super().user_change_password(request, id, form_url)

    def get_fieldsets(self, request: HttpRequest, account: Account | None = None) -> Any:
        if account is None or user_of(request).is_superuser:
            return super().get_fieldsets(request, account)
        return self.staff_fieldsets

    def get_readonly_fields(self, request: HttpRequest, account: Account | None = None) -> list[str]:
        if account is None or user_of(request).is_superuser:
            return []
        return ["email", "display_name"]

    def has_change_permission(self, request: HttpRequest, account: Account | None = None) -> bool:
        is_allowed = account is None or staff.may_change(user_of(request), account)
        return is_allowed and super().has_change_permission(request, account)

    def has_delete_permission(self, request: HttpRequest, account: Account | None = None) -> bool:
        is_allowed = account is None or staff.may_delete(user_of(request), account)
        return is_allowed and super().has_delete_permission(request, account)

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> Account | None:
        account: Account | None = super().get_object(request, object_id, from_field)
        if account and request.method == "POST":
            staff.check_change(user_of(request), account)
        return account

    def lock(self, account: Model) -> None:
        """A lock of the table of accounts would be one more beside those of `staff.keep_a_superuser`: two
        superusers who change each other would wait for each other."""
        cast(Account, account).lock()

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        staff.check_posted_rights(user_of(request), request.POST)
        if request.method == "POST" and not fresh.is_fresh(request):
            return fresh.ask(request)
        return super().changeform_view(request, *args, **kwargs)

    def save_model(
        self, request: HttpRequest, account: Account, form: "forms.ModelForm[Account]", change: bool
    ) -> None:
        if change:
            staff.check_changed(account)
            columns = {field.name for field in account._meta.concrete_fields}
            changed = columns.intersection(form.changed_data)
            if "email" in changed:
                before = Account(email=form.initial["email"], email_confirmed_at=account.email_confirmed_at)
                tell_old_email(before, account.email)
                account.email_confirmed_at = None
                changed.add("email_confirmed_at")
            account.save(update_fields=changed)
            staff.log_changes(account, form)
            if not set(staff.RIGHTS).isdisjoint(form.changed_data):
                account.end_sessions(but=request.session.session_key)  # those of staff are shorter
        else:
            super().save_model(request, account, form, change)
            audit.log_event(audit.Event.ACCOUNT_ADDED_BY_STAFF, account)

    # Accounts are deleted as by the settings. Django's own deletion would list the history of years on its
    # confirmation, and would not be permitted because of the keys, which nobody may delete alone.

    def get_deleted_objects(
        self, accounts: Iterable[Account], request: HttpRequest
    ) -> tuple[list[str], dict[str, int], set[str], list[str]]:
        for account in accounts:
            staff.check_deletion(user_of(request), account)
        return [f"{account}, with all records and keys" for account in accounts], {}, set(), []

    def delete_model(self, request: HttpRequest, account: Account) -> None:
        account_data.delete(account, by_staff=True)

    def delete_queryset(self, request: HttpRequest, accounts: QuerySet[Account]) -> None:
        for account in accounts:
            account_data.delete(account, by_staff=True)
