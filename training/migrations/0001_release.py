import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
import training.models.exercise
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("training", "0001_initial"),
        ("training", "0002_catalogue_change"),
        ("training", "0003_plan_deleted_at"),
        ("training", "0004_stored_bytes"),
        ("training", "0005_add_folded_names"),
        ("training", "0006_rename_document"),
        ("training", "0007_owned_relations"),
        ("training", "0008_retire_and_merge_exercises"),
        ("training", "0009_training_draft"),
        ("training", "0010_exercise_name"),
        ("training", "0011_session_newest_with_best_sets"),
        ("training", "0012_training_month"),
        ("training", "0013_drop_training_month"),
        ("training", "0014_tasks_of_deleted_plans"),
        ("training", "0015_plan_rules_and_steps"),
        ("training", "0016_rules_of_routines"),
        ("training", "0017_weekday_of_drafts"),
        ("training", "0018_exercise_habits"),
        ("training", "0019_exercise_pin"),
        ("training", "0020_least_help"),
        ("training", "0021_fill_least_help"),
        ("training", "0022_own_exercises"),
        ("training", "0023_exercise_is_assisted"),
        ("training", "0024_fill_is_assisted"),
        ("training", "0025_best_sets_without_attempts"),
        ("training", "0026_done_warmups"),
        ("training", "0027_fill_done_warmups"),
    ]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Exercise",
            fields=[
                ("id", models.SlugField(max_length=120, primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=200)),
                (
                    "muscle_group",
                    models.CharField(
                        choices=[
                            ("Chest", "Chest"),
                            ("Back", "Back"),
                            ("Legs", "Legs"),
                            ("Shoulders", "Shoulders"),
                            ("Arms", "Arms"),
                            ("Core", "Core"),
                            ("Full body", "Full body"),
                        ],
                        max_length=20,
                    ),
                ),
                (
                    "equipment",
                    models.CharField(
                        choices=[
                            ("Barbell", "Barbell"),
                            ("Dumbbell", "Dumbbell"),
                            ("Cable", "Cable"),
                            ("Machine", "Machine"),
                            ("Bodyweight", "Bodyweight"),
                            ("Kettlebell", "Kettlebell"),
                            ("Band", "Band"),
                        ],
                        max_length=20,
                    ),
                ),
                (
                    "level",
                    models.CharField(
                        choices=[
                            ("beginner", "Beginner"),
                            ("intermediate", "Intermediate"),
                            ("expert", "Expert"),
                        ],
                        max_length=20,
                    ),
                ),
                (
                    "mechanic",
                    models.CharField(
                        choices=[("compound", "Compound"), ("isolation", "Isolation"), ("other", "Other")],
                        max_length=20,
                    ),
                ),
                (
                    "force",
                    models.CharField(
                        choices=[
                            ("push", "Push"),
                            ("pull", "Pull"),
                            ("static", "Static"),
                            ("other", "Other"),
                        ],
                        max_length=20,
                    ),
                ),
                (
                    "category",
                    models.CharField(
                        choices=[
                            ("strength", "Strength"),
                            ("powerlifting", "Powerlifting"),
                            ("olympic weightlifting", "Olympic"),
                            ("strongman", "Strongman"),
                            ("plyometrics", "Plyometrics"),
                            ("stretching", "Stretching"),
                            ("cardio", "Cardio"),
                        ],
                        max_length=30,
                    ),
                ),
                ("secondary_muscles", models.JSONField(blank=True, default=list)),
                (
                    "is_assisted",
                    models.BooleanField(
                        db_default=False,
                        default=False,
                        help_text="The weight of its sets is help, as on an assisted pull-up machine: the less, the better.",
                        verbose_name="weight is help",
                    ),
                ),
                ("instructions", models.TextField(blank=True)),
                ("images", models.JSONField(blank=True, default=list)),
                (
                    "aliases",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="Other names of the same movement, for searches and imports.",
                    ),
                ),
                ("name_folded", training.models.exercise.FoldedField(of=["name"])),
                ("names_folded", training.models.exercise.FoldedField(of=["name", "aliases"])),
                (
                    "edited",
                    models.BooleanField(
                        default=False,
                        help_text="Edited here: a new version of the shipped catalogue leaves it alone.",
                    ),
                ),
                (
                    "retired_at",
                    models.DateTimeField(
                        editable=False,
                        help_text="Since then searches leave it out. Workouts, routines and plans keep it.",
                        null=True,
                    ),
                ),
                (
                    "offered_at",
                    models.DateTimeField(
                        editable=False,
                        help_text="Since then its owner offers it to the catalogue.",
                        null=True,
                    ),
                ),
                (
                    "merged_into",
                    models.ForeignKey(
                        db_constraint=False,
                        editable=False,
                        help_text="This one has its names, its workouts, its routines and its plans, and answers to its id.",
                        limit_choices_to={"retired_at": None},
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="training.exercise",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        db_index=False,
                        editable=False,
                        help_text="Whose own it is, and nobody else sees it. None has an entry of the catalogue.",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["name", "id"], name="exercise_by_name"),
                    models.Index(fields=["owner", "name", "id"], name="exercise_by_owner"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        django.db.models.functions.text.Lower("name"),
                        condition=models.Q(("merged_into", None), ("owner", None)),
                        name="exercise_name_unique",
                    ),
                    models.UniqueConstraint(
                        models.F("owner"),
                        django.db.models.functions.text.Lower("name"),
                        condition=models.Q(("merged_into", None), ("owner__isnull", False)),
                        name="own_exercise_name_unique",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="CatalogueChange",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("in_workouts", models.BooleanField()),
                ("changed_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("not_before", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "exercise",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="training.exercise"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ExerciseHabit",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("rest_seconds", models.PositiveSmallIntegerField(db_column="seconds")),
                ("rests_in_superset", models.BooleanField(db_default=False, default=False)),
                ("setup", models.CharField(blank=True, db_default="", default="", max_length=500)),
                (
                    "account",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="exercise_habits",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "exercise",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="training.exercise",
                    ),
                ),
            ],
            options={
                "db_table": "training_exerciserest",
                "constraints": [
                    models.UniqueConstraint(fields=("account", "exercise"), name="rest_of_exercise")
                ],
            },
        ),
        migrations.CreateModel(
            name="ExerciseName",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("source", models.CharField(max_length=20)),
                ("name", models.CharField(max_length=200)),
                (
                    "fate",
                    models.CharField(
                        choices=[("exercise", "Exercise"), ("note", "Note"), ("leave_out", "Leave Out")],
                        max_length=10,
                    ),
                ),
                (
                    "account",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="exercise_names",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "exercise",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="training.exercise",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("account", "source", "name"), name="one_exercise_name"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("exercise__isnull", False), ("fate", "exercise")),
                            models.Q(("exercise__isnull", True), ("fate__in", ["note", "leave_out"])),
                            _connector="OR",
                        ),
                        name="exercise_name_has_one_fate",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ExercisePin",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "account",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="exercise_pins",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "exercise",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="training.exercise",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("account", "exercise"), name="one_pin_of_exercise")
                ],
            },
        ),
        migrations.CreateModel(
            name="Plan",
            fields=[
                ("rules", models.JSONField(editable=False, null=True)),
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("summary", models.TextField(blank=True)),
                ("progression", models.TextField(blank=True)),
                ("active", models.BooleanField(default=False)),
                ("source", models.CharField(default="manual", editable=False, max_length=20)),
                ("days", models.JSONField()),
                ("history", models.JSONField(default=list)),
                ("created_at", models.DateTimeField()),
                ("updated_at", models.DateTimeField(null=True)),
                ("deleted_at", models.DateTimeField(editable=False, null=True)),
                (
                    "account",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="plans",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        models.F("account"),
                        models.OrderBy(models.F("created_at"), descending=True),
                        models.OrderBy(models.F("id"), descending=True),
                        name="plan_newest",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("active", True)), fields=("account",), name="one_active_plan"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Routine",
            fields=[
                ("rules", models.JSONField(editable=False, null=True)),
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("focus", models.CharField(blank=True, max_length=200)),
                ("use_count", models.PositiveIntegerField(default=0)),
                ("exercises", models.JSONField(default=list)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "account",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="routines",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        models.F("account"),
                        models.OrderBy(models.F("created_at"), descending=True),
                        models.OrderBy(models.F("id"), descending=True),
                        name="routine_newest",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="TrainingDraft",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("document", models.JSONField()),
                ("version", models.PositiveIntegerField(default=1)),
                ("targets", models.JSONField(default=dict)),
                ("weekday", models.PositiveSmallIntegerField(null=True)),
                ("closed_at", models.DateTimeField(null=True)),
                ("workout_id", models.UUIDField(null=True)),
                (
                    "account",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="training_drafts",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        models.F("account"), condition=models.Q(("closed_at", None)), name="one_open_draft"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Workout",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("title", models.CharField(blank=True, max_length=200)),
                ("notes", models.TextField(blank=True)),
                ("started_at", models.DateTimeField()),
                ("day", models.IntegerField()),
                ("duration_seconds", models.PositiveIntegerField()),
                ("volume_kg", models.FloatField()),
                ("plan_name", models.CharField(max_length=200, null=True)),
                ("created_at", models.DateTimeField()),
                ("updated_at", models.DateTimeField()),
                ("document", models.TextField()),
                ("stored_bytes", models.IntegerField(db_default=0)),
                (
                    "account",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="workouts",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "plan",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="training.plan",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        models.F("account"),
                        models.OrderBy(models.F("started_at"), descending=True),
                        models.OrderBy(models.F("id"), descending=True),
                        models.F("duration_seconds"),
                        name="workout_newest",
                    ),
                    models.Index(fields=["account", "day"], name="workout_day"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("account", "updated_at"), name="workout_change_stamp")
                ],
            },
        ),
        migrations.CreateModel(
            name="ProgressionStep",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("rule", models.UUIDField()),
                ("fold", models.PositiveIntegerField()),
                ("exercise", models.CharField(max_length=120)),
                ("weekday", models.PositiveSmallIntegerField()),
                ("is_day_known", models.BooleanField(db_default=False)),
                ("is_held", models.BooleanField(db_default=False)),
                ("at", models.DateTimeField()),
                ("kind", models.CharField(max_length=20)),
                ("step", models.JSONField()),
                (
                    "account",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="progression_steps",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "plan",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="training.plan",
                    ),
                ),
                (
                    "routine",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="training.routine",
                    ),
                ),
                (
                    "workout",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="training.workout",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        models.F("account"),
                        models.F("plan"),
                        models.OrderBy(models.F("at"), descending=True),
                        models.OrderBy(models.F("id"), descending=True),
                        name="step_newest",
                    ),
                    models.Index(
                        models.F("account"),
                        models.F("routine"),
                        models.OrderBy(models.F("at"), descending=True),
                        models.OrderBy(models.F("id"), descending=True),
                        name="routine_step_newest",
                    ),
                    models.Index(fields=["account", "rule", "fold", "at"], name="step_of_rule"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("workout", "rule"), name="one_step_of_workout"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("plan", None), ("routine__isnull", False)),
                            models.Q(("plan__isnull", False), ("routine", None)),
                            _connector="OR",
                        ),
                        name="step_of_plan_or_routine",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="WorkoutExercise",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("started_at", models.DateTimeField()),
                ("position", models.PositiveSmallIntegerField()),
                (
                    "muscle_group",
                    models.CharField(
                        choices=[
                            ("Chest", "Chest"),
                            ("Back", "Back"),
                            ("Legs", "Legs"),
                            ("Shoulders", "Shoulders"),
                            ("Arms", "Arms"),
                            ("Core", "Core"),
                            ("Full body", "Full body"),
                        ],
                        max_length=20,
                    ),
                ),
                ("notes", models.TextField(blank=True)),
                ("superset_id", models.CharField(max_length=200, null=True)),
                ("sets", models.TextField()),
                ("session_sets", models.TextField(null=True)),
                ("first_of_exercise", models.BooleanField()),
                ("first_of_group", models.BooleanField()),
                ("completed_sets", models.PositiveIntegerField()),
                ("done_warmups", models.PositiveIntegerField(db_default=0, default=0)),
                ("volume_kg", models.FloatField()),
                ("best_weight_kg", models.FloatField(null=True)),
                ("best_reps", models.PositiveIntegerField(null=True)),
                ("least_help_kg", models.FloatField(null=True)),
                ("least_help_reps", models.PositiveIntegerField(null=True)),
                (
                    "account",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="workout_exercises",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "exercise",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="training.exercise",
                    ),
                ),
                (
                    "workout",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="training.workout",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        models.F("account"),
                        models.F("exercise"),
                        models.OrderBy(models.F("started_at"), descending=True),
                        models.OrderBy(models.F("workout"), descending=True),
                        models.F("best_weight_kg"),
                        models.F("best_reps"),
                        condition=models.Q(("first_of_exercise", True)),
                        name="session_newest",
                    ),
                    models.Index(
                        models.F("account"),
                        models.F("exercise"),
                        models.OrderBy(models.F("best_weight_kg"), descending=True),
                        models.OrderBy(models.F("best_reps"), descending=True),
                        models.F("started_at"),
                        models.F("workout"),
                        condition=models.Q(("best_weight_kg__isnull", False)),
                        name="session_best",
                    ),
                    models.Index(
                        fields=[
                            "account",
                            "muscle_group",
                            "started_at",
                            "completed_sets",
                            "volume_kg",
                            "first_of_group",
                        ],
                        name="session_totals",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("workout", "position"), name="workout_exercise_position")
                ],
            },
        ),
    ]
