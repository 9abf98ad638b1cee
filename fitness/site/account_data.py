"""Everything that belongs to one account: as an archive to take along, and gone.

Both lists stand here together, because a new kind of record belongs in both.
"""

from django.db import transaction

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


def export(account):
    """The account's records as the API tells them, in pieces of one JSON document.

    Each resource is a list, oldest first where it has a date.
    """
    yield b'{"profile":' + dumps(ProfileSerializer(account).data)
    for name, rows_of_resource in resources(account):
        yield f',"{name}":['.encode()
        for index, item in enumerate(rows_of_resource):
            yield b"," * bool(index) + dumps(item)
        yield b"]"
    yield b"}\n"


def resources(account):
    """(name, its records) of every resource; nothing is read before it is asked for."""
    workouts = rows(account.workouts.values_list("document", flat=True), "started_at", "id")
    yield "workouts", map(Fragment, workouts)
    yield "routines", (routine.document for routine in rows(account.routines, "created_at", "id"))
    yield "plans", (plan.document for plan in rows(account.plans, "created_at", "id"))
    for name, serializer, rows_of_resource, order in [
        ("weight", WeightLogSerializer, account.weight_logs, ["logged_at", "id"]),
        ("measurements", MeasurementSerializer, account.measurements, ["logged_at", "id"]),
        ("goals", GoalSerializer, account.goals, ["created_at", "id"]),
        ("nutrition", NutritionDaySerializer, account.nutrition_days, ["day"]),
        ("meals", MealSerializer, account.meals, ["name", "id"]),
        ("supplements", SupplementSerializer, account.supplements, ["time", "name", "id"]),
        ("supplement_logs", SupplementLogSerializer, account.supplement_logs, ["day", "id"]),
    ]:
        one = serializer()
        yield name, map(one.to_representation, rows(rows_of_resource, *order))


def rows(rows_of_resource, *order):
    return rows_of_resource.order_by(*order).iterator(chunk_size=ROWS_AT_ONCE)


def delete(account):
    """Deletes the account with all that it owns, in as many statements for a year as for a day.

    `delete()` would read the rows that others point to, a hundred at a time.
    """
    with transaction.atomic():
        Account.objects.select_for_update().get(pk=account.pk)  # nobody adds to it meanwhile
        audit.log_event("account deleted", account.pk)
        for rows_of_resource in [
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
            rows_of_resource._raw_delete(rows_of_resource.db)
        account.delete()
