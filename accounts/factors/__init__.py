"""Second factors of accounts: an authenticator app, passkeys, and recovery codes for who has lost them.

1. An account has a factor once it has an app or a passkey. From then on its password alone signs nobody in
   (accounts/web/sign_in.py).
2. Its first factor comes with RECOVERY_CODES codes, displayed once. They go when the last factor is removed.
3. Whatever is added or removed ends the other sessions of the account.
4. What is added or removed is an event of the audit trail, without names, codes or secrets.

Outside of the pages of factors (accounts/web/factors), the functions of this module are all that is used.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts import audit
from accounts.factors.models import Authenticator, Passkey, RecoveryCode
from accounts.factors.sealing import seal

if TYPE_CHECKING:
    from accounts.models import Account


@dataclass(frozen=True)
class Factor:
    """What lists show of a factor."""

    kind: str
    name: str
    created_at: datetime
    last_used_at: datetime | None


def has_factor(account: "Account") -> bool:
    return any(model.objects.filter(account=account).exists() for model in (Authenticator, Passkey))


def rows_of(account: "Account") -> "list[QuerySet[Any]]":
    """All that is stored of the factors of an account."""
    return [model.objects.filter(account=account) for model in (Authenticator, Passkey, RecoveryCode)]


def factors_of(account: "Account") -> Iterator[Factor]:
    for app in Authenticator.objects.filter(account=account):
        yield Factor(_("Authenticator app"), "", app.created_at, app.last_used_at)
    for passkey in account.passkeys.all():
        yield Factor(_("Passkey"), passkey.name, passkey.created_at, passkey.last_used_at)


def add_authenticator(account: "Account", secret: bytes, step: int, *, session: str | None) -> list[str]:
    """Stores an app in place of one before, with the step of the code that confirmed it.

    Returns the recovery codes if it is the first factor. `session` is the key of the session that goes on.
    """
    with transaction.atomic():
        account.lock()
        Authenticator.objects.filter(account=account).delete()
        Authenticator.objects.create(account=account, sealed_secret=seal(secret), last_step=step)
        return log_added(account, "authenticator app", session)


def add_passkey(account: "Account", passkey: Passkey, *, session: str | None) -> list[str]:
    """Stores a new passkey; returns what `add_authenticator` does."""
    with transaction.atomic():
        account.lock()
        passkey.save(force_insert=True)
        return log_added(account, "passkey", session)


def log_added(account: "Account", kind: str, session: str | None) -> list[str]:
    audit.log_event(audit.Event.FACTOR_ADDED, account, detail=kind)
    account.end_sessions(but=session)
    if account.recovery_codes.exists():
        return []
    return RecoveryCode.objects.replace(account)


def remove(account: "Account", factor: Authenticator | Passkey, *, session: str | None) -> bool:
    """Deletes a factor; to delete it again changes nothing. Returns whether the account has another one."""
    with transaction.atomic():
        account.lock()
        deleted, _ = factor.delete()
        is_left = has_factor(account)
        if deleted:
            kind = "passkey" if isinstance(factor, Passkey) else "authenticator app"
            audit.log_event(audit.Event.FACTOR_REMOVED, account, detail=kind)
            if not is_left:
                account.recovery_codes.all().delete()
            account.end_sessions(but=session)
    return is_left


def reset(account: "Account") -> None:
    """Removes all factors, for staff and operators: the account signs in by its password alone again."""
    with transaction.atomic():
        account.lock()
        for rows in rows_of(account):
            rows.delete()
        account.end_sessions()
        audit.log_event(audit.Event.FACTORS_RESET, account)


def lift_pause(account: "Account") -> None:
    """Lets an account try the codes of its app again that has waited after wrong ones."""
    paused = Authenticator.objects.filter(account=account)
    paused.update(throttling_failure_count=0, throttling_failure_timestamp=None)
