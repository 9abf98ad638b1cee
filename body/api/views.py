from typing import Any

from accounts.api.viewsets import AccountViewSet
from body.api.serializers import (
    BodyTrendSerializer,
    GoalPageSerializer,
    GoalSerializer,
    MeasurementPageSerializer,
    MeasurementSerializer,
    WeightLogSerializer,
    WeightPageSerializer,
)
from body.models import (
    Goal,
    GoalQuerySet,
    Measurement,
    MeasurementQuerySet,
    WeightLog,
)
from body.trend import body_trend
from fitness.api.operations import operation
from fitness.api.serializers import PageQuery, RecentWindow, WindowPageQuery
from fitness.api.viewsets import delete_instance, parse_uuid


class WeightViewSet(AccountViewSet):
    """Body weight and tape measurements."""

    tag = "Body"
    instance: WeightLog

    def get_object(self, weight_id: str) -> WeightLog:
        return self.account.weight_logs.get(pk=parse_uuid(weight_id))

    def get_stored(self, instance_id: str) -> dict[str, Any]:
        return WeightLogSerializer.rendered(self.get_object(instance_id))

    @operation("list_weight", query=WindowPageQuery, responses={200: WeightPageSerializer})
    def list(self) -> dict[str, Any]:
        """List weight logs, newest first

        `since` and `until` are compared with `logged_at`.
        """
        logs = self.account.weight_logs.logged(self.query["since"], self.query["until"])
        page, next_cursor = logs.newest_first.page(logs, self.query, self.account)
        return {"weight": WeightLogSerializer.rendered_list(page), "next_cursor": next_cursor}

    @operation("log_weight", method="POST", body=WeightLogSerializer, responses={201: WeightLogSerializer})
    def create(self) -> dict[str, Any]:
        """Log a body weight"""
        log = self.account.weight_logs.create(**self.body)
        return WeightLogSerializer.rendered(log)

    @operation(
        "update_weight", method="PATCH", body=WeightLogSerializer, responses={200: WeightLogSerializer}
    )
    def partial_update(self) -> dict[str, Any]:
        """Change a weight log

        Only the fields in the body change; null clears `body_fat_percent`.
        """
        self.instance.change(self.body)
        return WeightLogSerializer.rendered(self.instance)

    @operation("delete_weight", method="DELETE", responses={204: None})
    def destroy(self) -> None:
        """Delete a weight log"""
        delete_instance(self.instance)


class MeasurementViewSet(AccountViewSet):
    """Body weight and tape measurements."""

    tag = "Body"
    instance: Measurement

    def get_object(self, measurement_id: str) -> Measurement:
        return self.account.measurements.get(pk=parse_uuid(measurement_id))

    def get_stored(self, instance_id: str) -> dict[str, Any]:
        return MeasurementSerializer.rendered(self.get_object(instance_id))

    @operation("list_measurements", query=WindowPageQuery, responses={200: MeasurementPageSerializer})
    def list(self) -> dict[str, Any]:
        """List tape measurements, newest first

        `since` and `until` are compared with `logged_at`.
        """
        logs = self.account.measurements.logged(self.query["since"], self.query["until"])
        page, next_cursor = MeasurementQuerySet.newest_first.page(logs, self.query, self.account)
        return {"measurements": MeasurementSerializer.rendered_list(page), "next_cursor": next_cursor}

    @operation(
        "log_measurements", method="POST", body=MeasurementSerializer, responses={201: MeasurementSerializer}
    )
    def create(self) -> dict[str, Any]:
        """Log tape measurements

        At least one site must be given; those left out are null.
        """
        log = self.account.measurements.create(**self.body)
        return MeasurementSerializer.rendered(log)

    @operation(
        "update_measurements",
        method="PATCH",
        body=MeasurementSerializer,
        responses={200: MeasurementSerializer},
    )
    def partial_update(self) -> dict[str, Any]:
        """Change tape measurements

        Only the fields in the body change; null clears a site. A change that would clear the last
        site is refused: delete the measurement instead.
        """
        self.instance.change(self.body)
        return MeasurementSerializer.rendered(self.instance)

    @operation("delete_measurements", method="DELETE", responses={204: None})
    def destroy(self) -> None:
        """Delete tape measurements"""
        delete_instance(self.instance)


class GoalViewSet(AccountViewSet):
    """Body goals. Older goals are kept; the newest is the current one."""

    tag = "Goals"

    def get_stored(self, instance_id: str) -> dict[str, Any]:
        return GoalSerializer.rendered(self.account.goals.get(pk=instance_id))

    @operation("list_goals", query=PageQuery, responses={200: GoalPageSerializer})
    def list(self) -> dict[str, Any]:
        """List goals, newest first"""
        page, next_cursor = GoalQuerySet.newest_first.page(self.account.goals.all(), self.query, self.account)
        return {"goals": GoalSerializer.rendered_list(page), "next_cursor": next_cursor}

    @operation("set_goal", method="POST", body=GoalSerializer, responses={201: GoalSerializer})
    def create(self) -> dict[str, Any]:
        """Set a goal

        It becomes the current goal. Every field may be left out.
        """
        goal = Goal.objects.set_for(self.account, self.body)
        return GoalSerializer.rendered(goal)

    @operation("get_current_goal", responses={200: GoalSerializer}, may_be_missing=True)
    def current(self) -> dict[str, Any]:
        """Get the current goal

        The newest one; 404 when no goal is set.
        """
        return GoalSerializer.rendered(self.account.goals.current())


class TrendViewSet(AccountViewSet):
    """Totals, records and trends, computed from what was logged."""

    tag = "Stats"

    @operation("get_body_trend", query=RecentWindow, responses={200: BodyTrendSerializer})
    def retrieve(self) -> dict[str, Any]:
        """Get the body trend

        Body weight and body fat over a window, the last 90 days by default, with a smoothed weight
        that takes out the noise of single days. `since` and `until` are compared with `logged_at`.
        """
        logs = self.account.weight_logs.of_trend(**self.query).oldest_first()
        rows = logs.values_list("logged_at", "weight_kg", "body_fat_percent", named=True)
        return {**self.query, **body_trend(list(rows), **self.query)}
