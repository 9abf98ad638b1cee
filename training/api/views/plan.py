from typing import TypedDict

from accounts.api.viewsets import AccountViewSet
from fitness.api.operations import operation
from fitness.api.serializers import PageQuery
from fitness.api.viewsets import parse_uuid
from training.api.serializers.plan import PlanPageSerializer, PlanSerializer
from training.models import Plan
from training.models.plan import PlanDocument, PlanQuerySet, PlanValues
from training.models.planning import size_of


class PlanPage(TypedDict):
    plans: list[PlanDocument]
    next_cursor: str | None


class PlanViewSet(AccountViewSet):
    """Weekly training plans, of which at most one is active."""

    tag = "Plans"
    instance: Plan
    body: PlanValues

    def get_object(self, plan_id: str) -> Plan:
        return self.account.plans.get(pk=parse_uuid(plan_id))

    def get_stored(self, instance_id: str) -> PlanDocument:
        return self.get_object(instance_id).document

    @operation("list_training_plans", query=PageQuery, responses={200: PlanPageSerializer})
    def list(self) -> PlanPage:
        """List training plans, newest first"""
        plans, next_cursor = PlanQuerySet.newest_first.page(
            self.account.plans.all(), self.query, self.account, size_of=size_of
        )
        return {"plans": [plan.document for plan in plans], "next_cursor": next_cursor}

    @operation("create_training_plan", method="POST", body=PlanSerializer, responses={201: PlanSerializer})
    def create(self) -> PlanDocument:
        """Create a training plan

        Exactly seven days, each weekday from 1 (Monday) to 7 (Sunday) once; rest days carry no
        exercises. With `active` true it becomes the active plan, and the one that was is retired.
        """
        return Plan.objects.create_for(self.account, self.body).document

    @operation("get_training_plan", responses={200: PlanSerializer})
    def retrieve(self) -> PlanDocument:
        """Get one training plan"""
        return self.instance.document

    @operation("replace_training_plan", method="PUT", body=PlanSerializer, responses={200: PlanSerializer})
    def update(self) -> PlanDocument:
        """Replace a training plan

        What the body leaves out becomes its default, but `active` stays as it is. The history gains
        an entry, and another when the plan becomes active or inactive. Workouts keep the plan name
        that they were logged with.
        """
        self.instance.replace(self.body)
        return self.instance.document

    @operation("activate_training_plan", method="POST", responses={200: PlanSerializer})
    def activate(self) -> PlanDocument:
        """Make a training plan the active one

        Takes no body. The plan that was active is retired. Repeating it changes nothing.
        """
        self.instance.activate()
        return self.instance.document

    @operation("delete_training_plan", method="DELETE", responses={204: None})
    def destroy(self) -> None:
        """Delete a training plan

        Its workouts keep their `plan_name`, their `plan_id` becomes null, and each counts as changed
        in the workout events.
        """
        self.instance.remove()
