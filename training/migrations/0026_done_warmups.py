from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("training", "0025_best_sets_without_attempts"),
    ]

    operations = [
        migrations.AddField(
            model_name="workoutexercise",
            name="done_warmups",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
    ]
