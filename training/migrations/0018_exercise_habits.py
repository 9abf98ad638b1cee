import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """What was remembered of rests is remembered of setups, too. The table and its column keep their names."""

    dependencies = [
        ('training', '0017_weekday_of_drafts'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterModelTable(name='exerciserest', table='training_exerciserest'),
        migrations.RenameModel(old_name='ExerciseRest', new_name='ExerciseHabit'),
        migrations.AlterField(
            model_name='exercisehabit',
            name='account',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='exercise_habits', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AlterField(
            model_name='exercisehabit',
            name='seconds',
            field=models.PositiveSmallIntegerField(db_column='seconds'),
        ),
        migrations.RenameField(model_name='exercisehabit', old_name='seconds', new_name='rest_seconds'),
        migrations.AddField(
            model_name='exercisehabit',
            name='rests_in_superset',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name='exercisehabit',
            name='setup',
            field=models.CharField(blank=True, db_default='', default='', max_length=500),
        ),
    ]
