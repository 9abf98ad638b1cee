from django.db import migrations
from django.db.models import Q
from django.db.models.expressions import RawSQL

# A set of a session that was done as work, with a repetition at least: the heaviest, or that with the least
# help, of equals that with most repetitions.
BEST = {
    "postgresql": """(
        SELECT {column} FROM json_to_recordset(coalesce(session_sets, sets)::json)
            AS one(weight_kg double precision, reps integer, completed boolean, type text)
        WHERE completed AND type <> 'warmup' AND reps > 0 ORDER BY weight_kg {order}, reps DESC LIMIT 1
    )""",
    "sqlite": """(
        SELECT json_extract(value, '$.{column}') FROM json_each(coalesce(session_sets, sets))
        WHERE json_extract(value, '$.completed') AND json_extract(value, '$.type') <> 'warmup'
            AND json_extract(value, '$.reps') > 0
        ORDER BY json_extract(value, '$.weight_kg') {order}, json_extract(value, '$.reps') DESC LIMIT 1
    )""",
}


def leave_attempts_out(apps, schema_editor):
    """Makes the best sets again of sessions whose best one, or the one with least help, has 0 repetitions.

    One statement finds the accounts that have some. Then an account at a time, as a cluster finds rows by
    account.
    """
    best = BEST[schema_editor.connection.vendor]

    def made(order):
        return (RawSQL(best.format(column=column, order=order), []) for column in ("weight_kg", "reps"))

    rows = apps.get_model("training", "WorkoutExercise").objects
    attempts = rows.filter(Q(best_reps=0) | Q(least_help_reps=0))
    for account in list(attempts.order_by().values_list("account", flat=True).distinct()):
        weight_kg, reps = made("")
        rows.filter(account=account, least_help_reps=0).update(least_help_kg=weight_kg, least_help_reps=reps)
        weight_kg, reps = made("DESC")
        rows.filter(account=account, best_reps=0).update(best_weight_kg=weight_kg, best_reps=reps)


class Migration(migrations.Migration):
    dependencies = [
        ("training", "0024_fill_is_assisted"),
    ]

    operations = [
        migrations.RunPython(leave_attempts_out, migrations.RunPython.noop),
    ]
