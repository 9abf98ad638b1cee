"""Workouts.

Stored are what a client sent (one row, and a WorkoutExercise for each exercise), and the change stamp.
Derived from them on every write are `document`, the JSON text that clients read, the volume, the day, and
`stored_bytes`; the AccountState counts the account's workouts and their bytes.
"""

import datetime
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from operator import itemgetter
from typing import Any, Protocol, Self, TypedDict
from uuid import UUID

import orjson
from django.conf import settings
from django.db import connection, models, transaction
from django.db.models import Count, Exists, F, OuterRef, Q, Subquery, Sum
from django.db.models.functions import Coalesce
from django.db.models.lookups import In
from django.utils import timezone
from uuid_utils.compat import uuid7

from accounts.models import Account, AccountState
from fitness.days import begin_and_end
from fitness.db.keysets import Keyset
from fitness.db.owned import OfAccount, Owned, OwnedForeignKey
from fitness.db.prepared_queries import Placeholder, PreparedQuery, padded
from fitness.db.windows import Instant, window
from fitness.db.writes import insert, insert_rows, update, update_all
from fitness.json import dumps, timestamp
from training.models.batches import change_in_batches
from training.models.exercise import Exercise, summaries_of
from training.models.search import contains
from training.models.sets import WorkoutSet, best_lift, lifts_of, volume_kg
from training.models.workout_exercise import (
    ExerciseColumns,
    ExerciseRow,
    StoredEntry,
    WorkoutEntry,
    WorkoutExercise,
    WorkoutExerciseQuerySet,
)

# Bytes of a row, its index entries, and its share of the document besides the texts; an estimate.
ROW_BYTES = 500

# The columns of a WorkoutExercise that exercises_of reads, and those that correct_rows reads.
RENDERED = ("account_id", "workout_id", "exercise_id", "position", "notes", "superset_id", "sets")
GROUPED = ("id", "workout_id", "exercise_id", "muscle_group", "completed_sets", "first_of_group")
# The columns of a Workout whose texts bytes_of counts, with what it counted last.
WEIGHED = ("account_id", "title", "notes", "plan_name", "stored_bytes")
# The columns of a WorkoutExercise that depend on the other exercises of its workout.
SESSION = (
    *("muscle_group", "session_sets", "first_of_exercise", "first_of_group"),
    *("completed_sets", "volume_kg", "best_weight_kg", "best_reps"),
)


class WorkoutValues(TypedDict):
    """A workout that a client has sent, validated: the WRITABLE fields and the exercises in order."""

    title: str
    notes: str
    started_at: datetime.datetime
    duration_seconds: int
    plan_id: UUID | None
    plan_name: str | None
    exercises: list[WorkoutEntry]


class DocumentEntryHead(TypedDict):
    """An exercise of a workout as clients read it, but for the sets."""

    exercise_id: str
    name: str
    muscle_group: str
    notes: str
    superset_id: str | None


class DocumentEntry(DocumentEntryHead):
    sets: list[WorkoutSet]


class DocumentHead(TypedDict):
    """A workout as clients read it, but for its start and its exercises."""

    id: str
    title: str
    notes: str
    duration_seconds: int
    volume_kg: float
    plan_id: str | None
    plan_name: str | None
    created_at: str
    updated_at: str


class WorkoutDocument(DocumentHead):
    """What the `document` of a workout holds as text: `Workout` in the OpenAPI document."""

    started_at: str
    exercises: list[DocumentEntry]


class IdRow(Protocol):
    id: UUID


class GroupedRow(Protocol):
    """A row with the columns of GROUPED."""

    id: int
    workout_id: UUID
    exercise_id: str
    muscle_group: str
    completed_sets: int
    first_of_group: bool


class WorkoutQuerySet(models.QuerySet["Workout"]):
    newest_first = Keyset("workouts", "started_at", "id")
    oldest_change_first = Keyset("changes", "updated_at", descending=False)  # no two share one

    def started(self, since: Instant | None = None, until: Instant | None = None) -> Self:
        """Workouts that started from `since` (inclusive) to `until` (exclusive)."""
        return window(self, "started_at", since, until)

    def of_plan_on(self, day: datetime.date, plan_id: UUID | OuterRef) -> Self:
        """Workouts of a plan on a day of the current time zone."""
        return self.started(*begin_and_end(day, day)).filter(plan_id=plan_id)

    def changed(self, since: datetime.datetime | None = None) -> Self:
        """Workouts whose latest change is at `since` or later."""
        return window(self, "updated_at", since)

    def with_exercise_count_of(self, account: Account) -> Self:
        """Annotates `exercise_count`. Positions count from 0, so the last one is enough."""
        positions = WorkoutExercise.objects.filter(account=account, workout=OuterRef("pk"))
        positions = positions.order_by("-position")
        last = Subquery(positions.values("position")[:1])
        return self.annotate(exercise_count=Coalesce(last + 1, 0))

    def log(self, account: Account, values: WorkoutValues, workout_id: UUID | None = None) -> "Workout":
        """Stores a new workout of the account."""
        workout = Workout(id=workout_id or uuid7(), account=account)
        rows = workout.fill(values)
        with transaction.atomic():
            (workout.created_at,) = account.stamp(workouts=1, stored_bytes=workout.stored_bytes)
            workout.render(values["exercises"], workout.created_at)
            insert([workout])
            insert_rows(WorkoutExercise, rows)
        return workout

    def accounts_with(self, exercise: Exercise) -> "models.QuerySet[AccountState, UUID]":
        """The ids of the accounts that have trained the exercise."""
        sessions = WorkoutExercise.objects.sessions_with(exercise.pk).filter(account=OuterRef("account"))
        return AccountState.objects.filter(Exists(sessions)).values_list("account", flat=True)

    def stale(self, account: Account, exercise: Exercise) -> list[UUID]:
        """The ids of the account's workouts that show the exercise otherwise than the catalogue does."""
        part = None if exercise.merged_into else document_part(exercise)
        return [row.id for row in stale_workouts(account=account.pk, exercise=exercise.pk, part=part)]

    def refresh_documents(self) -> int:
        """Brings what is derived (muscle groups, documents) in line with rows and catalogue.

        A workout that reads differently then has changed: it takes a change stamp. Returns how many.
        """
        return change_in_batches(self, render_batch)

    def count_for(self, states: "models.QuerySet[AccountState]") -> int:
        """Corrects the counters of accounts that differ from what their workouts add up to.

        Returns how many accounts that changed.
        """
        counted = self.filter(account=OuterRef("account")).order_by().values("account")
        workout_count = Coalesce(Subquery(counted.annotate(found=Count("pk")).values("found")), 0)
        stored_bytes = Coalesce(Subquery(counted.annotate(found=Sum("stored_bytes")).values("found")), 0)
        right = Q(workout_count=workout_count, stored_bytes=stored_bytes)
        wrong = list(states.exclude(right))
        for state in wrong:
            with suppress(Account.DoesNotExist), transaction.atomic():
                Account(pk=state.account_id).lock()
                state.stored.update(workout_count=workout_count, stored_bytes=stored_bytes)
        return len(wrong)

    def detach_plan(self) -> int:
        """Removes the plan from these workouts. They keep its name, and count as changed.

        Returns how many documents that changed.
        """
        return change_in_batches(self, detach_plan_of_batch)


def document_part(exercise: Exercise) -> str:
    """The part of a document that shows the exercise, as Workout.rendered writes it."""
    shown = {"exercise_id": exercise.pk, "name": exercise.name, "muscle_group": exercise.muscle_group}
    return dumps(shown).decode()[1:-1]


@PreparedQuery[IdRow]
def stale_workouts(
    account: Placeholder, exercise: Placeholder, part: Placeholder | None
) -> models.QuerySet[Any, Any]:
    """Workouts with the exercise whose documents do not have the part; all of them without a part."""
    sessions = WorkoutExercise.objects.filter(account=account).sessions_with(exercise)
    workouts = Workout.objects.filter(account=account, pk__in=sessions.values("workout"))
    if part is not None:
        workouts = workouts.filter(~contains("document", part))
    return workouts.values_list("id", named=True)


@PreparedQuery["Workout"]
def weighed(account: Placeholder, ids: list[Placeholder]) -> "models.QuerySet[Workout]":
    """Workouts with what `bytes_of` counts."""
    return Workout.objects.filter(OfAccount(account), pk__in=ids).only(*WEIGHED)


@PreparedQuery["Workout"]
def documents(account: Placeholder, ids: list[Placeholder]) -> "models.QuerySet[Workout]":
    return Workout.objects.filter(OfAccount(account), pk__in=ids).only("account", "document")


def follow_exercise(account: Account, ids: list[UUID], exercise_id: str) -> int:
    """Brings rows and documents of a locked account's workouts in line with one exercise of the catalogue.

    Documents are changed as texts, and rows are read only where its id or its muscle group changes: to render
    all of them again took twice the time. Returns how many documents changed.
    """
    exercise = summaries_of([exercise_id])[exercise_id].kept  # read now: a newer change may have been stored
    shown = shown_as(exercise_id)
    changed, regrouped = [], []
    for workout in documents(account=account.db_pk, ids=padded(ids)):
        before = workout.document
        workout.document = shown.sub(lambda _: document_part(exercise), before)
        if workout.document != before:
            changed.append(workout)
        if exercise.pk != exercise_id or {*shown.findall(before)} - {exercise.muscle_group}:
            regrouped.append(workout)
    correct_rows(account, grouped_by_workout(account, regrouped), {exercise_id: exercise})
    store_documents(account, changed)
    return len(changed)


def shown_as(exercise_id: str) -> re.Pattern[str]:
    """Matches the exercise in a document, as document_part writes it, and finds its muscle group there.

    Texts of clients do not match, because quotes in them are escaped.
    """
    return re.compile(f'"exercise_id":"{re.escape(exercise_id)}","name":".*?","muscle_group":"(.*?)"')


def render_batch(account: Account, ids: list[UUID]) -> int:
    """Corrects the rows of a locked account's workouts, and renders the documents again.

    Returns how many documents that changed.
    """
    workouts = list(account.workouts.filter(pk__in=ids))
    grouped = grouped_by_workout(account, workouts)
    exercises = summaries_of({row.exercise_id for rows in grouped.values() for row in rows})
    correct_rows(account, grouped, {pk: exercise.kept for pk, exercise in exercises.items()})
    rows_of = exercises_of(account, workouts)
    changed = []
    for workout in workouts:
        document = workout.rendered([row.entry for row in rows_of[workout.pk]])
        if document != workout.document:
            workout.document = document
            changed.append(workout)
    store_documents(account, changed)
    return len(changed)


def store_documents(account: Account, workouts: "Sequence[Workout]") -> None:
    """Stores the changed documents of a locked account, each with a change stamp."""
    for workout, stamp in zip(workouts, account.stamp(len(workouts)), strict=True):
        workout.updated_at = stamp
        workout.document = stamped(workout.document, stamp)
    update_all(workouts, ("document", "updated_at"))


def stamped(document: str, stamp: datetime.datetime) -> str:
    """A document with another `updated_at`, which is at the end of each."""
    start = document.rindex('"updated_at":')
    return document[:start] + dumps({"updated_at": timestamp(stamp)}).decode()[1:]


@PreparedQuery[GroupedRow]
def grouped_rows(account: Placeholder, workouts: list[Placeholder]) -> models.QuerySet[Any, Any]:
    # `workout__in` takes no placeholders.
    rows = WorkoutExercise.objects.filter(OfAccount(account), In(F("workout_id"), workouts))
    return rows.order_by("workout", "position").values_list(*GROUPED, named=True)


def grouped_by_workout(account: Account, workouts: "Sequence[Workout]") -> dict[UUID, list[GroupedRow]]:
    """The rows of the account's workouts in their order, by the workout's id."""
    found: dict[UUID, list[GroupedRow]] = {}
    for row in grouped_rows(account=account.db_pk, workouts=padded([workout.pk for workout in workouts])):
        found.setdefault(row.workout_id, []).append(row)
    return found


def correct_rows(account: Account, rows_of: dict[UUID, list[GroupedRow]], kept: dict[str, Exercise]) -> None:
    """Gives the rows of a locked account's workouts the muscle groups of the catalogue, and the ids of the
    exercises that were kept of merged ones.

    `kept` has, by the id in the rows, the exercise that the catalogue keeps; where it has none, the row is
    taken to be right.
    """
    corrected = [row for rows in rows_of.values() for row in corrections(account, rows, kept)]
    update_all(corrected, ("exercise", "muscle_group", "first_of_group"))
    join_sessions(account, [workout for workout, rows in rows_of.items() if has_merged(rows, kept)])


def corrections(
    account: Account, rows: Sequence[GroupedRow], kept: dict[str, Exercise]
) -> "Iterator[WorkoutExercise]":
    """Yields those of a workout's rows, in their order, that differ from the catalogue, with its values."""
    groups: set[str] = set()
    for row in rows:
        exercise = kept.get(row.exercise_id)
        exercise_id = exercise.pk if exercise else row.exercise_id
        muscle_group = exercise.muscle_group if exercise else row.muscle_group
        is_first = is_first_of_group(muscle_group, row.completed_sets, groups)
        shown = (row.exercise_id, row.muscle_group, row.first_of_group)
        if shown != (exercise_id, muscle_group, is_first):
            yield WorkoutExercise(
                pk=row.id,
                account_id=account.pk,
                exercise_id=exercise_id,
                muscle_group=muscle_group,
                first_of_group=is_first,
            )


def has_merged(rows: Sequence[GroupedRow], kept: dict[str, Exercise]) -> bool:
    """Whether several exercises of a workout are one by now."""
    ids = {row.exercise_id for row in rows}
    return len({kept[pk].pk if pk in kept else pk for pk in ids}) < len(ids)


def join_sessions(account: Account, workout_ids: Sequence[UUID]) -> None:
    """Makes one session of the rows of an exercise in workouts where a merge made it occur several times.

    The account's limit of storage does not count here: staff have merged exercises, and such a session takes
    some more bytes.
    """
    if not workout_ids:
        return
    joined = weighed(account=account.db_pk, ids=padded(list(workout_ids)))
    rows_of = exercises_of(account, joined)
    known_bytes = sum(workout.stored_bytes for workout in joined)
    for workout in joined:
        workout.derive(rows_of[workout.pk])
    update_all([row for workout in joined for row in repeated(rows_of[workout.pk])], SESSION)
    update_all(joined, ("stored_bytes",))
    added = sum(workout.stored_bytes for workout in joined) - known_bytes
    AccountState.objects.filter(account=account).update(stored_bytes=F("stored_bytes") + added)


def repeated(rows: Sequence[WorkoutExercise]) -> list[WorkoutExercise]:
    """Those of a workout's rows whose exercise occurs several times in it."""
    times = Counter(row.exercise_id for row in rows)
    return [row for row in rows if times[row.exercise_id] > 1]


@PreparedQuery[WorkoutExercise]
def rendered_rows(account: Placeholder, workouts: list[Placeholder]) -> models.QuerySet[WorkoutExercise]:
    rows = WorkoutExercise.objects.filter(OfAccount(account), In(F("workout_id"), workouts))
    return rows.only(*RENDERED).order_by("workout", "position")


def exercises_of(account: Account, workouts: "Sequence[Workout]") -> dict[UUID, list[WorkoutExercise]]:
    """The rows of the account's workouts in their order, with name and muscle group, by the workout's id."""
    ids = padded([workout.pk for workout in workouts])
    rows = rendered_rows(account=account.db_pk, workouts=ids)
    exercises = summaries_of({row.exercise_id for row in rows})
    found: dict[UUID, list[WorkoutExercise]] = {workout.pk: [] for workout in workouts}
    for row in rows:
        row.exercise = exercises[row.exercise_id]
        found[row.workout_id].append(row)
    return found


def detach_plan_of_batch(account: Account, ids: list[UUID]) -> int:
    account.workouts.filter(pk__in=ids).update(plan=None)
    return render_batch(account, ids)


class Workout(Owned):
    """A training session: rows for statistics, and `document`, the JSON text that clients read.

    The document is rendered on every write and placed into responses without being parsed.
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
    plan = OwnedForeignKey("Plan", on_delete=models.SET_NULL, null=True)
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

    def __str__(self) -> str:
        return self.title or f"Workout of {timezone.localtime(self.started_at):%Y-%m-%d}"

    follow_exercise = staticmethod(follow_exercise)  # brings workouts in line with the catalogue
    WRITABLE = ("title", "notes", "started_at", "duration_seconds", "plan_id", "plan_name")
    REPLACED = (*WRITABLE, "day", "volume_kg", "updated_at", "document", "stored_bytes")

    @property
    def exercises(self) -> WorkoutExerciseQuerySet:
        return WorkoutExercise.objects.filter(account=self.account_id, workout=self)

    def fill(self, values: WorkoutValues) -> list[ExerciseRow]:
        """Sets everything but the document and the stamp, which follow in `render`.

        Returns the rows of the exercises, for `insert_rows`.
        """
        for name in self.WRITABLE:
            setattr(self, name, values[name])  # type: ignore[literal-required]  # WRITABLE are keys of it
        self.day = self.started_at.astimezone(datetime.UTC).toordinal()
        rows: list[ExerciseRow] = [
            {
                "workout_id": self.pk,
                "account_id": self.account_id,
                "started_at": self.started_at,
                **columns,
            }
            for columns in exercise_columns(values["exercises"])
        ]
        self.volume_kg = math.fsum([row["volume_kg"] for row in rows])
        self.stored_bytes = bytes_of(self, rows)
        return rows

    def derive(self, rows: Sequence[WorkoutExercise]) -> None:
        """Sets the stored bytes, and what `fill` derives from exercises and sets in the workout's rows."""
        entries: list[WorkoutEntry] = [{**row.entry, "sets": orjson.loads(row.sets)} for row in rows]
        derived = list(exercise_columns(entries))
        for row, columns in zip(rows, derived, strict=True):
            for name, value in columns.items():
                setattr(row, name, value)
        self.stored_bytes = bytes_of(self, derived)

    def render(
        self, exercises: Sequence[WorkoutEntry] | Sequence[StoredEntry], stamp: datetime.datetime
    ) -> None:
        """Sets the document of a workout with these exercises, as changed at a change stamp."""
        self.updated_at = stamp
        self.document = self.rendered(exercises)

    def replace(self, values: WorkoutValues) -> None:
        """Replaces everything but the id by `values`. Raises DoesNotExist if the workout is gone."""
        known_bytes = self.stored_bytes
        rows = self.fill(values)
        with transaction.atomic():
            (stamp,) = self.account.stamp(stored_bytes=self.stored_bytes - known_bytes)
            self.render(values["exercises"], stamp)
            if not update(self, self.REPLACED, stored_bytes=known_bytes):
                self.correct_storage(known_bytes)
                update(self, self.REPLACED)
            self.exercises._raw_delete(connection.alias)
            insert_rows(WorkoutExercise, rows)

    def remove(self) -> None:
        """Deletes the workout. Raises DoesNotExist if it is gone.

        The stamp locks the account first, so that a concurrent replacement leaves no rows behind.
        """
        workout = self.stored
        with transaction.atomic():
            self.account.stamp(workouts=-1, stored_bytes=-self.stored_bytes)
            self.exercises._raw_delete(connection.alias)
            if not workout.filter(stored_bytes=self.stored_bytes)._raw_delete(connection.alias):
                self.correct_storage(self.stored_bytes)
                workout._raw_delete(connection.alias)

    def correct_storage(self, known_bytes: int) -> None:
        """Counts what the workout takes now: a request replaced it after this one had read `known_bytes`.

        This happens rarely, so it may take two statements. The account is locked. Raises DoesNotExist if the
        workout is gone.
        """
        taken = self.stored.values_list("stored_bytes", flat=True).get()
        self.account.stamp(stored_bytes=known_bytes - taken)

    def rendered(self, exercises: Sequence[WorkoutEntry] | Sequence[StoredEntry]) -> str:
        """The text of the WorkoutDocument with these exercises."""
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


def exercise_columns(entries: Sequence[WorkoutEntry]) -> Iterator[ExerciseColumns]:
    """Yields the columns of the row of each entry of a workout, in their order."""
    sets_of: dict[str, list[list[WorkoutSet]]] = {}
    for entry in entries:
        sets_of.setdefault(entry["exercise"].id, []).append(entry["sets"])
    groups: set[str] = set()
    for position, entry in enumerate(entries):
        exercise = entry["exercise"]
        occurrences = sets_of.pop(exercise.id, [])
        session_sets = [one for sets in occurrences for one in sets]
        completed = sum(map(itemgetter("completed"), session_sets))
        lifts = lifts_of(session_sets)
        best_weight_kg, best_reps = best_lift(lifts) or (None, None)
        yield {
            "exercise_id": exercise.id,
            "position": position,
            "muscle_group": exercise.muscle_group,
            "notes": entry["notes"],
            "superset_id": entry["superset_id"],
            "sets": dumps(entry["sets"]).decode(),
            "session_sets": dumps(session_sets).decode() if len(occurrences) > 1 else None,
            "first_of_exercise": bool(occurrences),
            "first_of_group": is_first_of_group(exercise.muscle_group, completed, groups),
            "completed_sets": completed,
            "volume_kg": volume_kg(lifts),
            "best_weight_kg": best_weight_kg,
            "best_reps": best_reps,
        }


def is_first_of_group(muscle_group: str, completed_sets: int, groups: set[str]) -> bool:
    """Whether an exercise is the first with completed sets of its muscle group, which `groups` then gains."""
    is_first = completed_sets > 0 and muscle_group not in groups
    if is_first:
        groups.add(muscle_group)
    return is_first


def bytes_of(workout: Workout, rows: Sequence[ExerciseColumns]) -> int:
    """Bytes that a workout and the rows of its exercises take in the database, estimated.

    Only what its owner sends counts, not the names of exercises and plans, so that it changes with a
    replacement alone. Texts count twice, because rows and document both hold them.
    """
    twice = [workout.title, workout.notes, workout.plan_name]
    for row in rows:
        twice += [row["notes"], row["superset_id"], row["sets"]]
    once = [row["session_sets"] for row in rows]
    return ROW_BYTES * (1 + len(rows)) + 2 * utf8_bytes(twice) + utf8_bytes(once)


def utf8_bytes(texts: Sequence[str | None]) -> int:
    return len("".join(filter(None, texts)).encode())
