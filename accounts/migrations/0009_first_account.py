from django.db import migrations, models
from django.utils import timezone


def note_whether_there_is_one(apps, schema_editor):
    models = [apps.get_model("accounts", name) for name in ("Account", "AuditEvent")]  # events outlive accounts
    exists = any(model._base_manager.exists() for model in models)
    row = apps.get_model("accounts", "FirstAccount")
    row.objects.create(closed_at=timezone.now() if exists else None)


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
                    models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
                ),
                ("digest", models.CharField(blank=True, editable=False, max_length=64)),
                ("expires_at", models.DateTimeField(editable=False, null=True)),
                ("closed_at", models.DateTimeField(editable=False, null=True)),
            ],
        ),
        migrations.RunPython(note_whether_there_is_one, migrations.RunPython.noop),
    ]
