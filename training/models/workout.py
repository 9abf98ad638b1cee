"""Workouts.

Stored are what a client sent (one row, and a WorkoutExercise for each exercise), and the change stamp.
Derived from them on every write are `document`, the JSON text that clients read, the volume, the day, and
`stored_bytes`; the AccountState counts the account's workouts and their bytes.
"""

import datetime
import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import starmap
from typing import Any, NamedTuple, Self
from uuid import UUID

from django.conf import settings
from django.db import connection, models, transaction
from django.db.models import Count, Exists, F, OuterRef, Q, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext as _
from uuid_utils.compat import uuid7

from accounts.models import Account, AccountState
from fitness.days import begin_and_end
from fitness.db.constants import adapted, adapted_row, as_utc, as_uuid
from fitness.db.keysets import Keyset
from fitness.db.owned import Owned, OwnedForeignKey
from fitness.db.windows import window
from fitness.json import dumps, timestamp
from training.models.exercise import Exercise
from training.models.progression_step import ProgressionStep
from training.models.search import contains
from training.models.sets import shown_volume
from training.models.workout_document import document_part
from training.models.workout_exercise import (
    OTHER_HELP,
    ExerciseColumns,
    ExerciseRow,
    StoredEntry,
    WorkoutEntry,
    WorkoutExercise,
    WorkoutExerciseQuerySet,
    insert_exercises,
)
from training.models.workout_values import WorkoutValues, bytes_of, exercise_columns
from training.plans.updates import correct_targets, move_targets
from training.plans.workouts import LoggedWorkout, Origin

INSERT_WORKOUT = """INSERT INTO training_workout (
    id, account_id, title, notes, started_at, day, duration_seconds, volume_kg, plan_id, plan_name,
    created_at, updated_at, document, stored_bytes
) VALUES (
    %(id)s, %(account_id)s, %(title)s, %(notes)s, %(started_at)s, %(day)s, %(duration_seconds)s,
    %(volume_kg)s, %(plan_id)s, %(plan_name)s, %(created_at)s, %(updated_at)s, %(document)s, %(stored_bytes)s
)
"""


DOCUMENT = "SELECT document FROM training_workout WHERE account_id = %s AND id = %s"

# The first page of the list, and of the changes from a time on, each row with the latest change of all: one
# statement reads both, so that they agree. A cluster finds its node by the account's id in each part.
NEWEST_WORKOUTS = """SELECT document, id, started_at,
    (SELECT last_change FROM accounts_accountstate WHERE account_id = %s)
FROM training_workout WHERE account_id = %s ORDER BY started_at DESC, id DESC LIMIT %s
"""
WORKOUTS_CHANGED_SINCE = """SELECT document, created_at, updated_at,
    (SELECT last_change FROM accounts_accountstate WHERE account_id = %s)
FROM training_workout WHERE account_id = %s AND updated_at >= %s ORDER BY updated_at LIMIT %s
"""


class WorkoutQuerySet(models.QuerySet["Workout"]):
    newest_first = Keyset("workouts", "started_at", "id")
    oldest_change_first = Keyset("changes", "updated_at", descending=False)  # no two share one

    def log(
        self,
        account: Account,
        values: WorkoutValues,
        workout_id: UUID | None = None,
        origin: Origin | None = None,
    ) -> "Workout":
        """Stores a new workout of the account, and moves the targets of its plan and of its routine."""
        workout = Workout(id=workout_id or uuid7(), account=account)
        rows = workout.fill(values)
        with transaction.atomic():
            (workout.created_at,) = account.stamp(workouts=1, stored_bytes=workout.stored_bytes)
            workout.render(values["exercises"], workout.created_at)
            workout.insert()
            insert_exercises(rows)
            plan_id = workout.plan_id if values.get("read_plan", True) else None
            if plan_id or (origin and origin.routine_id):
                logged, read = workout.logged(values), values.get("read_plan")
                move_targets(account, plan_id, logged, workout.created_at, read, origin or Origin())
        return workout

    def log_all(self, account: Account, workouts: Sequence[tuple[UUID, WorkoutValues]]) -> list["Workout"]:
        """Stores new workouts of a locked account, which no target follows."""
        made, rows = [], list[ExerciseRow]()
        for workout_id, values in workouts:
            made.append(Workout(id=workout_id, account=account))
            rows += made[-1].fill(values)
        taken = sum(workout.stored_bytes for workout in made)
        stamps = account.stamp(len(made), workouts=len(made), stored_bytes=taken)
        for workout, one, stamp in zip(made, workouts, stamps, strict=True):
            workout.created_at = stamp
            workout.render(one[1]["exercises"], stamp)
        self.bulk_create(made)
        insert_exercises(rows)
        return made

    def with_last_change(self, account: Account) -> Self:
        """Annotates `last_change`, the latest change of all workouts of the account."""
        states = AccountState.objects.filter(account=account)
        return self.annotate(last_change=Subquery(states.values("last_change")))

    def to_change(self, account_pk: UUID) -> Self:
        """Annotates `may_follow_routine`, which spares those that do not a statement when they change.

        Takes the account's id.
        """
        steps = ProgressionStep.objects.of_outer_workout(account_pk)
        return self.annotate(may_follow_routine=Exists(steps.filter(routine__isnull=False)))

    def started(self, since: datetime.datetime | None = None, until: datetime.datetime | None = None) -> Self:
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

    def accounts_with(self, exercise: Exercise) -> "models.QuerySet[AccountState, UUID]":
        sessions = WorkoutExercise.objects.sessions_with(exercise.pk).filter(account=OuterRef("account"))
        return AccountState.objects.filter(Exists(sessions)).values_list("account", flat=True)

    def stale(self, account: Account, exercise: Exercise) -> list[UUID]:
        """The ids of the account's workouts that have the exercise otherwise than the catalogue does."""
        sessions = account.workout_exercises.sessions_with(exercise.pk)
        workouts = account.workouts.filter(pk__in=sessions.values("workout"))
        if not exercise.merged_into:
            is_other = ~contains("document", document_part(exercise))
            helped = sessions.filter(OTHER_HELP)
            workouts = workouts.filter(is_other | Q(pk__in=helped.values("workout")))
        return list(workouts.values_list("pk", flat=True))

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


class NewestWorkout(NamedTuple):
    """A row of NEWEST_WORKOUTS. What the last row of a page alone is asked for is converted when it is."""

    document: str
    stored_id: UUID | str
    start: datetime.datetime
    last_change: int

    @property
    def id(self) -> UUID:
        return as_uuid(self.stored_id)

    @property
    def started_at(self) -> datetime.datetime:
        return as_utc(self.start)


class ChangedWorkout(NamedTuple):
    """A row of WORKOUTS_CHANGED_SINCE."""

    document: str
    creation: datetime.datetime
    change: datetime.datetime
    last_change: int

    @property
    def created_at(self) -> datetime.datetime:
        return as_utc(self.creation)

    @property
    def updated_at(self) -> datetime.datetime:
        return as_utc(self.change)


def document_of(account: Account, workout_id: UUID) -> str:
    """The document of one of the account's workouts. Raises DoesNotExist."""
    with connection.cursor() as cursor:
        cursor.execute(DOCUMENT, [account.db_pk, adapted(workout_id)])
        row = cursor.fetchone()
    if row is None:
        raise Workout.DoesNotExist
    document: str = row[0]
    return document


def newest_workouts(account: Account, limit: int) -> Iterator[NewestWorkout]:
    """The account's newest workouts, each with the `last_change` of all."""
    return starmap(NewestWorkout, executed(NEWEST_WORKOUTS, [account.db_pk, account.db_pk, limit]))


def workouts_changed(account: Account, since: datetime.datetime, limit: int) -> Iterator[ChangedWorkout]:
    """The account's workouts changed at a time or later, oldest change first, each with `last_change`."""
    parameters = [account.db_pk, account.db_pk, adapted(since), limit]
    return starmap(ChangedWorkout, executed(WORKOUTS_CHANGED_SINCE, parameters))


def executed(sql: str, parameters: Sequence[str | int]) -> Iterator[tuple[Any, ...]]:
    """The rows of a constant one after another: who stops early has read no more than that."""
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        yield from cursor


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
        return self.title or _("Workout of %(day)s") % {
            "day": f"{timezone.localtime(self.started_at):%Y-%m-%d}"
        }

    last_change: int  # where a list annotates it
    # Whether a routine has steps of it: a workout gets these when it is logged, or never.
    may_follow_routine: bool = True

    WRITABLE = ("title", "notes", "started_at", "duration_seconds", "plan_id", "plan_name")
    REPLACED = (*WRITABLE, "day", "volume_kg", "updated_at", "document", "stored_bytes")

    @property
    def exercises(self) -> WorkoutExerciseQuerySet:
        return WorkoutExercise.objects.filter(account=self.account_id, workout=self)

    def insert(self) -> None:
        """Stores a new workout, by a constant: `save` takes half as much again of all that a POST takes."""
        row = {name: value for name, value in vars(self).items() if name != "_state"}
        with connection.cursor() as cursor:
            cursor.execute(INSERT_WORKOUT, adapted_row(row))

    def fill(self, values: WorkoutValues) -> list[ExerciseRow]:
        """Sets everything but the document and the stamp, which follow in `render`.

        Returns the rows of the exercises, for `insert_exercises`.
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
        self.stored_bytes = self.bytes_with(rows)
        return rows

    def bytes_with(self, rows: Sequence[ExerciseColumns]) -> int:
        """What it takes with these rows of exercises."""
        return bytes_of((self.title, self.notes, self.plan_name), rows)

    def render(
        self, exercises: Sequence[WorkoutEntry] | Sequence[StoredEntry], stamp: datetime.datetime
    ) -> None:
        """Sets the document of a workout with these exercises, as changed at a change stamp."""
        self.updated_at = stamp
        self.document = self.rendered(exercises)

    def replace(self, values: WorkoutValues) -> None:
        """Replaces everything but the id by `values`. Raises DoesNotExist if the workout is gone."""
        known_bytes, known_plan_id = self.stored_bytes, self.plan_id
        rows = self.fill(values)
        with transaction.atomic():
            (stamp,) = self.account.stamp(stored_bytes=self.stored_bytes - known_bytes)
            self.render(values["exercises"], stamp)
            replaced = {name: getattr(self, name) for name in self.REPLACED}
            if not self.stored.filter(stored_bytes=known_bytes).update(**replaced):
                self.correct_storage(known_bytes)
                self.stored.update(**replaced)
            self.exercises._raw_delete(connection.alias)
            insert_exercises(rows)
            left_plan = known_plan_id and known_plan_id != self.plan_id
            has_rules = self.plan_id and values.get("read_plan", True)
            if left_plan or has_rules or self.may_follow_routine:
                correct_targets(self.account, self.pk, self.plan_id, self.logged(values), stamp)

    def logged(self, values: WorkoutValues) -> LoggedWorkout:
        """What a plan's rules judge, after `fill`."""
        return LoggedWorkout.of(self.pk, self.started_at, self.created_at, values["exercises"])

    def remove(self) -> None:
        """Deletes the workout. Raises DoesNotExist if it is gone.

        The stamp locks the account first, so that a concurrent replacement leaves no rows behind.
        """
        workout = self.stored
        with transaction.atomic():
            (stamp,) = self.account.stamp(workouts=-1, stored_bytes=-self.stored_bytes)
            if self.plan_id or self.may_follow_routine:
                correct_targets(self.account, self.pk, None, None, stamp)
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
            "volume_kg": shown_volume(self.volume_kg),
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
