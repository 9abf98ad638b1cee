"""README.md stays short, and what the docs link to or name is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCS = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]

LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
CODE_BLOCK = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
# A path in backticks, like `training/models/workout.py` or `tests/screens`; not `application/json`.
NAMED = re.compile(
    r"`((?:fitness|accounts|training|body|nutrition|supplements|mcp_endpoint|tests|docs)/[\w/.]*\w/?)`"
)


def anchors(path: Path) -> set[str]:
    """The parts of a document that a link can name, as GitHub spells them."""
    text = CODE_BLOCK.sub("", path.read_text())
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in HEADING.findall(text)}


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_the_readme_is_read_in_one_go():
    assert len((ROOT / "README.md").read_text().splitlines()) < 200


@pytest.mark.parametrize("document", DOCS, ids=name)
def test_every_link_leads_somewhere(document):
    """Fails with what leads nowhere: `docs/deploy.md`, or `#deploying` where the heading is "Deploy"."""
    broken = []
    for link in LINK.findall(CODE_BLOCK.sub("", document.read_text())):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (document.parent / path).resolve() if path else document
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize("document", [path for path in DOCS if path.name != "CHANGELOG.md"], ids=name)
def test_every_file_that_is_named_exists(document):
    """Fails with the old path of a file that was moved. CHANGELOG.md may name what is gone."""
    text = CODE_BLOCK.sub("", document.read_text())
    assert [path for path in NAMED.findall(text) if not (ROOT / path).exists()] == []


def test_every_picture_is_shown():
    shown = {link for document in DOCS for link in LINK.findall(document.read_text())}
    pictures = {path.name for path in (ROOT / "docs" / "pictures").iterdir()}
    assert pictures == {Path(link).name for link in shown if link.endswith(".png")}
