"""An account's own exercises: out of an archive, and made of names in other apps' files."""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import ngettext_lazy
from rest_framework.exceptions import ValidationError

from accounts.imports.archived import GONE, ArchivedKind, Document, Place
from accounts.imports.kinds import Context, Record, Stored
from accounts.models import Account
from fitness.api import fields
from fitness.api.serializers import StrictSerializer, Values
from fitness.imports.findings import Findings
from fitness.imports.formats import Candidate
from training.catalogue.folding import compared
from training.imports.archived import OWN_EXERCISE
from training.imports.names import catalogue_names
from training.models import Exercise
from training.models.exercise import Equipment, MuscleGroup
from training.models.own_exercise import PREFIX, by_their_names, remove_unused, retired_at, room_of, unsaved

MAX_MARK = 40  # of an id, in the item of an import


class OwnExerciseSerializer(StrictSerializer):
    """An exercise that the catalogue does not have."""

    name = fields.StringField(max_length=200, help_text="What it is called.")
    muscle_group = fields.ChoiceField(MuscleGroup, help_text="The main muscle group.")
    equipment = fields.ChoiceField(Equipment, help_text="What it is done with.")
    is_assisted = fields.BooleanField(help_text="Whether the weight of its sets is help.")
    retired = fields.BooleanField(default=False, help_text="Whether searches leave it out.")


def own_exercise_document(exercise: Exercise) -> Document:
    """An exercise, or under its id the one that it was merged into."""
    kept = exercise.kept
    return {"id": exercise.pk, **kept.described, "retired": kept.retired_at is not None}


class OwnExerciseKind(ArchivedKind):
    """Matched by name: where the account sees an exercise of that name, the file means that one."""

    name = OWN_EXERCISE
    label = "own exercises"
    numbered = ngettext_lazy("%(number)s own exercise", "%(number)s own exercises", "count")
    model = Exercise
    serializer = OwnExerciseSerializer
    compared = ("name", "muscle_group", "equipment")

    def maker(self, context: Context) -> Callable[[Candidate, Findings], Record | None]:
        make = super().maker(context)

        def of_own(candidate: Candidate, findings: Findings) -> Record | None:
            if candidate.key.startswith(PREFIX):
                return make(candidate, findings)
            error = ValidationError({"id": [f"must begin with {PREFIX}"]})
            Place(self.label, candidate, findings).refuse(error)
            return None

        return of_own

    def reader(self, context: Context) -> Callable[[Document, Place], Values]:
        def read(document: Document, place: Place) -> Values:
            values = self.validated({name: value for name, value in document.items() if name != "id"})
            if not compared(values["name"]):
                raise ValidationError({"name": ["must have letters or digits"]})
            return values

        return read

    def rows(self, account: Account) -> QuerySet[Any]:
        return Exercise.objects.owned_by(account)

    def matching(
        self, account: Account, records: Sequence[Record], taken: Collection[str] = ()
    ) -> list[str | None]:
        names = catalogue_names(account)
        found = [
            names.by_id.get(record.values.source_id) or names.taken.by(record.values.values["name"])
            for record in records
        ]
        return [exercise.pk[:MAX_MARK] if exercise else None for exercise in found]

    def differing(
        self, account: Account, records: Sequence[Record], known_ids: Sequence[str | None]
    ) -> list[str]:
        return [""] * len(records)

    def store(self, account: Account, records: Sequence[Record]) -> list[Stored]:
        """Stores as many as the account has room for. Those of one name are one exercise: the first."""
        rows = list(self.new_rows(account, [record.values.values for record in records]))
        meant = by_their_names(account, rows)
        new = [row for row in rows if row in meant]
        room = max(room_of(account), 0)
        Exercise.objects.bulk_create(new[:room])
        return [GONE if row in new[room:] else Stored(row.pk, self.fingerprint(row)) for row in meant]

    def new_rows(self, account: Account, values: Sequence[Values]) -> Iterator[Exercise]:
        for one in values:
            exercise = unsaved(
                account, one["name"], one["muscle_group"], one["equipment"], one["is_assisted"]
            )
            exercise.retired_at = retired_at(one["retired"])
            yield exercise

    def remove(self, account: Account, stored: Sequence[Stored], *, changed_too: bool) -> list[bool]:
        """One that something else uses stays, whatever was changed.

        With `changed_too` it counts as done with, or the undo would try it again and again.
        """
        ids = [one.record_id for one in stored if one.record_id]
        there = {row.pk: self.fingerprint(row) for row in self.rows(account).filter(pk__in=ids)}
        same = [one.record_id for one in stored if there.get(one.record_id) == one.fingerprint]
        remove_unused(account, list(there) if changed_too else same)
        left = self.still_there(account, ids)
        return [changed_too or one.record_id not in left for one in stored]
