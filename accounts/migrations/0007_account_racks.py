from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0006_account_theme"),
    ]

    operations = [
        migrations.AddField(
            model_name="account",
            name="racks",
            field=models.JSONField(editable=False, null=True),
        ),
    ]
