from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('training', '0019_exercise_pin'),
    ]

    operations = [
        migrations.AddField(
            model_name='workoutexercise',
            name='least_help_kg',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='workoutexercise',
            name='least_help_reps',
            field=models.PositiveIntegerField(null=True),
        ),
    ]
