"""Supplements and their ticks in archives."""

from django.core.exceptions import ValidationError as InvalidField
from django.utils.translation import ngettext_lazy
from rest_framework.exceptions import ValidationError

from accounts.archives import CreatedList, Document, FlatList, Reference, Restoring
from fitness.api.serializers import Values
from supplements.api.serializers import SupplementLogSerializer, SupplementSerializer
from supplements.models import MAX_SUPPLEMENTS, Supplement, SupplementLog, hours_and_minutes


class Supplements(CreatedList, FlatList):
    name = "supplements"
    numbered = ngettext_lazy("%(number)s supplement", "%(number)s supplements", "count")
    rows = Supplement.objects.all()
    order = ("time", "name", "id")
    serializer = SupplementSerializer
    most = MAX_SUPPLEMENTS

    def values(self, document: Document, restoring: Restoring) -> Values:
        values = super().values(document, restoring)
        try:
            hours_and_minutes(values["time"])
        except InvalidField as error:
            raise ValidationError({"time": error.messages}) from error
        return values


class SupplementLogs(FlatList):
    """Ticks, of which a supplement has one a day."""

    name = "supplement_logs"
    numbered = ngettext_lazy("%(number)s supplement taken", "%(number)s supplements taken", "count")
    rows = SupplementLog.objects.all()
    order = ("day", "id")
    serializer = SupplementLogSerializer
    key = ("supplement_id", "day")
    references = (Reference("supplement_id", "supplements"),)
