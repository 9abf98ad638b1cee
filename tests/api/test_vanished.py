"""An item that is deleted between the validation of a request and its write is a 400 or 404, never a 503."""

import pytest
from django.conf import settings
from django.utils import timezone

from accounts.models import Account, AccountState
from fitness.api.viewsets import ApiViewSet
from tests.conftest import a_set, a_workout, client_of, problems
from tests.factories import AccountFactory
from training.models import Workout

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def api(transactional_db):
    return client_of(AccountFactory(email="vanished@example.org"))


@pytest.fixture
def before(monkeypatch):
    """Returns a function that makes `act()` run once, right before the method `name` of `owner`."""

    def hook(owner, name, act):
        method, called = getattr(owner, name), []

        def hooked(*args, **options):
            if not called:
                called.append(True)
                act()
            return method(*args, **options)

        monkeypatch.setattr(owner, name, hooked)

    return hook


@pytest.fixture
def plan_id(api):
    days = [{"weekday": day, "label": "Rest", "rest": True} for day in range(1, 8)]
    return api.post("/plans", {"name": "Going", "days": days}).json()["id"]


@pytest.fixture
def plan_deleted_before_logging(before, plan_id):
    """Deletes the plan after the validation of a request, right before the workout is stored."""
    from training.models import Plan
    from training.models.workout import WorkoutQuerySet

    before(WorkoutQuerySet, "log", lambda: Plan.objects.filter(pk=plan_id).delete())


def test_the_deleted_plan_of_a_new_workout_is_a_validation_error(api, plan_id, plan_deleted_before_logging):
    response = api.post("/workouts", a_workout(a_set(), plan_id=plan_id))
    assert problems(response).keys() == {"body.plan_id"}
    assert api.get("/workouts").json()["workouts"] == []


def test_the_deleted_plan_of_a_replaced_workout_is_a_validation_error(api, plan_id, before):
    from training.models import Plan

    stored = api.post("/workouts", a_workout()).json()
    before(Workout, "replace", lambda: Plan.objects.filter(pk=plan_id).delete())
    response = api.put(f"/workouts/{stored['id']}", a_workout(plan_id=plan_id))
    assert problems(response).keys() == {"body.plan_id"}
    assert api.get(f"/workouts/{stored['id']}").json() == stored


def test_the_deleted_plan_of_a_tool_call_is_a_validation_error(api, plan_id, plan_deleted_before_logging):
    from tests.mcp_endpoint.conftest import ToolClient, paths

    _, error = ToolClient(api.key).refused("log_workout", a_workout(plan_id=plan_id))
    assert paths(error) == {"arguments.plan_id"}


def test_the_deleted_supplement_of_a_tick_is_not_found(api, before):
    from supplements.models import Supplement

    account = Account.objects.get()
    supplement = account.supplements.create(name="Creatine", dosage="5 g", time="08:00")
    before(Supplement, "tick", lambda: Supplement.objects.filter(pk=supplement.pk).delete())
    assert api.post(f"/supplements/{supplement.pk}/logs", {}).status_code == 404


@pytest.mark.parametrize("path", ["/body/weight", "/workouts"])
def test_a_write_to_a_deleted_account_is_not_found(api, before, path):
    from body.api.serializers import WeightLogSerializer
    from training.api.serializers.workout import WorkoutSerializer

    bodies = {
        "/body/weight": ({"weight_kg": 80}, WeightLogSerializer),
        "/workouts": (a_workout(), WorkoutSerializer),
    }
    body, serializer = bodies[path]
    before(serializer, "validated", lambda: Account.objects.all().delete())
    assert api.post(path, body).status_code == 404


@pytest.mark.parametrize("headers", [{}, {"If-None-Match": '"old"'}], ids=["plain", "conditional"])
def test_the_count_of_a_deleted_account_is_not_found(api, before, headers):
    before(ApiViewSet, "read_query", lambda: Account.objects.all().delete())
    assert api.call("GET", "/workouts/count", headers=headers).status_code == 404


@pytest.mark.parametrize("path", ["/workouts", "/workouts/events"])
def test_the_version_of_a_deleted_account_is_not_found(api, before, path):
    before(ApiViewSet, "read_query", lambda: Account.objects.all().delete())
    assert api.call("GET", path, headers={"If-None-Match": '"old"'}).status_code == 404


def test_a_streak_whose_workouts_are_deleted_meanwhile_is_none(api, before):
    from training.stats import periods

    now = timezone.now()
    api.post("/workouts", a_workout(a_set(), started_at=now.isoformat()))
    assert api.get("/stats/training").json()["streak_days"] == 1
    before(periods, "first_day_of_streak", lambda: Workout.objects.all().delete())
    assert api.get("/stats/training").json()["streak_days"] == 0


of_all_accounts = pytest.mark.skipif(settings.CITUS, reason="reads every node of a cluster")


@of_all_accounts
def test_the_correction_of_a_deleted_account_is_left_out(api, before):
    states = AccountState.objects.filter(account=Account.objects.get())
    states.update(workout_count=7)
    before(Account, "lock", lambda: Account.objects.all().delete())
    Workout.objects.count_for(states)


BODIES = {
    "/workouts": ("Workout", a_workout()),
    "/routines": ("Routine", {"name": "A", "exercises": []}),
}


@pytest.mark.parametrize("path", BODIES)
def test_replacing_a_deleted_item_is_not_found(api, before, path):
    from training import models

    name, body = BODIES[path]
    model = getattr(models, name)
    stored = api.post(path, body).json()
    before(model, "replace", lambda: model.objects.filter(pk=stored["id"]).delete())
    assert api.put(f"{path}/{stored['id']}", body).status_code == 404


def test_deleting_a_deleted_item_is_not_found(api, before):
    from body.models import WeightLog

    stored = api.post("/body/weight", {"weight_kg": 80}).json()
    before(WeightLog, "delete", lambda: WeightLog.objects.all().delete())
    assert api.delete(f"/body/weight/{stored['id']}").status_code == 404
