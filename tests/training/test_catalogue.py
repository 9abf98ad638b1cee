"""The catalogue that the service comes with."""

import io
import re
from itertools import product

import pytest
from django.core.management import call_command

from training import catalogue
from training.catalogue.folding import fold
from training.catalogue.matching import slug
from training.models import Exercise
from training.models.exercise import Equipment, MuscleGroup

ENTRIES = list(catalogue.entries())


def load_catalogue():
    output = io.StringIO()
    call_command("load_catalogue", stdout=output)
    return output.getvalue().strip()


def test_has_at_least_300_exercises():
    assert len(ENTRIES) >= 300


def test_ids_are_the_slugs_of_the_names():
    assert [entry["id"] for entry in ENTRIES] == [slug(entry["name"]) for entry in ENTRIES]


def test_no_two_exercises_go_by_the_same_name():
    names = [slug(name) for entry in ENTRIES for name in (entry["name"], *entry["aliases"])]
    assert sorted(names) == sorted(set(names))


def test_no_alias_is_a_name_of_another_exercise_in_a_search():
    called = {}
    for entry in ENTRIES:
        for name in (entry["name"], *entry["aliases"]):
            called.setdefault("".join(fold(name)), set()).add(entry["id"])
    assert [(name, ids) for name, ids in called.items() if len(ids) > 1] == []


def test_most_exercises_have_the_names_that_people_use():
    assert sum(bool(entry["aliases"]) for entry in ENTRIES) >= 450


def test_every_field_holds_an_allowed_value():
    for entry in ENTRIES:
        Exercise(**entry).clean_fields()


def test_secondary_muscles_are_other_groups():
    for entry in ENTRIES:
        groups = [entry["muscle_group"], *entry["secondary_muscles"]]
        assert len(groups) == len(set(groups)), entry["id"]
        assert set(groups) <= set(MuscleGroup.values), entry["id"]


def test_each_group_has_each_equipment():
    covered = {(entry["muscle_group"], entry["equipment"]) for entry in ENTRIES}
    assert covered == set(product(MuscleGroup.values, Equipment.values))


def test_instructions_are_two_to_five_sentences():
    for entry in ENTRIES:
        sentences = re.findall(r"[.!?](?=\s|$)", entry["instructions"])
        assert 2 <= len(sentences) <= 5, entry["id"]


@pytest.mark.django_db
def test_loading_again_changes_nothing():
    assert load_catalogue() == "catalogue: 0 entries added or updated"
    assert Exercise.objects.count() == len(ENTRIES)


@pytest.mark.django_db
def test_loading_again_restores_what_an_older_version_said():
    Exercise.objects.filter(id="push-up").update(instructions="Push.")
    assert load_catalogue() == "catalogue: 1 entries added or updated"
    assert Exercise.objects.get(id="push-up").instructions != "Push."


def test_an_entry_whose_name_another_exercise_has_here_is_left_out(db, caplog):
    Exercise.objects.filter(pk="swimming").delete()
    pull_up = Exercise.objects.get(pk="pull-up")
    pull_up.name, pull_up.edited = "swimming", True
    pull_up.save()
    Exercise.objects.filter(pk="plank").delete()
    assert load_catalogue() == "catalogue: 1 entries added or updated"
    assert Exercise.objects.filter(pk="plank").exists()
    assert "swimming is left out: pull-up has its name here" in caplog.text


@pytest.mark.django_db
def test_what_staff_have_edited_survives_a_reload():
    Exercise.objects.filter(id="push-up").update(instructions="Push.", edited=True)
    assert load_catalogue() == "catalogue: 0 entries added or updated"
    assert Exercise.objects.get(id="push-up").instructions == "Push."
