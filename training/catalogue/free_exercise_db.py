"""Entries in the layout of free-exercise-db (github.com/yuhonas/free-exercise-db), as exercises of ours."""

import json
from collections.abc import Mapping
from typing import Any, TypeVar

from django.core.exceptions import ValidationError
from django.core.validators import URLValidator

from training.catalogue import CatalogueEntry
from training.catalogue.guessing import says_assisted
from training.catalogue.matching import slug, words
from training.models.exercise import Category, Equipment, Exercise, Force, Level, Mechanic, MuscleGroup

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
