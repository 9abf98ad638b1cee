"""Changes of the supplement schedule.

REST only reads the schedule, so these operations have no address; tools call them as they call those of REST.
"""

from typing import Any

from django.db import transaction
from rest_framework.exceptions import ValidationError

from accounts.api.viewsets import AccountViewSet
from fitness.api.operations import operation
from fitness.api.viewsets import delete_instance, parse_uuid
from mcp_endpoint.corrections.serializers import SupplementChange, SupplementToAdd
from supplements.api.serializers import SupplementSerializer
from supplements.models import MAX_SUPPLEMENTS, Supplement

FULL = f"There are {MAX_SUPPLEMENTS} supplements, and more do not fit on a page: remove one first."


class ScheduleViewSet(AccountViewSet):
    tag = "Supplements"
    instance: Supplement

    def get_object(self, supplement_id: str) -> Supplement:
        return self.account.supplements.get(pk=parse_uuid(supplement_id))

    @operation("add_supplement", method="POST", body=SupplementToAdd, responses={201: SupplementSerializer})
    def create(self) -> dict[str, Any]:
        with transaction.atomic():
            self.account.lock()
            if self.account.supplements.count() >= MAX_SUPPLEMENTS:
                raise ValidationError({"arguments": [FULL]})
            return SupplementSerializer.rendered(self.account.supplements.create(**self.body))

    @operation(
        "update_supplement", method="PATCH", body=SupplementChange, responses={200: SupplementSerializer}
    )
    def partial_update(self) -> dict[str, Any]:
        for name, value in self.body.items():
            setattr(self.instance, name, value)
        self.instance.save(update_fields=list(self.body))
        return SupplementSerializer.rendered(self.instance)

    @operation("remove_supplement", method="DELETE", responses={204: None})
    def destroy(self) -> None:
        delete_instance(self.instance)
