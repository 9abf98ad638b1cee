from django.conf import settings
from django.db import models, transaction
from django.db.models import F
from django.utils import timezone
from uuid_utils.compat import uuid7

from fitness.api.fields import timestamp
from fitness.api.pagination import Keyset
from training.models.planned import PlanningQuerySet, ordered, rename_exercises, renamed


class RoutineQuerySet(PlanningQuerySet):
    newest_first = Keyset("routines", "created_at", "id")


class Routine(models.Model):
    """A saved template of a single training day."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="routines", db_index=False
    )
    name = models.CharField(max_length=200)
    focus = models.CharField(max_length=200, blank=True)
    use_count = models.PositiveIntegerField(default=0)
    exercises = models.JSONField(default=list)  # as clients read them
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = RoutineQuerySet.as_manager()

    class Meta:
        indexes = [models.Index("account", F("created_at").desc(), F("id").desc(), name="routine_newest")]

    def __str__(self):
        return self.name

    refresh_batch = staticmethod(rename_exercises)  # brings routines in line with the catalogue
    PLANNED = "exercises"

    @property
    def document(self):
        """The routine as clients read it (spec.md, "Routine")."""
        return {
            "id": str(self.id),
            "name": self.name,
            "focus": self.focus,
            "use_count": self.use_count,
            "exercises": ordered(self.exercises),
            "created_at": timestamp(self.created_at),
        }

    def replace(self, values):
        """Puts `values` (name, focus, exercises) in place. Raises DoesNotExist if it is gone."""
        with transaction.atomic():
            self.account.lock()
            if not Routine.objects.filter(pk=self.pk).update(**values):
                raise Routine.DoesNotExist()
        for name, value in values.items():
            setattr(self, name, value)

    def rename(self, catalogue):
        """Names the exercises as `catalogue` (Exercises by id) does; answers whether that changed any."""
        before, self.exercises = self.exercises, renamed(self.exercises, catalogue)
        return self.exercises != before

    def count_use(self):
        """Notes that a workout was started from this routine."""
        Routine.objects.filter(pk=self.pk).update(use_count=F("use_count") + 1)
