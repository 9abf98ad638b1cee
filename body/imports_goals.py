"""Measurements and goals out of an archive."""

from django.utils.translation import ngettext_lazy

from accounts.imports.archived import ArchivedKind, CreatedKind
from body.api.serializers import GoalSerializer, MeasurementSerializer
from body.models import SITES, Goal, Measurement


class MeasurementKind(ArchivedKind):
    name = "measurement"
    label = "measurements"
    numbered = ngettext_lazy("%(number)s measurement", "%(number)s measurements", "count")
    model = Measurement
    serializer = MeasurementSerializer
    compared = (*SITES, "logged_at")
    found_by = ("logged_at",)


class GoalKind(CreatedKind):
    name = "goal"
    label = "goals"
    numbered = ngettext_lazy("%(number)s goal", "%(number)s goals", "count")
    model = Goal
    serializer = GoalSerializer
    compared = ("target_weight_kg", "target_body_fat_percent", "deadline", "start_weight_kg")
