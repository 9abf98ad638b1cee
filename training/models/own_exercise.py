"""An account's own exercises: how one is made, changed, given up and deleted.

They are rows of the catalogue's table with an owner, so that whatever refers to an exercise can refer to
them. Making one is safe to repeat: a form that is sent twice finds the one that it has made before.
"""

import datetime
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, models, transaction
from django.db.models import TextField
from django.db.models.functions import Cast
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import Account
from training.catalogue.folding import compared
from training.catalogue.name_index import TakenNames
from training.models.catalogue_change import CatalogueChange
from training.models.exercise import Category, Exercise, Force, Level, Mechanic
from training.models.plan import Plan
from training.models.routine import Routine
from training.models.timed import Measure

PREFIX = "own-"
MAX_OWN = 200  # of an account, without those that were merged into others
MAX_ROWS = 1_000  # of an account, with those: they stay for their ids
NOT_SAID = {
    "level": Level.BEGINNER,
    "mechanic": Mechanic.OTHER,
    "force": Force.OTHER,
    "category": Category.STRENGTH,
}
# What makes a Measure the usual one of an own exercise, where its owner says so.
SAID_BY_MEASURE: dict[str, dict[str, str]] = {
    Measure.TIME: {"force": Force.STATIC},
    Measure.DISTANCE: {"category": Category.CARDIO},
}


class NameTaken(ValidationError):
    """Another exercise that the account sees has the name: `exercise`."""

    def __init__(self, exercise: Exercise) -> None:
        if exercise.owner_id is None:
            text = _("The catalogue has this exercise already: %(name)s.")
        elif exercise.retired_at:
            text = _("You have a retired exercise of that name: %(name)s.")
        else:
            text = _("You have an exercise of that name already: %(name)s.")
        super().__init__(text % {"name": exercise.name})
        self.exercise = exercise


class TooMany(ValidationError):
    def __init__(self) -> None:
        super().__init__(
            _("You have %(limit)s exercises of your own, and there is no room for more.") % {"limit": MAX_OWN}
        )


class InUse(Exception):
    """An exercise cannot be deleted, because something refers to it."""


def in_one_line(name: str) -> str:
    """A name without line breaks, which a file of another app may have in it: notes have a line for each."""
    return " ".join(name.split())


def not_shown(measure: str) -> dict[str, str]:
    """The fields of an own exercise that nobody is asked for."""
    return {**NOT_SAID, **SAID_BY_MEASURE.get(measure, {})}


def unsaved(
    account: Account,
    name: str,
    muscle_group: str,
    equipment: str,
    is_assisted: bool = False,
    measure: str = Measure.REPS,
) -> Exercise:
    shown = {"name": in_one_line(name), "muscle_group": muscle_group, "equipment": equipment}
    own = {"id": f"{PREFIX}{uuid4().hex}", "owner": account, "is_assisted": is_assisted}
    return Exercise(**own, **shown, **not_shown(measure))


def make(
    account: Account,
    name: str,
    muscle_group: str,
    equipment: str,
    is_assisted: bool = False,
    measure: str = Measure.REPS,
) -> Exercise:
    """Makes an own exercise, or returns the one that is the same. Raises NameTaken and TooMany."""
    new = unsaved(account, name, muscle_group, equipment, is_assisted, measure)
    with transaction.atomic():
        account.lock()
        (made,) = make_all(account, [new])
    if made.owner_id is None or made.retired_at or made.described != new.described:
        raise NameTaken(made)
    return made


def make_all(account: Account, wanted: Sequence[Exercise]) -> list[Exercise]:
    """Stores own exercises of a locked account. In the place of one whose name is taken, the result has the
    exercise with that name. Raises TooMany.
    """
    made = by_their_names(account, wanted)
    new = [exercise for exercise in wanted if exercise in made]
    if len(new) > room_of(account):
        raise TooMany()
    Exercise.objects.bulk_create(new)
    return made


def by_their_names(account: Account, wanted: Sequence[Exercise]) -> list[Exercise]:
    """Unsaved own exercises; in the place of one whose name is taken, perhaps by one before it, that with
    the name.
    """
    taken = taken_names(account)
    found: list[Exercise] = []
    for exercise in wanted:
        same = taken.by(exercise.name)
        if same is None:
            taken.add(exercise)
        found.append(same or exercise)
    return found


def taken_names(account: Account, *, besides: Exercise | None = None) -> TakenNames:
    """The exercises that names mean to the account, without `besides` and what was merged into it."""
    exercises = Exercise.objects.seen_by(account).with_kept()
    exercises = exercises.defer("instructions", "merged_into__instructions")
    return TakenNames(one for one in exercises if besides is None or one.kept.pk != besides.pk)


def room_of(account: Account) -> int:
    """How many more exercises the account may have."""
    own = Exercise.objects.owned_by(account)
    return min(MAX_OWN - own.filter(merged_into=None).count(), MAX_ROWS - own.count())


def change(
    account: Account,
    exercise: Exercise,
    name: str,
    muscle_group: str,
    equipment: str,
    is_assisted: bool = False,
    measure: str = Measure.REPS,
) -> None:
    """Gives an own exercise other values, which workouts, routines and plans follow. Raises NameTaken, and
    DoesNotExist.
    """
    with transaction.atomic():
        account.lock()
        exercise = current(account, exercise)
        same = taken_names(account, besides=exercise).by(name)
        if same is not None and compared(name) != compared(exercise.name):
            raise NameTaken(same)
        exercise.name, exercise.muscle_group, exercise.equipment = in_one_line(name), muscle_group, equipment
        exercise.is_assisted = is_assisted
        for field, value in not_shown(measure).items():
            setattr(exercise, field, value)
        exercise.save(update_fields=Exercise.description_fields())


def current(account: Account, exercise: Exercise) -> Exercise:
    """An own exercise of a locked account as it is now. Raises DoesNotExist if merged or deleted."""
    return Exercise.objects.owned_by(account).get(pk=exercise.pk, merged_into=None)


def retired_at(retired: bool) -> datetime.datetime | None:
    return timezone.now() if retired else None


def retire(exercise: Exercise, *, back: bool = False) -> None:
    """Leaves an own exercise out of searches, or takes it back. One that is retired is not offered."""
    own = Exercise.objects.of_everyone().filter(pk=exercise.pk, merged_into=None)
    own.update(retired_at=retired_at(not back), offered_at=None)


def offer(exercise: Exercise, *, back: bool = False) -> None:
    """Offers an own exercise to the catalogue, or takes the offer back."""
    own = Exercise.objects.of_everyone().filter(pk=exercise.pk, merged_into=None, retired_at=None)
    own.update(offered_at=None if back else timezone.now())


def merge(exercise: Exercise, kept: Exercise, *, is_taken: bool = False) -> None:
    """Gives an own exercise up for another one. Raises ValidationError, and DoesNotExist.

    What belongs to its owner alone follows at once, other rows as with any merge.
    """
    assert exercise.owner is not None
    account = exercise.owner
    with transaction.atomic():
        account.lock()
        exercise.merge_into(kept, is_taken=is_taken)
        account.exercise_names.filter(exercise=exercise).update(exercise=kept)
        pins = account.exercise_pins.filter(exercise=exercise)
        if account.exercise_pins.filter(exercise=kept).exists():
            pins._raw_delete(connection.alias)
        else:
            pins.update(exercise=kept)


def delete(account: Account, exercise: Exercise) -> None:
    """Deletes an own exercise, with what only describes it: pins, rests, chosen names. Raises InUse, and
    DoesNotExist.
    """
    with transaction.atomic():
        account.lock()
        remove_unused(account, [current(account, exercise).pk])
        if Exercise.objects.owned_by(account).filter(pk=exercise.pk).exists():
            raise InUse


def remove_unused(account: Account, ids: list[str]) -> None:
    """Deletes those own exercises of a locked account to which nothing refers, pins and the like aside."""
    unused = list(set(ids) - used(account, ids))
    try:
        with transaction.atomic():
            for rows in (account.exercise_names, account.exercise_pins, account.exercise_habits):
                rows.filter(exercise__in=unused)._raw_delete(connection.alias)
            CatalogueChange.objects.filter(exercise__in=unused)._raw_delete(connection.alias)
            Exercise.objects.owned_by(account).filter(pk__in=unused)._raw_delete(connection.alias)
    except IntegrityError:  # a workout was stored meanwhile
        pass


def used(account: Account, ids: list[str]) -> set[str]:
    """Those of the account's own exercises to which workouts, routines, plans or merged exercises refer."""
    found = set(account.workout_exercises.filter(exercise__in=ids).values_list("exercise_id", flat=True))
    merged = Exercise.objects.owned_by(account).filter(merged_into__in=ids)
    found |= {pk for pk in merged.values_list("merged_into_id", flat=True) if pk}
    plans, routines = Plan._base_manager.filter(account=account), account.routines.all()  # deleted plans, too
    texts = [
        *written(routines, Routine.PLANNED),
        *written(plans, Plan.PLANNED),
        *written(account.training_drafts.open(), "document"),
    ]
    return found | {pk for pk in ids if any(f'"{pk}"' in text for text in texts)}


def written(rows: models.QuerySet[Any], column: str) -> list[str]:
    """The JSON in a column of the rows that have an own exercise: an id is always within quotes in it."""
    texts = rows.order_by().annotate(text=Cast(column, TextField())).filter(text__contains=f'"{PREFIX}')
    return list(texts.values_list("text", flat=True))
