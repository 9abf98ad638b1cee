"""Fast validation: its values are those that DRF returns, and it accepts nothing that DRF rejects."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.exceptions import ValidationError

from body.api.serializers import MeasurementSerializer, WeightLogSerializer
from fitness.api import fast_validation
from nutrition.api.serializers import NutritionDaySerializer
from training.api.serializers.workout import WorkoutSetSerializer

A_SET = {"type": "working", "weight_kg": 100, "reps": 5, "completed": True, "rpe": 8.5}
EXAMPLES = {
    WorkoutSetSerializer: A_SET,
    WeightLogSerializer: {"weight_kg": 80.5, "notes": "", "logged_at": "2026-03-02T06:45:00+01:00"},
    MeasurementSerializer: {"waist_cm": 84.5, "neck_cm": None, "logged_at": "2026-03-02T06:45:00Z"},
    NutritionDaySerializer: {"calories": 2000, "protein_g": 150.5, "carbs_g": 200, "fat_g": 60},
}
ODD = [None, True, 0, -0.0, 1, -1, 10.0, 0.5, 1e308, 10**400, 101, 2001, "", "x", "warmup", "\0", "é" * 201]
ODD += ["x" * 5001, [], {}, "2026-02-30T00:00:00Z", "2026-03-02", "2026-03-02T06:45:00", float("inf")]


def by_drf(serializer, value):
    """The value that DRF alone validates, or None where it rejects it."""
    serializer = serializer()
    serializer.validate_fast = fast_validation.undecided
    try:
        return serializer.run_validation(copy.deepcopy(value))
    except ValidationError:
        return None


def fast(serializer, value):
    """The value that is validated without DRF, or None where that falls back to it."""
    try:
        return serializer().validate_fast(copy.deepcopy(value))
    except fast_validation.FALLBACK_ERRORS:
        return None


@pytest.mark.parametrize("serializer", EXAMPLES)
def test_examples_are_validated_fast(serializer):
    assert fast(serializer, EXAMPLES[serializer]) is not None
    assert fast(serializer, EXAMPLES[serializer]) == by_drf(serializer, EXAMPLES[serializer])


@given(st.sampled_from(list(EXAMPLES)), st.data())
def test_a_fast_value_is_the_one_that_drf_returns(serializer, data):
    value = dict(EXAMPLES[serializer])
    for name in data.draw(st.lists(st.sampled_from([*value, "unknown", "id"]), max_size=3)):
        if data.draw(st.booleans()):
            value.pop(name, None)
        else:
            value[name] = data.draw(st.sampled_from(ODD) | st.floats(allow_nan=True) | st.integers())
    if "logged_at" in EXAMPLES[serializer]:
        value.setdefault("logged_at", "2026-03-02T06:45:00Z")  # left out, it is the time of validation
    found = fast(serializer, value)
    if found is not None:
        expected = by_drf(serializer, value)
        assert found == expected
        assert json.dumps(found, default=str) == json.dumps(expected, default=str)


def test_a_serializer_that_overrides_its_validation_is_left_to_drf():
    class Shouted(WorkoutSetSerializer):
        def to_internal_value(self, data):
            return {"shouted": True}

    assert fast(Shouted, A_SET) is None
    assert Shouted.validated(A_SET) == {"shouted": True}


def test_a_serializer_with_a_method_for_one_field_is_left_to_drf():
    class Even(WorkoutSetSerializer):
        def validate_reps(self, value):
            return value * 2

    assert fast(Even, A_SET) is None
    assert Even.validated(A_SET)["reps"] == 10
