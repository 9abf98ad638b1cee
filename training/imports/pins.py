"""The exercises that somebody has pinned, out of an archive."""

from collections.abc import Callable

from django.utils.translation import ngettext_lazy

from accounts.imports.archived import ArchivedKind, Document, Place
from accounts.imports.kinds import Context
from fitness.api import fields
from fitness.api.serializers import StrictSerializer, Values
from training.imports.archived import ids_here, kept_ids
from training.models import ExercisePin


class ExercisePinSerializer(StrictSerializer):
    """An exercise that leads the account's progress."""

    exercise_id = fields.StringField(max_length=120, help_text="Catalogue id.")


class ExercisePinKind(ArchivedKind):
    """Matched by the id alone: two that were merged into one stay two rows, as in ExercisePin."""

    name = "exercise_pin"
    label = "pinned exercises"
    numbered = ngettext_lazy("%(number)s pinned exercise", "%(number)s pinned exercises", "count")
    model = ExercisePin
    serializer = ExercisePinSerializer
    compared = found_by = ("exercise_id",)

    def reader(self, context: Context) -> Callable[[Document, Place], Values]:
        kept_id, id_here = kept_ids(context), ids_here(context)

        def read(document: Document, place: Place) -> Values:
            values = self.validated(document)
            kept_id(values["exercise_id"])  # refuses one that this catalogue lacks
            return {"exercise_id": id_here(values["exercise_id"])}

        return read
