"""Measurements and goals out of an archive."""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import ngettext_lazy

from accounts.imports.archived import ArchivedKind, CreatedKind
from accounts.models import Account
from body.api.serializers import GoalSerializer, MeasurementSerializer
from body.models import SITES, Goal, Measurement
from fitness.api.serializers import Values


class MeasurementKind(ArchivedKind):
    name = "measurement"
    label = "measurements"
    numbered = ngettext_lazy("%(number)s measurement", "%(number)s measurements", "count")
    model = Measurement
    serializer = MeasurementSerializer
    compared = (*SITES, "logged_at")

    def alike(self, account: Account, values: Sequence[Values]) -> QuerySet[Any]:
        return account.measurements.filter(logged_at__in=[one["logged_at"] for one in values])


class GoalKind(CreatedKind):
    name = "goal"
    label = "goals"
    numbered = ngettext_lazy("%(number)s goal", "%(number)s goals", "count")
    model = Goal
    serializer = GoalSerializer
    compared = ("target_weight_kg", "target_body_fat_percent", "deadline", "start_weight_kg")

    def alike(self, account: Account, values: Sequence[Values]) -> QuerySet[Any]:
        return account.goals.order_by("created_at", "id")
