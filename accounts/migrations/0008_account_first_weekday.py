from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0007_account_racks"),
    ]

    operations = [
        migrations.AddField(
            model_name="account",
            name="first_weekday",
            field=models.PositiveSmallIntegerField(
                choices=[(1, "Monday"), (6, "Saturday"), (7, "Sunday")], db_default=1, default=1
            ),
        ),
    ]
