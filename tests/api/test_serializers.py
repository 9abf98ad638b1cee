"""Serializers that show instances: without DRF's detours, and with the same values."""

import pytest
from django.utils import translation
from rest_framework.exceptions import ValidationError
from rest_framework.serializers import Serializer

from body.api.serializers import GoalSerializer, MeasurementSerializer, WeightLogSerializer
from nutrition.api.serializers import NutritionDaySerializer
from supplements.api.serializers import SupplementLogSerializer, SupplementSerializer
from tests.api.test_isolation import fill

LISTS = {
    WeightLogSerializer: "weight_logs",
    MeasurementSerializer: "measurements",
    GoalSerializer: "goals",
    NutritionDaySerializer: "nutrition_days",
    SupplementSerializer: "supplements",
    SupplementLogSerializer: "supplement_logs",
}


@pytest.mark.parametrize("serializer", LISTS, ids=lambda serializer: serializer.__name__)
def test_instances_are_shown_as_drf_shows_them(account, serializer):
    fill(account)
    instance = getattr(account, LISTS[serializer]).get()
    shown = serializer.rendered(instance)
    assert list(shown.items()) == list(Serializer.to_representation(serializer(), instance).items())


LIMIT = "Ensure this value is less than or equal to 1000."


def test_a_refusal_of_a_screen_leaves_those_of_the_api_in_english():
    with translation.override("de"):
        assert refusal(weight_kg=1001) != LIMIT
    assert refusal(weight_kg=1001) == LIMIT


def refusal(**body):
    with pytest.raises(ValidationError) as refused:
        WeightLogSerializer.validated(body)
    return str(refused.value.detail["weight_kg"][0])
