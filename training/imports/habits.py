"""How somebody does exercises, out of an archive: rests, and notes that stay."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import ngettext_lazy

from accounts.imports.archived import ArchivedKind, Document, Place
from accounts.imports.kinds import Context, Record
from accounts.models import Account
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


class ExerciseHabitKind(ArchivedKind):
    """Each exercise has one habit: one that is there is never overwritten."""

    name = "exercise_habit"
    label = "rests and setups"
    numbered = ngettext_lazy("%(number)s rest and setups", "%(number)s rests and setups", "count")
    model = ExerciseHabit
    serializer = ExerciseHabitSerializer
    compared = ("exercise_id", "rest_seconds", "rests_in_superset", "setup")

    def reader(self, context: Context) -> Callable[[Document, Place], Values]:
        kept_id = kept_ids(context)

        def read(document: Document, place: Place) -> Values:
            values = self.validated(document)
            return {**values, "exercise_id": kept_id(values["exercise_id"])}

        return read

    def alike(self, account: Account, values: Sequence[Values]) -> QuerySet[Any]:
        return account.exercise_habits.filter(exercise__in={one["exercise_id"] for one in values})

    def differing(
        self, account: Account, records: Sequence[Record], known_ids: Sequence[str | None]
    ) -> list[str]:
        wanted = [record.values.values for record in records]
        there = set(self.alike(account, wanted).values_list("exercise_id", flat=True))
        taken = [one["exercise_id"] in there for one in wanted]
        return ["is another one here" if is_taken else "" for is_taken in taken]

    def new_rows(self, account: Account, values: Sequence[Values]) -> Iterator[Any]:
        """Of exercises that were merged since, only the first has a row."""
        taken = set(self.alike(account, values).values_list("exercise_id", flat=True))
        for one in values:
            yield None if one["exercise_id"] in taken else ExerciseHabit(account=account, **one)
            taken.add(one["exercise_id"])
