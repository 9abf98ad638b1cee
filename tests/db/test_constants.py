"""Each SQL constant beside the QuerySet that it takes the place of: the same rows, with the same values."""

import datetime
import re

import pytest
from django.utils import timezone

from accounts.models import ApiKey
from accounts.models.api_key import ACCOUNT_FIELDS, KEY_FIELDS
from accounts.oauth import tokens
from accounts.oauth.models import OAuthToken
from tests.conftest import a_set, a_workout, statements
from training.api.serializers.references import References, Summary
from training.models import Exercise, Workout, WorkoutExercise
from training.models.workout import INSERT_WORKOUT, document_of, newest_workouts, workouts_changed
from training.models.workout_exercise import INSERT_EXERCISE

NOON = datetime.datetime(2026, 3, 1, 12, tzinfo=datetime.UTC)
DAY = datetime.timedelta(days=1)


def values_of(instance, names):
    """What is loaded, without a further statement."""
    with statements() as run:
        values = {name: getattr(instance, name) for name in names}
    assert not run
    return values


def assert_equal(found, expected, names):
    values = values_of(expected, names)
    assert values_of(found, names) == values
    assert [type(value) for value in values_of(found, names).values()] == [*map(type, values.values())]


def assert_equal_keys(found, expected):
    assert_equal(found, expected, KEY_FIELDS)
    assert_equal(found.account, expected.account, ACCOUNT_FIELDS)


@pytest.mark.parametrize("revoked_at", [None, NOON])
def test_a_key_is_found_by_its_text(api, account, revoked_at):
    account.height_cm, account.birth_date = 181.5, datetime.date(1990, 2, 28)
    account.save()
    ApiKey.objects.update(revoked_at=revoked_at, expires_at=NOON + DAY)
    assert_equal_keys(ApiKey.look_up(api.key), ApiKey.objects.select_related("account").get())
    assert ApiKey.look_up("svc_another") is None


def test_a_connection_is_found_by_its_access_token(api):
    connection = ApiKey.objects.select_related("account").get()
    texts = tokens.issue(connection, generation=1)
    assert_equal_keys(ApiKey.of_token(texts["access_token"]), connection)
    assert ApiKey.of_token(texts["refresh_token"]) is None
    OAuthToken.objects.update(expires_at=timezone.now())
    assert ApiKey.of_token(texts["access_token"]) is None


@pytest.fixture
def workouts(account, stranger, log_workout):
    for day in (3, 1, 2):
        log_workout(a_set(60 + day), started_at=f"2026-03-0{day}T17:30:00.123456Z")
    return account.workouts


def test_the_newest_workouts(workouts, account):
    found = list(newest_workouts(account, 2))
    expected = workouts.with_last_change(account).order_by("-started_at", "-id")[:2]
    assert len(found) == 2
    for one, other in zip(found, expected, strict=True):
        assert_equal(one, other, ["document", "id", "started_at", "last_change"])


def test_the_workouts_changed_since(workouts, account):
    by_change = workouts.with_last_change(account).order_by("updated_at")
    since = by_change[1].updated_at
    found = list(workouts_changed(account, since, 5))
    assert len(found) == 2
    for one, other in zip(found, by_change[1:], strict=True):
        assert_equal(one, other, ["document", "created_at", "updated_at", "last_change"])
    assert len(list(workouts_changed(account, since, 1))) == 1


def test_the_document_of_a_workout(workouts, account, stranger):
    workout = workouts.first()
    assert document_of(account, workout.pk) == workout.document
    with pytest.raises(Workout.DoesNotExist):
        document_of(stranger, workout.pk)


def test_the_exercises_of_a_body(account, stranger):
    listed = Exercise.objects.first()
    for pk, owner, kept in [
        ("own", account, None),
        ("merged", account, listed),
        ("not-seen", stranger, None),
    ]:
        fields = {"muscle_group": "Legs", "equipment": "Machine", "is_assisted": True, "merged_into": kept}
        Exercise.objects.create(id=pk, name=pk, owner=owner, **fields)
    ids = [listed.pk, "own", "merged", "not-seen", "unknown"]
    found = References(account, {"exercises": [{"exercise_id": pk} for pk in ids]}).exercises
    expected = Exercise.objects.seen_by(account).find_all(ids)
    assert found.keys() == expected.keys() == {listed.pk, "own", "merged"}
    for pk, one in found.items():
        assert_equal(one, expected[pk], Summary._fields)


@pytest.mark.parametrize(
    ("sql", "model", "made"), [(INSERT_WORKOUT, Workout, []), (INSERT_EXERCISE, WorkoutExercise, ["id"])]
)
def test_an_insert_names_all_columns(sql, model, made):
    """But for what the database makes."""
    fields = [field.column for field in model._meta.concrete_fields if field.column not in made]
    columns = re.search(r"\((.*?)\) VALUES", sql, re.DOTALL)[1].replace(",", " ").split()
    assert sorted(columns) == sorted(fields)
    assert re.findall(r"%\((\w+)\)s", sql) == columns


def test_what_is_inserted_is_what_the_models_would_store(api, account, workouts):
    plan = account.plans.create(name="Plan", days=[], created_at=NOON)
    body = a_workout(a_set(60), a_set(0, 0), plan_id=str(plan.pk), notes="ä€")
    body["exercises"] *= 2  # the second one leaves its aggregates to the first
    stored = account.workouts.get(pk=api.post("/workouts", body).json()["id"])
    rows = list(stored.exercises.order_by("position"))
    names = [field.attname for field in Workout._meta.concrete_fields]
    columns = [field.attname for field in WorkoutExercise._meta.concrete_fields]
    stored.exercises.delete()
    stored.stored.delete()
    Workout.objects.bulk_create([stored])
    WorkoutExercise.objects.bulk_create(rows)
    assert_equal(stored, account.workouts.get(pk=stored.pk), names)
    for row, again in zip(rows, stored.exercises.order_by("position"), strict=True):
        assert_equal(row, again, columns)
