import django.core.validators
import django.db.models.deletion
import django.utils.timezone
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [("supplements", "0001_initial"), ("supplements", "0002_owned_relations")]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Supplement",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("dosage", models.CharField(blank=True, max_length=200)),
                (
                    "time",
                    models.CharField(
                        help_text="Time of day, HH:MM.",
                        max_length=5,
                        validators=[
                            django.core.validators.RegexValidator(
                                "\\A([01]\\d|2[0-3]):[0-5]\\d\\Z", "Must be a time of the form HH:MM."
                            )
                        ],
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "account",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="supplements",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["account", "time", "name", "id"], name="supplement_schedule")
                ],
            },
        ),
        migrations.CreateModel(
            name="SupplementLog",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("day", models.DateField()),
                ("taken_at", models.DateTimeField()),
                (
                    "account",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="supplement_logs",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "supplement",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="supplements.supplement",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        models.F("account"),
                        models.OrderBy(models.F("day"), descending=True),
                        models.OrderBy(models.F("id"), descending=True),
                        name="supplement_log_newest",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("supplement", "day"), name="one_supplement_tick")
                ],
            },
        ),
    ]
