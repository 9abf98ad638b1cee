"""The tables of a cluster: where they are, and what a migration does to them."""

import pytest
from django.conf import settings
from django.db import IntegrityError, OperationalError, connection, models
from psycopg.errors import InternalError_

from body.models import WeightLog
from nutrition.models import Food, FoodEntry
from tests.conftest import statements
from tests.server import Server, own_database
from tests.site.test_backup import contents
from tests.watched_statements import on_one_node

pytestmark = pytest.mark.skipif(not settings.CITUS, reason="needs a Citus cluster")

PLACES = """
SELECT relname, partmethod, repmodel, colocationid
FROM pg_dist_partition JOIN pg_class ON logicalrelid = pg_class.oid
"""


def fetch(sql):
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall()


def test_rows_of_an_account_are_together_and_what_all_need_is_everywhere(db):
    from fitness.db.citus.tables import models_with_tables, owned_tables, reference_tables

    places = {name: place for name, *place in fetch(PLACES)}
    assert {model._meta.db_table for model in models_with_tables()} <= places.keys()
    assert {name for name, (method, _, _) in places.items() if method == "h"} == owned_tables()
    assert len({places[name][2] for name in owned_tables()}) == 1
    assert {name for name, (_, replication, _) in places.items() if replication == "t"} == reference_tables()


def test_tables_that_are_placed_stay_where_they_are(db):
    from fitness.db.citus.distribute import distribute, missing_timeouts

    before = sorted(fetch(PLACES))
    assert distribute() == 0
    assert sorted(fetch(PLACES)) == before
    assert list(missing_timeouts()) == []


def test_a_reference_to_a_row_of_another_account_is_refused(account, stranger):
    """Foreign keys hold the account, so not even a mistake in the code could join two of them."""
    day = account.nutrition_days.create(
        day="2026-03-02", logged_at="2026-03-02T12:00Z", calories=1, protein_g=1, carbs_g=1, fat_g=1
    )
    food = Food.objects.create(account=stranger, name="Oats", calories=1, protein_g=1, carbs_g=1, fat_g=1)
    with pytest.raises(IntegrityError):
        FoodEntry.objects.create(
            account=account, nutrition_day=day, food=food, calories=1, protein_g=1, carbs_g=1, fat_g=1
        )


def test_a_key_that_a_migration_adds_to_a_distributed_table_gets_the_account(transactional_db):
    constraint = models.UniqueConstraint(fields=["notes"], name="weight_notes")
    with statements() as executed:
        with connection.schema_editor() as editor:
            editor.add_constraint(WeightLog, constraint)
        with connection.schema_editor() as editor:
            editor.remove_constraint(WeightLog, constraint)
    assert any('UNIQUE ("account_id", "notes")' in sql for sql in executed)


def test_a_migration_finds_the_keys_that_hold_the_account(transactional_db):
    field = FoodEntry._meta.get_field("food")
    narrow = models.ForeignKey(
        Food, on_delete=models.SET_NULL, null=True, db_constraint=False, related_name="+"
    )
    narrow.set_attributes_from_name("food")
    with statements() as executed:
        with connection.schema_editor() as editor:
            editor.alter_field(FoodEntry, field, narrow)
        with connection.schema_editor() as editor:
            editor.alter_field(FoodEntry, narrow, field)
    assert any("DROP CONSTRAINT" in sql for sql in executed)
    assert any('FOREIGN KEY ("account_id", "food_id")' in sql for sql in executed)


def test_a_cluster_takes_the_migrations_of_a_newer_version(tmp_path):
    with own_database(tmp_path) as database:
        Server(tmp_path, database).manage("prepare")
        newer = Server(tmp_path, database, DJANGO_SETTINGS_MODULE="tests.newer.settings")
        newer.manage("prepare")
        assert newer.key().startswith("svc_")


def test_a_backup_of_sqlite_replaces_a_prepared_cluster_and_comes_back_whole(tmp_path):
    plain = Server(tmp_path, f"sqlite:///{tmp_path / 'plain.sqlite3'}")
    plain.manage("prepare")
    plain.manage("seed_demo", "--days", "30")
    there, back = tmp_path / "there.backup", tmp_path / "back.backup"
    plain.manage("backup", str(there))
    with own_database(tmp_path) as database:
        cluster = Server(tmp_path, database)
        cluster.manage("prepare")
        cluster.manage("restore", str(there))
        cluster.manage("backup", str(back))
        assert contents(back) == contents(there)
        assert cluster.key("another@example.org").startswith("svc_")  # its id follows those of the backup
        cluster.manage("prepare")


@pytest.mark.parametrize(
    "text",
    [
        "failure on connection marked as essential: 127.0.0.1:9700",
        "could not commit transaction for shard 102008 on at least one active node",
        "server closed the connection unexpectedly\nCONTEXT:  while executing command on 127.0.0.1:9701",
    ],
)
def test_the_failure_of_a_node_is_that_of_a_server(text):
    with pytest.raises(OperationalError), connection.wrap_database_errors:
        raise InternalError_(text)


def test_other_internal_errors_stay_what_they_are():
    from django.db import InternalError

    with pytest.raises(InternalError), connection.wrap_database_errors:
        raise InternalError_("cache lookup failed")


def test_a_statement_is_kept_to_one_node_until_it_ends(db):
    try:
        raise ValueError
    except ValueError:  # while an exception is handled, as where get_or_create finds a row after all
        with on_one_node():
            pass
    assert fetch("SHOW citus.multi_task_query_log_level") == [("off",)]
