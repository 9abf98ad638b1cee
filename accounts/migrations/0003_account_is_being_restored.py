from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_failures_of_push_subscriptions"),
    ]

    operations = [
        migrations.AddField(
            model_name="account",
            name="is_being_restored",
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
    ]
