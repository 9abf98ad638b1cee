"""Migrations on a cluster: keys between distributed tables hold the account.

This uses methods of Django's schema editor that it does not document, and that its stubs do not name.
"""

from typing import Any

from django.db.backends.ddl_references import Columns, Statement
from django.db.backends.postgresql import schema
from django.db.models import Field, ForeignKey, Model

from fitness.db.citus.tables import owned_tables, placed_tables

NOT_YET = "SELECT 'the key follows when the table is distributed'"
SUFFIX = "_fk_%(to_table)s_%(to_column)s"  # of the name of a foreign key, as Django makes it


class DatabaseSchemaEditor(schema.DatabaseSchemaEditor):
    sql_create_column_inline_fk = ""  # Citus adds a column and its key by two statements

    @property
    def inherited(self) -> Any:
        """Django's editor, with the methods that its stubs do not name."""
        return super()

    def _constraint_names(self, model: type[Model], columns: Any = None, **options: Any) -> list[str]:
        """The names of constraints of these columns, also of keys that begin with the account."""
        names: list[str] = self.inherited._constraint_names(model, columns, **options)
        if columns and model._meta.db_table in owned_tables() & placed_tables():
            names += self.inherited._constraint_names(model, ["account_id", *columns], **options)
        return names

    def delete_foreign_key(self, model: type[Model], field: "ForeignKey[Any, Any]") -> None:
        for name in self._constraint_names(model, [field.column], foreign_key=True):
            self.execute(self.inherited._delete_fk_sql(model, name))

    def create_foreign_key(self, model: type[Model], field: "ForeignKey[Any, Any]") -> None:
        self.execute(self._create_fk_sql(model, field, SUFFIX))

    def _create_fk_sql(self, model: type[Model], field: "ForeignKey[Any, Any]", suffix: str) -> Statement:
        """The statement that adds a foreign key: Django's own between tables that are not distributed."""
        statement: Statement = self.inherited._create_fk_sql(model, field, suffix)
        target, placed = field.target_field.model, placed_tables()
        distributed = owned_tables() & placed
        if target._meta.db_table in distributed:
            if model._meta.db_table not in distributed:
                return Statement(NOT_YET)
            statement.parts["column"] = self.with_account(model, field)
            statement.parts["to_column"] = self.with_account(target, field.target_field)
        if {model._meta.db_table, target._meta.db_table} & placed:
            # A fault that a node finds at the commit would have no code.
            statement.parts["deferrable"] = ""  # type: ignore[assignment]  # texts are parts as well
        return statement

    def with_account(self, model: type[Model], field: "Field[Any, Any]") -> Columns:
        return Columns(model._meta.db_table, ["account_id", field.column], self.quote_name)

    def _create_unique_sql(self, model: type[Model], fields: Any, *args: Any, **options: Any) -> Statement:
        if model._meta.db_table in owned_tables() & placed_tables():
            account = model._meta.get_field("account")
            fields = [account, *(field for field in fields if field != account)]
        statement: Statement = self.inherited._create_unique_sql(model, fields, *args, **options)
        return statement
