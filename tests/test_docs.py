"""README.md stays short, and what the docs link to or name is there."""

import json
import re
from pathlib import Path

import pytest

from mcp_endpoint.corrections import CORRECTIONS
from mcp_endpoint.prompts import PROMPTS
from mcp_endpoint.tools import TOOLS
from training.models import Exercise

ROOT = Path(__file__).resolve().parent.parent
DOCS = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]

LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
CODE_BLOCK = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
SHORT_LINES = ("api", "commands", "packages", "settings")
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


def test_the_readme_is_read_on_two_screens():
    assert len((ROOT / "README.md").read_text().split()) <= 900


@pytest.mark.parametrize("document", ["README.md", *(f"docs/{page}.md" for page in SHORT_LINES)])
def test_lines_are_readable_in_a_diff(document):
    """Fails with the lines of prose that are too long. Code, tables, pictures and addresses may be longer."""
    text = CODE_BLOCK.sub("", (ROOT / document).read_text())
    lines = [re.sub(r"\]\([^)]*\)|https?://\S+", "", line) for line in text.splitlines()]
    assert [line for line in lines if len(line) > 120 and not line.startswith("|")] == []


def test_commands_settings_and_packages_have_pages_of_their_own():
    """Fails with a table of README.md whose rows are about pieces of code."""
    assert "\n| `" not in (ROOT / "README.md").read_text()


def test_the_readme_counts_what_there_is(db):
    text = " ".join((ROOT / "README.md").read_text().split())
    counts = re.findall(r"(\d+) tools, \[(\d+) more\].*? (\d+) prompts.*? (\d+) exercises", text)
    assert [tuple(map(int, found)) for found in counts] == [
        (len(TOOLS), len(CORRECTIONS), len(PROMPTS), Exercise.objects.filter(owner=None).count())
    ]


def test_the_call_that_is_repeated_stores_one_weight(api):
    text = (ROOT / "docs" / "api.md").read_text()
    [body] = re.findall(r"-d '(\{.*?\})'$", text, re.MULTILINE)
    [key] = re.findall(r"Idempotency-Key: (\S+?)\"", text)
    once = {"Idempotency-Key": key}
    answers = [api.call("POST", "/body/weight", json.loads(body), headers=once) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].json()["id"] == answers[1].json()["id"]


def test_the_first_call_of_the_readme_logs_a_workout(api):
    """The body is the README's, and so is the address that is read afterwards."""
    readme = (ROOT / "README.md").read_text()
    [body] = re.findall(r"-d '(\{.*?\})'$", readme, re.MULTILINE | re.DOTALL)
    workout = api.post("/workouts", json.loads(body))
    assert workout.status_code == 201
    [address] = re.findall(r"/api/v1(/exercises/\S+)", readme)
    assert [each["workout_id"] for each in api.get(address).json()["sessions"]] == [workout.json()["id"]]


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
