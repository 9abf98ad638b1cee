"""What a worker has stored in English is shown in the language of the page."""

import pytest
from django.utils import translation

from body.imports import DIFFERENCE
from fitness.imports import sentences
from fitness.imports.documents import CUT
from fitness.imports.tables import MANY_ROWS, OF_MEMBER

GERMAN = {
    "is not a date": "ist kein Datum",
    CUT: "ist nach %(length)s Zeichen abgeschnitten",
    "This file is empty. Export it again from the app.": "Diese Datei ist leer.",
    DIFFERENCE: "ist in der Datei %(ours)s kg, hier %(theirs)s kg",
    MANY_ROWS: "Diese Datei hat %(count)s Zeilen, mehr als %(most)s.",
}
STORED = [
    ("is not a date", "ist kein Datum"),
    ("is 82.125 kg in the file, 1,082.5 kg here", "ist in der Datei 82,125 kg, hier 1.082,5 kg"),
    ("is cut after 5,000 characters", "ist nach 5.000 Zeichen abgeschnitten"),
    (
        "This file has 100,001 rows, more than 100,000. Split the file by year.",
        "Diese Datei hat 100.001 Zeilen, mehr als 100.000.",
    ),
    ("sets.csv: This file is empty. Export it again from the app.", "sets.csv: Diese Datei ist leer."),
    ("is not what anybody knows", "is not what anybody knows"),
]


@pytest.fixture
def german(monkeypatch):
    monkeypatch.setattr(sentences, "gettext", lambda message: GERMAN.get(message, message))
    with translation.override("de"):
        yield


@pytest.mark.parametrize(("stored", "shown"), STORED)
def test_a_stored_sentence_is_translated_with_its_values(german, stored, shown):
    assert sentences.translated(stored) == shown


def test_english_stays_as_it_is_stored():
    stored = OF_MEMBER % {"member": "a.csv", "problem": MANY_ROWS % {"count": "100,001", "most": "100,000"}}
    assert sentences.translated(stored) == stored
