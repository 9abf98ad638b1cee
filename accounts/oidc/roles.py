"""The roles that groups at the provider give (OIDC_STAFF_GROUP), from one sign-in to the next.

A tie notes what a group gave. Leaving the group takes that, and no more, at the next sign-in: what a command
or a member of staff gave stays, and so does the last active superuser.
"""

import logging
from collections.abc import Collection

from django.conf import settings
from django.contrib.auth.models import Group
from django.db import transaction

from accounts import audit, staff
from accounts.models import Account, ProviderTie

log = logging.getLogger("fitness.accounts")

STAFF = "staff"  # the right to open the admin, which each role needs


def follow(tie: ProviderTie, groups: Collection[str]) -> None:
    """Gives the account of a tie what its groups say, and takes what they gave before."""
    roles = {role for group, role in settings.OIDC_STAFF_GROUP if group in groups}
    wanted = roles | {STAFF} if roles else roles
    if wanted or tie.rights:
        with transaction.atomic():
            change(tie, wanted)


def change(tie: ProviderTie, wanted: set[str]) -> None:
    given, held = set(tie.rights), held_by(tie.account)
    new, gone = wanted - held, really_gone(tie.account, held, given - wanted)
    if new or gone:
        store_rights(tie.account, (held | new) - gone)
        tie.rights = sorted((given | new) - gone)
        tie.save(update_fields=["rights"])
        log_change(tie, new, gone & held)


def really_gone(account: Account, held: set[str], gone: set[str]) -> set[str]:
    """The last superuser stays one, and whoever keeps a right that somebody here gave stays staff."""
    if staff.SUPERUSER in gone and is_last_superuser(account):
        gone = gone - {staff.SUPERUSER}
    keeps_another = held - gone - {STAFF}
    return gone - {STAFF} if keeps_another else gone


def log_change(tie: ProviderTie, new: set[str], gone: set[str]) -> None:
    signs = [*(f"+ {right}" for right in sorted(new)), *(f"- {right}" for right in sorted(gone))]
    detail = f"{settings.OIDC_NAME or tie.issuer}: {', '.join(signs)}"
    audit.log_event(audit.Event.RIGHTS_CHANGED, tie.account, detail=detail)


def is_last_superuser(account: Account) -> bool:
    try:
        staff.keep_a_superuser(account)
    except staff.Refused:
        log.warning(
            "provider: the last superuser left the group, and stays one", extra={"account": str(account.pk)}
        )
        return True
    return False


def held_by(account: Account) -> set[str]:
    flags = {STAFF: account.is_staff, staff.SUPERUSER: account.is_superuser}
    return {name for name, is_held in flags.items() if is_held} | set(
        account.groups.values_list("name", flat=True)
    )


def store_rights(account: Account, rights: set[str]) -> None:
    account.is_staff, account.is_superuser = STAFF in rights, staff.SUPERUSER in rights
    account.save(update_fields=["is_staff", "is_superuser"])
    account.groups.set(Group.objects.filter(name__in=rights))
