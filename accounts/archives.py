"""The lists of an archive of an account: how its records leave, and how they come back.

An archive is restored into an account that has no records (fitness/site/data/restoring.py). Every id of the
archive becomes another one, the same wherever the archive has it, so that it can be restored beside the
account that it is of, and no table of references is needed.
"""

import datetime
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, TypeVar, cast
from uuid import UUID, uuid5

from django.core.exceptions import ValidationError as InvalidValue
from django.db import connection
from django.db.models import Field, QuerySet
from django.utils.translation import gettext_noop, ngettext_lazy
from rest_framework.exceptions import ValidationError

from accounts.api.serializers import ProfileSerializer
from accounts.imports.kinds import Counted
from accounts.models import Account
from fitness.api import fields
from fitness.api.parsers import is_uuid
from fitness.api.serializers import StrictSerializer, Values
from fitness.db.batches import in_batches
from fitness.db.owned import parts_of
from fitness.imports.findings import Findings
from fitness.imports.messages import Message, Said, as_message

LAST_BITS = 2**32 - 1  # of an id: those before them are its time and its place among ids of that time

Document = dict[str, Any]
Made = TypeVar("Made")


class Reference(NamedTuple):
    """A field with the key of a record in another list."""

    field: str
    to: str
    or_null: bool = False
    is_id: bool = True  # which becomes another one; a day stays what it is


class LeftOut(Exception):
    """A record that the others can do without: an account that was in use left it behind in its archive."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field, self.text = field, text


class Restoring(ABC):
    """An archive on its way into an account: what its records need of it and of each other."""

    def __init__(self, account: Account, run_id: UUID, findings: Findings) -> None:
        self.account, self.run_id, self.findings = account, run_id, findings
        self.line = 0  # the number of the record in its list
        self.made: dict[Callable[[Restoring], Any], Any] = {}

    @abstractmethod
    def keys(self, name: str) -> Collection[str]:
        """The keys of the records of a list that are not refused."""

    @abstractmethod
    def documents(self, name: str, *keys: str) -> dict[str, Document]:
        """The records of a list that are not refused, by their keys; all of them, or those with some keys."""

    def new_id(self, archived_id: object) -> UUID:
        """The id that a record gets here. The order of ids stays as it was; other texts get one as well."""
        text = str(archived_id)
        if is_uuid(text):
            return UUID(int=UUID(text).int ^ (self.run_id.int & LAST_BITS))
        return uuid5(self.run_id, text)

    def referred(self, reference: Reference, document: Document) -> Document:
        """What a record refers to. Raises ValidationError where that is refused."""
        key = str(document[reference.field])
        if found := self.documents(reference.to, key):
            return found[key]
        raise ValidationError({reference.field: ["is of a record that is refused."]})

    def of(self, make: "Callable[[Restoring], Made]") -> Made:
        """What `make` reads for all records, made once."""
        if make not in self.made:
            self.made[make] = make(self)
        made: Made = self.made[make]
        return made

    def change(self, column: str, text: Said) -> None:
        """Notes that something of the record is restored otherwise than the archive has it."""
        self.findings.change(self.line, column, text)


class CreatedSerializer(StrictSerializer):
    """When a record was made; a time in the future becomes that of the restore."""

    created_at = fields.TimestampField(default=None, allow_null=True)


class ArchiveList(Counted):
    """A list of an archive, with the records of one model."""

    rows: ClassVar[QuerySet[Any]]  # of all accounts
    order: ClassVar[tuple[str, ...]]
    serializer: ClassVar[type[StrictSerializer]]
    managed: ClassVar[type[StrictSerializer] | None] = None  # what clients of the API cannot set
    key: ClassVar[tuple[str, ...]] = ("id",)  # by which a record is known; without, there is only one
    references: ClassVar[tuple[Reference, ...]] = ()
    most: ClassVar[int | None] = None  # that an account may have, where a page shows all of them
    most_of: ClassVar[str] = ""  # the field of whose value `most` is; without, of the account
    # Whether an account may have some before: these stay, and are no reason against a restore.
    is_setting: ClassVar[bool] = False

    # --- Into an archive -------------------------------------------------------------------------------

    def document(self, row: Any) -> object:
        """A row as the API returns it; a Fragment where it is stored as text."""
        return self.serializer.rendered(row)

    def documents(self, account: Account) -> Iterator[object]:
        """The documents, read from the database while they are iterated."""
        return map(self.document, in_batches(self.rows, account, self.order))

    def of(self, account: Account) -> QuerySet[Any]:
        return self.rows.filter(account=account)

    # --- Out of an archive -----------------------------------------------------------------------------

    def values(self, document: Document, restoring: Restoring) -> Values:
        """The values of the model's fields. Raises ValidationError, and LeftOut."""
        values = self.validated(document)
        if self.key == ("id",):
            values["id"] = restoring.new_id(document["id"])
        for field, _, _, is_id in self.references:
            if is_id:
                values[field] = document[field] and restoring.new_id(document[field])
        return values

    def days(self, values: Values) -> list[datetime.date]:
        """The days of which a record is, in UTC, where an archive's are counted."""
        return []

    def validated(self, document: Document, context: dict[str, Any] | None = None) -> Values:
        """By the API's serializer; what it does not take is validated by `managed`."""
        values = self.serializer.validated(document, context)
        if self.managed is None:
            return values
        names = self.managed.shared().fields.keys()
        managed = self.managed.validated({name: document[name] for name in names if name in document})
        return {**values, **managed}

    def store(self, account: Account, values: Sequence[Values]) -> None:
        """Stores new records, in their order, in a transaction in which the account is locked."""
        rows = self.new_rows(account, values)
        if self.most is not None and self.is_setting:  # with those that the account has already
            rows = rows[: max(self.most - self.of(account).count(), 0)]
        self.rows.model._default_manager.bulk_create(rows, ignore_conflicts=self.is_setting)

    def new_rows(self, account: Account, values: Sequence[Values]) -> list[Any]:
        return [self.rows.model(account=account, **one) for one in values]

    def remove_some(self, account: Account, most: int) -> int:
        """Deletes rows of the account, with those that refer to them with CASCADE; returns how many."""
        ids = list(self.of(account).order_by().values_list("pk", flat=True)[:most])
        if ids:
            for part, name in parts_of(self.rows.model):
                referring = part._base_manager.filter(account=account, **{f"{name}__in": ids})
                referring._raw_delete(connection.alias)
            self.of(account).filter(pk__in=ids)._raw_delete(connection.alias)
        return len(ids)


class FlatList(ArchiveList):
    """A list whose documents are flat, so that it is a CSV file, too."""

    @cached_property
    def header(self) -> tuple[str, ...]:
        return tuple(self.serializer.shared().fields)


class CreatedList(ArchiveList):
    """A list in the order of creation, which stays as it was."""

    managed = CreatedSerializer
    order: ClassVar[tuple[str, ...]] = ("created_at", "id")

    def new_rows(self, account: Account, values: Sequence[Values]) -> list[Any]:
        stamped = zip(values, account.stamp(len(values)), strict=True)
        return super().new_rows(account, [with_times(one, stamp) for one, stamp in stamped])


def with_times(values: Values, stamp: datetime.datetime) -> Values:
    """The values with times that are not after the restore, which is that of records without any."""
    return {**values, "created_at": not_after(stamp, values["created_at"])}


def not_after(stamp: datetime.datetime, at: datetime.datetime | None) -> datetime.datetime:
    return min(at, stamp) if at else stamp


# --- The profile, which is no list: it fills what is empty in the account's ------------------------------

NOTHING_CHOSEN = {
    "display_name": "",
    "height_cm": None,
    "birth_date": None,
    "gender": None,
    "goal": Account.TrainingGoal.MAINTAIN,
}
LEFT_OUT = gettext_noop("is left out: %(problem)s")


class Profile(ArchiveList):
    name = "profile"
    numbered = ngettext_lazy("%(number)s profile", "%(number)s profiles", "count")
    serializer = ProfileSerializer
    rows = Account.objects.none()

    def values(self, document: Document, restoring: Restoring) -> Values:
        """The values that are not empty. What the form of the settings would refuse is left out."""
        values = {}
        for name in NOTHING_CHOSEN:
            if (value := document.get(name)) is None:
                continue
            try:
                read = ProfileSerializer.shared().fields[name].run_validation(value)
                values[name] = cast("Field[Any, Any]", Account._meta.get_field(name)).clean(read, None)
            except (ValidationError, InvalidValue) as error:
                said = error.messages if isinstance(error, InvalidValue) else cast(list[str], error.detail)
                restoring.change(f"profile: {name}", Message(LEFT_OUT, {"problem": as_message(said[0])}))
        return values

    def store(self, account: Account, values: Sequence[Values]) -> None:
        stored = Account.objects.filter(pk=account.pk)
        here = stored.values(*NOTHING_CHOSEN).get()
        empty = {name for name, value in here.items() if value == NOTHING_CHOSEN[name]}
        for one in values:
            stored.update(**{name: value for name, value in one.items() if name in empty})
