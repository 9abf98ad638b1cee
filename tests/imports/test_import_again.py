"""Imports of what is there already, of archives of the same account, and what changes between two steps."""

import datetime
import io
import json
import zipfile
from zoneinfo import ZoneInfo

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from accounts.imports.models import ImportRun
from fitness.site.data import steps
from fitness.site.data.import_views import name_choices
from fitness.site.data.reports import whole
from tests.conftest import freshly_signed_in
from tests.html import text
from tests.imports.accounts import exported, fill
from tests.imports.test_import_command import run as imported_by_command
from tests.imports.test_import_pages import FILES, counted, imported, posted, uploaded
from training.models import ExerciseName


def archive_of_all(account):
    return exported(freshly_signed_in(account))


def take(page, run):
    posted(page, reverse("import", args=[run.pk]), {"import": "yes"})
    run.refresh_from_db()
    return run


def test_an_archive_is_refused_where_it_came_from(page, account):
    fill(account)
    run = uploaded(page, "fitness.json", archive_of_all(account))
    assert run.state == "unreadable"
    assert "This account has records already" in text(page.get(reverse("import", args=[run.pk])))


def test_the_command_reads_an_archive_of_any_number_of_records(account, stranger, tmp_path, monkeypatch):
    fill(account)
    (tmp_path / "fitness.json").write_bytes(archive_of_all(account))
    monkeypatch.setattr("fitness.site.data.archive.MAX_RECORDS", 1)
    call_command("import_data", str(tmp_path / "fitness.json"), account=stranger.email)
    assert stranger.workouts.count() == 2


def test_what_an_undo_has_kept_is_known_to_the_next_import(page, api):
    run = imported(page)
    changed = api.get("/workouts").json()["workouts"][0]
    body = {name: changed[name] for name in ("title", "started_at", "duration_seconds")}
    api.put(f"/workouts/{changed['id']}", {**body, "exercises": []})
    posted(page, reverse("undo-import", args=[run.pk]))
    assert counted(run) == {"undone": 1, "kept": 1}
    assert counted(uploaded(page)) == {"new": 1, "differs": 1}


def test_nothing_of_a_file_is_kept_once_its_import_is_done(page):
    header, *rows = (FILES / "hevy_kg.csv").read_text().splitlines()
    push = [row for row in rows if '"Push"' in row]
    imported(page, content="\n".join([header, *push]).encode())
    again = imported(page)
    assert counted(again) == {"there": 1, "stored": 1}
    assert {*again.items.values_list("payload", flat=True)} == {""}


DAYS = {
    "fitnotes": "Date,Exercise,Category,Weight (kgs),Reps\n"
    "2026-01-09,Barbell Squat,Legs,100,5\n2026-01-10,Barbell Squat,Legs,102.5,5\n",
    "weight": "Date,Weight (kg)\n2026-01-09,81.2\n2026-01-10,81.0\n",
    "weight with slashes": "Date,Weight (kg)\n09/01/2026,81.2\n10/01/2026,81.0\n",
    "stronglifts": "Date (yyyy/mm/dd),Exercise,Set 1 (Reps),Set 1 (KG)\n"
    "2026/01/09,Squat,5,55\n2026/01/10,Squat,5,60\n",
}
EVENING = """Date,Exercise,Reps,Weight(kg),isWarmup
2026-01-09 23:40:00 +0000,Leg Press,10,100,false
2026-01-09 23:55:00 +0000,Leg Press,9,100,false
2026-01-10 00:10:00 +0000,Pull Up,8,0,false
"""
ZONES = ["Etc/GMT+12", "America/Los_Angeles", "Europe/Berlin", "Pacific/Auckland", "Pacific/Kiritimati"]


@pytest.fixture
def import_text(account, tmp_path):
    def import_text(content, zone):
        (tmp_path / "file.csv").write_text(content)
        report = imported_by_command(str(tmp_path / "file.csv"), account, "--timezone", zone)
        kinds = [report[kind] for kind in ("workouts", "weight")]
        return {state: sum(kind[state] for kind in kinds) for state in ("new", "there", "differs")}

    return import_text


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("name", DAYS)
def test_days_of_a_file_are_those_of_screens_and_of_utc(account, import_text, name, zone):
    assert import_text(DAYS[name], zone) == {"new": 2, "there": 0, "differs": 0}
    workouts = account.workouts.values_list("started_at", flat=True)
    moments = sorted([*workouts, *account.weight_logs.values_list("logged_at", flat=True)])
    for where in (datetime.UTC, ZoneInfo(zone)):
        assert [str(moment.astimezone(where).date()) for moment in moments] == ["2026-01-09", "2026-01-10"]
    assert import_text(DAYS[name], zone) == {"new": 0, "there": 2, "differs": 0}


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("name", DAYS)
def test_days_that_were_imported_in_another_zone_are_not_stored_twice(import_text, name, zone):
    import_text(DAYS[name], "UTC")
    assert import_text(DAYS[name], zone)["new"] == 0


def test_an_evening_is_one_workout(account, import_text):
    assert import_text(EVENING, "America/Los_Angeles") == {"new": 1, "there": 0, "differs": 0}
    assert import_text(EVENING, "Europe/Berlin") == {"new": 0, "there": 1, "differs": 0}


def test_equal_weights_of_a_minute_are_one(account, page):
    content = (
        "Time of Measurement,Weight(kg)\n2026-01-09 07:00:10,81.2\n"
        "2026-01-09 07:00:50,81.204\n2026-01-09 07:00:55,81.4\n2026-01-09 07:00:10,81.2\n"
    )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("renpho.csv", content)
        archive.writestr("withings.csv", 'Date,"Weight (lb)"\n"2026-01-09 07:00:30",179.02\n')
    run = imported(page, "weights.zip", packed.getvalue())
    assert sorted(account.weight_logs.values_list("weight_kg", flat=True)) == [81.2, 81.4]
    rows = {fate: number for fate, number in whole(run)["rows"].items() if number}
    assert rows == {"total": 5, "duplicate": 3, "records": 2}


def test_columns_that_look_like_known_ones_are_named(page):
    content = b"Date,Weight (kg),Fat ratio,Comments (mine),BMI\n2026-09-28,80,18,x,24\n"
    run = uploaded(page, "weights.csv", content)
    shown = text(page.get(reverse("import", args=[run.pk])))
    for column in ("Fat ratio", "Comments (mine)"):
        assert column in shown
    assert [(one["line"], one["column"], one["text"]) for one in whole(run)["changed"]] == [
        (1, "Fat ratio", "is a column that is not read; one with the name fat is"),
        (1, "Comments (mine)", "is a column that is not read; one with the name comments is"),
    ]


@pytest.mark.parametrize("name", sorted(path.name for path in FILES.iterdir()))
def test_nothing_is_missed_in_the_apps_own_files(page, name):
    run = uploaded(page, name)
    assert "not read" not in str(whole(run)["changed"])


def test_a_dry_run_remembers_no_names(account, tmp_path, capsys):
    names = tmp_path / "names.json"
    names.write_text('{"Ohio State": "barbell-back-squat"}')
    ExerciseName.objects.choose(account, "strong", {"Ohio State": "leave_out", "Other": "note"})
    file = str(FILES / "strong_comma.csv")
    call_command("import_data", file, account=account.email, names=names, dry_run=True, json=True)
    assert json.loads(capsys.readouterr().out)["rows"]["ignored"] == 1
    kept = {one.name: one.fate for one in account.exercise_names.all()}
    assert kept == {"Ohio State": "leave_out", "Other": "note"}


def test_a_step_takes_the_answers_that_another_page_has_given(page, account):
    run = uploaded(page, "strong_comma.csv")
    stale = ImportRun.objects.select_related("account").get(pk=run.pk)
    posted(page, reverse("import", args=[run.pk]), {"unit": "lb"})
    steps.step(stale)
    assert max(set["weight_kg"] for one in documents(account) for set in sets_of(one)) < 50


def documents(account):
    return [json.loads(text) for text in account.workouts.values_list("document", flat=True)]


def sets_of(document):
    return [one for entry in document["exercises"] for one in entry["sets"]]


def test_a_choice_does_not_move_to_another_name(page, account):
    """A page from before may be sent again, in which the names had the same numbers."""
    header, *rows = (FILES / "hevy_kg.csv").read_text().splitlines()
    unknown = [
        row.replace("Deadlift (Barbell)", name)
        for name in ("Zzyx", "Aaron")
        for row in rows
        if "Deadlift" in row
    ]
    run = uploaded(page, content="\n".join([header, *unknown, unknown[0]]).encode())
    address = reverse("import", args=[run.pk])
    numbers = {one.name: one.field for one in name_choices(run)}
    posted(page, address, {numbers["Zzyx"]: "pull-up"})
    run.refresh_from_db()
    assert {one.name: one.field for one in name_choices(run)} == numbers


def test_an_archive_of_several_tables_is_called_what_its_largest_one_is(page):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("Measurement-Summary.csv", "Date,Weight\n2026-01-02,80\n")
        archive.writestr("Nutrition-Summary.csv", (FILES / "myfitnesspal_nutrition.csv").read_bytes())
    run = uploaded(page, "mfp.zip", packed.getvalue())
    assert run.source == "myfitnesspal"
    assert counted(run) == {"new": 3}


def test_the_order_of_dates_is_found_behind_an_empty_one(page):
    rows = ["Date,Weight", ",80", "04/05/2026,80.5", "12/25/2025,81"]
    run = uploaded(page, "weight.csv", "\n".join(rows).encode())
    assert "day_first" not in run.report["reading"]["asks"]
    assert counted(run) == {"new": 2}


def test_a_table_is_not_read_as_an_archive(account):
    with pytest.raises(CommandError, match="is not an archive of an account"):
        call_command("import_data", str(FILES / "hevy_kg.csv"), account=account.email, format="account")


def test_a_file_without_records_says_so(page):
    header = (FILES / "hevy_kg.csv").read_text().splitlines()[0]
    run = uploaded(page, content=header.encode())
    assert "There is no record in it. Nothing is stored yet." in text(
        page.get(reverse("import", args=[run.pk]))
    )


def test_a_day_that_no_import_has_stored_is_not_said_to_be_of_one(page, api):
    day = (FILES / "cronometer_daily.csv").read_text().splitlines()[1][:10]
    api.put(f"/nutrition/{day}", {"calories": 1, "protein_g": 1, "carbs_g": 1, "fat_g": 1})
    run = uploaded(page, "cronometer_daily.csv")
    shown = text(page.get(reverse("import", args=[run.pk])))
    assert "kcal in the file, 1 here" in shown
    assert "An earlier import" not in shown
