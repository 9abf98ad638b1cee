"""Steps: what workouts did to the targets of plans and routines.

Stored is each step as JSON (`training.plans.Step`), with the columns by which it is found, and what is
known of the workout alone: from which day it was begun, and what its owner has switched off. The rules are
stored in the row of their plan or routine (`Planning.rules`), with where they are: the workout that is logged
reads and writes them with the exercises, by one statement each.
"""

from typing import TYPE_CHECKING, Any, NamedTuple, Self
from uuid import UUID

from django.conf import settings
from django.db import models
from django.db.models import F, OuterRef, Q
from uuid_utils.compat import uuid7

from fitness.db.keysets import Keyset
from fitness.db.owned import OfAccount, Owned, OwnedForeignKey
from training.plans.steps import Step

if TYPE_CHECKING:
    from training.plans.plan_rules import PlanRule, Progression


class ReadPlan(NamedTuple):
    """A plan with rules as it was read before the account was locked: columns of it as they are stored."""

    days: str
    history: str
    rules: str


class StepQuerySet(models.QuerySet["ProgressionStep"]):
    newest_first = Keyset("steps", "at", "id")

    def of_workouts(self, account_pk: UUID, workouts: object) -> Self:
        """The steps of some workouts, by ids or a subquery, of an account: its id.

        Along the index of workouts: SQLite would take one that begins with the account, and walk its steps.
        """
        return self.filter(OfAccount(account_pk), workout__in=workouts)

    def of_outer_workout(self, account_pk: UUID) -> Self:
        """The same of the workout of an outer query."""
        return self.filter(OfAccount(account_pk), workout=OuterRef("pk"))

    def last_of(self, progression: "Progression") -> "dict[str, Step]":
        """The last step of each rule since it began anew, by the rule's id. No statement without any."""
        wanted = {(one.id, one.newest.workout_id, one.fold) for one in progression.rules if one.newest}
        if not wanted:
            return {}
        rules, workouts, _ = zip(*wanted, strict=True)
        rows = self.filter(workout__in=workouts, rule__in=rules)
        return {
            str(row.rule): Step.from_json(row.step)
            for row in rows
            if (str(row.rule), str(row.workout_id), row.fold) in wanted
        }


class ProgressionStep(Owned):
    """What a workout did to one target of a plan or routine.

    Steps are not counted in what an account may store, which would take one statement more. Each needs a
    completed set in a workout that is counted: they take 0.7 times of its bytes as a rule, 5 times at most.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="progression_steps", db_index=False
    )
    plan = OwnedForeignKey("Plan", on_delete=models.CASCADE, null=True, db_index=False)
    routine = OwnedForeignKey("Routine", on_delete=models.CASCADE, null=True, db_index=False)
    workout = OwnedForeignKey("Workout", on_delete=models.CASCADE, db_index=False)
    rule = models.UUIDField()  # the id of a rule of the plan or routine
    fold = models.PositiveIntegerField()  # how often that rule had begun, as in PlanRule
    exercise = models.CharField(max_length=120)  # the id that it had then
    weekday = models.PositiveSmallIntegerField()  # the day of the plan; ROUTINE_DAY of a routine
    is_day_known = models.BooleanField(db_default=False)  # the workout was begun from that day
    is_held = models.BooleanField(db_default=False)  # its owner has switched the change off, if it was one
    at = models.DateTimeField()  # when the workout started
    kind = models.CharField(max_length=20)
    step: "models.JSONField[dict[str, Any], dict[str, Any]]" = models.JSONField()

    objects = StepQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index("account", "plan", F("at").desc(), F("id").desc(), name="step_newest"),
            models.Index("account", "routine", F("at").desc(), F("id").desc(), name="routine_step_newest"),
            models.Index(fields=["account", "rule", "fold", "at"], name="step_of_rule"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["workout", "rule"], name="one_step_of_workout"),
            models.CheckConstraint(
                condition=Q(plan=None, routine__isnull=False) | Q(plan__isnull=False, routine=None),
                name="step_of_plan_or_routine",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.exercise}"

    def is_last_of(self, rule: "PlanRule") -> bool:
        """Whether it is the step that has made the target of its rule."""
        newest = rule.newest
        return newest is not None and (newest.workout_id, rule.fold) == (str(self.workout_id), self.fold)
