from django.db import migrations
from django.db.models.expressions import RawSQL

WARMUPS = {
    "postgresql": """(
        SELECT count(*) FROM json_to_recordset(sets::json) AS one(completed boolean, type text)
        WHERE completed AND type = 'warmup'
    )""",
    "sqlite": """(
        SELECT count(*) FROM json_each(sets)
        WHERE json_extract(value, '$.completed') AND json_extract(value, '$.type') = 'warmup'
    )""",
}


def fill_done_warmups(apps, schema_editor):
    """Counts the warm-ups of rows that have some, an account at a time, as a cluster finds rows by account."""
    rows = apps.get_model("training", "WorkoutExercise").objects.filter(sets__contains='"warmup"')
    for account in list(rows.order_by().values_list("account", flat=True).distinct()):
        rows.filter(account=account).update(done_warmups=RawSQL(WARMUPS[schema_editor.connection.vendor], []))


class Migration(migrations.Migration):
    dependencies = [
        ("training", "0026_done_warmups"),
    ]

    operations = [
        migrations.RunPython(fill_done_warmups, migrations.RunPython.noop),
    ]
