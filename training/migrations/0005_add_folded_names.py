import training.models.exercise
from django.db import migrations, models


def fold_names(apps, schema_editor):
    for exercise in apps.get_model("training", "Exercise").objects.all():
        exercise.save()  # fills both fields


class Migration(migrations.Migration):

    dependencies = [
        ('training', '0004_stored_bytes'),
    ]

    operations = [
        migrations.AddField(
            model_name='exercise',
            name='names_folded',
            field=training.models.exercise.FoldedField(of=['name', 'aliases']),
        ),
        migrations.AddField(
            model_name='exercise',
            name='name_folded',
            field=training.models.exercise.FoldedField(of=['name']),
        ),
        migrations.AlterField(
            model_name='exercise',
            name='aliases',
            field=models.JSONField(blank=True, default=list, help_text='Other names of the same movement, for searches and imports.'),
        ),
        migrations.RunPython(fold_names, migrations.RunPython.noop),
    ]
