"""Days of nutrition out of the files of MyFitnessPal and Cronometer."""

import datetime
import hashlib
import json
import math
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import Any, ClassVar, TypedDict

from django.db import connection
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext_noop, ngettext_lazy

from accounts.imports.kinds import Context, Kind, Record, Stored
from accounts.models import Account
from fitness.imports.cells import Cells, Refused, value_of
from fitness.imports.documents import validated
from fitness.imports.findings import Code, Findings, Rows
from fitness.imports.formats import Candidate, Format
from fitness.imports.messages import Message, Said
from fitness.imports.tables import Row, Table
from fitness.imports.values import Moments, moment_of
from nutrition.api.serializers import WholeDaySerializer
from nutrition.models import MAX_MACROS, Amounts, NutritionDay

DAYS = ("date", "day")
DIFFERENCE = gettext_noop("has %(ours)s kcal in the file, %(theirs)s here")
DECIMALS = 6  # of a day's totals, as NutritionDay.add rounds them


class DayPayload(TypedDict):
    """A day as the file has it."""

    day: str  # as Moments.read_day returns it
    totals: Amounts
    rows: int


class Day:
    """A day while its rows add up."""

    def __init__(self, line: int) -> None:
        self.first = self.last = line
        self.amounts: list[Amounts] = []

    def add(self, line: int, amounts: Amounts) -> None:
        self.last = line
        self.amounts.append(amounts)

    @property
    def totals(self) -> Amounts:
        return {
            name: round(math.fsum(amounts[name] for amounts in self.amounts), DECIMALS) for name in MAX_MACROS
        }


class NutritionFormat(Format):
    """A table of what was eaten: its rows add up by day."""

    macros: ClassVar[dict[str, str]]  # the names of columns, by those of MAX_MACROS

    def read(self, table: Table, findings: Findings) -> Iterator[Candidate]:
        moments = Moments(date_of(row) for row in table.rows(Findings()))
        days: dict[str, Day] = {}
        for row in table.rows(findings):
            if is_total(row):
                findings.rows.ignored += 1
                continue
            try:
                day, amounts = self.amounts_of(Cells(row, table), moments)
            except Refused as refused:
                refused.tell(findings, row.line)
            else:
                days.setdefault(day, Day(row.line)).add(row.line, amounts)
        findings.asks |= moments.asks
        for day, found in days.items():
            if any(found.totals.values()):
                payload: DayPayload = {"day": day, "totals": found.totals, "rows": len(found.amounts)}
                yield Candidate("nutrition", day, (found.first, found.last), {**payload})
            else:
                findings.rows.ignored += len(found.amounts)  # nothing was noted that day

    def amounts_of(self, cells: Cells, moments: Moments) -> tuple[str, Amounts]:
        day = value_of("date", cells.text(*DAYS), Code.DATE, moments.read_day)
        return day, {name: cells.number(column) or 0.0 for name, column in self.macros.items()}


class MyFitnessPal(NutritionFormat):
    name = "myfitnesspal"
    label = "MyFitnessPal"
    where = gettext_noop(
        "On the website: Settings, Account, Download your data. The ZIP archive can be chosen as it is."
    )
    macros = {
        "calories": "calories",
        "protein_g": "protein (g)",
        "carbs_g": "carbohydrates (g)",
        "fat_g": "fat (g)",
    }
    columns = (("date",), ("meal",), *([name] for name in macros.values()))


class Cronometer(NutritionFormat):
    name = "cronometer"
    label = "Cronometer"
    where = gettext_noop(
        "On the website: More, Account, Export Data, Daily Nutrition or Food & Recipe Entries."
    )
    macros = {
        "calories": "energy (kcal)",
        "protein_g": "protein (g)",
        "carbs_g": "carbs (g)",
        "fat_g": "fat (g)",
    }
    columns = (DAYS, *([name] for name in macros.values()))


FORMATS: list[Format] = [MyFitnessPal(), Cronometer()]


def date_of(row: Row) -> str:
    return next((row.cells[name] for name in DAYS if row.cells.get(name)), "")


def is_total(row: Row) -> bool:
    """Whether a row adds up others, as some exports have it below a day or at the end."""
    return any("total" in text.lower() for text in (date_of(row), row.cells.get("meal", "")))


class NutritionKind(Kind):
    """Days, of which an account has one each: one that is there is never overwritten."""

    name = "nutrition"
    label = "days of nutrition"
    numbered = ngettext_lazy("%(number)s day of nutrition", "%(number)s days of nutrition", "count")

    def maker(self, context: Context) -> Callable[[Candidate, Findings], Record | None]:
        def make(candidate: Candidate, findings: Findings) -> Record | None:
            line, rows = candidate.lines[0], candidate.payload.get("rows", 1)
            try:
                document = document_of(candidate, context)
            except Refused as refused:
                refused.tell(findings, line, rows)
                return None
            columns = {"calories": "calories", "protein_g": "protein", "carbs_g": "carbs", "fat_g": "fat"}
            day = validated(WholeDaySerializer, document, findings, line, columns, rows)
            return None if day is None else Record(day, digest(day), Rows(records=rows), day["day"])

        return make

    def matching(
        self, account: Account, records: Sequence[Record], taken: Collection[str] = ()
    ) -> list[str | None]:
        there = {digest({"day": day, **macros}) for day, macros in macros_of(account, records).items()}
        return [str(record.values["day"]) if record.digest in there else None for record in records]

    def differing(
        self, account: Account, records: Sequence[Record], known_ids: Sequence[str | None]
    ) -> list[Said]:
        there = macros_of(account, records)
        found = [(record.values, there.get(record.values["day"])) for record in records]
        return [difference(ours, theirs) if theirs else "" for ours, theirs in found]

    def store(self, account: Account, records: Sequence[Record]) -> list[Stored]:
        """Of several records of a day, the first one is stored."""
        days: dict[datetime.date, NutritionDay] = {}
        for record in records:
            day = NutritionDay(account=account, **record.values)
            days.setdefault(day.day, day)
        NutritionDay.objects.bulk_create(days.values())
        stored = {day: Stored(str(day), self.fingerprint(kept)) for day, kept in days.items()}
        return [stored[record.values["day"]] for record in records]

    def rows(self, account: Account, ids: Sequence[str]) -> dict[str, NutritionDay]:
        entries = account.food_entries.filter(nutrition_day=OuterRef("pk"))
        days = account.nutrition_days.filter(day__in=ids).annotate(has_entries=Exists(entries))
        return {str(day.day): day for day in days}

    def fingerprint(self, row: NutritionDay) -> str:
        """Entries are a change: what they add may be taken off again."""
        return "" if getattr(row, "has_entries", False) else digest({"day": row.day, **row.macros})

    def delete(self, account: Account, rows: Sequence[NutritionDay]) -> None:
        pks = [row.pk for row in rows]
        account.food_entries.filter(nutrition_day__in=pks)._raw_delete(connection.alias)
        account.nutrition_days.filter(pk__in=pks)._raw_delete(connection.alias)


def document_of(candidate: Candidate, context: Context) -> dict[str, Any]:
    """The day as the API has it. Raises Refused."""
    payload = candidate.payload
    read = partial(moment_of, zone=datetime.UTC, day_first=context.answers.day_first)
    day = value_of("date", payload["day"], Code.DATE, read).date()
    return {"day": day.isoformat(), **payload["totals"]}


def macros_of(account: Account, records: Sequence[Record]) -> dict[datetime.date, Amounts]:
    """The macros of the account's days that the records are of."""
    days = account.nutrition_days.filter(day__in=[record.values["day"] for record in records])
    return {day.day: day.macros for day in days}


def digest(values: dict[str, Any]) -> str:
    text = json.dumps([str(values["day"]), *(round(values[name], DECIMALS) + 0.0 for name in MAX_MACROS)])
    return hashlib.sha256(text.encode()).hexdigest()


def difference(ours: dict[str, Any], theirs: Amounts) -> Said:
    """How the macros of a file's day differ from those of the account's, or "" if they do not."""
    if digest(ours) == digest({**ours, **theirs}):
        return ""
    if ours["calories"] != theirs["calories"]:
        return Message(DIFFERENCE, {"ours": f"{ours['calories']:g}", "theirs": f"{theirs['calories']:g}"})
    return gettext_noop("has other macronutrients in the file")
