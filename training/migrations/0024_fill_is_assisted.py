import re

from django.db import migrations
from django.utils import timezone

# Those of the shipped catalogue, whatever staff have named them.
SHIPPED = (
    "assisted-pistol-squat",
    "band-assisted-pull-up",
    "machine-assisted-chest-dip",
    "machine-assisted-chin-up",
    "machine-assisted-pull-up",
    "machine-assisted-triceps-dip",
)


def fill_is_assisted(apps, schema_editor):
    """Fills it from the catalogue, and for all others from the word in their names that decided before.

    What has it otherwise than before follows as after a change by staff: "Unassisted Pull-Up", for one.
    """
    exercises = apps.get_model("training", "Exercise").objects
    before = dict(exercises.filter(name__icontains="assisted").values_list("pk", "name"))
    by_name = {pk for pk, name in before.items() if "assisted" in re.split(r"[\W_]+", name.lower())}
    shipped = set(exercises.filter(pk__in=SHIPPED).values_list("pk", flat=True))
    exercises.filter(pk__in=by_name | shipped).update(is_assisted=True)
    changes = apps.get_model("training", "CatalogueChange")
    now = timezone.now()
    changes.objects.bulk_create(
        changes(exercise_id=pk, in_workouts=True, changed_at=now, not_before=now)
        for pk in sorted(before.keys() ^ (by_name | shipped))
    )


class Migration(migrations.Migration):
    dependencies = [
        ("training", "0023_exercise_is_assisted"),
    ]

    operations = [
        migrations.RunPython(fill_is_assisted, migrations.RunPython.noop),
    ]
