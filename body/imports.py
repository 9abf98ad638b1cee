"""Body weights out of the files of other apps: Renpho, Withings, Fitbit, and tables of dates and weights."""

import datetime
import hashlib
import json
import re
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Generic, TypedDict, cast
from uuid import UUID

from django.db import connection
from django.utils.translation import gettext_noop, ngettext_lazy

from accounts.imports.kinds import Answers, Context, Kind, Maker, Record, Stored
from accounts.models import Account
from body.api.serializers import MeasurementSerializer, WeightLogSerializer
from body.models import SITES, L, LogQuerySet, Measurement, WeightLog
from fitness.api.serializers import StrictSerializer
from fitness.imports.cells import WEIGHTS, Cells, Refused, value_of
from fitness.imports.documents import bound, cut, validated
from fitness.imports.findings import Ask, Code, Findings, Rows
from fitness.imports.formats import Candidate, Format
from fitness.imports.messages import Message, Said
from fitness.imports.tables import Row, Table
from fitness.imports.values import NONE, Moments, kg_of, known_as, moment_of
from fitness.json import timestamp

MAX_NOTES = bound(WeightLogSerializer, "notes", "max_length")
DATES = ("time of measurement", "date", "datum", "tag")
TIMES = ("time", "uhrzeit", "zeit")  # beside the date
NOTES = (
    "remarks",
    "comments",
    "comment",
    "notes",
    "bemerkung",
    "bemerkungen",
    "notiz",
    "notizen",
    "kommentar",
)
BODY_FAT = re.compile(
    r"(?:% ?|percent (?:of )?)?"
    r"(?:(?:body[ _-]?fat|körperfett|fat[ _]mass|fettmasse).*"
    r"|(?:fat|fett)[ _]?[(\[]?(?:%|percent(?:age)?|kg|lbs?)?[)\]]?)"
)
MASS = re.compile(r"(?!.*(?:%|percent)).*(?:mass|kg|lb)")  # columns of fat that are no percentages
OTHERS = ("exercise", "übung")  # of tables that are no weights of a body
DIFFERENCE = gettext_noop("is %(ours)s kg in the file, %(theirs)s kg here")
OTHER_GIRTH = gettext_noop("is %(ours)s cm in the file, %(theirs)s cm here")
PART_OF_ONE = gettext_noop("%(part)s is stored as %(percent)s %%")
COLUMNS = {"weight_kg": "weight", "body_fat_percent": "body fat"}


class WeightPayload(TypedDict):
    """A weight as the file has it."""

    at: str  # as Moments.read returns it
    weight: float
    unit: str | None
    body_fat_percent: float | None
    notes: str


class WeightFormat(Format):
    name = "weight"
    label = gettext_noop("Weights (Renpho, Withings, Fitbit or a table)")
    where = gettext_noop(
        "Renpho: a graph, then Share, CSV. Withings: Settings, Download your data. "
        "Fitbit, on the website: Settings, Data Export, Body, CSV."
    )
    columns = (DATES, WEIGHTS)

    def fits(self, header: frozenset[str]) -> int:
        return 0 if any(other in name for name in header for other in OTHERS) else super().fits(header)

    def read(self, table: Table, findings: Findings) -> Iterator[Candidate]:
        moments = Moments(date_of(row) for row in table.rows(Findings()))
        for row in table.rows(findings):
            try:
                payload = payload_of(Cells(row, table), moments)
            except Refused as refused:
                refused.tell(findings, row.line)
                continue
            if payload["unit"] is None:
                findings.asks.add(Ask.UNIT)
                findings.heaviest = max(findings.heaviest, payload["weight"])
            yield Candidate("weight", known_as(payload["at"]), (row.line, row.line), {**payload})
        findings.asks |= moments.asks


def date_of(row: Row) -> str:
    return next((row.cells[name] for name in DATES if row.cells.get(name)), "")


def payload_of(cells: Cells, moments: Moments) -> WeightPayload:
    dates = [name for name in DATES if name in cells.cells]
    date = next(filter(cells.text, dates), dates[0])
    at = cells.moment(moments, date, *TIMES)  # Renpho has two columns
    weight = cells.weight()
    if weight is None:
        raise Refused("weight", "", Code.EMPTY, gettext_noop("no weight"))
    notes = [text for name in NOTES if (text := cells.text(name)) not in NONE]
    return {
        "at": at,
        "weight": weight.value,
        "unit": weight.unit,
        "body_fat_percent": body_fat_percent(cells, weight.value),
        "notes": "\n".join(notes),
    }


def body_fat_percent(cells: Cells, weight: float) -> float | None:
    """Body fat as the file has it, or its part of the weight; 0 is what apps write for none."""
    names = [name for name in cells.cells if BODY_FAT.fullmatch(name)]
    for name in names or ["fat"]:
        fat = cells.percent(name)
        if fat and MASS.match(name):
            return round(100 * fat / weight, 2) if weight > 0 else None
        if fat:
            return fat
    return None


def percent_of(fat: float | None, findings: Findings, line: int) -> float | None:
    """Nobody has less than 1 % of fat: such a number is a part of one, as spreadsheets have percentages."""
    if fat is None or not 0 < fat < 1:
        return fat
    percent = round(100 * fat, 2)
    findings.change(
        line,
        COLUMNS["body_fat_percent"],
        Message(PART_OF_ONE, {"part": f"{fat:g}", "percent": f"{percent:g}"}),
    )
    return percent


FORMATS: list[Format] = [WeightFormat()]


class LogKind(Kind, Generic[L]):
    """Values that were measured at one time: the same if they are of one minute and equal to 0.01."""

    is_one_by_digest = True
    model: ClassVar[type[WeightLog] | type[Measurement]]
    serializer: ClassVar[type[StrictSerializer]]
    value: ClassVar[str]  # the field in which two logs of one minute differ
    values: ClassVar[Sequence[str]]  # fields whose change is one of the log
    columns: ClassVar[dict[str, str]]  # of files, by field

    @abstractmethod
    def logs(self, account: Account) -> LogQuerySet[L]: ...

    @abstractmethod
    def document(self, candidate: Candidate, context: Context, findings: Findings) -> dict[str, Any]:
        """The log as a client of the API would send it. Raises Refused."""

    @abstractmethod
    def difference(self, ours: float, theirs: float) -> Said:
        """How a value that an import has stored differs from that of the file."""

    def maker(self, context: Context) -> Maker:
        def make(candidate: Candidate, findings: Findings) -> Record | None:
            line = candidate.lines[0]
            try:
                document = self.document(candidate, context, findings)
            except Refused as refused:
                refused.tell(findings, line)
                return None
            log = validated(self.serializer, document, findings, line, self.columns)
            if log is None:
                return None
            digest = digest_of(log["logged_at"], log[self.value])
            return Record(log, digest, Rows(records=1), log["logged_at"].date())

        return make

    def matching(
        self, account: Account, records: Sequence[Record], taken: Collection[str] = ()
    ) -> list[str | None]:
        known: defaultdict[str, list[str]] = defaultdict(list)
        moments = [record.values["logged_at"] for record in records]
        for row in of_minutes(self.logs(account), moments).exclude(**{self.value: None}):
            if str(row.pk) not in taken:
                known[digest_of(row.logged_at, getattr(row, self.value))].append(str(row.pk))
        return [known[record.digest].pop(0) if known[record.digest] else None for record in records]

    def differing(
        self, account: Account, records: Sequence[Record], known_ids: Sequence[str | None]
    ) -> list[Said]:
        ids = [pk for pk in known_ids if pk]
        here = dict(self.logs(account).filter(pk__in=ids).values_list("pk", self.value))
        values = [here.get(UUID(pk)) if pk else None for pk in known_ids]
        return [
            "" if value is None else self.difference(record.values[self.value], value)
            for record, value in zip(records, values, strict=True)
        ]

    def store(self, account: Account, records: Sequence[Record]) -> list[Stored]:
        logs = [cast(L, self.model(account=account, **record.values)) for record in records]
        self.logs(account).bulk_create(logs)
        return [Stored(str(log.pk), self.fingerprint(log)) for log in logs]

    def rows(self, account: Account, ids: Sequence[str]) -> dict[str, L]:
        return {str(log.pk): log for log in self.logs(account).filter(pk__in=ids)}

    def fingerprint(self, row: L) -> str:
        values = [*(getattr(row, name) for name in self.values), timestamp(row.logged_at)]
        return hashlib.sha256(json.dumps(values).encode()).hexdigest()

    def delete(self, account: Account, rows: Sequence[L]) -> None:
        self.logs(account).filter(pk__in=[row.pk for row in rows])._raw_delete(connection.alias)


class WeightKind(LogKind[WeightLog]):
    name = "weight"
    label = "weights"
    numbered = ngettext_lazy("%(number)s weight", "%(number)s weights", "count")
    model, serializer, value = WeightLog, WeightLogSerializer, "weight_kg"
    values = ("weight_kg", "body_fat_percent", "notes")
    columns = COLUMNS

    def logs(self, account: Account) -> LogQuerySet[WeightLog]:
        return account.weight_logs.all()

    def document(self, candidate: Candidate, context: Context, findings: Findings) -> dict[str, Any]:
        payload, line, answers = candidate.payload, candidate.lines[0], context.answers
        return {
            "weight_kg": kg_of(payload["weight"], payload["unit"] or answers.unit),
            "body_fat_percent": percent_of(payload["body_fat_percent"], findings, line),
            "notes": cut(payload["notes"], MAX_NOTES, findings, line, "notes"),
            "logged_at": logged_at(payload, answers),
        }

    def difference(self, ours: float, theirs: float) -> Said:
        return difference(ours, theirs)


class WaistKind(LogKind[Measurement]):
    """The only girth that files of others have."""

    name = "measurement"
    label = "measurements"
    numbered = ngettext_lazy("%(number)s measurement", "%(number)s measurements", "count")
    model, serializer, value = Measurement, MeasurementSerializer, "waist_cm"
    values = SITES
    columns = {"waist_cm": "waist"}

    def logs(self, account: Account) -> LogQuerySet[Measurement]:
        return account.measurements.all()

    def document(self, candidate: Candidate, context: Context, findings: Findings) -> dict[str, Any]:
        payload = candidate.payload
        return {"waist_cm": payload["waist_cm"], "logged_at": logged_at(payload, context.answers)}

    def difference(self, ours: float, theirs: float) -> Said:
        return difference(ours, theirs, OTHER_GIRTH)


def digest_of(logged_at: datetime.datetime, value: float) -> str:
    return f"{logged_at.astimezone(datetime.UTC):%Y-%m-%dT%H:%M} {round(value * 100)}"


def of_minutes(logs: LogQuerySet[L], moments: Sequence[datetime.datetime]) -> LogQuerySet[L]:
    """Those of the logs among which are those of the minutes of these moments."""
    if not moments:
        return logs.none()
    since = min(moments).replace(second=0, microsecond=0)
    until = max(moments).replace(second=59, microsecond=999_999)
    return logs.filter(logged_at__range=(since, until))


def logged_at(payload: Mapping[str, Any], answers: Answers) -> str:
    """When a value was measured. Raises Refused."""
    read = partial(moment_of, zone=answers.zone, day_first=answers.day_first)
    return timestamp(value_of("date", payload["at"], Code.DATE, read))


def difference(ours: float, theirs: float, said: str = DIFFERENCE) -> Said:
    if round(ours, 2) == round(theirs, 2):
        return gettext_noop("has another time here")
    return Message(said, {"ours": f"{ours:g}", "theirs": f"{theirs:g}"})
