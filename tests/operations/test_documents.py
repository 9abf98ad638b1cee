"""The commands of the documents, run from the text of their pages; READ lists those that are not, and why."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from PIL import Image

from fitness import __version__
from tests.server import PATIENCE_SECONDS, ROOT, Server, running_server, sqlite_database

PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    *sorted(f"docs/{p.name}" for p in ROOT.glob("docs/*.md")),
]
USAGES = "docs/commands.md"  # test_reference_pages compares each with its parser

# What is not run: the page, how the block begins, and what it takes.
CONTAINERS, MACHINE, ELSEWHERE = "a container daemon", "a machine to change", "another machine or program"
READ = {
    ("README.md", "git clone"): "what `make run` and `make test` do has tests of its own",
    ("README.md", "claude mcp"): ELSEWHERE,
    ("docs/install.md", "useradd"): MACHINE,
    ("docs/install.md", "password="): MACHINE,
    ("docs/install.md", "cp docs/operations/fitness"): MACHINE,
    ("docs/install.md", "cp /srv/fitness/docs/operations/nginx"): MACHINE,
    ("docs/install.md", "docker compose up"): CONTAINERS,
    ("docs/install.md", "manage() { docker"): CONTAINERS,
    ("docs/install.md", "install -d -m 711"): CONTAINERS,
    ("docs/backup.md", "systemctl start fitness-backup"): CONTAINERS,
    ("docs/backup.md", "docker compose"): CONTAINERS,
    ("docs/backup.md", "systemctl stop fitness\nrunuser -u postgres"): "moves a database of PostgreSQL away",
    ("docs/backup.md", "export RESTIC"): ELSEWHERE,
    ("docs/backup.md", "umask 077"): CONTAINERS,
    ("docs/cluster.md", "psql"): ELSEWHERE,
    ("docs/operations.md", "journalctl"): MACHINE,
    ("docs/operations.md", "cp docs/operations/fail2ban"): "test_fail2ban tries the filter",
    ("docs/operations.md", "df -h"): MACHINE,
    ("docs/update.md", "docker compose"): CONTAINERS,
    ("docs/update.md", "systemctl stop fitness\nmanage migrate"): "undoes what the next migration has done",
}


def blocks(page, language="sh"):
    text = (ROOT / page).read_text()
    return [
        block for _, block in re.findall(rf"^( *)```{language}\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE)
    ]


ALL = [(page, block) for page in PAGES if page != USAGES for block in blocks(page)]


def is_read(page, block):
    return any(page == of and block.startswith(beginning) for of, beginning in READ)


def names(cases):
    return [f"{page.removeprefix('docs/')}: {block.split('#')[0][:40].strip()}" for page, block in cases]


RUN = [(page, block) for page, block in ALL if not is_read(page, block)]


def test_what_is_not_run_is_in_a_document():
    unused = [
        (page, beginning)
        for page, beginning in READ
        if not any(page == of and block.startswith(beginning) for of, block in ALL)
    ]
    assert unused == []


@pytest.mark.parametrize(("page", "block"), ALL, ids=names(ALL))
def test_a_shell_understands_each_block(page, block):
    done = subprocess.run(["bash", "-n"], input=block, capture_output=True, text=True)
    assert done.stderr == ""


@pytest.mark.skipif(not shutil.which("shellcheck"), reason="needs shellcheck")
@pytest.mark.parametrize("name", ["backup", "backup-nightly", "offsite", "pin-images", "serve"])
def test_shellcheck_has_nothing_to_say(name):
    done = subprocess.run(["shellcheck", ROOT / "docs" / "operations" / name], capture_output=True, text=True)
    assert done.stdout == ""


@pytest.mark.parametrize("page", PAGES)
def test_each_example_in_yaml_can_be_read(page):
    for block in blocks(page, "yaml"):
        assert yaml.safe_load(block.replace("!override ", ""))


# Programs of a machine that is not there: what they would do to the service is done.
STAND_INS = {
    "runuser": 'shift 3; exec "$@"',
    "systemctl": 'case "$*" in "start fitness-backup") docs/operations/backup "$BACKUPS" ;;\n'
    '"start fitness") FITNESS_ENV="$SETTINGS" .venv/bin/python manage.py prepare ;; esac',
    "editor": "true",
    "make": 'echo "make $*"',
    "git": 'case "$1" in clone) mv ../free-exercise-db . ;; *) echo "git $*" ;; esac',
}


@pytest.fixture
def machine(tmp_path):
    """A folder like /srv/fitness, whose programs are the checkout's and whose data is its own."""
    folder = tmp_path / "srv"
    folder.mkdir()
    for path in ROOT.iterdir():
        if path.name not in ("var", ".git", ".env", "fitness.env"):
            (folder / path.name).symlink_to(path)
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, text in STAND_INS.items():
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)
    for name in ("backups", "units"):
        (tmp_path / name).mkdir()
    picture = tmp_path / "free-exercise-db" / "exercises" / "Barbell_Bench_Press" / "0.jpg"
    picture.parent.mkdir(parents=True)
    Image.new("RGB", (850, 567), "red").save(picture)
    return folder


def changed(block, folder, port=8000):
    """The block, with the folders and the port of a test."""
    changes = {
        "/srv/fitness": folder,
        "/etc/fitness.env": folder.parent / "settings",
        "/var/backups/fitness": folder.parent / "backups",
        "/etc/systemd/system": folder.parent / "units",
        ":8000": f":{port}",
        " -o fitness": "",
        "NEW": "v2.0.0",
        "OLD": "v1.0.0",
    }
    for of_page, of_test in changes.items():
        block = block.replace(of_page, str(of_test))
    return re.sub(r"^.*# until Ctrl\+C$", "", block, flags=re.MULTILINE)


def shell(text, folder, environment):
    path = f"{folder.parent / 'programs'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", text],
        cwd=folder,
        env={**environment, "PATH": path, "BACKUPS": str(folder.parent / "backups"), "EDITOR": "true"},
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


ASKS = re.compile(r"\bcurl\b")


@pytest.mark.parametrize(
    ("page", "block"), [c for c in RUN if ASKS.search(c[1])], ids=names([c for c in RUN if ASKS.search(c[1])])
)
def test_what_asks_the_service_is_answered(page, block, machine, prepared):
    (first_call,) = [call for call in blocks("README.md") if "curl" in call]
    (machine.parent / "service").mkdir()
    with running_server(machine.parent / "service", prepared) as server:
        text = first_call if page == "README.md" else f"{first_call}\n{block}"  # as a reader comes from there
        answer = shell(changed(text, machine, server.port), machine, server.environment)
    assert '"error"' not in answer
    assert '"sessions":[{' in answer
    assert page != "docs/update.md" or __version__ in answer
    assert page != "docs/api.md" or '"weight_kg":82.5' in answer or "304 Not Modified" in answer


def test_the_program_in_python_prints_records(machine, prepared):
    (page,) = blocks("docs/api.md", "python")
    [call] = [block for block in blocks("README.md") if "curl" in block]
    (machine.parent / "service").mkdir()
    with running_server(machine.parent / "service", prepared) as server:
        shell(changed(call, machine, server.port), machine, server.environment)
        environment = {**server.environment, "KEY": server.key("me@example.org")}
        (machine / "records.py").write_text(changed(page, machine, server.port))
        assert "Barbell Bench Press 100" in shell("python records.py", machine, environment)


REST = [case for case in RUN if not ASKS.search(case[1])]


@pytest.mark.parametrize(("page", "block"), REST, ids=names(REST))
def test_what_an_operator_types_works(page, block, machine, prepared):
    """On one machine that has an account of staff, and a backup of last night."""
    data = machine / "var"
    data.mkdir()
    server = Server(machine.parent, sqlite_database(data, prepared))
    server.environment |= {"DATA_DIR": str(data), "DATABASE_URL": ""}
    (machine.parent / "settings").write_text(f"DATA_DIR={data}\nPORT={server.port}\n")
    server.environment["SETTINGS"] = str(machine.parent / "settings")
    for name in ("SECRET_KEY", "PORT"):
        server.environment.pop(name)
    empties = "manage restore" in block or "restore fitness.backup" in block
    (manage,) = [one for one in blocks("docs/install.md") if "as_fitness()" in one]
    before = f"""
{changed(manage, machine)}
manage issue_key you@example.org
manage promote you@example.org
{machine}/docs/operations/backup {machine.parent}/backups
"""
    text = changed(block, machine)
    if empties and "mv var" not in block:  # another database is next, as the pages say
        text = re.sub(
            r"^(editor|\S+ manage.py restore)", rf"rm -f {data}/fitness.sqlite3*; \1", text, flags=re.M
        )
    if "restore fitness.backup" in block:
        text = text.replace("restore fitness.backup", "restore --with-staff fitness.backup")
    printed = shell(before + text, machine, server.environment)
    if empties:
        assert "rows restored, staff among them: 1" in printed
