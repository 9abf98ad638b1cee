"""docs/operations/backup, which the timer runs every night."""

import os
import subprocess
import sys
import time

import pytest

from tests.server import ROOT, Server


@pytest.fixture
def installed(tmp_path):
    server = Server(tmp_path, f"sqlite:///{tmp_path / 'fitness.sqlite3'}")
    server.manage("migrate", "--verbosity", "0")
    server.manage("issue_key", "me@example.org")
    (tmp_path / "backups").mkdir()
    return server


@pytest.fixture
def old(installed, tmp_path):
    """A backup of 15 days ago."""
    return aged(tmp_path / "backups" / "fitness-old", days=15)


def aged(file, days):
    file.write_text("")
    os.utime(file, (time.time() - days * 86_400,) * 2)
    return file


def back_up(server, python=sys.executable):
    command = [ROOT / "docs" / "operations" / "backup", server.log_path.parent / "backups"]
    environment = {**server.environment, "PYTHON": str(python)}
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def test_a_backup_that_restores_is_kept_and_old_ones_are_deleted(installed, old, tmp_path):
    recent = aged(tmp_path / "backups" / "fitness-recent", days=13)
    finished = back_up(installed)
    assert finished.returncode == 0, finished.stderr
    assert not old.exists()
    assert recent.exists()
    assert len(list((tmp_path / "backups").iterdir())) == 2


def test_one_that_does_not_restore_is_named_damaged_and_old_ones_stay(installed, old, tmp_path):
    python = tmp_path / "python"  # of a service whose restore fails
    python.write_text(f'#!/bin/sh\n[ "$2" = restore ] && exit 1\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    assert back_up(installed, python).returncode == 1
    assert old.exists()
    assert [file.suffix for file in (tmp_path / "backups").iterdir() if file != old] == [".damaged"]
