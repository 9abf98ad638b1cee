"""The exercises that an account can choose from, and those that a word for a muscle finds."""

from accounts.models import Account
from training import stats
from training.catalogue.muscles import muscles_named, muscles_of
from training.models import Exercise
from training.models.exercise import Category

PLAIN = 8  # exercises that a word for a muscle finds, besides those that were done
SELDOM_MEANT = (Category.STRETCHING, Category.PLYOMETRICS, Category.CARDIO)


def plainest_first(account: Account) -> list[Exercise]:
    """What the account can choose, its own first, then what has most names: people speak of what they do."""
    fields = ("name", "muscle_group", "category", "aliases")
    exercises = Exercise.objects.seen_by(account).active().only(*fields, "owner")
    return sorted(exercises, key=plainness)


def plainness(exercise: Exercise) -> tuple[bool, bool, int, int, str]:
    is_seldom = exercise.category in SELDOM_MEANT
    return exercise.owner_id is None, is_seldom, -len(exercise.aliases), len(exercise.name), exercise.name


def last_used(account: Account) -> list[str]:
    """The ids of what the account has done, that of the newest workout first."""
    rows = sorted(stats.trained_rows(account), key=lambda row: row.started_at, reverse=True)
    return [row.exercise_id for row in rows]


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
    return muscles_of(exercise.name, exercise.muscle_group)
