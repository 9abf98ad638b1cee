"""The export and the deletion of all data of an account.

Both lists of models are in this module, because a new model belongs in both. What proves who somebody is
(keys, second factors, sessions) is in the deletion alone: an export holds no secrets. So are workouts under
way and rests between sets, which the API does not have.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Manager, QuerySet

from accounts import audit, factors, staff
from accounts.api.serializers import ProfileSerializer
from accounts.models import Account
from body.api.serializers import GoalSerializer, MeasurementSerializer, WeightLogSerializer
from fitness.api.renderers import Fragment, dumps
from nutrition.api.serializers import MealSerializer, NutritionDaySerializer
from supplements.api.serializers import SupplementLogSerializer, SupplementSerializer

ROWS_AT_ONCE = 500


def export(account: Account) -> Iterator[bytes]:
    """The account's data as the API returns it, in pieces of one JSON document.

    Each resource is a list, oldest first if it has a date.
    """
    yield b'{"profile":' + dumps(ProfileSerializer(account).data)
    for name, documents in resources(account):
        yield f',"{name}":['.encode()
        for index, document in enumerate(documents):
            yield b"," * bool(index) + dumps(document)
        yield b"]"
    yield b"}\n"


def resources(account: Account) -> Iterator[tuple[str, Iterable[object]]]:
    """(name, documents) of every resource. Documents are read from the database while they are iterated."""
    workouts = rows(account.workouts.values_list("document", flat=True), "started_at", "id")
    yield "workouts", map(Fragment, workouts)
    yield "routines", (routine.document for routine in rows(account.routines, "created_at", "id"))
    yield "plans", (plan.document for plan in rows(account.plans, "created_at", "id"))
    for name, serializer_class, queryset, order in [
        ("weight", WeightLogSerializer, account.weight_logs, ["logged_at", "id"]),
        ("measurements", MeasurementSerializer, account.measurements, ["logged_at", "id"]),
        ("goals", GoalSerializer, account.goals, ["created_at", "id"]),
        ("nutrition", NutritionDaySerializer, account.nutrition_days, ["day"]),
        ("meals", MealSerializer, account.meals, ["name", "id"]),
        ("supplements", SupplementSerializer, account.supplements, ["time", "name", "id"]),
        ("supplement_logs", SupplementLogSerializer, account.supplement_logs, ["day", "id"]),
    ]:
        serializer = serializer_class()
        yield name, map(serializer.to_representation, rows(queryset, *order))


def rows(queryset: Manager[Any] | QuerySet[Any, Any], *order: str) -> Iterator[Any]:
    return queryset.order_by(*order).iterator(chunk_size=ROWS_AT_ONCE)


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
        for queryset in [
            account.workout_exercises.all(),
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
        ]:
            queryset._raw_delete(queryset.db)
        account.delete()
