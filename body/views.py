from rest_framework.response import Response

from body.models import Goal
from body.serializers import (
    BodyTrendSerializer,
    GoalPageSerializer,
    GoalSerializer,
    MeasurementPageSerializer,
    MeasurementSerializer,
    WeightLogSerializer,
    WeightPageSerializer,
)
from body.trend import body_trend
from fitness.api.pagination import Keyset
from fitness.api.serializers import PageQuery, RecentWindow, WindowPageQuery
from fitness.api.viewsets import ApiViewSet, delete, known_uuid, operation


class WeightViewSet(ApiViewSet):
    """Body weight and tape measurements."""

    tag = "Body"
    newest = Keyset("weight", "logged_at", "id")

    def find(self, weight_id):
        return self.account.weight_logs.get(pk=known_uuid(weight_id))

    def stored(self, instance_id):
        return WeightLogSerializer(self.find(instance_id)).data

    @operation("list_weight", query=WindowPageQuery, answers={200: WeightPageSerializer})
    def list(self, request):
        """List weight logs, newest first

        `since` and `until` are compared with `logged_at`.
        """
        logs = self.account.weight_logs.logged(self.query["since"], self.query["until"])
        page, next_cursor = self.newest.page(logs, self.query, self.account)
        return Response({"weight": WeightLogSerializer(page, many=True).data, "next_cursor": next_cursor})

    @operation("log_weight", body=WeightLogSerializer, answers={201: WeightLogSerializer})
    def create(self, request):
        """Log a body weight"""
        log = self.account.weight_logs.create(**self.body)
        return Response(WeightLogSerializer(log).data, status=201)

    @operation("update_weight", body=WeightLogSerializer, answers={200: WeightLogSerializer})
    def partial_update(self, request, weight_id):
        """Change a weight log

        Only the fields in the body change; null clears `body_fat_percent`.
        """
        self.record.change(self.body)
        return Response(WeightLogSerializer(self.record).data)

    @operation("delete_weight", answers={204: None})
    def destroy(self, request, weight_id):
        """Delete a weight log"""
        delete(self.record)
        return Response(status=204)


class MeasurementViewSet(ApiViewSet):
    """Body weight and tape measurements."""

    tag = "Body"
    newest = Keyset("measurements", "logged_at", "id")

    def find(self, measurement_id):
        return self.account.measurements.get(pk=known_uuid(measurement_id))

    def stored(self, instance_id):
        return MeasurementSerializer(self.find(instance_id)).data

    @operation("list_measurements", query=WindowPageQuery, answers={200: MeasurementPageSerializer})
    def list(self, request):
        """List tape measurements, newest first

        `since` and `until` are compared with `logged_at`.
        """
        logs = self.account.measurements.logged(self.query["since"], self.query["until"])
        page, next_cursor = self.newest.page(logs, self.query, self.account)
        return Response(
            {"measurements": MeasurementSerializer(page, many=True).data, "next_cursor": next_cursor}
        )

    @operation("log_measurements", body=MeasurementSerializer, answers={201: MeasurementSerializer})
    def create(self, request):
        """Log tape measurements

        At least one site must be given; those left out are null.
        """
        log = self.account.measurements.create(**self.body)
        return Response(MeasurementSerializer(log).data, status=201)

    @operation("update_measurements", body=MeasurementSerializer, answers={200: MeasurementSerializer})
    def partial_update(self, request, measurement_id):
        """Change tape measurements

        Only the fields in the body change; null clears a site. A change that would clear the last
        site is refused: delete the measurement instead.
        """
        self.record.change(self.body)
        return Response(MeasurementSerializer(self.record).data)

    @operation("delete_measurements", answers={204: None})
    def destroy(self, request, measurement_id):
        """Delete tape measurements"""
        delete(self.record)
        return Response(status=204)


class GoalViewSet(ApiViewSet):
    """Body goals. Older goals are kept; the newest is the current one."""

    tag = "Goals"
    newest = Keyset("goals", "created_at", "id")

    def stored(self, instance_id):
        return GoalSerializer(self.account.goals.get(pk=instance_id)).data

    @operation("list_goals", query=PageQuery, answers={200: GoalPageSerializer})
    def list(self, request):
        """List goals, newest first"""
        page, next_cursor = self.newest.page(self.account.goals.all(), self.query, self.account)
        return Response({"goals": GoalSerializer(page, many=True).data, "next_cursor": next_cursor})

    @operation("set_goal", body=GoalSerializer, answers={201: GoalSerializer})
    def create(self, request):
        """Set a goal

        It becomes the current goal. Every field may be left out.
        """
        goal = Goal.objects.set_for(self.account, self.body)
        return Response(GoalSerializer(goal).data, status=201)

    @operation("get_current_goal", answers={200: GoalSerializer}, may_be_missing=True)
    def current(self, request):
        """Get the current goal

        The newest one; 404 when no goal is set.
        """
        return Response(GoalSerializer(self.account.goals.current()).data)


class TrendViewSet(ApiViewSet):
    """Totals, records and trends, computed from what was logged."""

    tag = "Stats"

    @operation("get_body_trend", query=RecentWindow, answers={200: BodyTrendSerializer})
    def retrieve(self, request):
        """Get the body trend

        Body weight and body fat over a window, the last 90 days by default, with a smoothed weight
        that takes out the noise of single days. `since` and `until` are compared with `logged_at`.
        """
        logs = self.account.weight_logs.logged(**self.query).oldest_first()
        rows = logs.values_list("logged_at", "weight_kg", "body_fat_percent", named=True)
        return Response({**self.query, **body_trend(list(rows))})
