from uuid import UUID

from rest_framework.response import Response

from fitness.api.compiled import Compiled
from fitness.api.fields import timestamp
from fitness.api.pagination import CompiledPages, Keyset
from fitness.api.renderers import Fragment
from fitness.api.viewsets import ApiViewSet, known_uuid, only, operation
from training.models import Workout
from training.serializers.workout import (
    EventPageSerializer,
    EventQuery,
    WorkoutCountQuery,
    WorkoutCountSerializer,
    WorkoutPageSerializer,
    WorkoutQuery,
    WorkoutSerializer,
)


def started(account, since, until):
    workouts = Workout.objects.filter(account=account).started(since, until)
    return workouts.values_list("record", "started_at", "id", named=True)


def changed(account, since):
    workouts = Workout.objects.filter(account=account).changed(since)
    return workouts.values_list("record", "created_at", "updated_at", "id", named=True)


@Compiled
def record_of(account, workout_id):
    return Workout.objects.filter(account=account, pk=workout_id).values_list("record", named=True)


@Compiled
def without_record(account, workout_id):
    return Workout.objects.filter(account=account, pk=workout_id).defer("record")


def size_of(row):
    return len(row.record)


class WorkoutViewSet(ApiViewSet):
    """Training sessions with their exercises and sets."""

    tag = "Workouts"
    newest = Keyset("workouts", "started_at", "id")
    oldest_change = Keyset("changes", "updated_at", descending=False)  # no two share one
    workouts = CompiledPages(newest, Workout, started, size_of)
    changes = CompiledPages(oldest_change, Workout, changed, size_of)

    def find(self, workout_id):
        """What the operation needs of the workout: to read it, its record alone."""
        workout_id = known_uuid(workout_id)
        if self.action == "retrieve":
            return only(record_of(account=self.account.pk, workout_id=workout_id)).record
        workout = only(without_record(account=self.account.pk, workout_id=workout_id))
        workout.account = self.account
        return workout

    def stored(self, instance_id):
        return Fragment(only(record_of(account=self.account.pk, workout_id=UUID(instance_id))).record)

    @operation("list_workouts", query=WorkoutQuery, answers={200: WorkoutPageSerializer})
    def list(self, request):
        """List workouts, newest first

        `since` and `until` are compared with `started_at`.
        """
        page, next_cursor = self.workouts.page(
            self.query, self.account, since=self.query["since"], until=self.query["until"]
        )
        return Response({"workouts": [Fragment(row.record) for row in page], "next_cursor": next_cursor})

    @operation("count_workouts", query=WorkoutCountQuery, answers={200: WorkoutCountSerializer})
    def count(self, request):
        """Count workouts"""
        if self.query["since"] is None and self.query["until"] is None:
            return Response({"count": self.account.workout_count})
        workouts = self.account.workouts.started(self.query["since"], self.query["until"])
        return Response({"count": workouts.count()})

    @operation("list_workout_events", query=EventQuery, answers={200: EventPageSerializer})
    def events(self, request):
        """List changes of workouts, oldest first, for synchronisation

        One event for each workout, at its latest change. Take the `at` of the last event as the next
        `since`, upsert by id, and no committed change is ever missed. A deleted workout is not
        announced: when `GET /workouts/count` differs from your own count, walk the list again.
        A workout also changes when its plan is deleted, and when the catalogue gives one of its exercises
        another name or muscle group.
        """
        page, next_cursor = self.changes.page(self.query, self.account, since=self.query["since"])
        return Response({"events": [event(row) for row in page], "next_cursor": next_cursor})

    @operation("log_workout", body=WorkoutSerializer, answers={201: WorkoutSerializer})
    def create(self, request):
        """Log a workout

        The answer is the stored workout with its computed volume. Sets need `weight_kg` and `reps`. An
        account that stores as much as it may gets a 400 at `body`; deleting makes room.
        """
        workout = Workout.objects.log(self.account, self.body)
        return Response(Fragment(workout.record), status=201)

    @operation("get_workout", answers={200: WorkoutSerializer})
    def retrieve(self, request, workout_id):
        """Get one workout"""
        return Response(Fragment(self.record))

    @operation("replace_workout", body=WorkoutSerializer, answers={200: WorkoutSerializer})
    def update(self, request, workout_id):
        """Replace a workout

        What the body leaves out becomes its default. GET, change, PUT loses nothing.
        """
        self.record.replace(self.body)
        return Response(Fragment(self.record.record))

    @operation("delete_workout", answers={204: None})
    def destroy(self, request, workout_id):
        """Delete a workout"""
        self.record.remove()
        return Response(status=204)


def event(row):
    return {
        "kind": "created" if row.updated_at == row.created_at else "updated",
        "at": timestamp(row.updated_at),
        "workout": Fragment(row.record),
    }
