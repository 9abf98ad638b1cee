"""The admin of accounts: deleting one needs every app."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin

from accounts.models import Account
from accounts.web.forms import StaffPasswordForm
from fitness.site import account_data


@admin.register(Account)
class AccountAdmin(UserAdmin):
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

    # Deleting goes the way of the settings screen. Django would list a history of years on the page that
    # asks, and stop at the keys, which nobody may delete alone.

    def get_deleted_objects(self, accounts, request):
        return [f"{account}, with all records and keys" for account in accounts], {}, set(), []

    def delete_model(self, request, account):
        account_data.delete(account)

    def delete_queryset(self, request, accounts):
        for account in accounts:
            account_data.delete(account)
