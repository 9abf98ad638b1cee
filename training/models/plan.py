from django.conf import settings
from django.db import models
from django.db.models import F, Q
from uuid_utils.compat import uuid7


class Plan(models.Model):
    """A weekly training plan. At most one of an account is active."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="plans", db_index=False
    )
    name = models.CharField(max_length=200)
    summary = models.TextField(blank=True)
    progression = models.TextField(blank=True)
    active = models.BooleanField(default=False)
    source = models.CharField(max_length=20, default="manual", editable=False)
    days = models.JSONField()  # seven, in weekday order, as clients read them
    history = models.JSONField(default=list)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index("account", F("created_at").desc(), F("id").desc(), name="plan_newest")]
        constraints = [
            models.UniqueConstraint(fields=["account"], condition=Q(active=True), name="one_active_plan")
        ]

    def __str__(self):
        return self.name
