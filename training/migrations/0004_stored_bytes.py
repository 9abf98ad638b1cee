from django.db import migrations, models
from django.db.models import Count, Func, OuterRef, Subquery, Sum
from django.db.models.functions import Coalesce

ROW_BYTES = 500


class Octets(Func):
    """The length of a text in bytes of UTF-8."""

    function = "octet_length"
    output_field = models.BigIntegerField()

    def as_sqlite(self, compiler, connection):
        return super().as_sql(compiler, connection, template="length(CAST(%(expressions)s AS BLOB))")


def octets(*names):
    return sum(Coalesce(Octets(name), 0) for name in names)


def fill(apps, schema_editor):
    """Counts what is stored already, by one statement for each table."""
    Account = apps.get_model("accounts", "Account")
    Workout = apps.get_model("training", "Workout")
    WorkoutExercise = apps.get_model("training", "WorkoutExercise")

    texts = 2 * octets("notes", "superset_id", "sets") + octets("session_sets")
    exercises = WorkoutExercise.objects.filter(workout=OuterRef("pk")).values("workout")
    of_exercises = exercises.annotate(found=Sum(ROW_BYTES + texts)).values("found")
    own = ROW_BYTES + 2 * octets("title", "notes", "plan_name")
    Workout.objects.update(stored_bytes=own + Coalesce(Subquery(of_exercises), 0))

    workouts = Workout.objects.filter(account=OuterRef("pk")).values("account")
    Account.objects.update(
        workout_count=Coalesce(Subquery(workouts.annotate(found=Count("pk")).values("found")), 0),
        stored_bytes=Coalesce(Subquery(workouts.annotate(found=Sum("stored_bytes")).values("found")), 0),
    )


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0003_storage_counters'),
        ('training', '0003_plan_deleted_at'),
    ]

    operations = [
        migrations.AddField(
            model_name='workout',
            name='stored_bytes',
            field=models.IntegerField(db_default=0),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
