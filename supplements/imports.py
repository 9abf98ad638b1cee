"""Supplements and their ticks out of an archive."""

from collections.abc import Callable, Sequence
from uuid import UUID

from django.core.exceptions import ValidationError as InvalidField
from django.utils.translation import gettext_noop, ngettext_lazy
from rest_framework.exceptions import ValidationError

from accounts.imports.archived import CreatedKind, Document, OnlyOneKind, Place
from accounts.imports.kinds import Context
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
    found_by = ("name",)

    def reader(self, context: Context) -> Callable[[Document, Place], Values]:
        def read(document: Document, place: Place) -> Values:
            values = self.validated(document)
            try:
                hours_and_minutes(values["time"])
            except InvalidField as error:
                raise ValidationError({"time": error.messages}) from error
            return values

        return read

    def in_use(self, account: Account, ids: Sequence[str]) -> set[str]:
        logs = account.supplement_logs.filter(supplement__in=ids).order_by()
        return set(map(str, logs.values_list("supplement", flat=True).distinct()))


class SupplementLogKind(OnlyOneKind):
    """Ticks, of which a supplement has one a day."""

    name = "supplement_log"
    label = "supplements taken"
    numbered = ngettext_lazy("%(number)s supplement taken", "%(number)s supplements taken", "count")
    model = SupplementLog
    serializer = SupplementLogSerializer
    compared = ("supplement_id", "day", "taken_at")
    found_by = ("supplement_id", "day")
    taken = gettext_noop("was taken at another time")

    def reader(self, context: Context) -> Callable[[Document, Place], Values]:
        def read(document: Document, place: Place) -> Values:
            supplement_id = context.new_id("supplement", str(document.get("supplement_id")))
            return {
                **self.validated(document),
                "supplement_id": UUID(supplement_id) if supplement_id else None,
            }

        return read
