"""Words for muscles find what trains them, on screens; the API finds names, as its contract says."""

import re

import pytest
from django.conf import settings
from django.urls import reverse

from tests.conftest import a_set
from tests.html import html
from training import catalogue as shipped
from training.catalogue.muscles import MUSCLES, NAMED, muscles_named, muscles_of

WORDS = [
    (word, key, language)
    for key, muscle in NAMED.items()
    for language, words in muscle.words.items()
    for word in words
]
PLAIN = {  # what each of them finds among others, and what not
    "chest": ("barbell-bench-press", "barbell-back-squat"),
    "Brust": ("barbell-bench-press", "barbell-back-squat"),
    "pecho": ("dumbbell-fly", "lat-pulldown"),
    "pectoraux": ("push-up", "pull-up"),
    "dos": ("lat-pulldown", "dumbbell-fly"),
    "Rücken": ("pull-up", "push-up"),
    "lats": ("lat-pulldown", "barbell-deadlift"),
    "quads": ("leg-press", "lying-leg-curl"),
    "quad": ("leg-extension", "machine-standing-calf-raise"),
    "Beinbeuger": ("lying-leg-curl", "leg-extension"),
    "glúteos": ("barbell-hip-thrust", "leg-extension"),
    "mollets": ("machine-standing-calf-raise", "leg-press"),
    "rear delts": ("dumbbell-reverse-fly", "dumbbell-lateral-raise"),
    "Bizeps": ("barbell-curl", "triceps-dip"),
    "tríceps": ("triceps-dip", "barbell-curl"),
    "abs": ("crunch", "cable-twist"),
}


def of_word(text):
    (key,) = muscles_named(text)
    return {one["id"] for one in shipped.entries() if key in muscles_of(one["name"], one["muscle_group"])}


@pytest.mark.parametrize("text", PLAIN)
def test_a_word_means_what_trains_the_muscle(text):
    trains, trains_not = PLAIN[text]
    assert trains in of_word(text)
    assert trains_not not in of_word(text)


@pytest.mark.parametrize(("word", "key", "language"), WORDS)
def test_each_word_is_of_its_muscle_in_any_writing(word, key, language):
    assert language in dict(settings.LANGUAGES)
    for typed in (word, f" {word.upper()} ", word.replace("é", "e").replace("-", " ")):
        assert key in muscles_named(typed)


@pytest.mark.parametrize("key", NAMED)
def test_each_muscle_is_called_something_in_every_language_and_trained_by_something(key):
    assert NAMED[key].words.keys() == dict(settings.LANGUAGES).keys()
    assert [one for one in shipped.entries() if key in muscles_of(one["name"], one["muscle_group"])]


@pytest.mark.parametrize("text", ["", "ba", "front", "side", "squat", "press", "row", "leg press"])
def test_words_of_names_are_no_muscles(text):
    assert muscles_named(text) == []


@pytest.mark.parametrize(("typed", "key"), [("brus", "Chest"), ("quadr", "Quads"), ("rear d", "Rear delts")])
def test_the_beginning_of_a_word_is_enough(typed, key):
    assert muscles_named(typed) == [key]


def suggested(page, text):
    answer = page.get(reverse("exercise-suggestions"), {"q": text})
    return re.findall(r'data-exercise="([^"]+)"', html(answer))


@pytest.mark.django_db
@pytest.mark.parametrize("text", ["quads", "Quadrizeps", "cuádriceps"])
def test_a_form_offers_what_was_done_for_the_muscle_and_the_plainest_others(page, log_workout, text):
    log_workout(a_set(), exercise_id="sissy-squat")
    log_workout(a_set(), exercise_id="barbell-bench-press")
    found = suggested(page, text)
    assert found[0] == "sissy-squat"
    assert {"barbell-back-squat", "leg-press", "leg-extension"} < set(found)
    assert "barbell-bench-press" not in found


@pytest.mark.django_db
@pytest.mark.parametrize("text", ["chest", "pecho"])
def test_the_catalogue_finds_own_lifts_for_the_muscle(page, log_workout, text):
    log_workout(a_set(), exercise_id="barbell-bench-press")
    answer = page.get("/exercises", {"q": text})
    assert [one.pk for one in answer.context["yours"]] == ["barbell-bench-press"]
    assert "dumbbell-bench-press" in [one.pk for one in answer.context["exercises"]]


def test_the_api_finds_names_alone(api):
    assert api.get("/exercises", q="Brust").json()["exercises"] == []
    names = [one["name"] for one in api.get("/exercises", q="chest").json()["exercises"]]
    assert all("chest" in name.lower() for name in names)


def test_muscles_are_called_apart():
    """In each language no word is of two muscles, but the German word for the neck and what is below it."""
    for language in dict(settings.LANGUAGES):
        words = [word for one in MUSCLES.values() for word in one.words[language]]
        assert {word for word in words if words.count(word) > 1} <= {"Nacken"}
