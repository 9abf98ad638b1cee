"""What a kind of record is, to an import: the base of workouts, weights, days of nutrition and the others."""

import datetime
import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from accounts.models import Account
from fitness.imports.findings import Findings, Rows
from fitness.imports.formats import Candidate
from fitness.imports.messages import Said
from fitness.json import dumps
from fitness.web.units import group_thousands


@dataclass(frozen=True)
class Answers:
    """What the person has said that the file does not. Times without an offset are of `zone`."""

    zone: ZoneInfo
    unit: str  # "kg" or "lb", of weights without a unit
    day_first: bool = True  # 04/05/2026 is in May


@dataclass(frozen=True)
class Context:
    """What a Kind needs to make records: for one run, read anew for each of its steps."""

    account: Account
    source: str  # the name of the Format
    answers: Answers


@dataclass
class Record:
    """A record that can be stored, made of a Candidate."""

    values: Any  # the Kind's own
    digest: str  # equal for records that are the same, whatever made them
    rows: Rows = field(default_factory=Rows)  # of the file, by what becomes of them
    day: datetime.date | None = None  # of the calendar, in UTC


@dataclass(frozen=True)
class Stored:
    """A stored record, as the import's item notes it."""

    record_id: str
    fingerprint: str  # differs once somebody has changed the record


PLURAL = re.compile(r"s\b")

Maker = Callable[[Candidate, Findings], Record | None]


class Counted:
    """A kind of record, counted in words."""

    name: ClassVar[str]  # in what is stored
    numbered: ClassVar[Any]  # the lazy text "%(number)s workouts", by `count`; only stubs name its type

    def counted(self, count: int) -> str:
        """Such as `1,200 workouts` or `1 day of nutrition`; empty for none."""
        return self.numbered % {"count": count, "number": group_thousands(count)} if count else ""


class StoredKind(Counted, ABC):
    """One kind of record that an import can have stored."""

    def still_there(self, account: Account, ids: Sequence[str]) -> set[str]:
        """Those of the ids of which there is a record: somebody may have deleted others meanwhile."""
        return set(ids)

    @abstractmethod
    def remove(self, account: Account, stored: Sequence[Stored], *, changed_too: bool) -> list[bool]:
        """Deletes records that an import has stored; for each whether it is gone now.

        One that somebody has changed since stays, unless `changed_too`. The account is locked.
        """


class Kind(StoredKind):
    """One kind of record of other apps' files: how it is made, found, stored and taken back.

    The methods get at most 100 records, and take a constant number of statements, each of which names the
    account. The account is locked where `store` is called.
    """

    label: ClassVar[str]  # "workouts": in what is stored, which is in English
    # Whether records that have equal digests are one, whatever their keys.
    is_one_by_digest: ClassVar[bool] = False

    @property
    def label_of_one(self) -> str:
        return PLURAL.sub("", self.label, count=1)

    @abstractmethod
    def maker(self, context: Context) -> Maker:
        """A function that makes records of candidates, or refuses all that is in one and returns None.

        It adds to `findings` what it refuses and changes, counts refused rows there, and all others in the
        record's `rows`. Whatever is read for it is read by this call.
        """

    @abstractmethod
    def matching(
        self, account: Account, records: Sequence[Record], taken: Collection[str] = ()
    ) -> list[str | None]:
        """For each record the id of the account's record that is the same, or None.

        A record of the account is matched once: of two equal ones in a file one may be new. Those in `taken`
        are matched by earlier records of the file.
        """

    @abstractmethod
    def differing(
        self, account: Account, records: Sequence[Record], known_ids: Sequence[str | None]
    ) -> Sequence[Said]:
        """For each record how the account's own, which keeps it from being stored, differs from it ("has 4
        sets in the file, 3 here"), or "" where there is none.

        `known_ids` has the id of what an earlier import of the source stored under the record's key, which
        may be deleted by now.
        """

    @abstractmethod
    def store(self, account: Account, records: Sequence[Record]) -> list[Stored]:
        """Stores new records, in their order. Raises StorageFull."""

    @abstractmethod
    def rows(self, account: Account, ids: Sequence[str]) -> dict[str, Any]:
        """The account's rows by these ids, without those that are not there any more."""

    @abstractmethod
    def fingerprint(self, row: Any) -> str:
        """That which `store` has returned of the row while nobody has changed it."""

    @abstractmethod
    def delete(self, account: Account, rows: Sequence[Any]) -> None: ...

    def still_there(self, account: Account, ids: Sequence[str]) -> set[str]:
        return set(self.rows(account, [pk for pk in ids if pk]))

    def remove(self, account: Account, stored: Sequence[Stored], *, changed_too: bool) -> list[bool]:
        here = self.rows(account, [one.record_id for one in stored if one.record_id])
        known = {one.record_id: one.fingerprint for one in stored}
        going = {pk for pk, row in here.items() if changed_too or self.fingerprint(row) == known[pk]}
        self.delete(account, [here[pk] for pk in going])
        return [one.record_id not in here or one.record_id in going for one in stored]


def digest_of(value: object) -> str:
    return hashlib.sha256(dumps(value)).hexdigest()
