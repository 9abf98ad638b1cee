import json
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from django.core.management.base import CommandError
from django.db import transaction

from fitness.api.parsers import loads
from fitness.management.base import OneLineCommand
from training import catalogue
from training.catalogue.free_exercise_db import translate
from training.catalogue.matching import NameIndex, words
from training.models import CatalogueChange, Exercise

OUTCOMES = ["added", "updated", "matched", "skipped"]


class Command(OneLineCommand):
    help = (
        "Adds or updates catalogue entries from a JSON array in the layout of free-exercise-db. "
        "What the catalogue has under another name, or staff have edited, stays as it is."
    )

    def add_arguments(self, parser):
        parser.add_argument("file", type=Path)

    def handle(self, file, verbosity, **options):
        results = fold_in(entries_of(file))
        CatalogueChange.objects.carry_out()
        self.report(results, verbosity)

    def report(self, results, verbosity):
        count = Counter(result.outcome for result in results)
        summary = ", ".join(f"{count[outcome]} {outcome}" for outcome in OUTCOMES)
        self.stdout.write(f"{len(results)} entries: {summary}")
        for result in results:
            if result.outcome == "skipped":
                self.stdout.write(f"skipped {result.place}: {result.note}")
            elif result.outcome == "matched" and verbosity > 1:
                self.stdout.write(f"matched {result.entry['name']} -> {result.note}")


def entries_of(file):
    """The file's entries as fields of an Exercise, or CommandError if one of them is bad."""
    try:
        found = loads(file.read_bytes().removeprefix(b"\xef\xbb\xbf"))
    except OSError as error:
        raise CommandError(f"{file}: {error.strerror}") from None
    except ValueError as error:
        raise CommandError(f"{file} is not valid JSON: {error}") from None
    if not isinstance(found, list):
        raise CommandError(f"{file} must hold a JSON array of exercises")
    return [entry_of(file, index, item) for index, item in enumerate(found)]


def entry_of(file, index, item):
    try:
        return translate(item)
    except ValueError as error:
        raise CommandError(f"{file}: entry [{index}]: {error}") from None


@transaction.atomic
def fold_in(entries):
    """Stores what is new in the entries; returns a Result for each."""
    comparison = Comparison(Exercise.objects.all())
    results = [comparison.result(index, entry) for index, entry in enumerate(entries)]
    Exercise.objects.merge(result.entry for result in results if result.outcome in ("added", "updated"))
    return results


class Result(NamedTuple):
    index: int
    entry: dict
    outcome: str
    note: str = ""

    @property
    def place(self):
        return f"[{self.index}] {json.dumps(self.entry['name'], ensure_ascii=False)}"


class Comparison:
    """What becomes of each entry of a file, given the exercises that there are."""

    def __init__(self, exercises):
        shipped = {entry["id"] for entry in catalogue.entries()}
        imported = [item for item in exercises if item.id not in shipped and not item.edited]
        self.ours = NameIndex(item for item in exercises if item.id in shipped or item.edited)
        self.imported = NameIndex(imported)
        self.earlier = NameIndex()
        self.places = {}

    def result(self, index, entry):
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

    def result_of_import(self, index, entry, known):
        if known is None:
            return Result(index, entry, "added")
        if known.id == entry["id"] and known.differs_from(entry):
            return Result(index, entry, "updated")
        return Result(index, entry, "matched", known.name)

    def repeats(self, twin, exercise):
        same = "movement" if words(twin.name) == words(exercise.name) else "id"
        return f"the same {same} as {self.places[twin.id]}"
