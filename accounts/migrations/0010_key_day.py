import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0009_fill_audit_trail"),
    ]

    operations = [
        migrations.CreateModel(
            name="KeyDay",
            fields=[
                (
                    "id",
                    models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
                ),
                ("day", models.DateField()),
                ("requests", models.IntegerField()),
                ("writes", models.IntegerField()),
                ("refusals", models.IntegerField()),
                (
                    "account",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="key_days",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "api_key",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        related_query_name="days",
                        to="accounts.apikey",
                    ),
                ),
            ],
            options={
                "ordering": ["-day", "-requests"],
                "indexes": [models.Index(fields=["-day", "-requests"], name="key_days_by_requests")],
                "constraints": [
                    models.UniqueConstraint(fields=("account", "day", "api_key"), name="one_day_of_key")
                ],
            },
        ),
    ]
