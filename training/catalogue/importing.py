"""Files of exercises in the layout of free-exercise-db: what they hold, and what becomes of it.

1. `entries_of` reads a file, plain or compressed.
2. `compare` tells for each entry whether the catalogue lacks it, has it already, or has to refuse it.
3. `fold_in` stores what is added and updated.
"""

import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import transaction

from fitness.api.parsers import loads
from training import catalogue
from training.catalogue import CatalogueEntry
from training.catalogue.free_exercise_db import translate
from training.catalogue.matching import words
from training.catalogue.name_index import NameIndex, TakenNames
from training.models import Exercise
from training.models.own_exercise import PREFIX

OUTCOMES = ("added", "updated", "matched", "skipped")
MAX_BYTES = 10_000_000  # of a file that is not compressed; free-exercise-db has 1,000,000
GZIP, GZIP_WINDOW = b"\x1f\x8b", 31  # how gzip begins, and what zlib calls it
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class BadFile(ValueError):
    """A file without a catalogue in it; the message names the file and the entry."""


def entries_of(content: bytes, name: str) -> list[CatalogueEntry]:
    """The entries of a file, which may be compressed by gzip. Raises BadFile."""
    try:
        found = loads(plain(content).removeprefix(BYTE_ORDER_MARK))
    except zlib.error:
        raise BadFile(f"{name} is not what gzip makes") from None
    except ValueError as error:
        raise BadFile(f"{name} is not valid JSON: {error}") from None
    if not isinstance(found, list):
        raise BadFile(f"{name} must hold a JSON array of exercises")
    return [entry_of(name, index, item) for index, item in enumerate(found)]


def plain(content: bytes) -> bytes:
    """The content without compression. Raises ValueError if it is too long, and zlib.error."""
    if content.startswith(GZIP):
        content = zlib.decompressobj(GZIP_WINDOW).decompress(content, MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise ValueError(f"it is longer than {MAX_BYTES:,} bytes")
    return content


def entry_of(name: str, index: int, item: object) -> CatalogueEntry:
    try:
        return translate(item)
    except ValueError as error:
        raise BadFile(f"{name}: entry [{index}]: {error}") from None


def compare(entries: Iterable[CatalogueEntry]) -> list["Result"]:
    """What `fold_in` would do with each entry."""
    comparison = Comparison(Exercise.objects.with_kept())
    return [comparison.result(index, entry) for index, entry in enumerate(entries)]


@transaction.atomic
def fold_in(entries: Iterable[CatalogueEntry]) -> list["Result"]:
    """Stores the entries that are new or updated; returns a Result for each entry."""
    results = compare(entries)
    Exercise.objects.merge(result.entry for result in results if result.outcome in ("added", "updated"))
    return results


def by_outcome(results: Iterable["Result"]) -> list[tuple[str, list["Result"]]]:
    """Each of the OUTCOMES with the results that have it."""
    found: dict[str, list[Result]] = {outcome: [] for outcome in OUTCOMES}
    for result in results:
        found[result.outcome].append(result)
    return list(found.items())


def summary(results: Sequence["Result"]) -> str:
    counts = ", ".join(f"{len(found)} {outcome}" for outcome, found in by_outcome(results))
    return f"{len(results)} entries: {counts}"


@dataclass(frozen=True)
class Result:
    """What becomes of one entry of the file.

    `note` is the reason of one that is skipped, the name of the match, or the fields that an update changes.
    """

    index: int
    entry: CatalogueEntry
    outcome: str  # one of OUTCOMES
    note: str = ""

    @property
    def place(self) -> str:
        return f"[{self.index}] {json.dumps(self.entry['name'], ensure_ascii=False)}"

    @property
    def line(self) -> str:
        match self.outcome:
            case "added":
                return f"added {self.entry['name']} ({self.entry['id']})"
            case "updated":
                return f"updated {self.entry['name']} ({self.entry['id']}): {self.note}"
            case "matched":
                return f"matched {self.entry['name']} -> {self.note}"
        return f"skipped {self.place}: {self.note}"


class Comparison:
    """Compares each entry of a file with the exercises of the catalogue and the entries before it."""

    def __init__(self, exercises: Iterable[Exercise]) -> None:
        exercises = list(exercises)
        shipped = {entry["id"] for entry in catalogue.entries()}
        imported = [item for item in exercises if item.id not in shipped and not item.edited]
        self.ours = NameIndex(item for item in exercises if item.id in shipped or item.edited)
        self.imported = NameIndex(imported)
        self.earlier = NameIndex()
        self.taken = TakenNames(exercises)
        self.places: dict[str, str] = {}  # of the earlier entries, by id

    def result(self, index: int, entry: CatalogueEntry) -> Result:
        exercise = Exercise(**entry)
        if not exercise.id:
            return Result(index, entry, "skipped", "no letter a-z or digit in its name to make an id of")
        if exercise.id.startswith(PREFIX):
            return Result(index, entry, "skipped", f"{PREFIX} begins the ids of exercises of accounts' own")
        if match := self.ours.find(exercise):
            return Result(index, entry, "matched", match.name)
        if twin := self.earlier.find(exercise):
            return Result(index, entry, "skipped", self.repeats(twin, exercise))
        known = self.imported.find(exercise)
        if known is None and (problem := self.taken.problem(exercise.name)):
            return Result(index, entry, "skipped", problem)
        self.earlier.add(exercise)
        self.taken.add(exercise)
        result = self.result_of_import(index, entry, known)
        self.places[exercise.id] = result.place
        return result

    def result_of_import(self, index: int, entry: CatalogueEntry, known: Exercise | None) -> Result:
        if known is None:
            return Result(index, entry, "added")
        if known.id == entry["id"] and (changed := known.fields_other_than(entry)):
            return Result(index, entry, "updated", ", ".join(changed))
        return Result(index, entry, "matched", known.name)

    def repeats(self, twin: Exercise, exercise: Exercise) -> str:
        same = "movement" if words(twin.name) == words(exercise.name) else "id"
        return f"the same {same} as {self.places[twin.id]}"
