"""The names and words of the catalogue that translators find."""

import re
from pathlib import Path

import pytest
from django.utils.functional import Promise

from training.catalogue import entries, names_to_translate
from training.models.exercise import Category, Equipment, Force, Level, Mechanic, MuscleGroup
from training.plans.programs import PROGRAMS
from training.plans.starters import ROUTINES

MARKED = re.findall(
    r'pgettext_lazy\("(.+)", "(.+)"\)', Path(names_to_translate.__file__).read_text(encoding="utf-8")
)
EXERCISES = [name for context, name in MARKED if context == "exercise"]


def test_two_hundred_exercises_of_the_catalogue_have_names_to_translate():
    assert len(set(EXERCISES)) == len(EXERCISES) == len(names_to_translate.EXERCISES) == 200
    assert set(EXERCISES) <= {entry["name"] for entry in entries()}


def test_the_exercises_of_starters_and_programs_are_among_them():
    lifts = [lift for starter in ROUTINES.values() for day in starter.days for lift in day.lifts]
    lifts += [lift for program in PROGRAMS.values() for lift in program.lifts]
    name_of = {entry["id"]: entry["name"] for entry in entries()}
    assert {name_of[lift.exercise_id] for lift in lifts} <= set(EXERCISES)


@pytest.mark.parametrize("choices", [MuscleGroup, Equipment, Level, Mechanic, Force, Category])
def test_every_choice_of_an_exercise_has_its_word_to_translate(choices):
    assert all(isinstance(label, Promise) for label in choices.labels)
