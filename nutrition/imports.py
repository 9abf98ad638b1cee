"""Days of nutrition, with what was eaten, out of the files of MyFitnessPal and Cronometer."""

import datetime
import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import Any, ClassVar, NamedTuple, TypedDict

from django.db import connection
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
from nutrition.models import DECIMALS, MAX_ENTRIES, MAX_MACROS, Amounts, FoodEntry, KnownAmounts, NutritionDay

DAYS = ("date", "day")
MEALS_OF_FILES, FOODS_OF_FILES = ("meal", "group"), ("food name", "food")
MEALS = {
    **{meal.value: meal for meal in FoodEntry.Meal},
    "snack": FoodEntry.Meal.SNACKS,
    "uncategorized": FoodEntry.Meal.OTHER,  # Cronometer's
}
MAX_NAME = 200
DIFFERENCE = gettext_noop("has %(ours)s kcal in the file, %(theirs)s here")
FIELDS = ("day", *MAX_MACROS, "logged_at", "is_complete")  # of a day, by WholeDaySerializer


class EntryPayload(TypedDict):
    """What was eaten, as FoodEntry has it."""

    meal: str
    name: str
    macros: KnownAmounts


class DayPayload(TypedDict):
    """A day as the file has it."""

    day: str  # as Moments.read_day returns it
    totals: Amounts
    entries: list[EntryPayload]
    rows: int


class Day:
    """A day while its rows add up."""

    def __init__(self, line: int) -> None:
        self.first = self.last = line
        self.rows: list[EntryPayload] = []

    def add(self, line: int, row: EntryPayload) -> None:
        self.last = line
        self.rows.append(row)

    @property
    def totals(self) -> Amounts:
        return {
            name: round(math.fsum(row["macros"][name] or 0.0 for row in self.rows), DECIMALS)
            for name in MAX_MACROS
        }

    @property
    def entries(self) -> list[EntryPayload]:
        """Its rows as entries: none where they are too many, or one is beyond the limits, or the file has
        neither meals nor names.
        """
        are_named = any(row["meal"] or row["name"] for row in self.rows)
        is_whole = all(
            value is None or 0 <= value <= MAX_MACROS[name]
            for row in self.rows
            for name, value in row["macros"].items()
        )
        return self.rows if are_named and is_whole and len(self.rows) <= MAX_ENTRIES else []


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
                day, eaten = self.eaten(Cells(row, table), moments)
            except Refused as refused:
                refused.tell(findings, row.line)
            else:
                days.setdefault(day, Day(row.line)).add(row.line, eaten)
        findings.asks |= moments.asks
        for day, found in days.items():
            if any(found.totals.values()):
                payload: DayPayload = {
                    "day": day,
                    "totals": found.totals,
                    "entries": found.entries,
                    "rows": len(found.rows),
                }
                yield Candidate("nutrition", day, (found.first, found.last), {**payload})
            else:
                findings.rows.ignored += len(found.rows)  # nothing was noted that day

    def eaten(self, cells: Cells, moments: Moments) -> tuple[str, EntryPayload]:
        """A row's day and what it says was eaten. Raises Refused."""
        day = value_of("date", cells.text(*DAYS), Code.DATE, moments.read_day)
        macros = {name: cells.number(column) for name, column in self.macros.items()}
        macros["calories"] = macros["calories"] or 0.0
        meal, name = cells.text(*MEALS_OF_FILES), cells.text(*FOODS_OF_FILES)
        known = MEALS.get(meal.lower())
        if known is None:  # a meal of the person's own
            known, name = FoodEntry.Meal.OTHER, ": ".join(filter(None, (meal, name)))
        return day, {"meal": known, "name": name[:MAX_NAME], "macros": macros}


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


class StoredDay(NamedTuple):
    day: NutritionDay
    entries: int  # how many it has


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
            if day is None:
                return None
            entries = candidate.payload.get("entries", [])  # an earlier version has noted none
            return Record({**day, "entries": entries}, digest(day), Rows(records=rows), day["day"])

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
        """Of several records of a day, the first one is stored. Its totals hold its entries already."""
        days: dict[datetime.date, NutritionDay] = {}
        entries = []
        for record in records:
            day = NutritionDay(account=account, **{name: record.values[name] for name in FIELDS})
            if days.setdefault(day.day, day) is day:
                entries += [entry_of(day, one) for one in record.values["entries"]]
        NutritionDay.objects.bulk_create(days.values())
        FoodEntry.objects.bulk_create(entries)
        numbers = Counter(entry.day for entry in entries)
        kept = [StoredDay(day, numbers[day.day]) for day in days.values()]
        stored = {one.day.day: Stored(str(one.day), self.fingerprint(one)) for one in kept}
        return [stored[record.values["day"]] for record in records]

    def rows(self, account: Account, ids: Sequence[str]) -> dict[str, StoredDay]:
        days = account.nutrition_days.filter(day__in=ids)
        entries = account.food_entries.filter(nutrition_day__in=[day.pk for day in days])
        numbers = Counter(entries.values_list("nutrition_day", flat=True))
        return {str(day): StoredDay(day, numbers[day.pk]) for day in days}

    def fingerprint(self, row: StoredDay) -> str:
        """Another entry is a change: what it adds may be taken off again."""
        return digest({"day": row.day.day, **row.day.macros}, row.entries)

    def delete(self, account: Account, rows: Sequence[StoredDay]) -> None:
        pks = [row.day.pk for row in rows]
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


def entry_of(day: NutritionDay, entry: EntryPayload) -> FoodEntry:
    names = {"meal": entry["meal"], "name": entry["name"]}
    return FoodEntry(account=day.account, nutrition_day=day, is_included=True, **names, **entry["macros"])


def digest(values: dict[str, Any], entries: int = 0) -> str:
    """Of a day's totals, and of how many entries it has."""
    totals = (round(values[name], DECIMALS) + 0.0 for name in MAX_MACROS)
    text = json.dumps([str(values["day"]), *totals, *([entries] if entries else [])])
    return hashlib.sha256(text.encode()).hexdigest()


def difference(ours: dict[str, Any], theirs: Amounts) -> Said:
    """How the macros of a file's day differ from those of the account's, or "" if they do not."""
    if digest(ours) == digest({**ours, **theirs}):
        return ""
    if ours["calories"] != theirs["calories"]:
        return Message(DIFFERENCE, {"ours": f"{ours['calories']:g}", "theirs": f"{theirs['calories']:g}"})
    return gettext_noop("has other macronutrients in the file")
