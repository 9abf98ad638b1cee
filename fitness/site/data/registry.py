"""Every format of another app that is read, and every kind of record that is imported of one."""

from django.utils.translation import gettext_noop

from accounts.imports.kinds import Kind, StoredKind
from body import imports as body
from fitness.imports.formats import FileFormat, Format, Known
from fitness.site.data.health import AppleHealth, HealthConnect
from nutrition import imports as nutrition
from training.imports import formats as training
from training.imports.own_exercises import OwnExerciseKind
from training.imports.workouts import Workouts

FORMATS: list[Format] = [*training.FORMATS, *body.FORMATS, *nutrition.FORMATS]
FILE_FORMATS: list[FileFormat] = [AppleHealth(), HealthConnect()]
ALL_FORMATS: list[Known] = [*FORMATS, *FILE_FORMATS]
KINDS: dict[str, Kind] = {
    kind.name: kind for kind in (Workouts(), body.WeightKind(), body.WaistKind(), nutrition.NutritionKind())
}
OWN_EXERCISES = OwnExerciseKind()
STORED_KINDS: dict[str, StoredKind] = {**KINDS, OWN_EXERCISES.name: OWN_EXERCISES}


def source_label(name: str) -> str:
    """What people call a format."""
    return next((one.label for one in ALL_FORMATS if one.name == name), gettext_noop("Archive of an account"))
