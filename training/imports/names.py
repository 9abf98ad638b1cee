"""Which exercise a name of another app means, and what another app calls an exercise.

A name means the exercise that has the same words and the same equipment, or none: a set in the wrong exercise
spoils its records, and nobody notices. Only `suggestions`, of which a person chooses, are about likeness.
"""

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import cache, lru_cache
from typing import Any

from django.db.models import TextField
from django.db.models.functions import Cast

from accounts.models import Account
from training.catalogue import imported_names
from training.catalogue.folding import spelled
from training.catalogue.matching import nearest, words
from training.catalogue.name_index import NameIndex, TakenNames
from training.models.exercise import Equipment, Exercise, ExerciseSummary
from training.models.exercise_name import ExerciseName
from training.models.own_exercise import PREFIX

Fate = ExerciseName.Fate  # NOTE or LEAVE_OUT: what a person has chosen for a name that means no exercise

# Of an exercise: what names, suggestions and workouts need, with the aliases as JSON.
COLUMNS = (
    "id",
    "name",
    "muscle_group",
    "equipment",
    "is_assisted",
    "names_folded",
    "retired_at",
    "merged_into_id",
)
GENERAL = "general"  # the names of no app in particular
BRACKETS = re.compile(r"\(([^()]*)\)")
# What states an equipment, in words of `spelled`. All else is part of a name, also Smith Machine and EZ Bar.
EQUIPMENT = {
    **{equipment.lower(): equipment for equipment in Equipment},
    "body weight": Equipment.BODYWEIGHT,
    "resistance band": Equipment.BAND,
}


# Of the names that an app has for one exercise of ours: what most people use, where it is not the shortest.
USUAL = {
    "Butterfly (Pec Deck)",
    "Glute Kickback (Machine)",
    "Hammer Curl (Cable)",
    "Seated Cable Row - V Grip (Cable)",
    "Squat (Barbell)",
}


class Names:
    """Finds exercises by their names in one app."""

    def __init__(self, account: Account, source: str, choices: Mapping[str, str | Fate]) -> None:
        """`source` is the name of a Format; `choices` are the account's own: ids of exercises by names."""
        tables = imported_names()
        self.choices = choices
        self.table = {**spelled_names(tables[GENERAL]), **spelled_names(tables.get(source, {}))}
        self.catalogue = catalogue_names(account)
        self.found: dict[str, Exercise | Fate | None] = {}

    def find(self, name: str) -> Exercise | Fate | None:
        """The exercise that a name means, or what the person wants instead; None: to be asked."""
        if name not in self.found:
            self.found[name] = self.look_up(name)
        return self.found[name]

    def look_up(self, name: str) -> Exercise | Fate | None:
        choice = self.choices.get(name)
        if isinstance(choice, Fate):
            return choice
        if choice is not None:
            return self.catalogue.by_id.get(choice)
        in_table = spelled(name)
        if in_table in self.table:
            return self.catalogue.by_id.get(self.table[in_table] or "")
        return self.catalogue.find(name)

    def suggestions(self, name: str) -> list[Exercise]:
        """The three active exercises whose names are most like a name, best first."""
        return nearest(name, self.catalogue.active)


class CatalogueNames:
    """Exercises by names and aliases, retired ones too. Names of a merged one mean the one that is kept."""

    def __init__(self, exercises: Iterable[Exercise]) -> None:
        # Where two names have the same words, that of an active exercise counts, and of an own one.
        found = sorted(exercises, key=lambda one: (one.retired_at is not None, not is_own(one), one.pk))
        self.taken = TakenNames(found)
        self.active = [exercise for exercise in found if exercise.retired_at is None]
        self.by_id = {exercise.pk: exercise.kept for exercise in found}
        self.by_words = NameIndex(found).by_words
        self.whole: dict[tuple[str, ...], Exercise] = {}
        for exercise in found:
            for name in (exercise.name, *exercise.aliases, exercise.pk):
                self.whole.setdefault(spelled(name), exercise.kept)

    def find(self, name: str) -> Exercise | None:
        """The exercise that has a name of the same words, in any order, and the equipment that is stated."""
        if in_brackets := without_brackets(name):
            base, equipment = in_brackets
            return self.by_equipment(f"{equipment} {base}", equipment) or self.by_equipment(base, equipment)
        if exercise := self.whole.get(spelled(name)):
            return exercise
        same_words = {one.pk: one for equipment in Equipment if (one := self.by_equipment(name, equipment))}
        if not same_words and (in_words := without_equipment(name)):
            return self.by_equipment(*in_words)
        return next(iter(same_words.values())) if len(same_words) == 1 else None

    def by_equipment(self, name: str, equipment: Equipment) -> Exercise | None:
        return self.by_words.get((words(name), equipment))


def is_own(exercise: Exercise) -> bool:
    return exercise.pk.startswith(PREFIX)


def catalogue_names(account: Account) -> CatalogueNames:
    """The names of what the account sees, as they are now, by one statement."""
    rows = (
        Exercise.objects.seen_by(account)
        .annotate(written_aliases=Cast("aliases", TextField()))
        .order_by("pk")
    )
    return names_of(tuple(rows.values_list(*COLUMNS, "written_aliases")))


@lru_cache(maxsize=4)  # each step of an import needs them, and they hardly ever change
def names_of(rows: tuple[tuple[Any, ...], ...]) -> CatalogueNames:
    exercises = {}
    for *values, written_aliases in rows:
        described = dict(zip(COLUMNS, values, strict=True))
        exercises[described["id"]] = Exercise(**described, aliases=json.loads(written_aliases))
    for exercise in exercises.values():
        if exercise.merged_into_id:
            exercise.merged_into = exercises[exercise.merged_into_id]
    return CatalogueNames(exercises.values())


def spelled_names(table: Mapping[str, str | None]) -> dict[tuple[str, ...], str | None]:
    """A table of names by their words, so that case, plurals and short forms do not matter."""
    return {spelled(name): exercise_id for name, exercise_id in table.items()}


def without_brackets(name: str) -> tuple[str, Equipment] | None:
    """Bench Press and dumbbell of "Bench Press (Dumbbell)"; None where no bracket holds an equipment.

    The last that does counts: exports put it behind names, and names of an account may have one themselves.
    """
    for bracket in reversed([*BRACKETS.finditer(name)]):
        if equipment := EQUIPMENT.get(" ".join(spelled(bracket[1]))):
            return name[: bracket.start()] + name[bracket.end() :], equipment
    return None


def without_equipment(name: str) -> tuple[str, Equipment] | None:
    """pendlay row and barbell of "Barbell Pendlay Row"; None where not exactly one word is an equipment."""
    found = spelled(name)
    places = [place for place, word in enumerate(found) if word in EQUIPMENT]
    if len(places) != 1:
        return None
    (place,) = places
    return " ".join(found[:place] + found[place + 1 :]), EQUIPMENT[found[place]]


def exported_name(
    source: str, exercise: ExerciseSummary, own: Collection[str] = (), *, has_weight: bool = False
) -> str:
    """What an app calls an exercise: one of its own names, else ours as "Name (Equipment)".

    `own` are the names of the account for it. Of the app's names, those among them come first, and one that
    says "weighted" is for sets with weight.
    """
    built_in = built_in_names(source).get(exercise.id, [])
    names = [name for name in built_in if name in own] or built_in
    if not names:
        return f"{exercise.name.removeprefix(f'{exercise.equipment} ')} ({exercise.equipment})"
    return min(
        names, key=lambda name: (("(Weighted" in name) != has_weight, name not in USUAL, len(name), name)
    )


@cache
def built_in_names(source: str) -> Mapping[str | None, list[str]]:
    """The names of an app by ids of exercises."""
    names: defaultdict[str | None, list[str]] = defaultdict(list)
    for name, exercise_id in imported_names().get(source, {}).items():
        names[exercise_id].append(name)
    return dict(names)


@cache
def shared_names(source: str) -> frozenset[str]:
    """The names of an app that mean the same exercise here as another of its names."""
    by_exercise = built_in_names(source).items()
    return frozenset(
        name for exercise_id, names in by_exercise if exercise_id and len(names) > 1 for name in names
    )
