import datetime
import math
from typing import Self
from uuid import UUID

import orjson
from django.conf import settings
from django.db import connection, models, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import (
    Count,
    Exists,
    F,
    Func,
    IntegerField,
    OuterRef,
    Prefetch,
    Q,
    Subquery,
    Sum,
    Value,
)
from django.db.models.functions import Coalesce, StrIndex, Substr
from django.db.models.sql.compiler import SQLCompiler
from uuid_utils.compat import uuid7

from accounts.models import Account
from fitness.api.fields import timestamp
from fitness.api.pagination import Keyset
from fitness.api.prepared_writes import insert, update, update_all
from fitness.api.renderers import Fragment, dumps
from training.models.batches import change_in_batches
from training.models.exercise import SHOWN_IN_WORKOUTS, Exercise, MuscleGroup


class SetType(models.TextChoices):
    WARMUP = "warmup"
    WORKING = "working"


def within(queryset, since=None, until=None):
    """Rows whose `started_at` is from `since` (inclusive) to `until` (exclusive)."""
    if since is not None:
        queryset = queryset.filter(started_at__gte=since)
    if until is not None:
        queryset = queryset.filter(started_at__lt=until)
    return queryset


class WorkoutQuerySet(models.QuerySet):
    newest_first = Keyset("workouts", "started_at", "id")
    oldest_change_first = Keyset("changes", "updated_at", descending=False)  # no two share one

    def started(self, since=None, until=None):
        """Workouts that started from `since` (inclusive) to `until` (exclusive)."""
        return within(self, since, until)

    def changed(self, since=None):
        """Workouts whose latest change is at `since` or later."""
        return self if since is None else self.filter(updated_at__gte=since)

    def with_exercise_count(self) -> Self:
        """Annotates `exercise_count`. Positions count from 0, so the last one is enough."""
        positions = WorkoutExercise.objects.filter(workout=OuterRef("pk")).order_by("-position")
        last = Subquery(positions.values("position")[:1])
        return self.annotate(exercise_count=Coalesce(last + 1, 0))

    def log(self, account, values, workout_id=None):
        """Stores a new workout of the account; see Workout.fill for `values`."""
        workout = Workout(id=workout_id or uuid7(), account=account)
        entries = workout.fill(values)
        with transaction.atomic():
            (workout.created_at,) = account.stamp(workouts=1, stored_bytes=workout.stored_bytes)
            workout.render(values["exercises"], workout.created_at)
            insert([workout])
            insert(entries)
        return workout

    def accounts_with(self, exercise: Exercise) -> "models.QuerySet[Account]":
        """The accounts that have trained the exercise."""
        sessions = WorkoutExercise.objects.sessions_with(exercise.pk).filter(account=OuterRef("pk"))
        return Account.objects.filter(Exists(sessions)).only("pk")

    def stale(self, account: Account, exercise: Exercise) -> Self:
        """Workouts of the account that show the exercise otherwise than the catalogue does."""
        sessions = account.workout_exercises.sessions_with(exercise.pk)
        place = StrIndex("document", Value(document_part(exercise)))
        return (
            self.filter(account=account, pk__in=sessions.values("workout")).alias(place=place).filter(place=0)
        )

    def refresh_documents(self):
        """Brings what is derived (muscle groups, records) in line with rows and catalogue.

        A workout that reads differently then has changed: it takes a change stamp. Returns how many.
        """
        return change_in_batches(self, render_batch)

    def count_for(self, accounts: models.QuerySet[Account]) -> int:
        """Sets right the counters of accounts whose workouts come to something else. Returns how many did."""
        counted = self.filter(account=OuterRef("pk")).order_by().values("account")
        workout_count = Coalesce(Subquery(counted.annotate(found=Count("pk")).values("found")), 0)
        stored_bytes = Coalesce(Subquery(counted.annotate(found=Sum("stored_bytes")).values("found")), 0)
        right = Q(workout_count=workout_count, stored_bytes=stored_bytes)
        wrong = list(accounts.exclude(right))
        for account in wrong:
            with transaction.atomic():
                account.lock()
                itself = accounts.filter(pk=account.pk)
                itself.update(workout_count=workout_count, stored_bytes=stored_bytes)
        return len(wrong)

    def detach_plan(self):
        """Takes these workouts off their plan. They keep its name, and count as changed."""
        return change_in_batches(self, detach_plan_of_batch)


def document_part(exercise: Exercise) -> str:
    """The part of a record that shows the exercise, as Workout.rendered writes it."""
    shown = {"exercise_id": exercise.pk, "name": exercise.name, "muscle_group": exercise.muscle_group}
    return dumps(shown).decode()[1:-1]


# The columns of a WorkoutExercise that render_batch reads.
RENDERED = (
    *("workout_id", "exercise_id", "position", "notes", "superset_id", "sets"),
    *("muscle_group", "completed_sets", "first_of_group"),
)


def render_batch(account, batch):
    workouts = batch.prefetch_related(
        Prefetch("exercises", WorkoutExercise.objects.only(*RENDERED).order_by("position")),
        Prefetch("exercises__exercise", Exercise.objects.only(*SHOWN_IN_WORKOUTS)),
    )
    moved = [row for workout in workouts for row in workout.regroup()]
    update_all(moved, ("muscle_group", "first_of_group"))
    changed = [workout for workout in workouts if workout.document_from_rows != workout.document]
    for workout, stamp in zip(changed, account.stamp(len(changed)), strict=True):
        workout.updated_at = stamp
        workout.document = workout.document_from_rows
    update_all(changed, ("document", "updated_at"))
    return len(changed)


def detach_plan_of_batch(account, batch):
    batch.update(plan=None)
    return render_batch(account, batch)


class Workout(models.Model):
    """A training session: rows for statistics, and `record`, the JSON text that clients read.

    The record is rendered on every write and placed into answers as it stands.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="workouts", db_index=False
    )
    title = models.CharField(max_length=200, blank=True)
    notes = models.TextField(blank=True)
    started_at = models.DateTimeField()
    day = models.IntegerField()  # the UTC day of started_at, counted from 0001-01-01 = 1
    duration_seconds = models.PositiveIntegerField()
    volume_kg = models.FloatField()
    plan = models.ForeignKey("Plan", on_delete=models.SET_NULL, null=True, related_name="workouts")
    plan_name = models.CharField(max_length=200, null=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()  # the change stamp: unique within the account
    document = models.TextField()
    stored_bytes = models.IntegerField(db_default=0)  # of it and its exercises; see bytes_of

    objects = WorkoutQuerySet.as_manager()

    class Meta:
        indexes = [
            # With the duration, so that totals are read off the index alone.
            models.Index(
                "account", F("started_at").desc(), F("id").desc(), "duration_seconds", name="workout_newest"
            ),
            models.Index(fields=["account", "day"], name="workout_day"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["account", "updated_at"], name="workout_change_stamp"),
        ]

    def __str__(self):
        return self.title or f"Workout of {self.started_at:%Y-%m-%d}"

    refresh_batch = staticmethod(render_batch)  # brings workouts in line with the catalogue
    WRITABLE = ("title", "notes", "started_at", "duration_seconds", "plan_id", "plan_name")
    REPLACED = (*WRITABLE, "day", "volume_kg", "updated_at", "document", "stored_bytes")

    def fill(self, values):
        """Takes over what a client sent and returns the unsaved rows of its exercises.

        `values` holds the WRITABLE fields and `exercises`, a list of {exercise: Exercise, notes,
        superset_id, sets: [{type, weight_kg, reps, completed, rpe}]}. The record follows with the change
        stamp, in `render`.
        """
        exercises = values["exercises"]
        for name in self.WRITABLE:
            setattr(self, name, values[name])
        self.day = self.started_at.astimezone(datetime.UTC).toordinal()
        self.volume_kg = math.fsum(volume_kg(entry["sets"]) for entry in exercises)
        entries = [
            WorkoutExercise(workout=self, account_id=self.account_id, started_at=self.started_at, **row)
            for row in rows(exercises)
        ]
        self.stored_bytes = bytes_of(self, entries)
        return entries

    def render(self, exercises: list[dict], stamp: datetime.datetime) -> None:
        """Makes the record, of exercises in the shape that `fill` takes, as changed at a change stamp."""
        self.updated_at = stamp
        self.document = self.rendered(exercises)

    def replace(self, values):
        """Puts `values` in the place of everything but the id. Raises DoesNotExist if it is gone."""
        known_bytes = self.stored_bytes
        entries = self.fill(values)
        with transaction.atomic():
            (stamp,) = self.account.stamp(stored_bytes=self.stored_bytes - known_bytes)
            self.render(values["exercises"], stamp)
            if not update(self, self.REPLACED, stored_bytes=known_bytes):
                self.correct_storage(known_bytes)
                update(self, self.REPLACED)
            self.exercises.all()._raw_delete(connection.alias)
            insert(entries)

    def remove(self):
        """Deletes the workout. Raises DoesNotExist if it is gone.

        The stamp keeps a concurrent replacement from leaving rows behind.
        """
        workout = Workout.objects.filter(pk=self.pk)
        with transaction.atomic():
            self.account.stamp(workouts=-1, stored_bytes=-self.stored_bytes)
            self.exercises.all()._raw_delete(connection.alias)
            if not workout.filter(stored_bytes=self.stored_bytes)._raw_delete(connection.alias):
                self.correct_storage(self.stored_bytes)
                workout._raw_delete(connection.alias)

    def correct_storage(self, known_bytes: int) -> None:
        """Counts what the workout takes now: a request replaced it after this one had read `known_bytes`.

        Rare enough to cost two statements. The account is locked. Raises DoesNotExist if the workout is gone.
        """
        taken = Workout.objects.values_list("stored_bytes", flat=True).get(pk=self.pk)
        self.account.stamp(stored_bytes=known_bytes - taken)

    def regroup(self):
        """Follows the catalogue's muscle groups; yields the rows that this changes."""
        groups = set()
        for row in self.exercises.all():
            before = row.muscle_group, row.first_of_group
            row.muscle_group = row.exercise.muscle_group
            row.first_of_group = leads(row.muscle_group, row.completed_sets, groups)
            if (row.muscle_group, row.first_of_group) != before:
                yield row

    @property
    def document_from_rows(self):
        return self.rendered([row.entry for row in self.exercises.all()])

    def rendered(self, exercises):
        """The record of spec.md, "Workout", as text, for exercises in the shape that `fill` takes."""
        document = {
            "id": str(self.id),
            "title": self.title,
            "notes": self.notes,
            "started_at": timestamp(self.started_at),
            "duration_seconds": self.duration_seconds,
            "volume_kg": round(self.volume_kg, 2),
            "plan_id": str(self.plan_id) if self.plan_id else None,
            "plan_name": self.plan_name,
            "exercises": [
                {
                    "exercise_id": entry["exercise"].id,
                    "name": entry["exercise"].name,
                    "muscle_group": entry["exercise"].muscle_group,
                    "notes": entry["notes"],
                    "superset_id": entry["superset_id"],
                    "sets": entry["sets"],
                }
                for entry in exercises
            ],
            "created_at": timestamp(self.created_at),
            "updated_at": timestamp(self.updated_at),
        }
        return dumps(document).decode()


class SetCount(Func):
    """How many sets a JSON list of them holds; the database counts, so that no long list is parsed here."""

    function = "json_array_length"
    output_field = IntegerField()

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, list]:
        return self.as_sql(compiler, connection, template="%(function)s((%(expressions)s)::json)")


class WorkoutExerciseQuerySet(models.QuerySet):
    newest_first = Keyset("sessions", "started_at", "workout_id")
    newest_records_first = Keyset("records", "started_at", "id")

    def started(self, since=None, until=None):
        return within(self, since, until)

    def sessions_with(self, exercise_id):
        """One row a workout: the first occurrence of the exercise, which stands for all of them."""
        return self.filter(exercise_id=exercise_id, first_of_exercise=True)

    def with_first_sets(self, count: int) -> Self:
        """Annotates `first_sets`, the text of its sets, cut off where it is longer than `count` sets.

        The function `first_sets` reads it. A session may have 10,000 sets, which are 700 KB.
        """
        sets = Coalesce("session_sets", "sets")
        return self.annotate(first_sets=Substr(sets, 1, count * MAX_SET_LENGTH))

    def heads(self, workout_ids: list[UUID], count: int) -> Self:
        """The first `count` exercises of each of these workouts, in their order, with their `set_count`."""
        rows = self.filter(workout__in=workout_ids, position__lt=count).annotate(set_count=SetCount("sets"))
        return rows.order_by("workout", "position")


class WorkoutExercise(models.Model):
    """One exercise of a workout, with its sets as value objects and what statistics need of them.

    Where an exercise occurs more than once in a workout, the first occurrence carries the
    aggregates of all, and the others none: a session counts once.
    """

    workout = models.ForeignKey(Workout, on_delete=models.CASCADE, related_name="exercises", db_index=False)
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="workout_exercises", db_index=False
    )
    exercise = models.ForeignKey(Exercise, on_delete=models.PROTECT, related_name="+", db_index=False)
    started_at = models.DateTimeField()
    position = models.PositiveSmallIntegerField()
    muscle_group = models.CharField(max_length=20, choices=MuscleGroup)
    notes = models.TextField(blank=True)
    superset_id = models.CharField(max_length=200, null=True)
    sets = models.TextField()  # JSON, as clients read it
    session_sets = models.TextField(null=True)  # JSON of all occurrences, on the first of several

    first_of_exercise = models.BooleanField()
    first_of_group = models.BooleanField()  # the first of its muscle group with a completed set
    completed_sets = models.PositiveIntegerField()
    volume_kg = models.FloatField()
    best_weight_kg = models.FloatField(null=True)
    best_reps = models.PositiveIntegerField(null=True)

    objects = WorkoutExerciseQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(
                "account",
                "exercise",
                F("started_at").desc(),
                F("workout").desc(),
                name="session_newest",
                condition=Q(first_of_exercise=True),
            ),
            models.Index(
                "account",
                "exercise",
                F("best_weight_kg").desc(),
                F("best_reps").desc(),
                "started_at",
                "workout",
                name="session_best",
                condition=Q(best_weight_kg__isnull=False),
            ),
            models.Index(
                fields=[
                    *("account", "muscle_group", "started_at"),
                    *("completed_sets", "volume_kg", "first_of_group"),  # read off the index alone
                ],
                name="session_totals",
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["workout", "position"], name="workout_exercise_position"),
        ]

    def __str__(self):
        return f"{self.exercise_id} of {self.workout_id}"

    @property
    def entry(self):
        """The row in the shape that Workout.rendered takes."""
        return {
            "exercise": self.exercise,
            "notes": self.notes,
            "superset_id": self.superset_id,
            "sets": Fragment(self.sets),
        }


MAX_SET_LENGTH = 120  # characters of JSON: the names, two numbers of 24 digits, the type, the repetitions


def first_sets(text: str, count: int) -> tuple[list[dict], bool]:
    """Up to `count` sets of a text of `with_first_sets`, and whether the session has more."""
    is_cut = not text.endswith("]")  # no set holds a bracket
    sets = orjson.loads(text[: text.rindex("}") + 1] + "]" if is_cut else text)
    return sets[:count], is_cut or len(sets) > count


SESSION_FIELDS = ("workout_id", "started_at", "sets", "session_sets", "best_weight_kg", "best_reps")


def session(row):
    """One session of the exercise history (spec.md), for the first occurrence in a workout.

    `row` has the SESSION_FIELDS as attributes.
    """
    return {
        "workout_id": str(row.workout_id),
        "started_at": timestamp(row.started_at),
        "sets": Fragment(row.session_sets or row.sets),
        "best_set": best_set(row.best_weight_kg, row.best_reps),
    }


ROW_BYTES = 500  # of a row, its index entries, and its share of the record besides the texts; about


def bytes_of(workout: Workout, entries: list[WorkoutExercise]) -> int:
    """What a workout and the rows of its exercises take in the database, about.

    Only what its owner sends counts, not the names of exercises and plans, so that it changes with a
    replacement alone. Texts count twice, because rows and record both hold them.
    """
    twice = [workout.title, workout.notes, workout.plan_name]
    for entry in entries:
        twice += [entry.notes, entry.superset_id, entry.sets]
    once = [entry.session_sets for entry in entries]
    return ROW_BYTES * (1 + len(entries)) + 2 * octets(twice) + octets(once)


def octets(texts: list[str | None]) -> int:
    return sum(len(text.encode()) for text in texts if text)


def rows(exercises):
    """The columns of each WorkoutExercise, for exercises in the shape that Workout.fill takes."""
    sets_of = {}
    for entry in exercises:
        sets_of.setdefault(entry["exercise"].id, []).append(entry["sets"])
    groups = set()
    for position, entry in enumerate(exercises):
        exercise = entry["exercise"]
        occurrences = sets_of.pop(exercise.id, [])
        session = [one for sets in occurrences for one in sets]
        completed = sum(one["completed"] for one in session)
        best_weight_kg, best_reps = best(session)
        yield {
            "exercise_id": exercise.id,
            "position": position,
            "muscle_group": exercise.muscle_group,
            "notes": entry["notes"],
            "superset_id": entry["superset_id"],
            "sets": dumps(entry["sets"]).decode(),
            "session_sets": dumps(session).decode() if len(occurrences) > 1 else None,
            "first_of_exercise": bool(occurrences),
            "first_of_group": leads(exercise.muscle_group, completed, groups),
            "completed_sets": completed,
            "volume_kg": volume_kg(session),
            "best_weight_kg": best_weight_kg,
            "best_reps": best_reps,
        }


def leads(muscle_group, completed_sets, groups):
    """Whether an exercise is the first with completed sets of its muscle group; notes it in `groups`."""
    first = completed_sets > 0 and muscle_group not in groups
    if first:
        groups.add(muscle_group)
    return first


def counts_as_work(one):
    """Whether a set counts toward volume and records: completed, and not a warm-up."""
    return one["completed"] and one["type"] != SetType.WARMUP


def volume_kg(sets):
    return math.fsum(one["weight_kg"] * one["reps"] for one in sets if counts_as_work(one))


def best(sets):
    """(weight_kg, reps) of the heaviest working set, of equals the one with most reps; or Nones."""
    return max(((one["weight_kg"], one["reps"]) for one in sets if counts_as_work(one)), default=(None, None))


def best_set(weight_kg, reps):
    if weight_kg is None:
        return None
    return {
        "weight_kg": weight_kg,
        "reps": reps,
        "estimated_1rm_kg": estimated_1rm_kg(weight_kg, reps),
    }


def estimated_1rm_kg(weight_kg, reps):
    """The one-rep maximum by Epley's formula (1985), in kg, rounded to one decimal."""
    return round(weight_kg * (1 + reps / 30), 1)
