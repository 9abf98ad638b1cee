"""Values that are read at once: the same as the framework makes of them, and never what it refuses."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.exceptions import ValidationError

from body.api.serializers import MeasurementSerializer, WeightLogSerializer
from fitness.api import fast_validation
from nutrition.api.serializers import NutritionDaySerializer
from training.api.serializers.workout import WorkoutQuery, WorkoutSetSerializer

A_SET = {"type": "working", "weight_kg": 100, "reps": 5, "completed": True, "rpe": 8.5}
EXAMPLES = {
    WorkoutSetSerializer: A_SET,
    WeightLogSerializer: {"weight_kg": 80.5, "notes": "", "logged_at": "2026-03-02T06:45:00+01:00"},
    MeasurementSerializer: {"waist_cm": 84.5, "neck_cm": None, "logged_at": "2026-03-02T06:45:00Z"},
    NutritionDaySerializer: {"calories": 2000, "protein_g": 150.5, "carbs_g": 200, "fat_g": 60},
    WorkoutQuery: {"limit": 5, "since": "2026-03-02T06:45:00Z", "cursor": "abc"},
}
ODD = [None, True, 0, -0.0, 1, -1, 10.0, 0.5, 1e308, 10**400, 101, 2001, "", "x", "warmup", "\0", "é" * 201]
ODD += ["x" * 5001, [], {}, "2026-02-30T00:00:00Z", "2026-03-02", "2026-03-02T06:45:00", float("inf")]


def framework(serializer, value):
    """What the framework alone makes of a value, or None where it refuses."""
    serializer = serializer()
    serializer.read = fast_validation.undecided
    try:
        return serializer.run_validation(copy.deepcopy(value))
    except ValidationError:
        return None


def at_once(serializer, value):
    """What is read without the framework, or None where that is in doubt."""
    try:
        return serializer().read(copy.deepcopy(value))
    except fast_validation.FALLBACK_ERRORS:
        return None


@pytest.mark.parametrize("serializer", EXAMPLES)
def test_examples_are_read_at_once(serializer):
    assert at_once(serializer, EXAMPLES[serializer]) is not None
    assert at_once(serializer, EXAMPLES[serializer]) == framework(serializer, EXAMPLES[serializer])


@given(st.sampled_from(list(EXAMPLES)), st.data())
def test_what_is_read_at_once_is_what_the_framework_reads(serializer, data):
    value = dict(EXAMPLES[serializer])
    for name in data.draw(st.lists(st.sampled_from([*value, "unknown", "id"]), max_size=3)):
        if data.draw(st.booleans()):
            value.pop(name, None)
        else:
            value[name] = data.draw(st.sampled_from(ODD) | st.floats(allow_nan=True) | st.integers())
    if "logged_at" in EXAMPLES[serializer]:
        value.setdefault("logged_at", "2026-03-02T06:45:00Z")  # left out, it is the moment of reading
    read = at_once(serializer, value)
    assert read is None or read == framework(serializer, value)
    assert read is None or json.dumps(read, default=str) == json.dumps(
        framework(serializer, value), default=str
    )


def test_a_field_that_overrides_its_validation_is_not_read_at_once():
    class Shouted(WorkoutSetSerializer):
        def to_internal_value(self, data):
            return {"shouted": True}

    assert at_once(Shouted, A_SET) is None
    assert Shouted.validated(A_SET) == {"shouted": True}


def test_a_serializer_with_a_method_for_one_field_is_not_read_at_once():
    class Even(WorkoutSetSerializer):
        def validate_reps(self, value):
            return value * 2

    assert at_once(Even, A_SET) is None
    assert Even.validated(A_SET)["reps"] == 10
