import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from fitness.api.parsers import loads
from fitness.management.base import OneLineCommand
from training import catalogue
from training.catalogue import CatalogueEntry
from training.catalogue.free_exercise_db import translate
from training.catalogue.matching import words
from training.catalogue.name_index import NameIndex
from training.models import CatalogueChange, Exercise

OUTCOMES = ["added", "updated", "matched", "skipped"]


class Command(OneLineCommand):
    help = (
        "Adds or updates catalogue entries from a JSON array in the layout of free-exercise-db. "
        "What the catalogue has under another name, or staff have edited, stays as it is."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, file: Path, verbosity: int, **options: Any) -> None:
        results = fold_in(entries_of(file))
        CatalogueChange.objects.carry_out()
        self.report(results, verbosity)

    def report(self, results: Sequence["Result"], verbosity: int) -> None:
        count = Counter(result.outcome for result in results)
        summary = ", ".join(f"{count[outcome]} {outcome}" for outcome in OUTCOMES)
        self.stdout.write(f"{len(results)} entries: {summary}")
        for result in results:
            if result.outcome == "skipped":
                self.stdout.write(f"skipped {result.place}: {result.note}")
            elif result.outcome == "matched" and verbosity > 1:
                self.stdout.write(f"matched {result.entry['name']} -> {result.note}")


def entries_of(file: Path) -> list[CatalogueEntry]:
    """The file's entries. Raises CommandError if the file or one of its entries is bad."""
    try:
        found = loads(file.read_bytes().removeprefix(b"\xef\xbb\xbf"))
    except OSError as error:
        raise CommandError(f"{file}: {error.strerror}") from None
    except ValueError as error:
        raise CommandError(f"{file} is not valid JSON: {error}") from None
    if not isinstance(found, list):
        raise CommandError(f"{file} must hold a JSON array of exercises")
    return [entry_of(file, index, item) for index, item in enumerate(found)]


def entry_of(file: Path, index: int, item: object) -> CatalogueEntry:
    try:
        return translate(item)
    except ValueError as error:
        raise CommandError(f"{file}: entry [{index}]: {error}") from None


@transaction.atomic
def fold_in(entries: Iterable[CatalogueEntry]) -> list["Result"]:
    """Stores the entries that are new or updated; returns a Result for each entry."""
    comparison = Comparison(Exercise.objects.all())
    results = [comparison.result(index, entry) for index, entry in enumerate(entries)]
    Exercise.objects.merge(result.entry for result in results if result.outcome in ("added", "updated"))
    return results


@dataclass(frozen=True)
class Result:
    """What became of one entry of the file; `note` is the reason, or the name of the match."""

    index: int
    entry: CatalogueEntry
    outcome: str  # one of OUTCOMES
    note: str = ""

    @property
    def place(self) -> str:
        return f"[{self.index}] {json.dumps(self.entry['name'], ensure_ascii=False)}"


class Comparison:
    """Compares each entry of a file with the exercises of the catalogue and the entries before it."""

    def __init__(self, exercises: Iterable[Exercise]) -> None:
        exercises = list(exercises)
        shipped = {entry["id"] for entry in catalogue.entries()}
        imported = [item for item in exercises if item.id not in shipped and not item.edited]
        self.ours = NameIndex(item for item in exercises if item.id in shipped or item.edited)
        self.imported = NameIndex(imported)
        self.earlier = NameIndex()
        self.places: dict[str, str] = {}  # of the earlier entries, by id

    def result(self, index: int, entry: CatalogueEntry) -> Result:
        exercise = Exercise(**entry)
        if not exercise.id:
            return Result(index, entry, "skipped", "no letter a-z or digit in its name to make an id of")
        if match := self.ours.find(exercise):
            return Result(index, entry, "matched", match.name)
        if twin := self.earlier.find(exercise):
            return Result(index, entry, "skipped", self.repeats(twin, exercise))
        self.earlier.add(exercise)
        result = self.result_of_import(index, entry, self.imported.find(exercise))
        self.places[exercise.id] = result.place
        return result

    def result_of_import(self, index: int, entry: CatalogueEntry, known: Exercise | None) -> Result:
        if known is None:
            return Result(index, entry, "added")
        if known.id == entry["id"] and known.differs_from(entry):
            return Result(index, entry, "updated")
        return Result(index, entry, "matched", known.name)

    def repeats(self, twin: Exercise, exercise: Exercise) -> str:
        same = "movement" if words(twin.name) == words(exercise.name) else "id"
        return f"the same {same} as {self.places[twin.id]}"
