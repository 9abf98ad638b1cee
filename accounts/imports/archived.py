"""Records that only our own archive has, and weights: what their kinds share.

The payload of such a Candidate is `{"document": the record as the API writes it}`, and its key is the id that
the record has there. The serializer of the API validates the document; what the server manages, and an
archive brings along (times of creation, counters), is validated by a serializer of the kind's own.
"""

import datetime
import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django.core.exceptions import ValidationError as InvalidValue
from django.db import connection
from django.db.models import QuerySet
from django.utils.translation import gettext_noop
from rest_framework.exceptions import ValidationError

from accounts.imports.kinds import Context, Kind, Record, Stored
from accounts.models import Account
from fitness.api import fields
from fitness.api.errors import problems
from fitness.api.serializers import StrictSerializer, Values
from fitness.db.owned import parts_of
from fitness.imports.findings import Code, Findings, Rows
from fitness.imports.formats import Candidate
from fitness.json import dumps

MAX_REASON = 300
GONE = Stored("", "")  # of a record that refers to one that was not stored

Document = dict[str, Any]


@dataclass(frozen=True)
class Archived:
    """A record of an archive: its id there, and the values of the model's fields."""

    source_id: str
    values: Values


class Place:
    """Where in an archive a document is, for what is said about it: the line is its number in its list."""

    def __init__(self, label: str, candidate: Candidate, findings: Findings) -> None:
        self.label, self.line, self.findings = label, candidate.lines[0], findings

    def refuse(self, error: ValidationError) -> None:
        """Says the first problem of a document that the API would refuse."""
        path, message = next(problems(error.detail))
        code = Code.EXERCISE if path.endswith("exercise_id") else Code.NUMBER
        self.findings.refuse(self.line, self.column(path), "", code, message[:MAX_REASON])

    def change(self, path: str, text: str) -> None:
        self.findings.change(self.line, self.column(path), text[:MAX_REASON])

    def column(self, path: str) -> str:
        return f"{self.label}: {path}" if path else self.label


class CreatedSerializer(StrictSerializer):
    """When a record was made; later than now is not believed."""

    created_at = fields.TimestampField(default=None, allow_null=True)


class ArchivedKind(Kind):
    """A kind of record that is matched by its values, and stored by one statement for many."""

    model: ClassVar[type[Any]]  # an Owned, whose field `account` its subclasses declare
    serializer: ClassVar[type[StrictSerializer]]
    managed: ClassVar[type[StrictSerializer] | None] = None
    compared: ClassVar[tuple[str, ...]]  # the fields in which records that are the same are equal
    found_by: ClassVar[tuple[str, ...]] = ()  # those of them by which such rows are looked for
    order: ClassVar[tuple[str, ...]] = ()

    def maker(self, context: Context) -> Callable[[Candidate, Findings], Record | None]:
        read = self.reader(context)

        def make(candidate: Candidate, findings: Findings) -> Record | None:
            place = Place(self.label, candidate, findings)
            try:
                values = read(candidate.payload["document"], place)
            except ValidationError as error:
                place.refuse(error)
                return None
            return Record(Archived(candidate.key, values), self.digest(values), Rows(records=1))

        return make

    def reader(self, context: Context) -> Callable[[Document, Place], Values]:
        """A function that returns the values of a document. It raises ValidationError."""
        return lambda document, place: self.validated(document)

    def validated(self, document: Document, context: dict[str, Any] | None = None) -> Values:
        values = self.serializer.validated(document, context)
        if self.managed is None:
            return values
        names = self.managed.shared().fields.keys()
        return {
            **values,
            **self.managed.validated({name: document[name] for name in names if name in document}),
        }

    def digest(self, values: Mapping[str, Any]) -> str:
        return digest_of([self.comparable(name, values[name]) for name in self.compared])

    def comparable(self, name: str, value: Any) -> Any:
        """What is compared of a field's value."""
        return value

    def values_of(self, row: Any) -> Values:
        return {name: getattr(row, name) for name in self.compared}

    def rows(self, account: Account) -> QuerySet[Any]:
        rows: QuerySet[Any] = self.model._default_manager.filter(account=account)
        return rows

    def alike(self, account: Account, values: Sequence[Values]) -> QuerySet[Any]:
        """The account's rows among which are all that equal some of the values."""
        among = {f"{name}__in": {one[name] for one in values} - {None} for name in self.found_by}
        return self.rows(account).filter(**among).order_by(*self.order)

    def matching(
        self, account: Account, records: Sequence[Record], taken: Collection[str] = ()
    ) -> list[str | None]:
        known: defaultdict[str, list[str]] = defaultdict(list)
        for row in self.alike(account, [record.values.values for record in records]):
            if str(row.pk) not in taken:
                known[self.digest(self.values_of(row))].append(str(row.pk))
        return [known[record.digest].pop(0) if known[record.digest] else None for record in records]

    def differing(
        self, account: Account, records: Sequence[Record], known_ids: Sequence[str | None]
    ) -> list[str]:
        """An archive of this account has the ids of its own records, which may have changed since."""
        ids = [
            {record.values.source_id, known_id} for record, known_id in zip(records, known_ids, strict=True)
        ]
        wanted = {one for some in ids for one in some if one and self.is_key(one)}
        there = {str(pk) for pk in self.rows(account).filter(pk__in=wanted).values_list("pk", flat=True)}
        return [gettext_noop("was changed since") if some & there else "" for some in ids]

    def is_key(self, text: str) -> bool:
        try:
            self.model._meta.pk.to_python(text)
        except InvalidValue:
            return False
        return True

    def still_there(self, account: Account, ids: Sequence[str]) -> set[str]:
        return {str(pk) for pk in self.rows(account).filter(pk__in=ids).values_list("pk", flat=True)}

    def store(self, account: Account, records: Sequence[Record]) -> list[Stored]:
        """Stores the records and returns their ids, or GONE for one whose reference was not stored."""
        rows = list(self.new_rows(account, [record.values.values for record in records]))
        self.model._default_manager.bulk_create([row for row in rows if row])
        return [Stored(str(row.pk), self.fingerprint(row)) if row else GONE for row in rows]

    def new_rows(self, account: Account, values: Sequence[Values]) -> Iterator[Any]:
        """Unsaved rows, or None where what a record refers to is not stored."""
        for one in values:
            yield self.model(account=account, **one)

    def fingerprint(self, row: Any) -> str:
        return self.digest(self.values_of(row))

    def remove(self, account: Account, stored: Sequence[Stored], *, changed_too: bool) -> list[bool]:
        ids = [one.record_id for one in stored if one.record_id]
        there = {str(row.pk): self.fingerprint(row) for row in self.rows(account).filter(pk__in=ids)}
        kept = set()
        if not changed_too:
            kept = self.in_use(account, ids) | {
                one.record_id
                for one in stored
                if there.get(one.record_id, one.fingerprint) != one.fingerprint
            }
        self.delete(account, [pk for pk in there if pk not in kept])
        return [one.record_id not in kept for one in stored]

    def in_use(self, account: Account, ids: Sequence[str]) -> set[str]:
        """Those of the ids to which other records of the account refer."""
        return set()

    def delete(self, account: Account, ids: Sequence[str]) -> None:
        """Deletes rows after those that refer to them with CASCADE, by one statement for each model."""
        for part, name in parts_of(self.model):
            of_ids = part._base_manager.filter(account=account, **{f"{name}__in": ids})
            of_ids._raw_delete(connection.alias)
        self.model._base_manager.filter(account=account, pk__in=ids)._raw_delete(connection.alias)


class CreatedKind(ArchivedKind):
    """A kind whose records are listed in the order of their creation, which stays as it was."""

    managed = CreatedSerializer
    order = ("created_at", "id")

    def new_rows(self, account: Account, values: Sequence[Values]) -> Iterator[Any]:
        for one, stamp in zip(values, account.stamp(len(values)), strict=True):
            yield self.model(account=account, **{**one, "created_at": not_after(stamp, one["created_at"])})


class OnlyOneKind(ArchivedKind):
    """A kind of which the account has one row at most for the values of some fields.

    One that is there is never overwritten. Of several in a file that are one here, the first is stored.
    """

    found_by: ClassVar[tuple[str, ...]]  # of these fields
    taken: ClassVar[str]  # what is said of a record where there is another one

    def place_of(self, values: Values) -> tuple[Any, ...]:
        return tuple(values[name] for name in self.found_by)

    def differing(
        self, account: Account, records: Sequence[Record], known_ids: Sequence[str | None]
    ) -> list[str]:
        wanted = [record.values.values for record in records]
        there = {self.place_of(self.values_of(row)) for row in self.alike(account, wanted)}
        return [self.taken if self.place_of(one) in there else "" for one in wanted]

    def new_rows(self, account: Account, values: Sequence[Values]) -> Iterator[Any]:
        seen = set()
        for one in values:
            place = self.place_of(one)
            yield None if place in seen or None in place else self.new_row(account, one)
            seen.add(place)

    def new_row(self, account: Account, values: Values) -> Any:
        return self.model(account=account, **values)


def not_after(stamp: datetime.datetime, at: datetime.datetime | None) -> datetime.datetime:
    """A time of creation; that of the import where the archive has none, or one that is still to come."""
    return min(at, stamp) if at else stamp


def digest_of(value: object) -> str:
    return hashlib.sha256(dumps(value)).hexdigest()
