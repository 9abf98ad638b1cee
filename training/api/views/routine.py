from typing import TypedDict

from accounts.api.viewsets import AccountViewSet
from fitness.api.operations import operation
from fitness.api.serializers import PageQuery
from fitness.api.viewsets import delete_instance, parse_uuid
from training.api.serializers.routine import RoutinePageSerializer, RoutineSerializer
from training.models import Routine
from training.models.planning import size_of
from training.models.routine import RoutineDocument, RoutineQuerySet, RoutineValues


class RoutinePage(TypedDict):
    routines: list[RoutineDocument]
    next_cursor: str | None


class RoutineViewSet(AccountViewSet):
    """Saved templates of single training days."""

    tag = "Routines"
    instance: Routine
    body: RoutineValues

    def get_object(self, routine_id: str) -> Routine:
        return self.account.routines.get(pk=parse_uuid(routine_id))

    def get_stored(self, instance_id: str) -> RoutineDocument:
        return self.get_object(instance_id).document

    @operation("list_routines", query=PageQuery, responses={200: RoutinePageSerializer})
    def list(self) -> RoutinePage:
        """List routines, newest first"""
        routines, next_cursor = RoutineQuerySet.newest_first.page(
            self.account.routines.all(), self.query, self.account, size_of=size_of
        )
        return {"routines": [one.document for one in routines], "next_cursor": next_cursor}

    @operation("create_routine", method="POST", body=RoutineSerializer, responses={201: RoutineSerializer})
    def create(self) -> RoutineDocument:
        """Create a routine

        The names, muscle groups and equipment of its exercises are filled in from the catalogue.
        """
        return self.account.routines.create(**self.body).document

    @operation("get_routine", responses={200: RoutineSerializer})
    def retrieve(self) -> RoutineDocument:
        """Get one routine"""
        return self.instance.document

    @operation("replace_routine", method="PUT", body=RoutineSerializer, responses={200: RoutineSerializer})
    def update(self) -> RoutineDocument:
        """Replace a routine

        What the body leaves out becomes its default; `use_count` goes on. GET, change, PUT loses nothing.
        """
        self.instance.replace(self.body)
        return self.instance.document

    @operation("delete_routine", method="DELETE", responses={204: None})
    def destroy(self) -> None:
        """Delete a routine

        Workouts that were started from it stay.
        """
        delete_instance(self.instance)
