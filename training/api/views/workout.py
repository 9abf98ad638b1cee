from typing import TypedDict
from uuid import UUID

from accounts.api.viewsets import AccountViewSet
from accounts.models import AccountState
from fitness.api.operations import operation
from fitness.api.serializers import WindowPageQuery, WindowSerializer
from fitness.api.viewsets import parse_uuid
from fitness.db.keysets import Page
from fitness.json import Fragment, timestamp
from training.api.serializers.workout import (
    EventPageSerializer,
    EventQuery,
    WorkoutCountSerializer,
    WorkoutPageSerializer,
    WorkoutSerializer,
)
from training.models import Workout
from training.models.workout import (
    ChangedWorkout,
    NewestWorkout,
    WorkoutQuerySet,
    document_of,
    newest_workouts,
    workouts_changed,
)
from training.models.workout_values import WorkoutValues


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


def size_of(workout: Workout | NewestWorkout | ChangedWorkout) -> int:
    return len(workout.document)


class WorkoutViewSet(AccountViewSet):
    """Training sessions with their exercises and sets."""

    tag = "Workouts"
    instance: Workout
    body: WorkoutValues

    def get_object(self, workout_id: str) -> Workout:
        """The workout, with its document where the operation needs nothing else, otherwise without it."""
        pk = parse_uuid(workout_id)
        if self.action == "retrieve":
            document = document_of(self.account, pk)
            return Workout(pk=pk, account=self.account, document=document)
        return self.account.workouts.to_change(self.account.pk).defer("document").get(pk=pk)

    def read_version(self) -> str:
        """The workout as clients read it, where the path names one, or the latest change of all.

        What else takes change stamps, such as a plan, makes a new version of the lists, too.
        """
        if self.instance:
            return self.instance.document
        return str(AccountState.objects.get(account=self.account).last_change)

    def get_stored(self, instance_id: str) -> Fragment:
        return Fragment(document_of(self.account, UUID(instance_id)))

    @operation("list_workouts", query=WindowPageQuery, responses={200: WorkoutPageSerializer}, versioned=True)
    def list(self) -> WorkoutPage:
        """List workouts, newest first

        `since` and `until` are compared with `started_at`.
        """
        page, next_cursor = self.page_of_workouts()
        self.version = str(page[0].last_change) if page else None
        return {"workouts": [Fragment(row.document) for row in page], "next_cursor": next_cursor}

    def page_of_workouts(self) -> Page:
        """The newest ones by a constant, as most clients ask for; all others by a QuerySet."""
        order, query = WorkoutQuerySet.newest_first, self.query
        if query["since"] is query["until"] is query["cursor"] is None:
            newest = newest_workouts(self.account, query["limit"] + 1)
            return order.page_of(newest, query, self.account, size_of=size_of)
        workouts = self.account.workouts.started(query["since"], query["until"])
        rows = workouts.with_last_change(self.account).only("account", "document", "started_at")
        return order.page(rows, query, self.account, size_of=size_of)

    def page_of_changes(self) -> Page:
        """Those from a time on by a constant, as a client that follows asks for; all others by a QuerySet."""
        order, query = WorkoutQuerySet.oldest_change_first, self.query
        if query["since"] is not None and query["cursor"] is None:
            changed = workouts_changed(self.account, query["since"], query["limit"] + 1)
            return order.page_of(changed, query, self.account, size_of=size_of)
        workouts = self.account.workouts.changed(query["since"])
        rows = workouts.with_last_change(self.account).only("account", "document", "created_at", "updated_at")
        return order.page(rows, query, self.account, size_of=size_of)

    @operation(
        "count_workouts", query=WindowSerializer, responses={200: WorkoutCountSerializer}, versioned=True
    )
    def count(self) -> WorkoutCount:
        """Count workouts"""
        if self.query["since"] is None and self.query["until"] is None:
            state = AccountState.objects.get(account=self.account)
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
        page, next_cursor = self.page_of_changes()
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


def event(row: Workout | ChangedWorkout) -> Event:
    return {
        "kind": "created" if row.updated_at == row.created_at else "updated",
        "at": timestamp(row.updated_at),
        "workout": Fragment(row.document),
    }
