import django.db.models.deletion
import django.utils.timezone
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [("body", "0001_initial")]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Goal",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("target_weight_kg", models.FloatField(null=True)),
                ("target_body_fat_percent", models.FloatField(null=True)),
                ("deadline", models.DateField(null=True)),
                ("start_weight_kg", models.FloatField(null=True)),
                ("created_at", models.DateTimeField()),
                (
                    "account",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="goals",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        models.F("account"),
                        models.OrderBy(models.F("created_at"), descending=True),
                        models.OrderBy(models.F("id"), descending=True),
                        name="goal_newest",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Measurement",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("logged_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("chest_cm", models.FloatField(null=True)),
                ("waist_cm", models.FloatField(null=True)),
                ("hips_cm", models.FloatField(null=True)),
                ("arms_cm", models.FloatField(null=True)),
                ("thighs_cm", models.FloatField(null=True)),
                ("neck_cm", models.FloatField(null=True)),
                (
                    "account",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="measurements",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        models.F("account"),
                        models.OrderBy(models.F("logged_at"), descending=True),
                        models.OrderBy(models.F("id"), descending=True),
                        name="measurement_newest",
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("chest_cm__isnull", False),
                            ("waist_cm__isnull", False),
                            ("hips_cm__isnull", False),
                            ("arms_cm__isnull", False),
                            ("thighs_cm__isnull", False),
                            ("neck_cm__isnull", False),
                            _connector="OR",
                        ),
                        name="measurement_has_a_site",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="WeightLog",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("logged_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("weight_kg", models.FloatField()),
                ("body_fat_percent", models.FloatField(null=True)),
                ("notes", models.TextField(blank=True)),
                (
                    "account",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="weight_logs",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        models.F("account"),
                        models.OrderBy(models.F("logged_at"), descending=True),
                        models.OrderBy(models.F("id"), descending=True),
                        name="weight_newest",
                    )
                ],
            },
        ),
    ]
