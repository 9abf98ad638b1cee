from typing import Any

from django.db import transaction
from rest_framework.exceptions import ValidationError

from accounts.api.viewsets import AccountViewSet
from fitness.api.operations import DAY_IN_PATH, operation
from fitness.api.serializers import DayWindowPageQuery, PageQuery
from fitness.api.viewsets import delete_instance, parse_day, parse_uuid
from supplements.api.serializers import (
    SupplementLogPageSerializer,
    SupplementLogSerializer,
    SupplementPageSerializer,
    SupplementSerializer,
    SupplementToAdd,
)
from supplements.models import (
    MAX_SUPPLEMENTS,
    Supplement,
    SupplementLog,
    SupplementLogQuerySet,
    SupplementQuerySet,
)

FULL = f"There are {MAX_SUPPLEMENTS} supplements, and more do not fit on a page: remove one first."


class SupplementViewSet(AccountViewSet):
    """The supplement schedule, and a tick for each day that one was taken."""

    tag = "Supplements"
    instance: Supplement

    def get_object(self, supplement_id: str) -> Supplement:
        return self.account.supplements.get(pk=parse_uuid(supplement_id))

    @operation("list_supplements", query=PageQuery, responses={200: SupplementPageSerializer})
    def list(self) -> dict[str, Any]:
        """List the supplement schedule, by time of day"""
        page, next_cursor = SupplementQuerySet.by_time.page(
            self.account.supplements.all(), self.query, self.account
        )
        return {"supplements": SupplementSerializer.rendered_list(page), "next_cursor": next_cursor}

    # REST only reads the schedule. The operations that change it have no address: tools call them.

    @operation("add_supplement", method="POST", body=SupplementToAdd, responses={201: SupplementSerializer})
    def create(self) -> dict[str, Any]:
        with transaction.atomic():
            self.account.lock()
            if self.account.supplements.count() >= MAX_SUPPLEMENTS:
                raise ValidationError({"body": [FULL]})
            return SupplementSerializer.rendered(self.account.supplements.create(**self.body))

    @operation(
        "update_supplement", method="PATCH", body=SupplementToAdd, responses={200: SupplementSerializer}
    )
    def partial_update(self) -> dict[str, Any]:
        for name, value in self.body.items():
            setattr(self.instance, name, value)
        self.instance.save(update_fields=list(self.body))
        return SupplementSerializer.rendered(self.instance)

    @operation("remove_supplement", method="DELETE", responses={204: None})
    def destroy(self) -> None:
        delete_instance(self.instance)


class SupplementLogViewSet(AccountViewSet):
    """The supplement schedule, and a tick for each day that one was taken."""

    tag = "Supplements"
    supplement: Supplement
    instance: SupplementLog

    def read_path(self) -> None:
        if self.kwargs:
            self.supplement = self.account.supplements.get(pk=parse_uuid(self.kwargs["supplement_id"]))
        if "day" in self.kwargs:
            self.instance = self.supplement.logs.get(day=parse_day(self.kwargs["day"]))

    def get_stored(self, instance_id: str) -> dict[str, Any]:
        return SupplementLogSerializer.rendered(self.account.supplement_logs.get(pk=instance_id))

    @operation("list_supplement_logs", query=DayWindowPageQuery, responses={200: SupplementLogPageSerializer})
    def list(self) -> dict[str, Any]:
        """List ticks of all supplements, newest day first"""
        logs = self.account.supplement_logs.between(self.query["since"], self.query["until"])
        page, next_cursor = SupplementLogQuerySet.newest_first.page(logs, self.query, self.account)
        return {"logs": SupplementLogSerializer.rendered_list(page), "next_cursor": next_cursor}

    @operation(
        "log_supplement_taken",
        method="POST",
        body=SupplementLogSerializer,
        needs_body=False,
        responses={200: SupplementLogSerializer, 201: SupplementLogSerializer},
    )
    def create(self) -> tuple[dict[str, Any], int]:
        """Tick a supplement for a day

        `{}`, or no body, ticks it for today. 201 for a new tick; 200 with the tick as it stands when the
        day has one already, so repeating is harmless.
        """
        tick, created = self.supplement.tick(**self.body)
        return SupplementLogSerializer.rendered(tick), 201 if created else 200

    @operation("remove_supplement_log", method="DELETE", path=[DAY_IN_PATH], responses={204: None})
    def destroy(self) -> None:
        """Remove the tick of a day

        404 when the day has none.
        """
        delete_instance(self.instance)
