from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("accounts", "0023_task_ended_by_staff"),
    ]

    operations = [
        migrations.AddField(
            model_name="storedfile",
            name="form",
            field=models.CharField(blank=True, db_default="", default="", max_length=20),
        ),
        migrations.AddField(
            model_name="storedfile",
            name="time_zone",
            field=models.CharField(blank=True, db_default="", default="", max_length=64),
        ),
        migrations.AddField(
            model_name="storedfile",
            name="unit",
            field=models.CharField(blank=True, db_default="", default="", max_length=2),
        ),
        migrations.AddField(
            model_name="storedfile",
            name="problem",
            field=models.CharField(blank=True, db_default="", default="", max_length=500),
        ),
    ]
