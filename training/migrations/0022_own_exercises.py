import django.db.models.deletion
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("training", "0021_fill_least_help"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="exercise",
            name="owner",
            field=models.ForeignKey(
                db_index=False,
                editable=False,
                help_text="Whose own it is, and nobody else sees it. None has an entry of the catalogue.",
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="exercise",
            name="offered_at",
            field=models.DateTimeField(
                editable=False, help_text="Since then its owner offers it to the catalogue.", null=True
            ),
        ),
        migrations.RemoveConstraint(model_name="exercise", name="exercise_name_unique"),
        migrations.AddConstraint(
            model_name="exercise",
            constraint=models.UniqueConstraint(
                django.db.models.functions.text.Lower("name"),
                condition=models.Q(("merged_into", None), ("owner", None)),
                name="exercise_name_unique",
            ),
        ),
        migrations.AddConstraint(
            model_name="exercise",
            constraint=models.UniqueConstraint(
                models.F("owner"),
                django.db.models.functions.text.Lower("name"),
                condition=models.Q(("merged_into", None), ("owner__isnull", False)),
                name="own_exercise_name_unique",
            ),
        ),
        migrations.AddIndex(
            model_name="exercise",
            index=models.Index(fields=["owner", "name", "id"], name="exercise_by_owner"),
        ),
    ]
