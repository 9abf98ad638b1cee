"""Routines for accounts that have none: added by one tap, ordinary and editable from then on.

Loads are 0 throughout: nobody knows yet what the person lifts, and the last session replaces them. Names and
notes are stored in the language in which somebody takes them.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from accounts.models import Account
from training.models import Exercise, Routine
from training.models.planned import PlannedExercise, planned


@dataclass(frozen=True)
class Lift:
    """An exercise of a day, by its id in the catalogue."""

    exercise_id: str
    sets: int
    reps: int
    note: str | Promise = ""


@dataclass(frozen=True)
class Day:
    name: str | Promise
    focus: str | Promise
    lifts: tuple[Lift, ...]


@dataclass(frozen=True)
class StarterRoutines:
    """Days that belong together, each a routine."""

    key: str
    name: str | Promise
    goal: str | Promise
    days_a_week: str | Promise
    summary: str | Promise
    days: tuple[Day, ...]


FULL_BODY_A = Day(
    _("Full body A"),
    _("Squat, bench press and row"),
    (
        Lift("barbell-back-squat", 3, 5, _("Stop each set while two more repetitions would be clean.")),
        Lift("barbell-bench-press", 3, 5),
        Lift("bent-over-barbell-row", 3, 8),
        Lift("dead-bug", 2, 10, _("Ten on each side, slowly.")),
    ),
)
FULL_BODY_B = Day(
    _("Full body B"),
    _("Deadlift, overhead press and pulldown"),
    (
        Lift("barbell-deadlift", 2, 5, _("Put the bar down fully between repetitions.")),
        Lift("barbell-overhead-press", 3, 5),
        Lift("lat-pulldown", 3, 10),
        Lift("dumbbell-goblet-squat", 2, 10),
    ),
)
PUSH = Day(
    _("Push"),
    _("Chest, shoulders, triceps"),
    (
        Lift("barbell-bench-press", 4, 8),
        Lift("incline-dumbbell-bench-press", 3, 10),
        Lift("dumbbell-shoulder-press", 3, 10),
        Lift("dumbbell-lateral-raise", 3, 15, _("Light enough to pause at the top.")),
        Lift("rope-triceps-pushdown", 3, 12),
    ),
)
PULL = Day(
    _("Pull"),
    _("Back, rear shoulders, biceps"),
    (
        Lift("pull-up", 4, 6, _("Use a band or the machine until six are possible.")),
        Lift("seated-cable-row", 3, 10),
        Lift("single-arm-dumbbell-row", 3, 10, _("Ten on each side.")),
        Lift("face-pull", 3, 15),
        Lift("dumbbell-curl", 3, 12),
    ),
)
LEGS = Day(
    _("Legs"),
    _("Thighs, hips, calves"),
    (
        Lift("barbell-back-squat", 4, 8),
        Lift("barbell-romanian-deadlift", 3, 10),
        Lift("leg-press", 3, 12),
        Lift("lying-leg-curl", 3, 12),
        Lift("machine-standing-calf-raise", 4, 12),
    ),
)
BODY_WEIGHT = Day(
    _("Body weight"),
    _("The whole body, with a bar to hang from"),
    (
        Lift("push-up", 3, 10, _("Hands on a bench if ten are too many.")),
        Lift("inverted-row", 3, 8, _("The more upright the body, the easier it is.")),
        Lift("bodyweight-squat", 3, 15),
        Lift("bodyweight-reverse-lunge", 3, 8, _("Eight on each side.")),
        Lift("glute-bridge", 3, 12),
        Lift("dead-bug", 3, 8, _("Eight on each side.")),
    ),
)
UPPER_HEAVY = Day(
    _("Upper, heavy"),
    _("Press and row"),
    (
        Lift("barbell-bench-press", 5, 5, _("Rest three minutes between these sets.")),
        Lift("bent-over-barbell-row", 4, 6),
        Lift("barbell-overhead-press", 3, 6),
        Lift("chin-up", 3, 6, _("Add load once all sets reach eight.")),
    ),
)
LOWER_HEAVY = Day(
    _("Lower, heavy"),
    _("Squat"),
    (
        Lift("barbell-back-squat", 5, 5, _("Rest three minutes between these sets.")),
        Lift("barbell-romanian-deadlift", 3, 8),
        Lift("leg-press", 3, 10),
        Lift("hanging-knee-raise", 3, 10),
    ),
)
UPPER_VOLUME = Day(
    _("Upper, volume"),
    _("More repetitions with less load"),
    (
        Lift("incline-dumbbell-bench-press", 3, 10),
        Lift("lat-pulldown", 3, 10),
        Lift("dumbbell-shoulder-press", 3, 10),
        Lift("seated-cable-row", 3, 12),
        Lift("dumbbell-curl", 2, 12),
        Lift("rope-triceps-pushdown", 2, 12),
    ),
)
LOWER_VOLUME = Day(
    _("Lower, volume"),
    _("Deadlift, then single legs"),
    (
        Lift("barbell-deadlift", 3, 5, _("Put the bar down fully between repetitions.")),
        Lift("dumbbell-bulgarian-split-squat", 3, 8, _("Eight on each side.")),
        Lift("lying-leg-curl", 3, 12),
        Lift("machine-standing-calf-raise", 3, 12),
    ),
)

ROUTINES = {
    starter.key: starter
    for starter in (
        StarterRoutines(
            "full-body",
            _("Full body A and B"),
            _("First months"),
            _("2 or 3 days a week"),
            _(
                "Two days in turns, each followed by a day of rest. Every lift returns soon enough to be "
                "learnt."
            ),
            (FULL_BODY_A, FULL_BODY_B),
        ),
        StarterRoutines(
            "push-pull-legs",
            _("Push, pull, legs"),
            _("Muscle"),
            _("3 to 6 days a week"),
            _(
                "Each day trains a third of the body with many sets. Go through all three once or twice a "
                "week."
            ),
            (PUSH, PULL, LEGS),
        ),
        StarterRoutines(
            "body-weight",
            _("Body weight"),
            _("Anywhere"),
            _("2 to 4 days a week"),
            _("Six exercises that need a floor and something to hang from."),
            (BODY_WEIGHT,),
        ),
    )
}


def add_routines(account: Account, starter: StarterRoutines) -> None:
    """Adds those of its routines whose names the account has not."""
    with transaction.atomic():
        account.lock()  # of two taps, the second finds what the first has added
        names = set(account.routines.values_list("name", flat=True))
        new = [day for day in starter.days if str(day.name) not in names]
        catalogue = catalogue_of(new)
        for day in reversed(new):  # lists begin with the newest
            exercises = exercises_of(day, catalogue)
            Routine.objects.create(
                account=account, name=str(day.name), focus=str(day.focus), exercises=exercises
            )


def catalogue_of(days: Iterable[Day]) -> dict[str, Exercise]:
    return Exercise.objects.find_all({lift.exercise_id for day in days for lift in day.lifts})


def exercises_of(day: Day, catalogue: dict[str, Exercise]) -> list[PlannedExercise]:
    """The exercises of a day that the catalogue has."""
    return [
        planned(
            catalogue[lift.exercise_id],
            {"sets": lift.sets, "reps": lift.reps, "weight_kg": 0, "note": str(lift.note)},
        )
        for lift in day.lifts
        if lift.exercise_id in catalogue
    ]


def rest_label() -> str:
    """What a day of a plan without training is called."""
    return pgettext("day of a plan", "Rest")
