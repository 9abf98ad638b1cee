"""What screens say is marked for translation, and is translated."""

import gettext
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.template.base import Lexer, TokenType

from tests.web.screen_texts import APPS, ROOT, Shown

CATALOGUES = sorted((ROOT / "locale").rglob("*.po"))
LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "docs", "tests", "var", "vendor")
NAMES = re.compile(
    r"\b(Fitness|MCP|REST|API|openapi\.json|Apple|Google|Outlook|RPE|e?1RM|kg|lb|cm|OAuth|CSV|JSON|ZIP|SHA-256)\b"
)
WORDS = re.compile(r"[^\W\d_]{2}")
ENGLISH = {"admin", "snippets", "docs.html"}  # for staff and programmers
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w*\}|</?[a-z][^>]*>")


def has_words(text):
    return WORDS.search(NAMES.sub("", text)) is not None


def unmarked(template):
    """(line, text) of what a template says outside of the marks of translation."""
    parts, within = [], ""
    for token in Lexer(template).tokenize():
        name = token.contents.split()[0] if token.contents.split() else ""
        if token.token_type == TokenType.BLOCK and name in ("blocktranslate", "comment"):
            within = name
        elif token.token_type == TokenType.BLOCK and name == f"end{within}":
            within = ""
        is_text = token.token_type == TokenType.TEXT and not within
        parts.append(token.contents if is_text else "\n" * token.contents.count("\n"))
    return [(line, text) for line, text in Shown("".join(parts)).found if has_words(text)]


def templates():
    for app in APPS:
        for path in sorted((ROOT / app).rglob("templates/**/*.*")):
            if path.suffix in (".html", ".txt") and not ENGLISH & {*path.parts, path.name}:
                yield path


def test_templates_mark_what_they_say():
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for path in templates()
        for line, text in unmarked(path.read_text())
    ]
    assert found == []


def test_a_text_without_a_mark_is_found():
    template = """<p title="Marked{% x %}">{% translate "a" %}
        {% blocktranslate %}c{% endblocktranslate %}Two sets"""
    assert unmarked(template) == [(1, "Marked"), (2, "Two sets")]


needs_gettext = pytest.mark.skipif(not shutil.which("xgettext"), reason="needs GNU gettext")


@needs_gettext
def test_the_catalogues_are_those_of_the_sources(tmp_path):
    """`make messages` would change nothing: texts, compiled catalogues and the words of scripts."""
    copy = tmp_path / "copy"
    shutil.copytree(ROOT, copy, ignore=LEFT_OUT, ignore_dangling_symlinks=True)
    make = ["make", "--old-file=.venv/.installed-dev", f"BIN={Path(sys.executable).parent}", "messages"]
    subprocess.run(make, cwd=copy, check=True, capture_output=True)
    for folder in (Path("locale"), Path("fitness", "web", "static", "words")):
        assert contents(copy / folder) == contents(ROOT / folder), "run `make messages`"


def contents(folder):
    """What the files of a folder say, by their paths."""
    return {path.relative_to(folder): content(path) for path in sorted(folder.rglob("*.*"))}


def content(path):
    if path.suffix == ".mo":
        return compiled(path)
    return re.sub('"POT-Creation-Date.*', "", path.read_text())


def compiled(path):
    with path.open("rb") as file:
        translations = gettext.GNUTranslations(file)._catalog
    return {text: translation for text, translation in translations.items() if text}


@needs_gettext
@pytest.mark.parametrize("catalogue", CATALOGUES, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_every_text_is_translated(catalogue):
    check = ["msgfmt", "--check-format", "--statistics", "--output-file=/dev/null", catalogue]
    said = subprocess.run(check, capture_output=True, text=True, env=os.environ | {"LC_ALL": "C"}).stderr
    assert re.fullmatch(r"\d+ translated messages\.\n", said)


@pytest.mark.parametrize("catalogue", CATALOGUES, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_translations_keep_what_is_put_into_them(catalogue):
    """Plural forms are compared by `msgfmt`: a compiled catalogue has not the plural of the source."""
    for source, translation in compiled(catalogue.with_suffix(".mo")).items():
        if isinstance(source, str):
            assert set(PLACEHOLDER.findall(translation)) == set(PLACEHOLDER.findall(source)), translation
