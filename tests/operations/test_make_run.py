"""`make run`: honcho starts gunicorn and the worker (Procfile), and ends both where one of them ends."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server import MAKE_RUN, ROOT, Server, listens, own_database

SECONDS = 60  # on a busy machine


def without_make(environment):
    """Without the variables of a make that runs the tests: by these, another make prints its folder."""
    return {name: value for name, value in environment.items() if not name.startswith("MAKE")}


class MakeRun(Server):
    """In a process group of its own, as a shell starts it."""

    def __init__(self, *arguments, **environment):
        super().__init__(*arguments, PUBLIC_URL="", **environment)
        self.environment = without_make(self.environment)
        self.command = MAKE_RUN

    def begin(self, command):
        with self.log_path.open("ab") as log:
            return subprocess.Popen(
                command, cwd=ROOT, env=self.environment, stdout=log, stderr=log, start_new_session=True
            )

    def pid_of(self, name):
        return int(re.search(rf"^{name}\.1 started \(pid=(\d+)\)$", self.log, re.MULTILINE)[1])

    def has_ended(self):
        """Whether all of it has, by itself: honcho kills what needs more than five seconds."""
        self.process.wait(SECONDS)
        pids = [self.pid_of("web"), self.pid_of("worker")]
        is_there = listens(self.port) or any(Path(f"/proc/{pid}").exists() for pid in pids)
        return not is_there and "SIGKILL" not in self.log


@pytest.fixture
def run(tmp_path, prepared):
    with own_database(tmp_path, prepared) as database:
        run = MakeRun(tmp_path, database)
        yield run
        if run.process:
            run.stop()


EXPORT = """
import time
from accounts.models import Account
from fitness.site.data import exports, preparing
account = Account.objects.create_user("lifter@example.org")
file = preparing.prepare(account, "everything", exports.Choices(preparing.zone_of(""), "kg"))
while not file.is_whole:
    time.sleep(0.1)
    file.refresh_from_db()
"""
FIRST_LINES = {
    "The first account has all rights. Make it at http://localhost:PORT/sign-up?first=…",
    "Preparing the database and the pages",
    "catalogue: 0 entries added or updated",
    "web.1 started (pid=…)",
    "worker.1 started (pid=…)",
    "Serving on http://localhost:PORT  (API: http://localhost:PORT/docs, stop with Ctrl+C)",
    "For this machine alone. For others put a proxy in front: docs/install.md",
    "Open http://localhost:PORT/sign-up?first=… and sign up. Then, to look around, in a second shell: "
    ".venv/bin/python manage.py seed_demo",
}


def test_it_serves_and_does_long_work_until_ctrl_c(run):
    run.start()
    run.manage("shell", "-c", EXPORT)
    log = re.sub(r"(pid|first)=[\w-]+", r"\1=…", run.log.replace(str(run.port), "PORT"))
    assert {line for line in log.splitlines() if line[0] != "{"} == FIRST_LINES
    os.killpg(run.process.pid, signal.SIGINT)
    assert run.has_ended()
    assert "web.1 stopped (rc=0)" in run.log
    assert "worker.1 stopped (rc=0)" in run.log
    assert "Traceback" not in run.log


def test_it_serves_at_the_port_of_the_file_of_settings_until_sigterm(run, tmp_path):
    file = tmp_path / "fitness.env"
    file.write_text(f"PORT={run.environment.pop('PORT')}\n")
    run.environment["FITNESS_ENV"] = str(file)
    run.start()
    run.process.terminate()
    assert run.has_ended()


@pytest.mark.parametrize(("dies", "other"), [("web", "worker"), ("worker", "web")])
def test_one_that_dies_ends_the_other_with_a_line_about_it(run, dies, other):
    run.start()
    os.kill(run.pid_of(dies), signal.SIGKILL)
    assert run.has_ended()
    assert run.process.returncode == 2  # of make, whose command has failed
    assert f"{dies}.1 stopped (rc=-9)\n" in run.log
    assert f"{other}.1 stopped (rc=" in run.log


def test_a_port_in_use_ends_it_with_the_way_out(run):
    with socket.create_server(("127.0.0.1", run.port)):
        run.process = run.begin(run.command)
        assert run.process.wait(SECONDS) == 2
    way_out = "End what listens there, or set PORT to another."
    assert f"PORT: 127.0.0.1:{run.port} is in use. {way_out}\n" in run.log
    assert "Traceback" not in run.log


STAND_IN = """#!/bin/sh
echo $(basename $0) $*: ${PORT-unset}
sleep 0.5
"""


@pytest.mark.parametrize(("asked", "given"), [("9000", "9000"), ("", "unset"), (None, "unset")])
def test_both_have_the_port_that_was_asked_for_and_no_other(tmp_path, asked, given):
    """Neither one of honcho's own, 5000 and 5100, nor that of the .env of compose."""
    (tmp_path / "docs" / "operations").mkdir(parents=True)
    for name in ("Makefile", "Procfile", "docs/operations/serve"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / ".env").write_text("PORT=7000\n")
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    for name in ("python", "gunicorn"):
        (programs / name).write_text(STAND_IN)
        (programs / name).chmod(0o700)
    (programs / "honcho").symlink_to(Path(sys.executable).parent / "honcho")
    environment = without_make(os.environ)
    environment.pop("PORT", None)
    if asked is not None:
        environment["PORT"] = asked
    done = subprocess.run(
        MAKE_RUN,
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert f"gunicorn : {given}".strip() in lines
    assert f"python manage.py worker: {given}".strip() in lines
