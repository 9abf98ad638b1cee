"""The exercises that an account can choose from: all for its phone, those of a muscle for its searches."""

import hashlib
from typing import Any

import orjson

from accounts.models import Account
from fitness.web.language import current
from training import stats
from training.catalogue.muscles import MUSCLES, called, muscles_named, muscles_of
from training.models import Exercise
from training.models.exercise import Category, Equipment, MuscleGroup
from training.models.exercise_habit import Habit
from training.web.names import exercise_name, term

TRAINED = 60  # exercises that a phone keeps with their last sessions
PLAIN = 8  # exercises that a word for a muscle finds, besides those that were done
SELDOM_MEANT = (Category.STRETCHING, Category.PLYOMETRICS, Category.CARDIO)
OF_EXERCISE = ("muscle_group", "equipment", "measures", "is_assisted", "is_without_load")
COLUMNS = ("id", "name", *OF_EXERCISE, "muscles", "detail")


def plainest_first(account: Account) -> list[Exercise]:
    """What the account can choose: its own first, then those with most other names, the common ones."""
    fields = ("name", "muscle_group", "equipment", "category", "force", "is_assisted", "aliases")
    exercises = Exercise.objects.seen_by(account).active().only(*fields, "owner")
    return sorted(exercises, key=plainness)


def plainness(exercise: Exercise) -> tuple[bool, bool, int, int, str]:
    is_seldom = exercise.category in SELDOM_MEANT
    return exercise.owner_id is None, is_seldom, -len(exercise.aliases), len(exercise.name), exercise.name


def last_used(account: Account) -> list[str]:
    """The ids of what the account has done, that of the newest workout first."""
    rows = sorted(stats.trained_rows(account), key=lambda row: row.started_at, reverse=True)
    return [row.exercise_id for row in rows]


def before_typing(account: Account, count: int) -> list[str]:
    """The ids of what a search offers for nothing: what was used last, before there is that the plainest."""
    seen = Exercise.objects.seen_by(account).active()
    used = last_used(account)
    active = set(seen.filter(pk__in=used).values_list("pk", flat=True))
    return [pk for pk in used if pk in active][:count] or [one.pk for one in plainest_first(account)[:count]]


def trained_by(account: Account, text: str) -> list[str]:
    """The names of exercises for the muscle that a text names: those done before, and the plainest others."""
    muscles = set(muscles_named(text))
    if not muscles:
        return []
    done = set(last_used(account))
    found = [one for one in plainest_first(account) if not muscles.isdisjoint(muscles_of_exercise(one))]
    others = [one for one in found if one.pk not in done][:PLAIN]
    return [one.name for one in (*others, *(one for one in found if one.pk in done))]


def muscles_of_exercise(exercise: Exercise) -> tuple[str, ...]:
    """Of a stretch its group alone."""
    if exercise.category == Category.STRETCHING:
        return (exercise.muscle_group,)
    return muscles_of(exercise.name, exercise.muscle_group)


def kept_exercises(account: Account) -> dict[str, Any]:
    """All that Train offers without a connection.

    `rows` have COLUMNS; with `never_done` they are as an ExerciseContext. The first `used` of them were done,
    that of the newest workout first.
    """
    places = {pk: place for place, pk in enumerate(last_used(account))}
    exercises = sorted(plainest_first(account), key=lambda one: places.get(one.pk, len(places)))
    return {
        "columns": COLUMNS,
        "rows": [row_of(one) for one in exercises],
        "never_done": {
            **Habit()._asdict(),
            "target": None,
            "sessions": [],
            "best": None,
            "is_in_part": True,  # without instructions and pictures
        },
        "used": sum(one.pk in places for one in exercises),
        "labels": labels(),
        "words": called(),
    }


def row_of(exercise: Exercise) -> list[Any]:
    values = [getattr(exercise, name) for name in OF_EXERCISE]
    words = term(exercise.muscle_group, "muscle group"), term(exercise.equipment, "equipment")
    name, muscles = exercise_name(exercise.name), muscles_of_exercise(exercise)
    return [exercise.pk, name, *values, muscles, " · ".join(words)]


def labels() -> dict[str, str]:
    """The words of the page for groups, equipment and muscles."""
    groups = {one: term(one, "muscle group") for one in MuscleGroup.values}
    equipment = {one: term(one, "equipment") for one in Equipment.values}
    muscles = {key: one.words[current()][0] for key, one in MUSCLES.items()}
    return groups | equipment | {key: word[0].upper() + word[1:] for key, word in muscles.items()}


def version_of(body: dict[str, Any]) -> str:
    return hashlib.sha256(orjson.dumps(body)).hexdigest()[:16]
