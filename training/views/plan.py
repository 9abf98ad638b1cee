from rest_framework.response import Response

from fitness.api.pagination import Keyset
from fitness.api.serializers import PageQuery
from fitness.api.viewsets import ApiViewSet, known_uuid, operation
from training.models import Plan
from training.models.planned import size_of
from training.serializers.plan import PlanPageSerializer, PlanSerializer


class PlanViewSet(ApiViewSet):
    """Weekly training plans, of which at most one is active."""

    tag = "Plans"
    newest = Keyset("plans", "created_at", "id")

    def find(self, plan_id):
        return self.account.plans.get(pk=known_uuid(plan_id))

    def stored(self, instance_id):
        return self.find(instance_id).record

    @operation("list_training_plans", query=PageQuery, answers={200: PlanPageSerializer})
    def list(self, request):
        """List training plans, newest first"""
        page, next_cursor = self.newest.page(
            self.account.plans.all(), self.query, self.account, size_of=size_of
        )
        return Response({"plans": [plan.record for plan in page], "next_cursor": next_cursor})

    @operation("create_training_plan", body=PlanSerializer, answers={201: PlanSerializer})
    def create(self, request):
        """Create a training plan

        Exactly seven days, each weekday from 1 (Monday) to 7 (Sunday) once; rest days carry no
        exercises. With `active` true it becomes the active plan, and the one that was is retired.
        """
        plan = Plan.objects.draw_up(self.account, self.body)
        return Response(plan.record, status=201)

    @operation("get_training_plan", answers={200: PlanSerializer})
    def retrieve(self, request, plan_id):
        """Get one training plan"""
        return Response(self.record.record)

    @operation("replace_training_plan", body=PlanSerializer, answers={200: PlanSerializer})
    def update(self, request, plan_id):
        """Replace a training plan

        What the body leaves out becomes its default, but `active` stays as it is. The history gains
        an entry, and another when the plan becomes active or inactive. Workouts keep the plan name
        that they were logged with.
        """
        self.record.replace(self.body)
        return Response(self.record.record)

    @operation("activate_training_plan", answers={200: PlanSerializer})
    def activate(self, request, plan_id):
        """Make a training plan the active one

        Takes no body. The plan that was active is retired. Repeating it changes nothing.
        """
        self.record.activate()
        return Response(self.record.record)

    @operation("delete_training_plan", answers={204: None})
    def destroy(self, request, plan_id):
        """Delete a training plan

        Its workouts keep their `plan_name`, their `plan_id` becomes null, and each counts as changed
        in the workout events.
        """
        self.record.remove()
        return Response(status=204)
