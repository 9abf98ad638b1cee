"""Every format that is read, and every kind of record that is imported."""

from django.utils.translation import gettext_noop

from accounts.imports.kinds import Kind
from body import imports as body
from fitness.imports.formats import Format
from fitness.site.data import archive
from nutrition import imports as nutrition
from training.imports import registry as training
from training.imports.kinds import Workouts

FORMATS: list[Format] = [*training.FORMATS, *body.FORMATS, *nutrition.FORMATS]
# In the order in which reports name them.
KINDS: dict[str, Kind] = {
    kind.name: kind for kind in (Workouts(), body.WeightKind(), nutrition.NutritionKind(), *archive.KINDS)
}


def source_label(name: str) -> str:
    """What people call a format."""
    return next((one.label for one in FORMATS if one.name == name), gettext_noop("Archive of an account"))
