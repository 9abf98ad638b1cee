"""One word for one thing: docs/words.md against what the screens say."""

import re
from functools import cache

import pytest

from tests.web.screen_texts import ROOT, of_module, of_script, of_template, texts

ROW = re.compile(r"^\| ([^|]+) \| [^|]+ \| ([^|]+) \|$", re.MULTILINE)
GLOSSARY = {
    word: others.split(", ")
    for word, others in ROW.findall((ROOT / "docs" / "words.md").read_text())
    if word not in ("Word", "---")
}


@cache
def shown():
    """(file, text) of what screens say: a second of work, and none of whoever only collects tests."""
    return [(name, text) for name, text in texts() if text != "Bodyweight"]  # an equipment of the catalogue


def places_of(word):
    spelled = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])", re.IGNORECASE)
    return [f"{name}: {text}" for name, text in shown() if spelled.search(text)]


@pytest.mark.xdist_group("words of screens")  # one process reads them
@pytest.mark.parametrize("word", GLOSSARY)
def test_screens_call_a_thing_by_one_word(word):
    assert {other: places for other in GLOSSARY[word] if (places := places_of(other))} == {}
    assert any(word.lower() in text.lower() for _, text in shown()), f"no screen says {word}"


def test_the_texts_are_those_that_people_see_or_hear():
    template = '<p title="A session">{# the lift #}{% if session %}Two {{ lifts }} done{% endif %}</p>'
    assert " ".join(" ".join(of_template(template)).split()) == "A session … … Two … done …"
    script = 'const row = "set-row"; // no lift\nlabel.textContent = `Done, set ${lift}`;'
    assert of_script(script) == ["Done, set …"]
    module = 'def session():\n    """A lift."""\n    say("It is saved.")\n    return {"lift": 1}'
    assert of_module(module) == ["It is saved."]
