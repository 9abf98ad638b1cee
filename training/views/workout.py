from rest_framework.response import Response

from fitness.api.fields import timestamp
from fitness.api.pagination import Keyset
from fitness.api.renderers import Fragment
from fitness.api.viewsets import ApiViewSet, known_uuid, operation
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


class WorkoutViewSet(ApiViewSet):
    """Training sessions with their exercises and sets."""

    tag = "Workouts"
    newest = Keyset("workouts", "started_at", "id")
    oldest_change = Keyset("events", "updated_at", "id", descending=False)

    def find(self, workout_id):
        workout = (
            self.account.workouts.defer("record") if self.action != "retrieve" else self.account.workouts
        )
        record = workout.get(pk=known_uuid(workout_id))
        record.account = self.account
        return record

    @operation("list_workouts", query=WorkoutQuery, answers={200: WorkoutPageSerializer})
    def list(self, request):
        """List workouts, newest first

        `since` and `until` are compared with `started_at`.
        """
        workouts = self.account.workouts.started(self.query["since"], self.query["until"])
        rows = workouts.values_list("record", "started_at", "id", named=True)
        page, next_cursor = self.newest.page(rows, self.query, self.account)
        return Response({"workouts": [Fragment(row.record) for row in page], "next_cursor": next_cursor})

    @operation("count_workouts", query=WorkoutCountQuery, answers={200: WorkoutCountSerializer})
    def count(self, request):
        """Count workouts"""
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
        changed = self.account.workouts.changed(self.query["since"])
        rows = changed.values_list("record", "created_at", "updated_at", "id", named=True)
        page, next_cursor = self.oldest_change.page(rows, self.query, self.account)
        return Response({"events": [event(row) for row in page], "next_cursor": next_cursor})

    @operation("log_workout", body=WorkoutSerializer, answers={201: WorkoutSerializer})
    def create(self, request):
        """Log a workout

        The answer is the stored workout with its computed volume. Sets need `weight_kg` and `reps`.
        """
        workout = Workout.objects.log(self.account, self.body)
        return Response(Fragment(workout.record), status=201)

    @operation("get_workout", answers={200: WorkoutSerializer})
    def retrieve(self, request, workout_id):
        """Get one workout"""
        return Response(Fragment(self.record.record))

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
