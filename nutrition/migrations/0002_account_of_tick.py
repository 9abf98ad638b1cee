import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

FILL_ACCOUNT = """
UPDATE nutrition_mealtick SET account_id = (
    SELECT account_id FROM nutrition_meal WHERE id = nutrition_mealtick.meal_id
)
"""


def account_of_tick(**options):
    return models.ForeignKey(
        on_delete=django.db.models.deletion.CASCADE,
        related_name="meal_ticks",
        to=settings.AUTH_USER_MODEL,
        **options,
    )


class Migration(migrations.Migration):
    """A tick names its account, as each row of an account does."""

    dependencies = [
        ("nutrition", "0001_initial"),
    ]

    operations = [
        migrations.AddField("mealtick", "account", account_of_tick(null=True)),
        migrations.RunSQL(FILL_ACCOUNT, migrations.RunSQL.noop),
        migrations.AlterField("mealtick", "account", account_of_tick()),
        migrations.AlterField(
            "mealtick",
            "meal",
            models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="nutrition.meal"
            ),
        ),
        migrations.AlterField(
            "mealtick",
            "nutrition_day",
            models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="nutrition.nutritionday",
            ),
        ),
    ]
