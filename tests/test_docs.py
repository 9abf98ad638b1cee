"""README.md stays short, and what the docs link to or name is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCS = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]

LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
CODE_BLOCK = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
APPS = ("fitness", "accounts", "training", "body", "nutrition", "supplements", "mcp_endpoint", "tests")
# A path in backticks, like `training/models/workout.py` or `tests/screens`; not `application/json`.
NAMED = re.compile(rf"`((?:{'|'.join(APPS)}|docs)/[\w/.]*\w/?)`")
# A name of Python in backticks, like `Workout.fill`, `to_text` or `MAX_SHAPES`; a plain word may be anything.
IDENTIFIER = re.compile(r"`((?:[A-Za-z_]\w*\.)*[A-Za-z_]*(?:[A-Z_]\w*|\.[a-z]\w*))(?:\(\))?`")


def anchors(path: Path) -> set[str]:
    """The parts of a document that a link can name, as GitHub spells them."""
    text = CODE_BLOCK.sub("", path.read_text())
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in HEADING.findall(text)}


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md"])
def test_what_newcomers_read_is_read_in_one_go(document):
    assert len((ROOT / document).read_text().splitlines()) <= 200


def test_a_clone_leaves_the_history_behind():
    """With it a clone takes many times as much."""
    clones = re.findall(r"git clone.*", "\n".join(path.read_text() for path in DOCS))
    assert clones
    assert [clone for clone in clones if "--depth 1 " not in clone] == []


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


def test_every_name_in_the_guide_is_in_the_code():
    """Fails with the old name of what was renamed: `OWNED` where it is `MANAGERS`."""
    files = [file for app in APPS for file in (ROOT / app).rglob("*.py") if file != Path(__file__)]
    words = set(re.findall(r"\w+", "\n".join(file.read_text() for file in files)))
    words |= {"resting_pulse"}  # the example of a field to add
    text = CODE_BLOCK.sub("", (ROOT / "CONTRIBUTING.md").read_text())
    names = {name for name in IDENTIFIER.findall(text) if not name.endswith((".py", ".md"))}
    assert len(names) > 80
    assert {name for name in names if not set(name.split(".")) <= words} == set()


def test_every_picture_is_shown():
    shown = {link for document in DOCS for link in LINK.findall(document.read_text())}
    pictures = {path.name for path in (ROOT / "docs" / "pictures").iterdir()}
    assert pictures == {Path(link).name for link in shown if link.endswith(".png")}
