"""Rows of accounts: how their models are declared, and that each statement about them names the account."""

import pytest
from django.apps import apps
from django.conf import settings
from django.db import connection, models

from accounts.models import Account
from body.models import WeightLog
from fitness.db.citus.tables import REFERENCE
from fitness.db.owned import Owned, OwnedForeignKey, parts_of
from nutrition.models import Food, FoodEntry
from tests.conftest import statements
from tests.watched_statements import ROOT, watched
from training.models import Plan

# They name an account and are not its data: a cluster has them on the coordinator.
OF_THE_SERVICE = {
    *("accounts.AuditEvent", "accounts.Invitation", "accounts.Session", "admin.LogEntry"),
    *(
        "accounts.AuthorizationCode",
        "accounts.OAuthToken",
        "accounts.CalendarFeed",
        "accounts.ProviderTie",
    ),  # found by their texts alone
    *("accounts.Account_groups", "accounts.Account_user_permissions"),
}

MODELS = [model for model in apps.get_models(include_auto_created=True) if not model._meta.proxy]
OWNED = [model for model in MODELS if issubclass(model, Owned)]


def relations(model):
    return [field for field in model._meta.local_fields if field.remote_field]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label)
def test_a_model_that_names_an_account_is_owned(model):
    """On a cluster the rows of a model that is not are on the coordinator, away from their account's."""
    if any(field.related_model is Account for field in relations(model)):
        label = model._meta.label
        assert issubclass(model, Owned) or label in REFERENCE or label in OF_THE_SERVICE


@pytest.mark.parametrize("model", OWNED, ids=lambda model: model._meta.label)
def test_an_owned_model_refers_to_what_is_on_the_node_of_its_account(model):
    account = model._meta.get_field("account")
    assert (account.related_model, account.null) == (Account, False)
    for field in relations(model):
        target = field.related_model
        assert issubclass(target, Owned) or target._meta.label in REFERENCE
        if field is not account and hasattr(target, "account_id"):
            assert isinstance(field, OwnedForeignKey)


@pytest.mark.parametrize("model", OWNED, ids=lambda model: model._meta.label)
def test_the_rows_of_an_account_are_found_along_an_index(db, model):
    """Without one, the deletion of an account would read everybody's rows."""
    with connection.cursor() as cursor:
        keys = connection.introspection.get_constraints(cursor, model._meta.db_table).values()
    indexes = [key["columns"] for key in keys if key["index"] or key["unique"] or key["primary_key"]]
    assert any(columns[:1] == ["account_id"] for columns in indexes)


@pytest.mark.parametrize("model", OWNED, ids=lambda model: model._meta.label)
def test_deleting_a_row_needs_no_more_than_its_parts(model):
    """`Owned.delete` carries out CASCADE one level deep. Plans and foods detach what was done by them."""
    for part, _ in parts_of(model):
        assert issubclass(part, Owned)
        assert list(parts_of(part)) == []
    others = [relation for relation in model._meta.get_fields(include_hidden=True) if relation.one_to_many]
    assert {relation.on_delete for relation in others} <= {models.CASCADE} or model in (Plan, Food)


@pytest.fixture
def log(account):
    return account.weight_logs.create(weight_kg=80)


def executed_by_the_service(code, **names):
    """Runs code as if it stood in a module of the service; returns the statements that name no account."""
    with watched() as anonymous:
        exec(
            compile(code, str(ROOT / "body" / "anything.py"), "exec"), {"__name__": "body.anything", **names}
        )
    return anonymous


@pytest.mark.skipif(settings.CITUS, reason="a cluster refuses such a statement at once")
def test_a_statement_that_names_no_account_is_noticed(log, statements_name_the_account):
    assert len(executed_by_the_service("list(rows)", rows=WeightLog.objects.filter(pk=log.pk))) == 1
    statements_name_the_account.clear()
    assert not executed_by_the_service("list(rows)", rows=WeightLog.objects.filter(account=log.account))


@pytest.mark.parametrize("code", ["log.save()", "log.refresh_from_db()", "log.delete()"])
def test_an_instance_names_its_account(log, code):
    assert not executed_by_the_service(code, log=log)


def test_a_relation_names_the_account_in_joins_and_look_ups(account):
    tick = account.foods.create(name="Oats", calories=400, protein_g=15, carbs_g=60, fat_g=8).tick(
        account.created_at.date()
    )
    tick = FoodEntry.objects.get(pk=tick.pk)
    assert not executed_by_the_service("tick.food, tick.nutrition_day", tick=tick)
    joined = account.food_entries.filter(food__name="Oats").select_related("nutrition_day")
    with statements() as executed:
        assert list(joined) == [tick]
    assert executed[0].count('."account_id" = ("nutrition_foodentry"."account_id")') == 2


def test_what_belongs_to_a_row_is_deleted_with_it(account):
    food = account.foods.create(name="Oats", calories=400, protein_g=15, carbs_g=60, fat_g=8)
    food.tick("2026-03-02")
    kept = food.tick("2026-03-03")
    day = account.nutrition_days.get(day="2026-03-02")
    assert day.delete() == (2, {"nutrition.FoodEntry": 1, "nutrition.NutritionDay": 1})
    assert list(account.food_entries.all()) == [kept]
    assert day.delete() == (0, {})
