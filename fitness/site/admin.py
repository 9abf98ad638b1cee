"""The admin of accounts. It is not in `accounts`, because a deletion involves every app."""

from collections.abc import Iterable

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.models import Account
from accounts.web.forms import StaffPasswordForm
from fitness.site import account_data


@admin.register(Account)
class AccountAdmin(UserAdmin):  # type: ignore[type-arg]  # takes no parameters at runtime
    list_display = ["email", "display_name", "is_active", "is_staff", "created_at", "last_login"]
    list_filter = ["is_active", "is_staff", "is_superuser"]
    search_fields = ["email", "display_name"]
    ordering = ["email"]
    date_hierarchy = "created_at"
    readonly_fields = ["created_at", "last_login", "workout_count", "stored_bytes"]
    change_password_form = StaffPasswordForm
    fieldsets = [
        (None, {"fields": ["email", "password"]}),
        ("Profile", {"fields": ["display_name", "height_cm", "birth_date", "gender", "goal", "units"]}),
        ("Rights", {"fields": ["is_active", "is_staff", "is_superuser", "groups", "user_permissions"]}),
        ("Dates", {"fields": ["created_at", "last_login"]}),
        ("Stored workouts", {"fields": ["workout_count", "stored_bytes"]}),
    ]
    add_fieldsets = [
        (None, {"fields": ["email", "display_name", "usable_password", "password1", "password2"]}),
    ]

    # Accounts are deleted as by the settings. Django's own deletion would list the history of years on its
    # confirmation, and would not be permitted because of the keys, which nobody may delete alone.

    def get_deleted_objects(
        self, accounts: Iterable[Account], request: HttpRequest
    ) -> tuple[list[str], dict[str, int], set[str], list[str]]:
        return [f"{account}, with all records and keys" for account in accounts], {}, set(), []

    def delete_model(self, request: HttpRequest, account: Account) -> None:
        account_data.delete(account)

    def delete_queryset(self, request: HttpRequest, accounts: QuerySet[Account]) -> None:
        for account in accounts:
            account_data.delete(account)
