from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0005_account_rest_seconds"),
    ]

    operations = [
        migrations.AddField(
            model_name="account",
            name="theme",
            field=models.CharField(
                blank=True,
                choices=[("", "As the device"), ("light", "Light"), ("dark", "Dark")],
                db_default="",
                default="",
                max_length=5,
            ),
        ),
    ]
