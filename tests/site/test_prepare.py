"""manage.py prepare: the modes of its files, and two runs at the same time."""

import os
import stat
import subprocess
import sys
import urllib.request

import pytest
from django.conf import settings

from tests.server import PATIENCE_SECONDS, ROOT, Server, own_database

NEWER = "tests.newer.settings"


@pytest.fixture
def service(tmp_path):
    """A service that is not prepared, with a folder for its data."""
    with own_database(tmp_path / "data") as database:
        yield Server(tmp_path, database, DATA_DIR=str(tmp_path / "data"), SECRET_KEY="")


def modes(folder):
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


def prepare_twice_at_once(service):
    command = [sys.executable, "manage.py", "prepare"]
    options = {"cwd": ROOT, "env": service.environment, "stderr": subprocess.PIPE, "text": True}
    both = [subprocess.Popen(command, **options) for _ in range(2)]
    told = [process.communicate(timeout=PATIENCE_SECONDS)[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], told


def test_two_at_once_wait_for_each_other_and_only_the_owner_can_read_what_is_stored(service, tmp_path):
    prepare_twice_at_once(service)
    service.start()
    try:
        urllib.request.urlopen(f"{service.url}/readyz").close()  # which opens the database
        files = {"fitness.sqlite3", "fitness.sqlite3-wal"} if settings.SQLITE else set()
        assert modes(tmp_path / "data").keys() >= {"secret_key", *files}
        assert set(modes(tmp_path / "data").values()) == {0o600}
    finally:
        service.stop()
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700


def test_a_database_of_a_newer_version_is_refused(tmp_path, prepared):
    """An older version would write to tables that it does not know, and miss those that it does."""
    with own_database(tmp_path, prepared) as database:
        Server(tmp_path, database, DJANGO_SETTINGS_MODULE=NEWER).manage("prepare")
        refused = Server(tmp_path, database).manage("prepare", check=False)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.splitlines() == [
        "CommandError: the database is of a newer version of the service, with migration "
        "body.9001_goal_from_weight: use that version, or a backup of this one."
    ]


def copies(folder):
    return sorted(file.name for file in folder.glob("*.before-*"))


@pytest.mark.skipif(not settings.SQLITE, reason="the file is SQLite's")
def test_before_tables_change_the_file_of_sqlite_is_copied_and_two_copies_are_kept(tmp_path, prepared):
    folder = tmp_path / "data"
    folder.mkdir()
    for year in (2024, 2025):
        copy = folder / f"fitness.sqlite3.before-0.9-{year}"
        copy.touch()
        os.utime(copy, (year, year))
    with own_database(folder, prepared) as database:
        service = Server(tmp_path, database, DATA_DIR=str(folder))
        assert "tables" not in service.manage("prepare").stdout
        assert len(copies(folder)) == 2
        service.environment["DJANGO_SETTINGS_MODULE"] = NEWER
        told = service.manage("prepare").stdout
        older, newest = copies(folder)
        assert older == "fitness.sqlite3.before-0.9-2025"
        assert modes(folder)[newest] == 0o600
        assert str(folder / newest) in told
        (folder / newest).rename(folder / "fitness.sqlite3")
        del service.environment["DJANGO_SETTINGS_MODULE"]
        service.manage("prepare")  # the version before takes it


@pytest.mark.skipif(settings.SQLITE, reason="a file is copied")
def test_before_tables_change_a_server_is_to_be_backed_up(tmp_path, prepared):
    with own_database(tmp_path, prepared) as database:
        told = Server(tmp_path, database, DJANGO_SETTINGS_MODULE=NEWER).manage("prepare").stdout
    assert told.startswith("This version changes tables. The way back (docs/update.md) may need a backup")
