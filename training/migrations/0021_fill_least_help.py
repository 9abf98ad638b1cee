from django.db import migrations
from django.db.models.expressions import RawSQL

# The set with the least help of a row that was done as work, of equals that with most repetitions.
LEAST_HELP = {
    "postgresql": """(
        SELECT {column} FROM json_to_recordset(sets::json)
            AS one(weight_kg double precision, reps integer, completed boolean, type text)
        WHERE completed AND type <> 'warmup' ORDER BY weight_kg, reps DESC LIMIT 1
    )""",
    "sqlite": """(
        SELECT json_extract(value, '$.{column}') FROM json_each(sets)
        WHERE json_extract(value, '$.completed') AND json_extract(value, '$.type') <> 'warmup'
        ORDER BY json_extract(value, '$.weight_kg'), json_extract(value, '$.reps') DESC LIMIT 1
    )""",
}


def fill_least_help(apps, schema_editor):
    """Reads it from the sets of assisted exercises, an account at a time, as a cluster finds rows by account.

    Rows that are joined to a session stay without: what is stored of these is not read.
    """
    exercises = apps.get_model("training", "Exercise").objects.filter(name__icontains="assisted")
    ids = list(exercises.values_list("pk", flat=True))
    rows = apps.get_model("training", "WorkoutExercise").objects.filter(
        exercise__in=ids, best_weight_kg__isnull=False, session_sets=None
    )
    of_sets = LEAST_HELP[schema_editor.connection.vendor]
    weight_kg, reps = (RawSQL(of_sets.format(column=column), []) for column in ("weight_kg", "reps"))
    for account in apps.get_model("accounts", "Account").objects.values_list("pk", flat=True):
        rows.filter(account=account).update(least_help_kg=weight_kg, least_help_reps=reps)


class Migration(migrations.Migration):
    """Apart from 0020, whose lock on the table ends with its transaction: filling takes seconds."""

    dependencies = [
        ("training", "0020_least_help"),
    ]

    operations = [
        migrations.RunPython(fill_least_help, migrations.RunPython.noop),
    ]
