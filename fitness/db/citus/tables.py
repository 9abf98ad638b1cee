"""Which tables are where."""

from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.db import connection
from django.db.models import Model

from fitness.db.tables import models_with_tables

# The models whose tables are on every node.
REFERENCE = ("accounts.Account", "accounts.OAuthClient", "accounts.ApiKey", "training.Exercise")


def owned_tables() -> set[str]:
    # Models are made after the database backend, which imports this module.
    from fitness.db.owned import Owned

    return {model._meta.db_table for model in models_with_tables() if issubclass(model, Owned)}


def reference_tables() -> set[str]:
    return {apps.get_model(label)._meta.db_table for label in REFERENCE}


def placed_tables() -> set[str]:
    """The tables that are distributed, or on every node."""
    return tables_where("partmethod = 'h' OR repmodel = 't'")


def known_tables() -> set[str]:
    """The tables that every node can reach: `placed_tables`, and those of `show_to_all_nodes`.

    Not those that Citus has shown to them by itself for a foreign key: it takes them back with the key, and
    fails where their ids are numbered.
    """
    return tables_where("NOT autoconverted")


def tables_where(condition: str) -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_dist_partition JOIN pg_class ON logicalrelid = pg_class.oid "
            f"WHERE {condition}"
        )
        return {name for (name,) in cursor}


def relations() -> Iterator[tuple[type[Model], Any]]:
    """Yields (model, field) of each foreign key."""
    for model in models_with_tables():
        for field in model._meta.local_fields:
            if field.remote_field and getattr(field, "db_constraint", False):
                yield model, field
