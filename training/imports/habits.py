"""How somebody does exercises, out of an archive: rests, and notes that stay."""

from collections.abc import Callable

from django.utils.translation import ngettext_lazy

from accounts.imports.archived import Document, OnlyOneKind, Place
from accounts.imports.kinds import Context
from fitness.api import fields
from fitness.api.serializers import StrictSerializer, Values
from training.imports.archived import kept_ids
from training.models import ExerciseHabit
from training.models.exercise_habit import MAX_SETUP


class ExerciseHabitSerializer(StrictSerializer):
    """What the page of a running workout remembers of an exercise."""

    exercise_id = fields.StringField(max_length=120, help_text="Catalogue id.")
    rest_seconds = fields.IntegerField(min_value=0, max_value=3600, help_text="The rest after a set.")
    rests_in_superset = fields.BooleanField(
        default=False, help_text="Whether that comes before the next exercise of a superset, too."
    )
    setup = fields.StringField(
        default="", allow_blank=True, max_length=MAX_SETUP, help_text="A note that stays with the exercise."
    )


class ExerciseHabitKind(OnlyOneKind):
    """Each exercise has one habit. Some that were merged since have one together."""

    name = "exercise_habit"
    label = "rests and setups"
    numbered = ngettext_lazy("%(number)s rest and setups", "%(number)s rests and setups", "count")
    model = ExerciseHabit
    serializer = ExerciseHabitSerializer
    compared = ("exercise_id", "rest_seconds", "rests_in_superset", "setup")
    found_by = ("exercise_id",)
    taken = "is another one here"

    def reader(self, context: Context) -> Callable[[Document, Place], Values]:
        kept_id = kept_ids(context)

        def read(document: Document, place: Place) -> Values:
            values = self.validated(document)
            return {**values, "exercise_id": kept_id(values["exercise_id"])}

        return read
