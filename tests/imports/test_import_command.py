"""Importing from a terminal: `import_data` and `undo_import`."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from accounts.imports.models import ImportRun
from tests.imports.test_import_pages import FILES, SAMPLES
from training.models import Workout


def run(name, account, *options):
    """The report of a file."""
    out = StringIO()
    call_command("import_data", str(FILES / name), "--account", account.email, "--json", *options, stdout=out)
    return json.loads(out.getvalue())


def options_of(answers):
    unit = ["--unit", answers["unit"]] if "unit" in answers else []
    return [*unit, "--timezone", answers.get("time_zone", "UTC")]


def records(report):
    kinds = ("workouts", "weight", "nutrition")
    return {state: sum(report[kind][state] for kind in kinds) for state in ("new", "there", "refused")}


@pytest.mark.parametrize("name", ["strong_comma.csv", "withings.csv", "cronometer_daily.csv"])
def test_a_file_is_imported_once_and_taken_back(account, name):
    answers, count = SAMPLES[name]
    report = run(name, account, *options_of(answers))
    assert records(report) == {"new": count, "there": 0, "refused": 0}
    rows = report["rows"]
    assert rows["total"] == sum(rows.values()) - rows["total"] > 0
    again = run(name, account, *options_of(answers))
    assert records(again) == {"new": 0, "there": count, "refused": 0}
    assert again["rows"]["total"] == rows["total"]
    out = StringIO()
    call_command("undo_import", report["id"], stdout=out)
    assert out.getvalue() == f"{count} records removed, 0 kept because they were changed since\n"
    left = [account.workouts, account.weight_logs, account.nutrition_days]
    assert not any(records.exists() for records in left)


def test_the_rows_of_hevy_are_those_of_its_readme(account):
    report = run("hevy_kg.csv", account, "--timezone", "Europe/London")
    assert report["format"] == "hevy"
    assert report["rows"] == {"total": 11, "sets": 10, "notes": 1, "ignored": 0, "refused": 0, "duplicate": 0}
    assert (report["asks"], report["problems"]) == (["timezone"], [])


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("weight_plain_lb.csv", {"total": 2, "records": 2}),
        ("cronometer_daily.csv", {"total": 3, "records": 2, "ignored": 1}),
    ],
)
def test_each_row_of_a_file_counts(account, name, rows):
    assert {fate: number for fate, number in run(name, account)["rows"].items() if number} == rows
    there = {"total": rows["total"], "ignored": rows.get("ignored", 0), "duplicate": rows["records"]}
    assert run(name, account)["rows"] == {"sets": 0, "notes": 0, "refused": 0, **there}


def test_missing_answers_are_named_and_supposed(account):
    report = run("strong_comma.csv", account, "--dry-run")
    assert report["asks"] == ["timezone", "unit"]
    assert [one["name"] for one in report["unknown_names"]] == ["Ohio State"]
    assert report["unknown_names"][0]["sets"] == 1


def test_a_dry_run_stores_nothing(account):
    report = run("hevy_kg.csv", account, "--dry-run")
    assert (report["id"], report["workouts"]["new"]) == (None, 2)
    assert not ImportRun.objects.filter(account=account).exists()
    assert not Workout.objects.filter(account=account).exists()


def test_names_of_a_file_say_what_unknown_names_mean(account, tmp_path):
    names = tmp_path / "names.json"
    names.write_text('{"Ohio State": "barbell-back-squat"}')
    report = run("strong_comma.csv", account, "--names", str(names))
    assert report["unknown_names"] == []
    names.write_text('{"Ohio State": ""}')
    call_command("undo_import", report["id"], stdout=StringIO())
    assert run("strong_comma.csv", account, "--names", str(names))["rows"]["ignored"] == 2


def test_people_read_lines(account):
    out = StringIO()
    call_command("import_data", str(FILES / "hevy_kg.csv"), "--account", account.email, stdout=out)
    assert "workouts: 2 new, 0 there, 0 differs, 0 refused" in out.getvalue()
    strong = str(FILES / "strong_comma.csv")
    call_command("import_data", strong, "--account", account.email, "--dry-run", stdout=out)
    assert "unknown: Ohio State, 1 set, perhaps" in out.getvalue()


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["hevy_kg.csv", "--account", "nobody@example.org"], "no account with the email nobody@example.org"),
        (["nowhere.csv"], "nowhere.csv: No such file or directory"),
        (["hevy_kg.csv", "--timezone", "Mars"], "Mars is no time zone"),
        (["hevy_kg.csv", "--format", "strong"], "This file is not recognised"),
        (["hevy_kg.csv", "--names", "nowhere.json"], "nowhere.json cannot be read"),
    ],
)
def test_bad_input_is_one_line_and_stores_nothing(account, arguments, problem):
    name, *options = arguments
    if "--account" not in options:
        options += ["--account", account.email]
    with pytest.raises(CommandError, match=problem):
        call_command("import_data", str(FILES / name), *options, stdout=StringIO())
    assert not ImportRun.objects.exists()


@pytest.mark.parametrize("text", ["x", "01a20648-b8a3-7114-b31e-5d797a5067e3"])
def test_an_import_that_does_not_exist(db, text):
    with pytest.raises(CommandError, match=f"there is no import {text}"):
        call_command("undo_import", text)
