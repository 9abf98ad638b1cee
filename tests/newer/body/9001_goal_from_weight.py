from django.db import migrations

from tests.newer.body import LAST


def add_goals(apps, schema_editor):
    """Makes everybody's first weight a goal."""
    Goal, WeightLog = apps.get_model("body", "Goal"), apps.get_model("body", "WeightLog")
    for log in WeightLog.objects.all():
        Goal.objects.create(
            account_id=log.account_id, target_weight_kg=log.weight_kg, created_at=log.logged_at
        )


class Migration(migrations.Migration):
    dependencies = [("body", LAST)]
    operations = [migrations.RunPython(add_goals)]
