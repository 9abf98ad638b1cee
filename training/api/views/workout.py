import datetime
from typing import Protocol, TypedDict
from uuid import UUID

from django.db.models import QuerySet, Subquery

from accounts.api.viewsets import AccountViewSet
from accounts.models import AccountState, account_states
from fitness.api.operations import operation
from fitness.api.viewsets import get_one, parse_uuid
from fitness.db.keysets import PreparedPages
from fitness.db.prepared_queries import Placeholder, PreparedQuery
from fitness.json import Fragment, timestamp
from training.api.serializers.workout import (
    EventPageSerializer,
    EventQuery,
    WorkoutCountQuery,
    WorkoutCountSerializer,
    WorkoutPageSerializer,
    WorkoutQuery,
    WorkoutSerializer,
)
from training.models import Workout
from training.models.workout import WorkoutQuerySet
from training.models.workout_values import WorkoutValues


class DocumentRow(Protocol):
    """A row of a list of workouts."""

    @property
    def document(self) -> str: ...
    @property
    def last_change(self) -> int: ...


class ChangeRow(DocumentRow, Protocol):
    """A row of the list of changes."""

    @property
    def created_at(self) -> datetime.datetime: ...
    @property
    def updated_at(self) -> datetime.datetime: ...


class WorkoutPage(TypedDict):
    workouts: list[Fragment]
    next_cursor: str | None


class WorkoutCount(TypedDict):
    count: int


class Event(TypedDict):
    """The latest change of a workout, as clients read it."""

    kind: str  # "created" or "updated"
    at: str
    workout: Fragment


class EventPage(TypedDict):
    events: list[Event]
    next_cursor: str | None


def started(
    account: UUID, since: datetime.datetime | None, until: datetime.datetime | None
) -> QuerySet[Workout, DocumentRow]:
    workouts = Workout.objects.filter(account=account).started(since, until)
    rows = workouts.annotate(last_change=last_change(account))
    return rows.values_list("document", "started_at", "id", "last_change", named=True)


def changed(account: UUID, since: datetime.datetime | None) -> QuerySet[Workout, ChangeRow]:
    workouts = Workout.objects.filter(account=account).changed(since)
    rows = workouts.annotate(last_change=last_change(account))
    return rows.values_list("document", "created_at", "updated_at", "id", "last_change", named=True)


def last_change(account: UUID) -> Subquery:
    """The latest change of all, in each row of a list: one statement reads both, so that they agree."""
    return Subquery(AccountState.objects.filter(account=account).values("last_change"))


@PreparedQuery[Workout]
def without_document(account: Placeholder, workout_id: Placeholder) -> QuerySet[Workout]:
    return Workout.objects.filter(account=account, pk=workout_id).to_change(account).defer("document")


@PreparedQuery[Workout]
def with_document(account: Placeholder, workout_id: Placeholder) -> QuerySet[Workout]:
    return Workout.objects.filter(account=account, pk=workout_id).only("document")


def size_of(row: DocumentRow) -> int:
    return len(row.document)


class WorkoutViewSet(AccountViewSet):
    """Training sessions with their exercises and sets."""

    tag = "Workouts"
    instance: Workout
    body: WorkoutValues
    workouts = PreparedPages(WorkoutQuerySet.newest_first, Workout, started, size_of)
    changes = PreparedPages(WorkoutQuerySet.oldest_change_first, Workout, changed, size_of)

    def get_object(self, workout_id: str) -> Workout:
        """The workout, with its document where the operation needs nothing else, otherwise without it."""
        query = with_document if self.action == "retrieve" else without_document
        workout = get_one(query(account=self.account.pk, workout_id=parse_uuid(workout_id)))
        workout.account = self.account
        return workout

    def read_version(self) -> str:
        """The workout as clients read it, where the path names one, or the latest change of all.

        What else takes change stamps, such as a plan, makes a new version of the lists, too.
        """
        if self.instance:
            return self.instance.document
        return str(get_one(account_states(account=self.account.pk)).last_change)

    def get_stored(self, instance_id: str) -> Fragment:
        workout = get_one(with_document(account=self.account.pk, workout_id=UUID(instance_id)))
        return Fragment(workout.document)

    @operation("list_workouts", query=WorkoutQuery, responses={200: WorkoutPageSerializer}, versioned=True)
    def list(self) -> WorkoutPage:
        """List workouts, newest first

        `since` and `until` are compared with `started_at`.
        """
        page, next_cursor = self.workouts.page(
            self.query, self.account, since=self.query["since"], until=self.query["until"]
        )
        self.version = str(page[0].last_change) if page else None
        return {"workouts": [Fragment(row.document) for row in page], "next_cursor": next_cursor}

    @operation(
        "count_workouts", query=WorkoutCountQuery, responses={200: WorkoutCountSerializer}, versioned=True
    )
    def count(self) -> WorkoutCount:
        """Count workouts"""
        if self.query["since"] is None and self.query["until"] is None:
            state = get_one(account_states(account=self.account.pk))
            self.version = str(state.last_change)
            return {"count": state.workout_count}
        workouts = self.account.workouts.started(self.query["since"], self.query["until"])
        return {"count": workouts.count()}

    @operation("list_workout_events", query=EventQuery, responses={200: EventPageSerializer}, versioned=True)
    def events(self) -> EventPage:
        """List changes of workouts, oldest first, for synchronisation

        One event for each workout, at its latest change. Take the `at` of the last event as the next
        `since`, upsert by id, and no committed change is ever missed. A deleted workout is not
        announced: when `GET /workouts/count` differs from your own count, walk the list again.
        """
        page, next_cursor = self.changes.page(self.query, self.account, since=self.query["since"])
        self.version = str(page[0].last_change) if page else None
        return {"events": [event(row) for row in page], "next_cursor": next_cursor}

    @operation("log_workout", method="POST", body=WorkoutSerializer, responses={201: WorkoutSerializer})
    def create(self) -> Fragment:
        """Log a workout

        The answer is the stored workout with its computed volume. Sets need `weight_kg` and `reps`. An
        account that stores as much as it may gets a 400 at `body`; deleting makes room.
        """
        return Fragment(Workout.objects.log(self.account, self.body).document)

    @operation("get_workout", responses={200: WorkoutSerializer}, versioned=True)
    def retrieve(self) -> Fragment:
        """Get one workout"""
        self.version = self.read_version()
        return Fragment(self.instance.document)

    @operation(
        "replace_workout",
        method="PUT",
        body=WorkoutSerializer,
        responses={200: WorkoutSerializer},
        versioned=True,
    )
    def update(self) -> Fragment:
        """Replace a workout

        What the body leaves out becomes its default. GET, change, PUT loses nothing.
        """
        self.instance.replace(self.body)
        return Fragment(self.instance.document)

    @operation("delete_workout", method="DELETE", responses={204: None}, versioned=True)
    def destroy(self) -> None:
        """Delete a workout"""
        self.instance.remove()


def event(row: ChangeRow) -> Event:
    return {
        "kind": "created" if row.updated_at == row.created_at else "updated",
        "at": timestamp(row.updated_at),
        "workout": Fragment(row.document),
    }
