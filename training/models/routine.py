"""Routines.

Stored are name, focus and the planned exercises, as the JSON that clients read, their rules, and
`use_count`, which counts the workouts that were started from the routine in the app. Derived are the names,
muscle groups and equipment in that JSON: they follow the catalogue.
"""

from typing import TypedDict
from uuid import UUID

from django.conf import settings
from django.db import models, transaction
from django.db.models import F
from django.utils import timezone
from uuid_utils.compat import uuid7

from fitness.db.keysets import Keyset
from fitness.json import timestamp
from training.models.planned import PlanDay, PlannedExercise, ordered
from training.models.planning import Planning, PlanningQuerySet
from training.plans.plan_rules import ROUTINE_DAY
from training.plans.rearranging import Rearrangement


class RoutineValues(TypedDict):
    """A routine that a client has sent, validated."""

    name: str
    focus: str
    exercises: list[PlannedExercise]


class RoutineDocument(RoutineValues):
    """A routine as clients read it (`Routine` in the OpenAPI document)."""

    id: str
    use_count: int
    created_at: str


class RoutineName(TypedDict):
    """A routine to choose from."""

    pk: UUID
    name: str


class RoutineQuerySet(PlanningQuerySet["Routine"]):
    newest_first = Keyset("routines", "created_at", "id")

    def names(self) -> "models.QuerySet[Routine, RoutineName]":
        """The routines to choose from, most used first."""
        return self.order_by("-use_count", "name").values("pk", "name")

    def count_use(self) -> bool:
        """Counts a workout that was started from this routine; returns whether it is there."""
        return bool(self.update(use_count=F("use_count") + 1))


class Routine(Planning):
    """A saved template of a single training day."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="routines", db_index=False
    )
    name = models.CharField(max_length=200)
    focus = models.CharField(max_length=200, blank=True)
    use_count = models.PositiveIntegerField(default=0)
    exercises: "models.JSONField[list[PlannedExercise], list[PlannedExercise]]" = models.JSONField(
        default=list
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = RoutineQuerySet.as_manager()

    class Meta:
        indexes = [models.Index("account", F("created_at").desc(), F("id").desc(), name="routine_newest")]

    def __str__(self) -> str:
        return self.name

    PLANNED = "exercises"

    @property
    def schedule(self) -> list[PlanDay]:
        return one_day(self.exercises)

    @schedule.setter
    def schedule(self, days: list[PlanDay]) -> None:
        self.exercises = days[0]["exercises"]

    @property
    def document(self) -> RoutineDocument:
        return {
            "id": str(self.id),
            "name": self.name,
            "focus": self.focus,
            "use_count": self.use_count,
            "exercises": ordered(self.exercises),
            "created_at": timestamp(self.created_at),
        }

    def replace(self, values: RoutineValues) -> Rearrangement | None:
        """Replaces name, focus and exercises by `values`, and returns what became of its rules, if any.

        Raises DoesNotExist if the routine is gone.
        """
        with transaction.atomic():
            self.account.lock()
            rules = None
            has_no_rules = self.stored.filter(rules__isnull=True).update(**values)
            if not has_no_rules:
                at = self.begin_change()
                rules = self.follow_schedule(one_day(values["exercises"]), at)
            for name, value in values.items():
                setattr(self, name, value)
            if not has_no_rules:
                self.schedule = self.week.with_targets(self.progressions.rules)
                self.save(force_update=True)
        return rules


def one_day(exercises: list[PlannedExercise]) -> list[PlanDay]:
    """The exercises of a routine as a week with one day."""
    return [{"weekday": ROUTINE_DAY, "label": "", "focus": "", "rest": False, "exercises": exercises}]
