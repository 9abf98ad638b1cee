"""Places the tables of a database on the nodes of its cluster (`manage.py prepare`)."""

from collections.abc import Iterable
from typing import cast

from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Model

from fitness.db.citus.schema import DatabaseSchemaEditor
from fitness.db.citus.tables import (
    known_tables,
    owned_tables,
    placed_tables,
    reference_tables,
    relations,
)
from fitness.db.tables import models_with_tables


def distribute() -> int:
    """Places the tables that are not placed yet, with their rows; returns how many. All or none.

    The cluster's `citus.shard_count` (32 unless it is set) is the number of shards; it counts for the first
    call on a database, as later tables are colocated with those.
    """
    with transaction.atomic():
        unplaced = (owned_tables() | reference_tables()) - placed_tables()
        if unplaced:
            place(unplaced)
        show_to_all_nodes()
    return len(unplaced)


def place(unplaced: set[str]) -> None:
    affected = [
        (model, field)
        for model, field in relations()
        if unplaced & {model._meta.db_table, field.related_model._meta.db_table}
    ]
    with cast(DatabaseSchemaEditor, connection.schema_editor(atomic=False)) as editor:
        for model, field in affected:  # Citus moves no table that others refer to
            editor.delete_foreign_key(model, field)
        for table in sorted(unplaced & reference_tables()):
            editor.execute("SELECT create_reference_table(%s)", [table])
        for table in sorted(unplaced & owned_tables()):
            put_account_in_keys(table)
            place_distributed(table)
        for model, field in affected:
            editor.create_foreign_key(model, field)


def place_distributed(table: str) -> None:
    """Distributes a table, on the same nodes as the tables that are distributed already."""
    others = sorted(owned_tables() & placed_tables())
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT create_distributed_table(%s, 'account_id', colocate_with => %s)",
            [table, others[0] if others else "default"],
        )


def put_account_in_keys(table: str) -> None:
    """Puts the account in front of each key of a table that does not hold it."""
    quoted = connection.ops.quote_name
    with connection.cursor() as cursor:
        for name, key in connection.introspection.get_constraints(cursor, table).items():
            if (key["primary_key"] or key["unique"]) and "account_id" not in key["columns"]:
                kind = "PRIMARY KEY" if key["primary_key"] else "UNIQUE"
                columns = ", ".join(map(quoted, ["account_id", *key["columns"]]))
                cursor.execute(f"ALTER TABLE {quoted(table)} DROP CONSTRAINT {quoted(name)}")
                cursor.execute(
                    f"ALTER TABLE {quoted(table)} ADD CONSTRAINT {quoted(name)} {kind} ({columns})"
                )


def show_to_all_nodes() -> None:
    """Lets every node reach the tables of the coordinator, so that a request can come to any node."""
    known = known_tables()
    models: list[type[Model]] = [*models_with_tables(), MigrationRecorder.Migration]
    hidden = [model for model in models if model._meta.db_table not in known]
    with connection.cursor() as cursor:
        for table in (model._meta.db_table for model in hidden):
            if table not in known_tables():  # a call shows those as well that are related to it
                cursor.execute(
                    "SELECT citus_add_local_table_to_metadata(%s, cascade_via_foreign_keys => true)", [table]
                )
        for statement in connection.ops.sequence_reset_sql(no_style(), hidden):  # Citus begins at 1 again
            cursor.execute(statement)


def missing_timeouts() -> Iterable[str]:
    """What the cluster's settings lack so that a machine that vanishes keeps requests for seconds only."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW citus.node_conninfo")
        (conninfo,) = cursor.fetchone()
        cursor.execute("SELECT setting::int FROM pg_settings WHERE name = 'citus.node_connection_timeout'")
        (milliseconds,) = cursor.fetchone()
    if milliseconds > 5000:
        yield "citus.node_connection_timeout = 3000"
    for name, value in {"connect_timeout": 3, "tcp_user_timeout": 3000, "keepalives_idle": 3}.items():
        if f"{name}=" not in conninfo:
            yield f"{name}={value} in citus.node_conninfo"
