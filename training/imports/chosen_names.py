"""What somebody has chosen for names of exercises, out of an archive."""

from collections.abc import Callable

from django.utils.translation import ngettext_lazy

from accounts.imports.archived import Document, OnlyOneKind, Place
from accounts.imports.kinds import Context
from fitness.api import fields
from fitness.api.serializers import StrictSerializer, Values
from training.imports.archived import kept_ids
from training.models import ExerciseName
from training.models.exercise_name import MAX_NAME


class ExerciseNameSerializer(StrictSerializer):
    """A name of an exercise in another app's files, and what it means to the account."""

    source = fields.StringField(  # type: ignore[assignment]  # the name of an argument of fields, too
        max_length=20, help_text="The format of the files, such as hevy."
    )
    name = fields.StringField(max_length=MAX_NAME, help_text="The name in them.")
    fate = fields.ChoiceField(ExerciseName.Fate, help_text="Whether its sets are stored, and as what.")
    exercise_id = fields.StringField(
        default=None, allow_null=True, max_length=120, help_text="Catalogue id, with the fate `exercise`."
    )


class ExerciseNameKind(OnlyOneKind):
    """Each source has one choice for a name."""

    name = "exercise_name"
    label = "chosen names"
    numbered = ngettext_lazy("%(number)s chosen name", "%(number)s chosen names", "count")
    model = ExerciseName
    serializer = ExerciseNameSerializer
    compared = ("source", "name", "fate", "exercise_id")
    found_by = ("source", "name")
    taken = "means something else here"

    def reader(self, context: Context) -> Callable[[Document, Place], Values]:
        kept_id = kept_ids(context)

        def read(document: Document, place: Place) -> Values:
            values = self.validated(document)
            is_exercise = values["fate"] == ExerciseName.Fate.EXERCISE
            return {**values, "exercise_id": kept_id(values["exercise_id"]) if is_exercise else None}

        return read
