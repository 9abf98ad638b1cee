from rest_framework.response import Response

from fitness.api.pagination import Keyset
from fitness.api.serializers import PageQuery
from fitness.api.viewsets import ApiViewSet, delete, known_uuid, operation
from training.models.planned import size_of
from training.serializers.routine import RoutinePageSerializer, RoutineSerializer


class RoutineViewSet(ApiViewSet):
    """Saved templates of single training days."""

    tag = "Routines"
    newest = Keyset("routines", "created_at", "id")

    def find(self, routine_id):
        return self.account.routines.get(pk=known_uuid(routine_id))

    def stored(self, instance_id):
        return self.find(instance_id).record

    @operation("list_routines", query=PageQuery, answers={200: RoutinePageSerializer})
    def list(self, request):
        """List routines, newest first"""
        page, next_cursor = self.newest.page(
            self.account.routines.all(), self.query, self.account, size_of=size_of
        )
        return Response({"routines": [routine.record for routine in page], "next_cursor": next_cursor})

    @operation("create_routine", body=RoutineSerializer, answers={201: RoutineSerializer})
    def create(self, request):
        """Create a routine

        The names, muscle groups and equipment of its exercises are filled in from the catalogue.
        """
        routine = self.account.routines.create(**self.body)
        return Response(routine.record, status=201)

    @operation("get_routine", answers={200: RoutineSerializer})
    def retrieve(self, request, routine_id):
        """Get one routine"""
        return Response(self.record.record)

    @operation("replace_routine", body=RoutineSerializer, answers={200: RoutineSerializer})
    def update(self, request, routine_id):
        """Replace a routine

        What the body leaves out becomes its default; `use_count` goes on. GET, change, PUT loses nothing.
        """
        self.record.replace(self.body)
        return Response(self.record.record)

    @operation("delete_routine", answers={204: None})
    def destroy(self, request, routine_id):
        """Delete a routine

        Workouts that were started from it stay.
        """
        delete(self.record)
        return Response(status=204)
