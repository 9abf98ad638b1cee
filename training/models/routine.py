from django.conf import settings
from django.db import models
from django.db.models import F
from django.utils import timezone
from uuid_utils.compat import uuid7


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

    class Meta:
        indexes = [models.Index("account", F("created_at").desc(), F("id").desc(), name="routine_newest")]

    def __str__(self):
        return self.name

    def count_use(self):
        """Notes that a workout was started from this routine."""
        Routine.objects.filter(pk=self.pk).update(use_count=F("use_count") + 1)
