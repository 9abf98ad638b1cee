"""Supplements and their ticks out of an archive."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError as InvalidField
from django.db.models import QuerySet
from django.utils.translation import gettext_noop, ngettext_lazy
from rest_framework.exceptions import ValidationError

from accounts.imports.archived import ArchivedKind, CreatedKind, Document, Place
from accounts.imports.kinds import Context, Record
from accounts.models import Account
from fitness.api.serializers import Values
from supplements.api.serializers import SupplementLogSerializer, SupplementSerializer
from supplements.models import Supplement, SupplementLog, hours_and_minutes


class SupplementKind(CreatedKind):
    name = "supplement"
    label = "supplements"
    numbered = ngettext_lazy("%(number)s supplement", "%(number)s supplements", "count")
    model = Supplement
    serializer = SupplementSerializer
    compared = ("name", "dosage", "time")

    def reader(self, context: Context) -> Callable[[Document, Place], Values]:
        def read(document: Document, place: Place) -> Values:
            values = self.validated(document)
            try:
                hours_and_minutes(values["time"])
            except InvalidField as error:
                raise ValidationError({"time": error.messages}) from error
            return values

        return read

    def alike(self, account: Account, values: Sequence[Values]) -> QuerySet[Any]:
        return account.supplements.filter(name__in=[one["name"] for one in values]).order_by(
            "created_at", "id"
        )

    def in_use(self, account: Account, ids: Sequence[str]) -> set[str]:
        logs = account.supplement_logs.filter(supplement__in=ids).order_by()
        return set(map(str, logs.values_list("supplement", flat=True).distinct()))


class SupplementLogKind(ArchivedKind):
    """Ticks, of which a supplement has one a day: one that is there is never overwritten."""

    name = "supplement_log"
    label = "supplements taken"
    numbered = ngettext_lazy("%(number)s supplement taken", "%(number)s supplements taken", "count")
    model = SupplementLog
    serializer = SupplementLogSerializer
    compared = ("supplement_id", "day", "taken_at")

    def reader(self, context: Context) -> Callable[[Document, Place], Values]:
        def read(document: Document, place: Place) -> Values:
            supplement_id = context.new_id("supplement", str(document.get("supplement_id")))
            return {
                **self.validated(document),
                "supplement_id": UUID(supplement_id) if supplement_id else None,
            }

        return read

    def alike(self, account: Account, values: Sequence[Values]) -> QuerySet[Any]:
        return account.supplement_logs.filter(
            supplement__in={one["supplement_id"] for one in values} - {None},
            day__in={one["day"] for one in values},
        )

    def differing(
        self, account: Account, records: Sequence[Record], known_ids: Sequence[str | None]
    ) -> list[str]:
        wanted = [record.values.values for record in records]
        there = {(log.supplement_id, log.day) for log in self.alike(account, wanted)}
        taken = [(one["supplement_id"], one["day"]) in there for one in wanted]
        return [gettext_noop("was taken at another time") if is_taken else "" for is_taken in taken]

    def new_rows(self, account: Account, values: Sequence[Values]) -> Iterator[Any]:
        seen = set()
        for one in values:
            key = (one["supplement_id"], one["day"])
            yield SupplementLog(account=account, **one) if one["supplement_id"] and key not in seen else None
            seen.add(key)
