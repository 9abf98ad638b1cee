from rest_framework.response import Response

from fitness.api.pagination import Keyset
from fitness.api.serializers import DayWindowPageQuery, PageQuery
from fitness.api.viewsets import DAY_IN_PATH, ApiViewSet, delete, known_day, known_uuid, operation
from supplements.serializers import (
    SupplementLogPageSerializer,
    SupplementLogSerializer,
    SupplementPageSerializer,
    SupplementSerializer,
)


class SupplementViewSet(ApiViewSet):
    """The supplement schedule, and a tick for each day that one was taken."""

    tag = "Supplements"
    by_time = Keyset("supplements", "time", "name", "id", descending=False)

    @operation("list_supplements", query=PageQuery, answers={200: SupplementPageSerializer})
    def list(self, request):
        """List the supplement schedule, by time of day"""
        page, next_cursor = self.by_time.page(self.account.supplements.all(), self.query, self.account)
        return Response(
            {"supplements": SupplementSerializer(page, many=True).data, "next_cursor": next_cursor}
        )


class SupplementLogViewSet(ApiViewSet):
    """The supplement schedule, and a tick for each day that one was taken."""

    tag = "Supplements"
    newest = Keyset("supplement-logs", "day", "id")

    def find(self, supplement_id, day=None):
        supplement = self.account.supplements.get(pk=known_uuid(supplement_id))
        return supplement if day is None else supplement.logs.get(day=known_day(day))

    def stored(self, instance_id):
        return SupplementLogSerializer(self.account.supplement_logs.get(pk=instance_id)).data

    @operation("list_supplement_logs", query=DayWindowPageQuery, answers={200: SupplementLogPageSerializer})
    def list(self, request):
        """List ticks of all supplements, newest day first"""
        logs = self.account.supplement_logs.between(self.query["since"], self.query["until"])
        page, next_cursor = self.newest.page(logs, self.query, self.account)
        return Response({"logs": SupplementLogSerializer(page, many=True).data, "next_cursor": next_cursor})

    @operation(
        "log_supplement_taken",
        body=SupplementLogSerializer,
        needs_body=False,
        answers={200: SupplementLogSerializer, 201: SupplementLogSerializer},
    )
    def create(self, request, supplement_id):
        """Tick a supplement for a day

        `{}`, or no body, ticks it for today. 201 for a new tick; 200 with the tick as it stands when the
        day has one already, so repeating is harmless.
        """
        tick, created = self.record.tick(**self.body)
        return Response(SupplementLogSerializer(tick).data, status=201 if created else 200)

    @operation("remove_supplement_log", path=[DAY_IN_PATH], answers={204: None})
    def destroy(self, request, supplement_id, day):
        """Remove the tick of a day

        404 when the day has none.
        """
        delete(self.record)
        return Response(status=204)
