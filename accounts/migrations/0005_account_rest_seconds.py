from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0004_end_merges_of_archives"),
    ]

    operations = [
        migrations.AddField(
            model_name="account",
            name="rest_seconds",
            field=models.PositiveSmallIntegerField(db_default=120, default=120),
        ),
    ]
