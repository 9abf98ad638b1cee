from django.db import migrations, models
from django.utils import timezone


def close_where_there_was_one(apps, schema_editor):
    models = [apps.get_model("accounts", name) for name in ("Account", "AuditEvent")]  # events outlive accounts
    if any(model._base_manager.exists() for model in models):
        apps.get_model("accounts", "FirstAccount").objects.create(closed_at=timezone.now())


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0008_account_first_weekday"),
    ]

    operations = [
        migrations.CreateModel(
            name="FirstAccount",
            fields=[
                (
                    "id",
                    models.SmallIntegerField(default=1, editable=False, primary_key=True, serialize=False),
                ),
                ("digest", models.CharField(blank=True, editable=False, max_length=64)),
                ("expires_at", models.DateTimeField(editable=False, null=True)),
                ("closed_at", models.DateTimeField(editable=False, null=True)),
            ],
        ),
        migrations.RunPython(close_where_there_was_one, migrations.RunPython.noop),
    ]
