"""The declaration of a set, from which serializers, forms, pages, Train, imports and exports are made."""

import dataclasses
import json
import typing

import pytest
from rest_framework.exceptions import ValidationError

from training.api.serializers.workout import WorkoutSetSerializer, serializer_field
from training.exports import SETS_HEADER
from training.models.sets import (
    MAX_SET_LENGTH,
    NOTED_FIELDS,
    NOTHING_NOTED,
    SET_FIELDS,
    NotedOfSet,
    SetField,
    WorkoutSet,
)
from training.plans.steps import LoggedSet

NAMES = [one.name for one in SET_FIELDS]
TEMPO = SetField(name="tempo", holds=str, most=7, pattern="[0-9X](-[0-9X]){3}", default=None, help_text="")


def test_all_that_names_the_values_of_a_set_names_the_same():
    assert typing.get_type_hints(WorkoutSet).keys() == set(NAMES)
    assert typing.get_type_hints(NotedOfSet).keys() == NOTHING_NOTED.keys()
    assert list(NOTHING_NOTED) == [one.name for one in NOTED_FIELDS]
    assert list(WorkoutSetSerializer().fields) == NAMES
    assert list(SETS_HEADER[-len(NAMES) :]) == NAMES


def test_rules_read_values_that_a_set_has():
    assert typing.get_type_hints(LoggedSet).items() <= typing.get_type_hints(WorkoutSet).items()


def test_no_set_is_longer_than_what_the_first_sets_of_a_session_are_cut_by():
    longest = {"type": "working", "weight_kg": 1.2345678901234567e-300, "reps": 10_000, "completed": False}
    text = json.dumps({**longest, "rpe": 1.2345678901234567e-300}, separators=(",", ":"))
    assert len(text + ",") <= MAX_SET_LENGTH


@pytest.mark.parametrize("value", ["3-1-X-0", None])
def test_a_noted_text_has_a_pattern(value):
    assert serializer_field(TEMPO).run_validation(value) == value


@pytest.mark.parametrize("value", ["3-1-X-0\n", "3-1-x-0", "3-1", "3-1-X-00", "", 3])
def test_a_noted_text_of_another_pattern_is_refused(value):
    with pytest.raises(ValidationError):
        serializer_field(TEMPO).run_validation(value)


def test_what_is_not_noted_is_null():
    assert serializer_field(TEMPO).get_default() is None


@pytest.mark.parametrize(
    ("field", "value", "is_taken"),
    [
        (TEMPO, "3-1-X-0", True),
        (TEMPO, "slow", False),
        (TEMPO, "3-1-X-0-3-1-X-0", False),
        (dataclasses.replace(TEMPO, holds=float, most=10), 10, True),
        (dataclasses.replace(TEMPO, holds=float, most=10), 10.5, False),
        (dataclasses.replace(TEMPO, holds=float, most=10), -1, False),
    ],
)
def test_an_import_leaves_out_what_a_client_could_not_send(field, value, is_taken):
    assert field.takes(value) is is_taken
