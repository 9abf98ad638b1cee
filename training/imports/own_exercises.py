"""An account's own exercises that were made in the preview of an import, of names in another app's file."""

from collections.abc import Sequence

from django.utils.translation import ngettext_lazy

from accounts.imports.kinds import Stored, StoredKind, digest_of
from accounts.models import Account
from training.models import Exercise
from training.models.own_exercise import remove_unused


class OwnExerciseKind(StoredKind):
    name = "own_exercise"
    numbered = ngettext_lazy("%(number)s own exercise", "%(number)s own exercises", "count")

    def fingerprint(self, exercise: Exercise) -> str:
        return digest_of([exercise.name, exercise.muscle_group, exercise.equipment])

    def still_there(self, account: Account, ids: Sequence[str]) -> set[str]:
        return set(Exercise.objects.owned_by(account).filter(pk__in=ids).values_list("pk", flat=True))

    def remove(self, account: Account, stored: Sequence[Stored], *, changed_too: bool) -> list[bool]:
        """One that something else uses stays, whatever was changed.

        With `changed_too` it counts as done with, or the undo would try it again and again.
        """
        ids = [one.record_id for one in stored if one.record_id]
        here = Exercise.objects.owned_by(account).filter(pk__in=ids)
        there = {row.pk: self.fingerprint(row) for row in here}
        same = [one.record_id for one in stored if there.get(one.record_id) == one.fingerprint]
        remove_unused(account, list(there) if changed_too else same)
        left = self.still_there(account, ids)
        return [changed_too or one.record_id not in left for one in stored]
