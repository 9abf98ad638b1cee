"""The export and the deletion of all data of an account.

Both lists of models are in this module, because a new model belongs in both.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from django.db import transaction
from django.db.models import Manager, QuerySet

from accounts import audit
from accounts.api.serializers import ProfileSerializer
from accounts.idempotency import IdempotentRequest
from accounts.models import Account
from body.api.serializers import GoalSerializer, MeasurementSerializer, WeightLogSerializer
from fitness.api.renderers import Fragment, dumps
from nutrition.api.serializers import MealSerializer, NutritionDaySerializer
from nutrition.models import MealTick
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


def delete(account: Account) -> None:
    """Deletes the account with all of its data, in a fixed number of statements.

    `account.delete()` alone would first read the rows that other rows refer to, a hundred at a time.
    """
    with transaction.atomic():
        Account.objects.select_for_update().get(pk=account.pk)  # other writers of the account wait
        audit.log_event("account deleted", account.pk)
        for queryset in [
            account.workout_exercises.all(),
            account.workouts.all(),
            account.routines.all(),
            account.plans.all(),
            account.weight_logs.all(),
            account.measurements.all(),
            account.goals.all(),
            MealTick.objects.filter(nutrition_day__account=account),
            account.nutrition_days.all(),
            account.meals.all(),
            account.supplement_logs.all(),
            account.supplements.all(),
            IdempotentRequest.objects.filter(api_key__account=account),
        ]:
            queryset._raw_delete(queryset.db)
        account.delete()
