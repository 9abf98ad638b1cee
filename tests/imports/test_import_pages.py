"""Importing through the pages: the file, the preview, the steps, the result, and taking it back."""

import hashlib
import io
import re
import zipfile
from pathlib import Path
from zoneinfo import ZoneInfo

import orjson
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from accounts.audit import AuditEvent
from accounts.imports.kinds import Answers
from accounts.imports.models import ImportFinding, ImportItem, ImportRun
from accounts.models import Task
from fitness.site import account_data
from fitness.site.data import importing, steps
from fitness.site.data.importing import READ_WITHIN
from fitness.site.data.reading import Options
from tests.conftest import a_set, a_workout, freshly_signed_in
from tests.html import text
from tests.imports.accounts import archive_of, exported
from tests.imports.steps import work, worker
from training.models import ExerciseName

pytestmark = pytest.mark.each_database

OHIO = f"name-{hashlib.sha256(b'Ohio State').hexdigest()[:12]}"  # the field of an unknown name
FILES = Path(__file__).parent / "files"
LISTS = {  # paths of the API -> the name of the list
    "/workouts": "workouts",
    "/body/weight": "weight",
    "/nutrition": "nutrition",
    "/stats/records": "records",
}
# What a file is asked for, as data/imports of the specification has it; and how many records it has.
SAMPLES = {
    "strong_comma.csv": ({"unit": "kg", "time_zone": "Europe/Berlin"}, 2),
    "strong_semicolon.csv": ({"time_zone": "Europe/Berlin"}, 2),
    "strong_units.csv": ({"time_zone": "America/New_York"}, 2),
    "hevy_kg.csv": ({"time_zone": "Europe/London"}, 2),
    "hevy_lbs_us.csv": ({"time_zone": "America/Los_Angeles"}, 2),
    "fitnotes_android.csv": ({}, 2),
    "fitnotes_ios.csv": ({"unit": "kg"}, 1),
    "stronglifts.csv": ({"time_zone": "Europe/Berlin"}, 2),
    "fitbod.csv": ({}, 2),
    "jefit.csv": ({}, 2),
    "liftosaur.csv": ({}, 1),
    "renpho.csv": ({"time_zone": "Europe/Berlin"}, 3),
    "withings.csv": ({"time_zone": "Europe/Paris"}, 2),
    "weight_plain_lb.csv": ({"unit": "lb"}, 2),
    "myfitnesspal_nutrition.csv": ({}, 2),
    "cronometer_daily.csv": ({}, 2),
}


def everything(api):
    """All that the API returns of the account, without the stamps of changes."""
    lists = {path: api.get(path, limit=100).json()[name] for path, name in LISTS.items()}
    totals = api.get("/stats/training", since="2000-01-01T00:00:00Z", until="2100-01-01T00:00:00Z").json()
    return {**lists, "totals": totals, "count": api.get("/workouts/count").json()}


def upload(page, name="hevy_kg.csv", content=None, zone="Europe/London"):
    file = SimpleUploadedFile(name, (FILES / name).read_bytes() if content is None else content)
    return page.post(reverse("upload"), {"file": file, "time_zone": zone})


def uploaded(page, name="hevy_kg.csv", content=None, zone="Europe/London"):
    """The run of a file that is read."""
    response = upload(page, name, content, zone)
    assert response.status_code == 302, text(response)
    work()
    return ImportRun.objects.get(pk=response.url.rsplit("/", 1)[1])


def posted(page, address, data=None):
    """Posts a form, and has a worker do what it asks for."""
    response = page.post(address, data)
    work()
    return response


def imported(page, name="hevy_kg.csv", content=None, **answers):
    """The run of a file that is stored."""
    run = uploaded(page, name, content)
    for _ in range(2):  # answers that are new show the preview anew
        posted(page, reverse("import", args=[run.pk]), {"import": "yes", **answers})
    run.refresh_from_db()
    return run


def counted(run):
    return {
        state: run.items.filter(state=state).count()
        for state in ImportItem.State.values
        if run.items.filter(state=state).exists()
    }


@pytest.mark.parametrize("name", SAMPLES)
def test_a_file_is_imported_once_and_taken_back(page, api, name):
    answers, records = SAMPLES[name]
    api.post("/workouts", a_workout(a_set()))
    before = everything(api)
    run = imported(page, name, **answers)
    assert (run.state, counted(run)) == ("done", {"stored": records})
    stored = everything(api)
    assert stored != before
    again = uploaded(page, name)
    posted(page, reverse("import", args=[again.pk]), answers)
    assert counted(again) == {"there": records}
    assert everything(api) == stored
    posted(page, reverse("undo-import", args=[run.pk]))
    run.refresh_from_db()
    assert (run.state, counted(run)) == ("undone", {"undone": records})
    assert everything(api) == before


def test_a_preview_stores_nothing_and_says_what_would_be(page, api):
    before = everything(api)
    run = uploaded(page)
    shown = text(page.get(reverse("import", args=[run.pk])))
    assert "Hevy" in shown
    assert "New: 2 workouts" in shown
    assert "10 sets" in shown
    assert "31 January 2026 to 2 February 2026" in shown
    assert "Nothing is stored yet" in shown
    assert everything(api) == before


def test_a_preview_counts_the_rows_of_workouts_and_their_fates_add_up(page):
    shown = text(page.get(reverse("import", args=[uploaded(page, "strong_comma.csv").pk])))
    assert "New: 2 workouts with 8 sets" in shown
    assert "12 in all: 8 sets, 3 kept as notes, 1 left out" in shown


def test_one_set_of_one_day_is_named_so(page):
    lines = (FILES / "hevy_kg.csv").read_text().splitlines()
    run = uploaded(page, content="\n".join(lines[:2]).encode())
    assert "New: 1 workout with 1 set, 2 February 2026." in text(page.get(reverse("import", args=[run.pk])))


def test_an_archive_shows_what_is_in_it_and_is_restored_as_a_whole(page, newcomer_page, api):
    api.post("/workouts", a_workout(a_set(), a_set()))
    for weight_kg in (80, 81):
        api.post("/body/weight", {"weight_kg": weight_kg})
    run = uploaded(newcomer_page, "archive.json", exported(page))
    address = reverse("import", args=[run.pk])
    shown = text(newcomer_page.get(address))
    assert "New: 1 profile, 1 workout, 2 weights" in shown
    assert "Restore all of it" in shown
    posted(newcomer_page, address, {"import": "yes"})
    run.refresh_from_db()
    assert (run.state, counted(run)) == ("done", {"stored": 4})
    shown = text(newcomer_page.get(address))
    assert "Undo" not in shown
    assert "See your workouts" in shown
    assert "Undo" not in text(newcomer_page.get(reverse("data")))
    assert newcomer_page.get(reverse("undo-import", args=[run.pk])).status_code == 302


def test_a_restore_under_way_can_be_stopped_and_emptied(page, newcomer_page, api):
    api.post("/workouts", a_workout(a_set()))
    run = uploaded(newcomer_page, "archive.json", exported(page))
    importing.begin_storing(run)
    steps.go_on(run)
    address = reverse("import", args=[run.pk])
    assert "takes no other record" in text(newcomer_page.get(address))
    question = text(newcomer_page.get(reverse("undo-import", args=[run.pk])))
    assert "your account has none again" in question
    posted(newcomer_page, reverse("undo-import", args=[run.pk]))
    run.refresh_from_db()
    assert (run.state, run.account.workouts.count()) == ("undone", 0)


def test_an_archive_with_a_refused_record_has_no_way_on(page, newcomer_page, api):
    api.post("/workouts", a_workout(a_set()))
    archive = archive_of(page)
    archive["workouts"][0]["duration_seconds"] = -1
    run = uploaded(newcomer_page, "archive.json", orjson.dumps(archive))
    posted(newcomer_page, reverse("go-on-with-import", args=[run.pk]))
    shown = text(newcomer_page.get(reverse("import", args=[run.pk])))
    assert "<bdi>workouts: duration_seconds</bdi>" in shown
    assert "Record 1" in shown
    assert "Line 1" not in shown
    assert "nothing of this archive is restored" in shown
    assert "Restore all of it" not in shown


def test_what_is_changed_on_the_way_names_its_column(page, newcomer_page):
    archive = orjson.dumps({**archive_of(page), "moods": []})
    run = uploaded(newcomer_page, "archive.json", archive)
    shown = text(newcomer_page.get(reverse("import", args=[run.pk])))
    assert "<bdi>moods</bdi>: is not known to this service, and is left out" in shown
    weeks = (FILES / "hevy_kg.csv").read_text().replace("2 Feb 2026, 19:45", "2 Mar 2026, 19:45")
    run = uploaded(page, content=weeks.encode())
    assert "<bdi>duration</bdi>: a duration of" in text(page.get(reverse("import", args=[run.pk])))


def test_a_zip_of_several_apps_names_all_of_them(page):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in ("renpho.csv", "hevy_kg.csv"):
            archive.writestr(name, (FILES / name).read_bytes())
    run = uploaded(page, "all.zip", file.getvalue())
    shown = text(page.get(reverse("import", args=[run.pk])))
    assert "Hevy and Weights (Renpho, Withings, Fitbit or a table): <bdi>all.zip" in shown
    assert "New: 2 workouts with 10 sets, 3 weights" in shown


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_preview_that_a_newer_file_has_replaced_says_so(page, method):
    first = uploaded(page)
    uploaded(page)
    response = getattr(page, method)(reverse("import", args=[first.pk]))
    assert response.status_code == 404
    assert "A newer file has replaced it" in text(response)


def test_another_zone_moves_the_preview(page):
    run = uploaded(page)
    posted(page, reverse("import", args=[run.pk]), {"time_zone": "Asia/Tokyo"})
    posted(page, reverse("import", args=[run.pk]), {"import": "yes", "time_zone": "Asia/Tokyo"})
    started = page.get(reverse("workouts"))
    run.refresh_from_db()
    assert run.time_zone == "Asia/Tokyo"
    assert started.status_code == 200


def test_a_file_without_units_asks_with_the_heaviest_both_ways(page):
    run = uploaded(page, "strong_comma.csv")
    shown = text(page.get(reverse("import", args=[run.pk])))
    assert "kg: the heaviest is 100 kg" in shown
    assert "lb: the heaviest is 100 lb, 45.4 kg" in shown


def test_an_unknown_name_becomes_what_was_chosen_and_is_remembered(page, api, account):
    run = uploaded(page, "strong_comma.csv")
    assert "Ohio State" in text(page.get(reverse("import", args=[run.pk])))
    answers = {"unit": "kg", "time_zone": "Europe/Berlin"}
    found = posted(
        page,
        reverse("import", args=[run.pk]),
        {**answers, "search": OHIO, f"{OHIO}-search": "barbell back squat"},
    )
    assert 'value="barbell-back-squat"' in found.content.decode()
    chosen = {**answers, "import": "yes", OHIO: "barbell-back-squat"}
    again = posted(page, reverse("import", args=[run.pk]), chosen)
    assert "Look at it, then import it" in text(page.get(again.url))
    posted(page, reverse("import", args=[run.pk]), chosen)
    workouts = api.get("/workouts").json()["workouts"]
    names = [entry["exercise_id"] for workout in workouts for entry in workout["exercises"]]
    assert "barbell-back-squat" in names
    assert not any("Ohio State" in workout["notes"] for workout in workouts)
    assert ExerciseName.objects.get(account=account).name == "Ohio State"
    posted(page, reverse("undo-import", args=[run.pk]))
    again = uploaded(page, "strong_comma.csv")
    assert again.report["unknown_names"] == []
    assert again.report["chosen_names"] == ["Ohio State"]


def test_a_name_that_is_left_out_leaves_no_trace(page, api):
    run = uploaded(page, "strong_comma.csv")
    for _ in range(2):
        posted(
            page,
            reverse("import", args=[run.pk]),
            {"unit": "kg", "time_zone": "Europe/Berlin", "import": "yes", OHIO: "leave_out"},
        )
    assert "Ohio" not in api.get("/workouts").content.decode()


def test_refused_rows_are_listed_with_line_column_value_and_reason(page):
    lines = (FILES / "hevy_kg.csv").read_text().splitlines()
    broken = lines[1].replace(",5,", ",many,", 1)
    assert broken != lines[1]
    run = uploaded(page, "hevy_kg.csv", "\n".join([lines[0], broken, *lines[2:], '"too","few"']).encode())
    shown = text(page.get(reverse("import", args=[run.pk])))
    assert "many" in shown
    assert "Line 2" in shown
    rows = page.get(reverse("refused-rows", args=[run.pk])).content.decode()
    assert rows.splitlines()[0] == '"line","column","value","code","text"'
    assert len(rows.splitlines()) == 3


def test_a_file_of_something_else_says_what_is_recognised(page):
    run = uploaded(page, "notes.csv", b"a,b\n1,2\n")
    shown = text(page.get(reverse("import", args=[run.pk])))
    assert "This file cannot be imported" in shown
    assert "not recognised" in shown
    assert "Hevy" in shown
    assert run.state == "unreadable"
    again = uploaded(page)
    assert [*ImportRun.objects.values_list("pk", flat=True)] == [again.pk]


def test_an_empty_file_is_refused_at_once(page):
    response = upload(page, "x.csv", b"")
    assert response.status_code == 400
    assert "This file is empty." in text(response)


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n\0\0", b"PK\x03\x04broken"])
def test_what_is_no_table_gets_a_sentence(page, content):
    run = uploaded(page, "x.csv", content)
    assert run.problem
    assert run.problem in text(page.get(reverse("import", args=[run.pk])))


def test_a_newer_export_adds_what_is_new_and_says_what_differs(page, api):
    lines = (FILES / "hevy_kg.csv").read_text().splitlines()
    push = [line for line in lines[1:] if '"Push"' in line]
    pull = [line for line in lines[1:] if '"Push"' not in line]
    imported(page, content="\n".join([lines[0], *push]).encode())
    (stored,) = api.get("/workouts").json()["workouts"]
    stored["exercises"][0]["sets"][0]["reps"] += 1
    body = {name: stored[name] for name in ("title", "notes", "started_at", "duration_seconds")}
    entries = [
        {name: entry[name] for name in ("exercise_id", "notes", "sets")} for entry in stored["exercises"]
    ]
    assert api.put(f"/workouts/{stored['id']}", {**body, "exercises": entries}).status_code == 200
    run = uploaded(page, content="\n".join([lines[0], *pull, *push]).encode())
    assert counted(run) == {"new": 1, "differs": 1}
    assert "has other sets or another start here" in text(page.get(reverse("import", args=[run.pk])))


def test_a_file_that_was_pasted_twice_is_stored_once(page, api):
    lines = (FILES / "hevy_kg.csv").read_text().splitlines()
    imported(page, content="\n".join([*lines, *lines[1:]]).encode())
    assert api.get("/workouts/count").json()["count"] == 2


def test_a_deleted_workout_comes_back(page, api):
    imported(page)
    gone = api.get("/workouts").json()["workouts"][0]["id"]
    api.delete(f"/workouts/{gone}")
    again = imported(page)
    assert counted(again) == {"stored": 1, "there": 1}


def test_what_was_changed_since_is_kept_until_it_is_asked_for(page, api):
    run = imported(page)
    changed = api.get("/workouts").json()["workouts"][0]
    body = {name: changed[name] for name in ("started_at", "duration_seconds")}
    api.put(f"/workouts/{changed['id']}", {**body, "title": "Mine", "exercises": []})
    posted(page, reverse("undo-import", args=[run.pk]))
    assert [one["title"] for one in api.get("/workouts").json()["workouts"]] == ["Mine"]
    html = text(page.get(reverse("import", args=[run.pk])))
    ((address, label),) = re.findall(r'<a [^>]*href="(\S+)" data-dialog>([^<]+)</a>', html)
    assert label == "Remove this one as well"
    asked = text(page.get(address))
    assert "Remove what you have changed since the import of" in asked
    assert "1 workout will be removed" in asked
    assert 'name="changed_too" value="yes">Remove</button>' in asked
    assert api.get("/workouts/count").json()["count"] == 1
    posted(page, reverse("undo-import", args=[run.pk]), {"changed_too": "yes"})
    assert page.get(address).headers["Location"] == reverse("import", args=[run.pk])
    assert api.get("/workouts/count").json()["count"] == 0


def test_undo_asks_first_and_says_what_it_removes(page, api):
    run = imported(page)
    undo = reverse("undo-import", args=[run.pk])
    assert f'href="{undo}" data-dialog' in page.get(reverse("import", args=[run.pk])).content.decode()
    listed = page.get(reverse("data"))
    assert f'href="{undo}" data-dialog' in listed.content.decode()
    assert "2 stored" in text(listed)
    asked = text(page.get(undo))
    assert "Undo the import of" in asked
    assert "2 workouts will be removed. What you have changed since the import stays." in asked
    assert api.get("/workouts/count").json()["count"] == 2
    posted(page, undo)
    assert api.get("/workouts/count").json()["count"] == 0
    assert page.get(undo).url == reverse("import", args=[run.pk])
    listed = page.get(reverse("data"))
    assert undo not in listed.content.decode()
    assert "2 stored" not in text(listed)


@pytest.mark.parametrize(
    ("name", "path", "resource", "kept"),
    [
        ("hevy_kg.csv", "/workouts", "workouts", "1 workout"),
        ("withings.csv", "/body/weight", "weight", "1 weight"),
        ("cronometer_daily.csv", "/nutrition", "nutrition", "1 day of nutrition"),
    ],
)
def test_undo_counts_what_it_removes(page, api, name, path, resource, kept):
    run = imported(page, name)
    deleted = api.get(path).json()[resource][0]
    assert api.delete(f"{path}/{deleted.get('id') or deleted['day']}").status_code == 204
    posted(page, reverse("undo-import", args=[run.pk]))
    assert f"<dt>Removed</dt><dd>{kept}</dd>" in text(page.get(reverse("import", args=[run.pk])))


def test_what_undo_keeps_is_listed_as_the_pages_name_it(page, api):
    run = imported(page)
    changed = api.get("/workouts").json()["workouts"][0]
    api.put(f"/workouts/{changed['id']}", {**a_workout(a_set()), "started_at": changed["started_at"]})
    posted(page, reverse("undo-import", args=[run.pk]))
    assert "Pull 💪, 2 February 2026" in text(page.get(reverse("import", args=[run.pk])))


def test_undoing_one_import_leaves_another_alone(page, api):
    lines = (FILES / "hevy_kg.csv").read_text().splitlines()
    push = [line for line in lines[1:] if '"Push"' in line]
    first = imported(page, content="\n".join([lines[0], *push]).encode())
    imported(page)
    posted(page, reverse("undo-import", args=[first.pk]))
    assert [one["title"] for one in api.get("/workouts").json()["workouts"]] == ["Pull 💪"]


@pytest.mark.parametrize("name", ["import", "go-on-with-import", "undo-import", "refused-rows"])
def test_another_account_sees_nothing_of_a_run(page, client, stranger, name):
    run = uploaded(page)
    client.force_login(stranger)
    address = reverse(name, args=[run.pk])
    assert {client.get(address).status_code, client.post(address).status_code} <= {404, 405}
    assert run.file_name not in text(client.get(reverse("data")))


def test_an_upload_replaces_one_whose_preview_waits(page):
    first = uploaded(page)
    second = uploaded(page)
    assert [*ImportRun.objects.values_list("pk", flat=True)] == [second.pk]
    assert not ImportItem.objects.filter(run=first.pk, account=first.account_id).exists()


def test_an_import_that_is_half_stored_is_finished_before_the_next_file(page):
    first = uploaded(page)
    ImportRun.objects.update(state=ImportRun.State.STORING)
    refused = upload(page, "hevy_kg.csv")
    assert refused.status_code == 400
    assert "“hevy_kg.csv” is half imported: go on with it or undo it first." in text(refused)
    assert [*ImportRun.objects.values_list("pk", flat=True)] == [first.pk]
    posted(page, reverse("undo-import", args=[first.pk]))
    assert upload(page, "hevy_kg.csv").status_code == 302


def test_one_file_of_an_account_is_read_at_a_time(page, stranger):
    assert upload(page).status_code == 302
    refused = upload(page)
    assert refused.status_code == 400
    assert "Another file of yours is being read" in text(refused)
    assert upload(freshly_signed_in(stranger)).status_code == 302
    work()
    assert upload(page).status_code == 302


def die(*_, **__):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    "step",
    [
        "accounts.models.StoredFile.save",
        "accounts.models.StoredFile.add_part",
        "fitness.site.data.importing.ask",
    ],
)
def test_a_file_that_never_arrived_as_a_whole_gives_way_at_once(page, account, monkeypatch, step):
    with monkeypatch.context() as patch:
        patch.setattr(step, die)
        with pytest.raises(KeyboardInterrupt):
            upload(page)
    assert not account.import_runs.exists()
    assert counted(uploaded(page)) == {"new": 2}


def test_a_file_that_a_command_has_read_in_part_gives_way_after_some_minutes(page, account, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(steps, "read_file", die)
        with pytest.raises(KeyboardInterrupt):
            steps.receive(account, io.BytesIO(), "x.csv", Answers(ZoneInfo("UTC"), "kg"), Options())
    assert upload(page).status_code == 400
    account.import_runs.update(created_at=timezone.now() - 2 * READ_WITHIN)
    assert counted(uploaded(page)) == {"new": 2}


def test_a_file_that_cannot_be_read_leaves_the_preview_that_waits(page):
    first = uploaded(page)
    second = uploaded(page, "x.csv", b"a,b\n1,2\n")
    states = {first.pk: ImportRun.State.READ, second.pk: ImportRun.State.UNREADABLE}
    assert dict(ImportRun.objects.values_list("pk", "state")) == states


def test_reading_storing_and_undoing_are_in_the_audit_trail_without_the_file_s_texts(page, account, caplog):
    run = imported(page)
    posted(page, reverse("undo-import", args=[run.pk]))
    events = [*AuditEvent.objects.filter(account=account).order_by("id").values_list("event", flat=True)]
    assert events[-3:] == ["file read for import", "file imported", "import undone"]
    assert "Pull" not in caplog.text
    assert "hevy_kg" not in caplog.text


def test_ten_files_an_hour(page):
    for _ in range(10):
        uploaded(page)
    assert upload(page).status_code == 429


def how_far(page, run):
    return page.get(reverse("import", args=[run.pk]), headers={"Accept": "application/json"}).json()


def test_a_script_hears_how_far_it_is(page, monkeypatch):
    monkeypatch.setattr(steps, "ITEMS_AT_ONCE", 1)
    run = uploaded(page)
    page.post(reverse("import", args=[run.pk]), {"import": "yes"})
    heard = []
    for _ in range(4):
        heard.append(how_far(page, run))
        run.refresh_from_db()
        steps.go_on(run)
    assert [(one["done"], one["total"]) for one in heard] == [(0, 2), (1, 2), (2, 2), (2, 2)]
    work()
    assert [one["under_way"] for one in [*heard, how_far(page, run)]] == [True, True, True, False, False]


def test_a_script_hears_how_much_of_a_file_is_read(page, monkeypatch):
    monkeypatch.setattr(steps, "READ_AT_ONCE", 1)
    head, *rows = (FILES / "hevy_kg.csv").read_text().splitlines()
    year = [row.replace(" Feb 2026", f" {month} 2026") for month in ("Mar", "Apr") for row in rows]
    notes = ["x" * 60_000, *[""] * (len(year) - 1)]
    padded = [row.replace("Gym was busy", note) for row, note in zip(year, notes, strict=True)]
    assert upload(page, content="\n".join([head, *padded]).encode()).status_code == 302
    run, heard = ImportRun.objects.get(), []
    task = Task.objects.get()
    task.hold("here:1")

    def keep(done, total):
        task.done, task.total = done, total
        task.keep()
        heard.append(how_far(page, run))

    steps.go_on(run, keep)
    assert {one["unit"] for one in heard} == {"MB"}
    assert all(0 < one["done"] <= one["total"] for one in heard)
    assert how_far(page, ImportRun.objects.get())["unit"] == ""


def test_a_small_archive_that_holds_much_is_left_to_the_thread_of_long_work(page, monkeypatch):
    monkeypatch.setattr(steps, "KEEP_SECONDS", 0)
    empty_rows = (b" " * 100 + b"," * 13 + b"\n") * 10_000
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("hevy.csv", (FILES / "hevy_kg.csv").read_bytes() + b"\n" + empty_rows)
    assert upload(page, "hevy.zip", file.getvalue()).status_code == 302
    here = worker()
    assert not here.take_turn(long_too=False)
    here.stopping.set()  # in the middle of the file
    assert here.take_turn()
    assert not worker().take_turn(long_too=False)
    assert worker().take_turn()
    assert ImportRun.objects.get().report


def test_a_worker_that_is_to_stop_ends_while_it_reads_a_file(page, monkeypatch):
    monkeypatch.setattr(steps, "KEEP_SECONDS", 0)
    assert upload(page).status_code == 302
    run = ImportRun.objects.get()

    def keep(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        steps.go_on(run, keep)
    assert not run.items.exists()
    work()
    run.refresh_from_db()
    assert (run.state, counted(run)) == ("read", {"new": 2})


def test_an_account_that_is_deleted_leaves_nothing_of_its_imports(page, account):
    imported(page, "strong_comma.csv", unit="kg", **{OHIO: "leave_out"})
    account_data.delete(account)
    for model in (ImportRun, ImportItem, ImportFinding, ExerciseName):
        assert not model.objects.filter(account=account.pk).exists()


@pytest.mark.parametrize("place", ["read_file", "store_findings", "end"])
def test_a_worker_that_dies_while_it_examines_loses_nothing(page, monkeypatch, place):
    def die(*_, **__):
        raise KeyboardInterrupt

    assert upload(page).status_code == 302
    run = ImportRun.objects.get()
    with monkeypatch.context() as patch:
        patch.setattr(steps, place, die)
        with pytest.raises(KeyboardInterrupt):
            work()
    work()  # as the next worker
    run.refresh_from_db()
    assert (run.state, counted(run)) == ("read", {"new": 2})
    posted(page, reverse("import", args=[run.pk]), {"import": "yes"})
    assert counted(run) == {"stored": 2}


def test_removing_what_was_changed_goes_on_with_that(page, api, monkeypatch):
    monkeypatch.setattr(steps, "ITEMS_AT_ONCE", 1)
    run = imported(page)
    for workout in api.get("/workouts").json()["workouts"]:
        api.put(f"/workouts/{workout['id']}", a_workout(a_set(), title="Mine"))
    undo = reverse("undo-import", args=[run.pk])
    posted(page, undo)
    assert counted(run) == {"kept": 2}
    page.post(undo, {"changed_too": "yes"})
    run.refresh_from_db()
    steps.go_on(run)
    page.post(undo)
    work()
    assert counted(run) == {"undone": 2}


def test_a_choice_that_a_search_carries_along_is_in_the_page_and_stored_with_the_others(page):
    """A workout of unknown exercises alone, which is refused when they are left out."""
    lines = (FILES / "strong_comma.csv").read_text().splitlines()
    alone = [lines[0], *(line for line in lines if "Ohio State" in line)]
    run = uploaded(page, "strong_comma.csv", "\n".join(alone).encode())
    address = reverse("import", args=[run.pk])
    posted(page, address, {OHIO: "leave_out"})
    assert counted(run) == {"refused": 1}
    chosen = {OHIO: "barbell-back-squat", f"{OHIO}-search": "squat"}
    shown = posted(page, address, {**chosen, "search": OHIO}).content.decode()
    assert 'value="barbell-back-squat" selected' in shown
    assert counted(run) == {"refused": 1}
    posted(page, address, chosen)
    assert counted(run) == {"new": 1}


def test_answers_that_change_while_a_run_is_examined_count(page, monkeypatch):
    """A worker stores nothing of what it has examined with other answers."""
    run = uploaded(page, "strong_comma.csv")
    importing.change_answers(run, Answers(ZoneInfo("UTC"), "kg"))
    late = ImportRun.objects.select_related("account").get(pk=run.pk)
    run.account.import_runs.update(unit="lb")
    assert steps.go_on(late)
    assert late.state == "examining"
    work()
    run.refresh_from_db()
    assert (run.state, run.unit) == ("read", "lb")
