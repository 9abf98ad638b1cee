"""Rows that belong to an account: every statement about them names it.

A cluster stores the rows of an account together, and finds them by their `account_id` (fitness/db/citus). A
statement that names only an `id` would have to ask every node. So:

1. A model of an account's data is an Owned, with a foreign key `account`.
2. Its references to other owned models are OwnedForeignKeys. They have no reverse manager, which would name
   the id alone; rows are found from the account: `account.workout_exercises.filter(workout=workout)`.

tests/watched_statements.py watches every statement of the suite.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any, Protocol, Self, TypeVar, cast
from uuid import UUID

from django.db import models, router, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.lookups import Exact
from django.db.models.sql.compiler import SQLCompiler

Set = TypeVar("Set")  # what a foreign key may be set to, and what it returns: Django's types have both
Get = TypeVar("Get")


class Owner(Protocol):
    """Whose list it is: an account."""

    @property
    def pk(self) -> Any: ...


class Owned(models.Model):
    """A row of the account in the field `account`, which subclasses declare."""

    account_id: UUID

    class Meta:
        abstract = True

    @property
    def stored(self) -> "models.QuerySet[Self]":
        """The stored row of this instance."""
        return type(self)._base_manager.filter(account=self.account_id, pk=self.pk)

    def refresh_from_db(
        self,
        using: str | None = None,
        fields: Iterable[str] | None = None,
        from_queryset: "models.QuerySet[Self] | None" = None,
    ) -> None:
        rows = type(self)._base_manager.all() if from_queryset is None else from_queryset
        if "account_id" in self.__dict__:  # not deferred
            rows = rows.filter(account=self.account_id)
        super().refresh_from_db(using, fields, rows)

    def delete(self, using: str | None = None, keep_parents: bool = False) -> tuple[int, dict[str, int]]:
        """Deletes the row, after those that refer to it with CASCADE: one statement for each model.

        Rows that refer to it with SET_NULL are left to the caller, and parts have no parts. Sends no signals.
        Returns what Django's method does.
        """
        using = using or router.db_for_write(type(self), instance=self)
        counts, parts = {}, list(parts_of(type(self)))
        with transaction.atomic(using) if parts else nullcontext():
            for part, field in parts:
                rows = part._base_manager.filter(account=self.account_id, **{field: self.pk})
                counts[part._meta.label] = rows._raw_delete(using)
            counts[self._meta.label] = self.stored._raw_delete(using)
        counts = {label: count for label, count in counts.items() if count}
        return sum(counts.values()), counts

    def _do_update(self, base_qs: "models.QuerySet[Self]", *args: Any, **options: Any) -> bool:
        rows = base_qs.filter(account=self.account_id)
        updated: bool = super()._do_update(rows, *args, **options)
        return updated


def parts_of(model: type[Owned]) -> Iterator[tuple[type[models.Model], str]]:
    """Yields (model, name of its foreign key) of each relation by which rows are deleted with the model's."""
    for relation in model._meta.get_fields(include_hidden=True):
        if isinstance(relation, models.ManyToOneRel) and relation.on_delete is models.CASCADE:
            yield cast(type[models.Model], relation.related_model), relation.field.name


def account_of(model: Any) -> "models.Field[Any, Any]":
    """The field `account` of a model."""
    return cast("models.Field[Any, Any]", model._meta.get_field("account"))


class OfAccount(models.Func):
    """The condition that rows which are found by their ids are of an account, too.

    Takes the account's id. The `+` keeps SQLite from searching by it: it would walk all rows of the account,
    instead of looking up the ids.
    """

    template = "%(expressions)s"
    arg_joiner = " = "
    output_field = models.BooleanField()

    def __init__(self, account: UUID) -> None:
        super().__init__(models.F("account_id"), models.Value(account, models.UUIDField()))

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any) -> Any:
        return self.as_sql(compiler, connection, template="+%(expressions)s", **context)


class OwnedForeignKey(models.ForeignKey[Set, Get]):
    """A reference to a row of the same account, which joins and look-ups of the relation name as well.

    For the database and for migrations it is a plain ForeignKey.
    """

    def __init__(self, to: Any, on_delete: Any, **options: Any) -> None:
        super().__init__(to, on_delete, **{"related_name": "+", **options})

    def get_extra_restriction(self, related_alias: str, alias: str) -> Any:
        theirs = account_of(self.related_model).get_col(related_alias)
        return Exact(theirs, account_of(self.model).get_col(alias))

    def get_extra_descriptor_filter(self, instance: Any) -> dict[str, Any]:
        return {"account": instance.account_id}

    def deconstruct(self) -> tuple[str, str, Sequence[Any], dict[str, Any]]:
        name, _, args, options = super().deconstruct()
        return name, "django.db.models.ForeignKey", args, options
