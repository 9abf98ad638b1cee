"""What a worker says of a file is worded in the language of who reads it."""

import pytest
from django.utils import translation

from body.imports import difference
from fitness.imports import messages
from fitness.imports.documents import CUT
from fitness.imports.messages import Message, as_message, as_stored, worded
from fitness.imports.tables import MANY_ROWS, OF_MEMBER

EMPTY = "This file is empty. Export it again from the app."
ROWS = {"count": "100,001", "most": "100,000"}
SAID = [
    ("is not a date", "ist kein Datum", "is not a date"),
    (difference(82.125, 80), "82,125 kg in der Datei, 80 kg hier", "is 82.125 kg in the file, 80 kg here"),
    (Message(CUT, {"length": "5,000"}), "nach 5.000 Zeichen", "is cut after 5,000 characters"),
    (Message(OF_MEMBER, {"member": "a.csv", "problem": as_message(EMPTY)}), "a.csv: leer", f"a.csv: {EMPTY}"),
    ("is what only the API says", "is what only the API says", "is what only the API says"),
    ("", "", ""),
]
GERMAN = {
    "is not a date": "ist kein Datum",
    "is %(ours)s kg in the file, %(theirs)s kg here": "%(ours)s kg in der Datei, %(theirs)s kg hier",
    CUT: "nach %(length)s Zeichen",
    EMPTY: "leer",
}


@pytest.mark.parametrize(("said", "in_german", "in_english"), SAID)
def test_what_is_stored_is_worded_where_it_is_read(monkeypatch, said, in_german, in_english):
    stored = as_stored(said, 300)
    assert worded(stored) == in_english
    monkeypatch.setattr(messages, "gettext", lambda message: GERMAN.get(message, message))
    with translation.override("de"):
        assert worded(stored) == in_german


def test_what_is_too_long_for_its_column_is_stored_in_english_and_cut():
    said = Message(OF_MEMBER, {"member": "a" * 290, "problem": Message(MANY_ROWS, ROWS)})
    assert worded(as_stored(said, 300)) == f"{'a' * 290}: This fil"
