"""manage.py export_account."""

import csv
import io
import json
import subprocess
import sys
import zipfile

import pytest
from django.core.management import CommandError, call_command

from tests.imports.accounts import fill


@pytest.fixture
def filled(account):
    fill(account)
    return account


def run(tmp_path, *arguments, email="lifter@example.org"):
    file = tmp_path / "out"
    call_command("export_account", email, str(file), *arguments)
    return file.read_bytes()


def test_json_is_everything(filled, tmp_path, capsys):
    archive = json.loads(run(tmp_path))
    assert archive["format"]["name"] == "fitness-account"
    assert len(archive["workouts"]) == 2
    assert capsys.readouterr().out.endswith("bytes\n")


def test_times_are_of_the_zone_asked(filled, tmp_path):
    text = run(tmp_path, "--form", "strong", "--timezone", "America/New_York").decode()
    assert next(csv.DictReader(io.StringIO(text)))["Date"] == "2026-03-02 12:30:00"


def test_weights_are_in_the_unit_asked(filled, tmp_path):
    text = run(tmp_path, "--form", "hevy", "--unit", "lb").decode()
    assert "225" in {row["weight_lbs"] for row in csv.DictReader(io.StringIO(text))}


def test_csv_is_a_zip_with_a_file_for_each_resource(filled, tmp_path):
    with zipfile.ZipFile(io.BytesIO(run(tmp_path, "--form", "csv"))) as archive:
        assert {"workouts.csv", "weight.csv", "supplement_logs.csv"} <= set(archive.namelist())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nobody@example.org"], "there is no account with the email nobody@example.org."),
        (
            ["lifter@example.org", "--timezone", "Mars/Olympus"],
            "--timezone: there is no time zone 'Mars/Olympus'.",
        ),
        (["lifter@example.org", "--timezone", "../etc"], "--timezone: there is no time zone '../etc'."),
    ],
)
def test_bad_input_is_one_line_and_no_file(filled, tmp_path, arguments, message):
    email, *options = arguments
    with pytest.raises(CommandError) as error:
        run(tmp_path, *options, email=email)
    assert str(error.value) == message
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_stays(filled, tmp_path):
    (tmp_path / "out").write_text("mine")
    with pytest.raises(CommandError, match="there is such a file"):
        run(tmp_path)
    assert (tmp_path / "out").read_text() == "mine"


def test_a_failure_leaves_no_half_file(filled, tmp_path, monkeypatch):
    def break_off(account):
        yield b'{"format":'
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("fitness.site.data.exports.archive_pieces", break_off)
    with pytest.raises(CommandError, match="No space left on device"):
        run(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_wrong_arguments_end_with_1_and_one_line():
    command = [sys.executable, "manage.py", "export_account", "a@example.org", "-", "--form", "xml"]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.count("\n") == 1
