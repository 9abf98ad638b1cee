"""How corrections are carried out: what one changes is read first, and is part of the answer.

One transaction, which locks the account and the record: nothing of it changes between what is read and what
is stored. REST only reads the schedule of supplements, so its changes are operations without an address.
"""

import datetime
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from rest_framework.exceptions import ValidationError

from accounts.api.viewsets import AccountViewSet
from accounts.models import Account
from fitness.api.operations import operation
from fitness.api.serializers import StrictSerializer, Values
from fitness.api.viewsets import ApiViewSet, delete_instance, parse_uuid
from fitness.json import JsonObject, without_fragments
from mcp_endpoint.corrections.serializers import SupplementChange, SupplementToAdd
from mcp_endpoint.serializers import extended
from mcp_endpoint.tool import ChangedSince, RestOperation, rest
from supplements.api.serializers import SupplementSerializer
from supplements.models import MAX_SUPPLEMENTS, Supplement
from training.api.views.plan import PlanViewSet

FULL = f"There are {MAX_SUPPLEMENTS} supplements, and more do not fit on a page: remove one first."


@dataclass(frozen=True, kw_only=True)
class Correction(RestOperation):
    """An operation that changes or deletes a record, which `record` renders as it was before.

    The result is the record, with what has changed of it as it was in `before`; of a deletion, what there was
    in `deleted`.
    """

    record: type[StrictSerializer]

    def __call__(self, account: Account, values: Values) -> JsonObject:
        with transaction.atomic():
            account.lock()
            before = self.read(account, values)
            after = super().__call__(account, values)
        if after is None:
            return {"deleted": before}
        stored = without_fragments(after)
        return {**stored, "before": what_changed(before, stored, values)}

    def read(self, account: Account, values: Values) -> JsonObject:
        """The record as it is. Raises ChangedSince where it was changed after `if_updated_at`."""
        view = self.view(action=self.action, account=account, kwargs=self.in_path(values))
        view.read_path()
        instance = view.instance.stored.select_for_update().get()
        instance.account = account
        before = self.record.rendered(instance)
        expected = values.get("if_updated_at")
        if expected and datetime.datetime.fromisoformat(before["updated_at"]) != expected:
            raise ChangedSince(before)
        return before

    @property
    def result(self) -> type[StrictSerializer]:
        if self.declared.response:
            return extended(self.declared.response, before=self.record())
        return extended(StrictSerializer, deleted=self.record())


def what_changed(before: JsonObject, after: JsonObject, values: Values) -> JsonObject:
    """Of a record before a change what the arguments have changed; with days or exercises also the rules.

    Of the days of a plan those that have changed.
    """
    changed = {name: old for name, old in before.items() if name in values and old != after[name]}
    if "rules" in before and not changed.keys().isdisjoint(("days", "exercises")):
        changed["rules"] = before["rules"]
    if "days" in changed:
        changed["days"] = [day for day in before["days"] if day not in after["days"]]
    return changed


def correcting(record: type[StrictSerializer], view: type[ApiViewSet], action: str, *path: str) -> Correction:
    return Correction(view, action, path, record=record)


def activate_plan(account: Account, values: Values) -> JsonObject:
    """Makes a plan the active one. The result is the plan, with the one that was in `retired`.

    A notice says every how many weeks it is lighter, if it is: the count begins now.
    """
    with transaction.atomic():
        account.lock()
        former = account.plans.active().values("id", "name").first()
        plan: JsonObject = rest(PlanViewSet, "activate", "plan_id")(account, values)
        deload_every = account.plans.active().get().progressions.deload_every
    retired = {"id": str(former["id"]), "name": former["name"]} if former else None
    is_another = retired and retired["id"] != plan["id"]
    lighter = f"Every {deload_every} weeks one is a deload; this week is the first."
    return {**plan, "retired": retired if is_another else None, "notices": [lighter] if deload_every else []}


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
