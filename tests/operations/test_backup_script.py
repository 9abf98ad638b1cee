"""docs/operations/backup, which the timer runs every night, and backup-nightly, which a container runs."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest
from django.conf import settings

from tests.server import ROOT, Server, sqlite_database

pytestmark = pytest.mark.machine_clock  # files have its times


@pytest.fixture
def installed(tmp_path, prepared):
    server = Server(tmp_path, sqlite_database(tmp_path, prepared if settings.SQLITE else ""))
    if not settings.SQLITE:
        server.manage("prepare")
    server.manage("issue_key", "me@example.org")
    (tmp_path / "backups").mkdir()
    return server


@pytest.fixture
def old(installed, tmp_path):
    """A backup of three weeks ago."""
    return aged(tmp_path / "backups" / "fitness-2026-01-01T031500Z", days=21)


def aged(file, days):
    file.write_text("")
    os.utime(file, (time.time() - days * 86_400,) * 2)
    return file


def back_up(server, python=sys.executable):
    command = [ROOT / "docs" / "operations" / "backup", server.log_path.parent / "backups"]
    environment = {**server.environment, "PYTHON": str(python)}
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def test_one_that_was_killed_has_no_name_and_the_next_that_restores_is_kept(installed, old, tmp_path):
    """Else the newest file, which nobody has tried, might be half of a backup."""
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\n[ "$2" = restore ] && kill -9 $PPID && exit\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    assert back_up(installed, python).returncode == -signal.SIGKILL
    assert set((tmp_path / "backups").iterdir()) == {old, tmp_path / "backups" / ".work"}

    finished = back_up(installed)
    assert finished.returncode == 0, finished.stderr
    (made,) = set((tmp_path / "backups").iterdir()) - {old}  # what was left of the first is gone
    assert re.fullmatch(r"fitness-\d{4}-\d\d-\d\dT\d{6}Z", made.name)
    assert made.stat().st_mode & 0o777 == 0o600


def test_the_newest_fourteen_are_kept_however_old_they_are(installed, tmp_path):
    folder = tmp_path / "backups"
    names = [f"fitness-2026-01-{day:02}T031500Z" for day in range(1, 18)]
    good = [aged(folder / name, days=60) for name in names]
    damaged = aged(folder / "fitness-2026-01-18T031500Z.damaged", days=60)
    own = aged(folder / "before-postgresql", days=60)
    finished = back_up(installed)
    assert finished.returncode == 0, finished.stderr
    made = folder / finished.stdout.splitlines()[-1]
    assert set(folder.iterdir()) == {*good[-13:], own, made}
    assert not damaged.exists()


def test_the_one_just_made_stays_where_a_clock_was_wrong_and_so_do_files_of_others(installed, tmp_path):
    folder = tmp_path / "backups"
    names = [f"fitness-2099-01-{day:02}T031500Z" for day in range(1, 15)]  # of a clock that ran ahead
    ahead = [aged(folder / name, days=1) for name in names]
    own = [aged(folder / name, days=60) for name in ("fitness-from-A-to-Z", "fitness-notes")]
    album = folder / "fitness-2020-01-01T000000Z"
    album.mkdir()
    finished = back_up(installed)
    assert finished.returncode == 0, finished.stderr
    made = folder / finished.stdout.splitlines()[-1]
    assert set(folder.iterdir()) == {*ahead[1:], *own, album, made}


def test_one_that_does_not_restore_is_named_damaged_and_old_ones_stay(installed, old, tmp_path):
    python = tmp_path / "python"  # of a service whose restore fails
    python.write_text(f'#!/bin/sh\n[ "$2" = restore ] && exit 1\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    aged(tmp_path / "backups" / "fitness-earlier.damaged", days=1)
    assert back_up(installed, python).returncode == 1
    assert old.exists()
    # Only the newest damaged one is kept: one a night would fill the disk.
    assert [file.suffix for file in (tmp_path / "backups").iterdir() if file != old] == [".damaged"]
    assert not (tmp_path / "backups" / "fitness-earlier.damaged").exists()


def test_two_do_not_run_at_once_in_a_folder(installed, tmp_path):
    python = tmp_path / "python"  # starts another backup in the middle of this one
    script = ROOT / "docs" / "operations" / "backup"
    python.write_text(f"#!/bin/sh\nPYTHON={sys.executable} {script} {tmp_path / 'backups'}\nexit $?\n")
    python.chmod(0o755)
    refused = back_up(installed, python)
    assert refused.returncode == 1
    assert "another backup" in refused.stderr
    assert list((tmp_path / "backups").iterdir()) == []


# --- backup-nightly --------------------------------------------------------------------------------

DAY = 86_400
MIDNIGHT = 20_000 * DAY


@pytest.fixture
def night(tmp_path):
    """A function that runs backup-nightly, with a `backup`, a `date` and a `sleep` that take no time."""
    folder, programs = tmp_path / "backups", tmp_path / "programs"
    folder.mkdir()
    programs.mkdir()

    def run(nights=0, clock=MIDNIGHT, status=0):
        shutil.copy(ROOT / "docs" / "operations" / "backup-nightly", programs)
        (programs / "backup").write_text(f'#!/bin/sh\necho "to $1" >> {tmp_path}/made\nexit {status}\n')
        (programs / "date").write_text(f"#!/bin/sh\necho {clock}\n")
        slept = tmp_path / "slept"
        end = f"[ $(wc -l < {slept}) -le {nights} ] || kill $PPID"  # of backup-nightly, after the last night
        (programs / "sleep").write_text(f"#!/bin/sh\necho $1 >> {slept}\n{end}\n")
        for name in ["backup", "date", "sleep"]:
            (programs / name).chmod(0o755)
        environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
        finished = subprocess.run([programs / "backup-nightly", folder], env=environment, capture_output=True)
        assert finished.returncode == -signal.SIGTERM, finished.stderr
        made = tmp_path / "made"
        return len(made.read_text().splitlines()) if made.exists() else 0

    run.folder, run.slept = folder, lambda: [int(line) for line in (tmp_path / "slept").read_text().split()]
    return run


@pytest.mark.parametrize(
    ("clock", "seconds"),
    [("00:00:00", 11_700), ("03:14:59", 1), ("03:15:00", DAY), ("03:15:01", DAY - 1), ("23:59:59", 11_701)],
)
def test_it_waits_until_a_quarter_past_three(night, clock, seconds):
    hours, minutes, rest = map(int, clock.split(":"))
    night(clock=MIDNIGHT + hours * 3600 + minutes * 60 + rest)
    assert night.slept() == [seconds]


def test_it_backs_up_at_the_start_where_there_is_no_good_one_of_a_day(night):
    assert night() == 1


def test_an_old_or_damaged_one_is_not_good(night):
    aged(night.folder / "fitness-old", days=1.01)
    aged(night.folder / "fitness-new.damaged", days=0)
    assert night() == 1


def test_it_waits_for_the_night_where_there_is_one(night):
    aged(night.folder / "fitness-new", days=0.9)
    assert night() == 0


def test_it_goes_on_after_a_night_that_failed(night):
    aged(night.folder / "fitness-new", days=0)
    assert night(nights=3, status=1) == 3
