from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("training", "0022_own_exercises"),
    ]

    operations = [
        migrations.AddField(
            model_name="exercise",
            name="is_assisted",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="The weight of its sets is help, as on an assisted pull-up machine: the less, the better.",
                verbose_name="weight is help",
            ),
        ),
    ]
