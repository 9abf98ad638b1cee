"""The deletion of all data of an account.

What an account takes along is listed in fitness/site/data/resources.py: a new model belongs into both. What
proves who somebody is (keys, second factors, sessions) is in the deletion alone. So are workouts under way
and rests between sets, which the API does not have, and sums of months, which are derived.
"""

from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from accounts import audit, factors, staff
from accounts.models import Account


def delete(account: Account, *, by_staff: bool = False) -> None:
    """Deletes the account with all of its data, in a fixed number of statements.

    A request that takes no lock, such as the log of a weight, may store a row in between: then it is deleted
    at the second attempt.
    """
    try:
        delete_rows(account, by_staff)
    except IntegrityError:
        delete_rows(account, by_staff)


def delete_rows(account: Account, by_staff: bool) -> None:
    """`account.delete()` alone would first read the rows that other rows refer to, a hundred at a time."""
    event = audit.Event.ACCOUNT_DELETED_BY_STAFF if by_staff else audit.Event.ACCOUNT_DELETED
    with transaction.atomic():
        account.lock()  # who locks or stamps the account waits
        if account.is_superuser:
            staff.keep_a_superuser(
                without=account
            )  # locks them in one order, so before the account's own row
        Account.objects.select_for_update().get(pk=account.pk)  # who stores a row that refers to it waits
        audit.log_event(event, account)
        for queryset in rows_of(account):
            queryset._raw_delete(queryset.db)
        account.delete()


def rows_of(account: Account) -> list[QuerySet[Any, Any]]:
    """All rows of the account: those that refer to others come first."""
    return [
        account.workout_exercises.all(),
        account.import_findings.all(),
        account.import_items.all(),
        account.import_runs.all(),
        account.exercise_names.all(),
        account.training_drafts.all(),
        account.exercise_rests.all(),
        account.workouts.all(),
        account.routines.all(),
        account.plans.all(),
        account.weight_logs.all(),
        account.measurements.all(),
        account.goals.all(),
        account.meal_ticks.all(),
        account.nutrition_days.all(),
        account.meals.all(),
        account.nutrition_targets.all(),
        account.supplement_logs.all(),
        account.supplements.all(),
        account.idempotent_requests.all(),
        account.sessions.all(),
        *factors.rows_of(account),
        account.key_uses.all(),
        account.key_days.all(),
        account.authorization_codes.all(),
        account.oauth_tokens.all(),
        account.api_keys.all(),
    ]
