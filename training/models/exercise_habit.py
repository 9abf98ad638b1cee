"""How an account does an exercise: what Train remembers for the next time."""

from collections.abc import Iterable
from typing import NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import models

from accounts.models import Account
from accounts.models.account import REST_SECONDS
from fitness.db.owned import OfAccount, Owned
from training.models.exercise import Exercise

MAX_SETUP = 500


class Habit(NamedTuple):
    rest_seconds: int = REST_SECONDS
    rests_in_superset: bool = False  # also before the superset's next exercise
    setup: str = ""  # a note that stays: "seat 4, narrow grip"


class ExerciseHabitQuerySet(models.QuerySet["ExerciseHabit"]):
    def of(self, account: Account, exercise_ids: Iterable[str]) -> dict[str, Habit]:
        rows = self.filter(account=account, exercise__in=exercise_ids)
        return {pk: Habit(*habit) for pk, *habit in rows.values_list("exercise", *Habit._fields)}

    def remember(self, account: Account, habits: dict[str, Habit]) -> None:
        """Stores habits by the ids of their exercises."""
        rows = [ExerciseHabit(account=account, exercise_id=pk, **one._asdict()) for pk, one in habits.items()]
        self.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["account", "exercise"],
            update_fields=Habit._fields,
        )

    def accounts_with(self, exercise: Exercise) -> "models.QuerySet[ExerciseHabit, UUID]":
        return self.filter(exercise=exercise).order_by().values_list("account", flat=True).distinct()

    def stale(self, account: Account, exercise: Exercise) -> list[int]:
        """The id of the account's row of an exercise, if that was merged into another one."""
        rows = self.filter(account=account, exercise=exercise, exercise__merged_into__isnull=False)
        return list(rows.values_list("pk", flat=True))


class ExerciseHabit(Owned):
    """What an account has chosen for an exercise. Fields are as in Habit."""

    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="exercise_habits", db_index=False
    )
    exercise = models.ForeignKey(Exercise, on_delete=models.CASCADE, related_name="+", db_index=False)
    rest_seconds = models.PositiveSmallIntegerField(db_column="seconds")
    rests_in_superset = models.BooleanField(default=False, db_default=False)
    setup = models.CharField(max_length=MAX_SETUP, default="", db_default="", blank=True)

    objects = ExerciseHabitQuerySet.as_manager()

    class Meta:
        db_table = "training_exerciserest"  # its name when it had rests alone
        constraints = [models.UniqueConstraint(fields=["account", "exercise"], name="rest_of_exercise")]

    def __str__(self) -> str:
        return f"{self.rest_seconds} s after {self.exercise_id}"

    @property
    def habit(self) -> Habit:
        return Habit(self.rest_seconds, self.rests_in_superset, self.setup)

    @classmethod
    def follow_merge(cls, account: Account, ids: list[int]) -> int:
        """Gives the habit of a merged exercise to the one that is kept, where that has none of its own."""
        rows = cls.objects.filter(OfAccount(account.pk), pk__in=ids)
        given_up = rows.first()
        if given_up is None:  # deleted meanwhile
            return 0
        kept_id = Exercise.objects.seen_by(account).find(given_up.exercise_id).pk
        own = cls.objects.of(account, [kept_id]).get(kept_id)
        habit = own._replace(setup=own.setup or given_up.setup) if own else given_up.habit
        cls.objects.remember(account, {kept_id: habit})
        return rows._raw_delete(rows.db)
