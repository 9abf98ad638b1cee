"""What staff may do: the roles, and the rules that hold for everybody in the admin, on pages and for POSTs.

1. Accounts of staff are changed by superusers alone: form, password, keys, deletion, by page or action.
2. Rights (RIGHTS, and the groups themselves) are given by superusers alone: nobody hands out what they lack.
3. The last active superuser stays: neither deactivated, nor without that right, nor deleted, not even by
   their own settings.
4. Nobody deactivates or deletes their own account here, or resets its second factor.
5. Keys are issued for active accounts alone.

A request that breaks a rule raises Refused: a 403 with its reason, and an event (accounts/admin_site.py).

Example of a failure: Support posts a new password for a superuser. The page was never offered to them; the
POST is answered with 403, and the audit trail has "Refused", with both emails.
"""

import sys
from collections.abc import Collection
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.models import Group, Permission
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet

from accounts import audit
from accounts.audit import Event
from accounts.models import Account
from fitness.web.admin import changes

# The groups that each service begins with: the app of their permissions, and these.
ROLES = {
    "Keys": ("accounts", ["view_apikey", "add_apikey", "change_apikey", "view_oauthclient"]),
    "Catalogue": ("training", ["view_exercise", "add_exercise", "change_exercise"]),
    "Support": ("accounts", ["view_account", "change_account"]),
    "Auditor": ("accounts", ["view_auditevent"]),
}

SUPERUSER = "superuser"  # all rights; no group

# The fields of an account that open more than it had.
RIGHTS = ("is_staff", "is_superuser", "groups", "user_permissions")


class Refused(PermissionDenied):
    """A rule of this module forbids the request, whatever permissions its sender has."""

    def __init__(self, reason: str, account: Account | None = None) -> None:
        super().__init__(reason)
        self.account = account


def create_roles(using: str, **_: Any) -> None:
    """Receives `post_migrate`, as permissions exist only then: creates the roles that are missing.

    What staff change in a role stays. One that they delete comes back at the next update, without members.
    """
    for name, (app_label, codenames) in ROLES.items():
        permissions = Permission.objects.using(using).filter(
            content_type__app_label=app_label, codename__in=codenames
        )
        group, is_new = Group.objects.using(using).get_or_create(name=name)
        if is_new:
            group.permissions.set(permissions)


def check_group_rules() -> None:
    """Ends the start for an OIDC_STAFF_GROUP with a role that there is not."""
    roles = (SUPERUSER, *ROLES)
    for group, role in settings.OIDC_STAFF_GROUP:
        if role not in roles:
            sys.exit(f"OIDC_STAFF_GROUP: {group}={role}: the roles are {', '.join(roles)}.")


def is_of_staff(account: Account) -> bool:
    return account.is_staff or account.is_superuser


def may_change(actor: Account, account: Account) -> bool:
    return actor.is_superuser or not is_of_staff(account)


def may_delete(actor: Account, account: Account) -> bool:
    return account != actor and may_change(actor, account)


def accounts_for_keys(actor: Account) -> QuerySet[Account]:
    """The accounts that `check_key` lets pass."""
    active = Account.objects.filter(is_active=True)
    return active if actor.is_superuser else active.filter(is_staff=False, is_superuser=False)


def check_change(actor: Account, account: Account) -> None:
    """Rule 1."""
    if not may_change(actor, account):
        raise Refused("Accounts of staff are changed by superusers alone.", account)


def check_key(actor: Account, account: Account) -> None:
    """Rules 1 and 5."""
    check_change(actor, account)
    if not account.is_active:
        raise Refused("Keys are issued for active accounts alone.", account)


def check_posted_rights(actor: Account, posted: Collection[str]) -> None:
    """Rule 2. Forms offer these fields to superusers alone, so others post them by hand."""
    if not actor.is_superuser and not set(RIGHTS).isdisjoint(posted):
        raise Refused("Rights are given by superusers alone.")


def check_changed(account: Account) -> None:
    """Rule 3, for an account with its new values, in the transaction that stores them."""
    if not (account.is_superuser and account.is_staff):
        keep_a_superuser(account)


def check_deactivation(actor: Account, account: Account) -> None:
    """Rules 1, 3 and 4, in the transaction that deactivates the account."""
    check_change(actor, account)
    if account == actor:
        raise Refused("Nobody deactivates their own account.", account)
    if account.is_superuser:
        keep_a_superuser(account)


def check_reset(actor: Account, account: Account) -> None:
    """Rules 1 and 4."""
    check_change(actor, account)
    if account == actor:
        raise Refused(
            "Nobody resets their own second factor here: the settings ask for the password.", account
        )


def check_deletion(actor: Account, account: Account) -> None:
    """Rules 1 and 4."""
    check_change(actor, account)
    if account == actor:
        raise Refused("Nobody deletes their own account here: it is done in the settings.", account)


def keep_a_superuser(without: Account) -> None:
    """Rule 3. Locks the superusers until commit: two requests could remove each other's otherwise."""
    superusers = Account.objects.filter(is_superuser=True, is_staff=True, is_active=True).order_by("pk")
    if list(superusers.select_for_update(no_key=True).values_list("pk", flat=True)) == [without.pk]:
        raise Refused("The last active superuser stays. Make somebody else one first.", without)


def log_changes(account: Account, form: "forms.ModelForm[Account]") -> None:
    """Writes what a form changed to the audit trail. Of a profile it names the fields, not their values."""
    changed = set(form.changed_data)
    if changed.intersection(RIGHTS):
        audit.log_event(Event.RIGHTS_CHANGED, account, detail=changes(form, RIGHTS))
    if profile := sorted(changed.difference(RIGHTS)):
        detail = changes(form, ["email"]) or ", ".join(profile)
        audit.log_event(Event.ACCOUNT_CHANGED_BY_STAFF, account, detail=detail)
