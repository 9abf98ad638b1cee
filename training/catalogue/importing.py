"""Files of exercises in the layout of free-exercise-db: what they hold, and what becomes of it.

1. `entries_of` reads a file, plain or compressed; `translate` makes an exercise of ours of each entry.
   The layout is that of github.com/yuhonas/free-exercise-db.
2. `compare` tells for each entry whether the catalogue lacks it, has it already, or has to refuse it.
3. `fold_in` stores what is added and updated.
"""

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.db import transaction

from fitness.api.parsers import loads
from training import catalogue
from training.catalogue import CatalogueEntry
from training.catalogue.guessing import says_assisted
from training.catalogue.matching import slug, words
from training.catalogue.name_index import NameIndex, TakenNames
from training.models.exercise import Category, Equipment, Exercise, Force, Level, Mechanic, MuscleGroup
from training.models.own_exercise import PREFIX

OUTCOMES = ("added", "updated", "matched", "skipped")
MAX_BYTES = 10_000_000  # of a file that is not compressed; free-exercise-db has 1,000,000
GZIP, GZIP_WINDOW = b"\x1f\x8b", 31  # how gzip begins, and what zlib calls it
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

Item = dict[str, Any]  # an object of the file, of which nothing is checked yet
T = TypeVar("T")

MUSCLES = {
    "abdominals": MuscleGroup.CORE,
    "abductors": MuscleGroup.LEGS,
    "adductors": MuscleGroup.LEGS,
    "biceps": MuscleGroup.ARMS,
    "calves": MuscleGroup.LEGS,
    "chest": MuscleGroup.CHEST,
    "forearms": MuscleGroup.ARMS,
    "glutes": MuscleGroup.LEGS,
    "hamstrings": MuscleGroup.LEGS,
    "lats": MuscleGroup.BACK,
    "lower back": MuscleGroup.BACK,
    "middle back": MuscleGroup.BACK,
    "neck": MuscleGroup.SHOULDERS,
    "quadriceps": MuscleGroup.LEGS,
    "shoulders": MuscleGroup.SHOULDERS,
    "traps": MuscleGroup.SHOULDERS,
    "triceps": MuscleGroup.ARMS,
}
# No muscle is the whole body, but a movement that works five of the other six groups is.
FULL_BODY_FROM = 5

EQUIPMENT = {
    "bands": Equipment.BAND,
    "barbell": Equipment.BARBELL,
    "body only": Equipment.BODYWEIGHT,
    "cable": Equipment.CABLE,
    "dumbbell": Equipment.DUMBBELL,
    "e-z curl bar": Equipment.BARBELL,
    "exercise ball": Equipment.BODYWEIGHT,
    "foam roll": Equipment.BODYWEIGHT,
    "kettlebells": Equipment.KETTLEBELL,
    "machine": Equipment.MACHINE,
    "medicine ball": Equipment.BODYWEIGHT,
    "other": Equipment.BODYWEIGHT,
    None: Equipment.BODYWEIGHT,
}
# "other" is mostly boxes, cones, straps and strongman stones, with the body as the load. Where a word of
# the name is the thing that is lifted, the nearest of ours counts, as in the catalogue that we ship.
OTHER_EQUIPMENT = {
    "band": Equipment.BAND,
    "plate": Equipment.DUMBBELL,
    "chain": Equipment.DUMBBELL,
    "sled": Equipment.MACHINE,
    "drag": Equipment.MACHINE,
    "prowler": Equipment.MACHINE,
    "axle": Equipment.BARBELL,
    "deadlift": Equipment.BARBELL,
    "log": Equipment.BARBELL,
    "rickshaw": Equipment.BARBELL,
    "yoke": Equipment.BARBELL,
}
LEVELS = {level.value: level for level in Level}
CATEGORIES = {category.value: category for category in Category}
FORCES = {"push": Force.PUSH, "pull": Force.PULL, "static": Force.STATIC, None: Force.OTHER}
MECHANICS = {"compound": Mechanic.COMPOUND, "isolation": Mechanic.ISOLATION, None: Mechanic.OTHER}


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


# --- Entries of the layout ---------------------------------------------------------------------------


def translate(entry: object) -> CatalogueEntry:
    """The entry as fields of an Exercise. Raises ValueError, with what is wrong, where that fails."""
    if not isinstance(entry, dict):
        raise ValueError("must be an object")
    name = name_of(entry)
    group, *others = groups_of(entry)
    return {
        "id": slug(name),
        "name": name,
        "muscle_group": group,
        "equipment": equipment_of(entry),
        "level": option(entry, "level", LEVELS),
        "mechanic": option(entry, "mechanic", MECHANICS),
        "force": option(entry, "force", FORCES),
        "category": option(entry, "category", CATEGORIES),
        "is_assisted": says_assisted(name),
        "secondary_muscles": others,
        "instructions": "\n".join(strings(entry, "instructions")),
        "images": images_of(entry),
    }


def name_of(entry: Item) -> str:
    name = entry.get("name")
    max_length = Exercise._meta.get_field("name").max_length or 0
    if not isinstance(name, str) or not 0 < len(" ".join(name.split())) <= max_length:
        raise ValueError(f"name must be a string of 1 to {max_length} characters, not {shown(name)}")
    return " ".join(name.split())


def groups_of(entry: Item) -> list[MuscleGroup]:
    """The entry's own muscle group, then the others that it works."""
    muscles = strings(entry, "primaryMuscles")
    if not muscles:
        raise ValueError("primaryMuscles must name a muscle")
    muscles += strings(entry, "secondaryMuscles")
    groups = list(dict.fromkeys(one_of(muscle, MUSCLES, "a muscle") for muscle in muscles))
    return [MuscleGroup.FULL_BODY, *groups] if len(groups) >= FULL_BODY_FROM else groups


def equipment_of(entry: Item) -> Equipment:
    equipment = option(entry, "equipment", EQUIPMENT)
    if entry.get("equipment") != "other":
        return equipment
    named = words(entry["name"])
    return next((ours for word, ours in OTHER_EQUIPMENT.items() if word in named), equipment)


def images_of(entry: Item) -> list[str]:
    """Only whole URLs: free-exercise-db has paths inside its own repository, which nothing here serves."""
    images = [image for image in strings(entry, "images") if image.startswith(("https://", "http://"))]
    for image in images:
        try:
            URLValidator(schemes=["https", "http"])(image)
        except ValidationError:
            raise ValueError(f"images holds {image!r}, which is no address") from None
    return images


def option(entry: Item, field: str, table: Mapping[Any, T]) -> T:
    return one_of(entry.get(field), table, field)


def one_of(value: object, table: Mapping[Any, T], what: str) -> T:
    if not isinstance(value, str | None) or value not in table:
        known = ", ".join(key or "null" for key in table)
        raise ValueError(f"{what} must be one of {known}, not {shown(value)}")
    return table[value]


def strings(entry: Item, field: str) -> list[str]:
    value = entry.get(field, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"{field} must be an array of strings")
    return value


def shown(value: object) -> str:
    """The value in one short line."""
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:60]}..."
