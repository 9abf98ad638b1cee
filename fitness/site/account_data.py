"""The deletion of all data of an account.

1. `delete` makes the account unfindable and deletes what proves who somebody is, in one short transaction.
   From then on it is deleted for everybody, and its email is free.
2. It deletes the first rows as well, which are all rows of most accounts. The worker deletes those of a long
   history, some at a time: on SQLite, every writer waits while rows are deleted.
3. The account's own row goes last. Until then Account.objects leaves it out.

Deleted is every row that refers to the account, whatever its model. What an account takes along is listed in
fitness/site/data/archive.py.
"""

from functools import cache
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import SET_NULL, Model, QuerySet

from accounts import audit, factors, staff
from accounts.invitations import Invitation
from accounts.models import Account, AccountState, CalendarFeed, ProviderTie, Task
from fitness.db.owned import OfAccount, Owned
from fitness.db.tables import models_with_tables
from training.models import CatalogueChange

BATCH = 1000  # what one transaction deletes, in rows that cost 1: some 20 ms on SQLite
# Of one row, compared with a body weight.
COSTS = {
    "training.ProgressionStep": 3,
    "training.WorkoutExercise": 3,
    "accounts.ImportItem": 4,
    "training.Workout": 5,
    "accounts.FilePart": 300,
}


class Part(NamedTuple):
    """Some of an account's rows. Of those with an `emptied` field that field is emptied, and they stay."""

    rows: QuerySet[Any, Any]
    cost: int
    emptied: str


def delete(account: Account, *, by_staff: bool = False) -> None:
    """Deletes the account for everybody, in a number of statements that does not grow with its history."""
    event = audit.Event.ACCOUNT_DELETED_BY_STAFF if by_staff else audit.Event.ACCOUNT_DELETED
    with transaction.atomic():
        account.lock()  # who locks or stamps the account waits, and then finds none
        if account.is_superuser:
            staff.keep_a_superuser(
                without=account
            )  # locks them in one order, so before the account's own row
        Account.objects.select_for_update().get(pk=account.pk)  # who stores a row that refers to it waits
        audit.log_event(event, account)
        account.mark_deleted()
        for rows in (account.tasks.all(), *proofs_of(account)):
            rows._raw_delete(rows.db)
        account.invitations.update(invited_by=None)
        Invitation.objects.filter(used_by=account).delete()
        if has_rows_left(account):
            Task.objects.ask(account.pk, Task.Kind.ACCOUNT_DELETION)


def has_rows_left(account: Account) -> bool:
    """Does the first step, and returns whether there are more."""
    try:
        return delete_some(account)
    except IntegrityError:  # a request without a lock has stored a row that refers to the account meanwhile
        return True


def delete_some(account: Account) -> bool:
    """Deletes the next rows of a deleted account, with the last ones its own. Returns whether more are left.

    They are looked for before the transaction: on SQLite the searches took longer than the deletions.
    """
    found, are_all = first_rows(account)
    with transaction.atomic():
        if not Account.objects.deleted().select_for_update().filter(pk=account.pk).exists():
            return False
        for part, ids in found:
            remove(account, part, ids)
        if are_all:
            account.delete()  # with what a request has stored meanwhile
    return not are_all


def first_rows(account: Account) -> tuple[list[tuple[Part, list[Any]]], bool]:
    """The ids of the next rows of each part, and whether these are all rows of the account."""
    found, left = [], BATCH
    for part in parts_of(account):
        most = max(left // part.cost, 1)
        if ids := list(part.rows.order_by().values_list("pk", flat=True)[:most]):
            found.append((part, ids))
        if len(ids) == most:
            return found, False
        left -= len(ids) * part.cost
    return found, True


def remove(account: Account, part: Part, ids: list[Any]) -> None:
    model = part.rows.model
    rows = model._base_manager.filter(pk__in=ids)
    if issubclass(model, Owned):
        rows = rows.filter(OfAccount(account.pk))
    if part.emptied:
        rows.update(**{part.emptied: None})
    else:
        rows._raw_delete(rows.db)


def parts_of(account: Account) -> list[Part]:
    """All rows of a deleted account, those that refer to others first; all but its own row and what goes
    with that.
    """
    return [
        Part(model._base_manager.filter((path, account)), COSTS.get(model._meta.label, 1), emptied)
        for model, path, emptied in references()
    ]


@cache
def references() -> list[tuple[type[Model], str, str]]:
    """(model, path to the account, field that is emptied) of each foreign key to an account."""
    found: list[tuple[type[Model], str, str]] = [(CatalogueChange, "exercise__owner", "")]
    for model in reversed(models_with_tables()):
        for field in model._meta.local_fields:
            relation = field.remote_field
            if relation and relation.model is Account and model not in (Task, AccountState):
                is_emptied = relation.on_delete is SET_NULL
                found.append((model, field.name, field.name if is_emptied else ""))
    return found


def proofs_of(account: Account) -> list[QuerySet[Any, Any]]:
    """What proves who somebody is, after what refers to it. It is little, and deleted at once.

    What a request has stored in the same moment is deleted with the other rows.
    """
    return [
        account.idempotent_requests.all(),
        account.sessions.all(),
        *factors.rows_of(account),
        account.key_uses.all(),
        account.key_days.all(),
        account.authorization_codes.all(),
        account.oauth_tokens.all(),
        account.api_keys.all(),
        CalendarFeed.objects.filter(account=account),
        ProviderTie.objects.filter(account=account),
    ]
