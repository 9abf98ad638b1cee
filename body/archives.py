"""Weights, measurements and goals in archives."""

from django.utils.translation import ngettext_lazy

from accounts.archives import CreatedList, FlatList
from body.api.serializers import GoalSerializer, MeasurementSerializer, WeightLogSerializer
from body.models import Goal, Measurement, WeightLog


class Weights(FlatList):
    name = "weight"
    numbered = ngettext_lazy("%(number)s weight", "%(number)s weights", "count")
    rows = WeightLog.objects.all()
    order = ("logged_at", "id")
    serializer = WeightLogSerializer


class Measurements(FlatList):
    name = "measurements"
    numbered = ngettext_lazy("%(number)s measurement", "%(number)s measurements", "count")
    rows = Measurement.objects.all()
    order = ("logged_at", "id")
    serializer = MeasurementSerializer


class Goals(CreatedList, FlatList):
    name = "goals"
    numbered = ngettext_lazy("%(number)s goal", "%(number)s goals", "count")
    rows = Goal.objects.all()
    serializer = GoalSerializer
