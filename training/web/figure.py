"""The areas of the figure that shows which muscles were trained."""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from accounts.models import Account
from training import stats
from training.models.exercise import MuscleGroup
from training.web.picker import labels, muscles_of_exercise
from training.web.progress.weeks import level

AREAS_OF = {
    MuscleGroup.CHEST: ("Chest",),
    MuscleGroup.BACK: ("Upper back", "Lats", "Lower back", "Traps"),
    MuscleGroup.LEGS: ("Quads", "Hamstrings", "Glutes", "Calves", "Adductors", "Abductors"),
    MuscleGroup.SHOULDERS: ("Front delts", "Side delts", "Rear delts"),
    MuscleGroup.ARMS: ("Biceps", "Triceps", "Forearms"),
    MuscleGroup.CORE: ("Abs", "Obliques"),
}
AREAS = (*(area for areas in AREAS_OF.values() for area in areas), "Neck")


class MusclesOfWeek(NamedTuple):
    """`worked` as of `parts`; `sets` are (label, sets) of the muscles with a set, the most first."""

    worked: dict[str, str]
    sets: list[tuple[str, int]]


def muscles_of_week(account: Account) -> MusclesOfWeek:
    """The working sets since Monday, whole for each muscle of their exercise: a lunge's for quads and glutes.

    Those of an exercise whose name says no muscle with an area are its group's, and colour all of its areas.
    """
    sets = Counter[str]()
    for exercise, count in stats.sets_of_week(account):
        muscles = [one for one in muscles_of_exercise(exercise) if one in AREAS]
        sets.update(dict.fromkeys(muscles or [exercise.muscle_group], count))
    of_areas = Counter[str]()
    for muscle, count in sets.items():
        of_areas.update(dict.fromkeys(areas_of(muscle), count))
    words = labels()
    return MusclesOfWeek(
        parts({area: level(of_areas[area]) if area in of_areas else "none" for area in AREAS}),
        [(words[muscle], count) for muscle, count in sorted(sets.items(), key=lambda one: (-one[1], one[0]))],
    )


def parts(of_areas: Mapping[str, str]) -> dict[str, str]:
    """The class of each area, by its name in the template; "rest" where none is given."""
    return {area.lower().replace(" ", "_"): of_areas.get(area, "rest") for area in AREAS}


def areas_of(muscle: str) -> tuple[str, ...]:
    """Of a muscle itself, of a group those of its muscles."""
    if muscle == MuscleGroup.FULL_BODY:
        return AREAS
    return AREAS_OF[MuscleGroup(muscle)] if muscle in MuscleGroup.values else (muscle,)
