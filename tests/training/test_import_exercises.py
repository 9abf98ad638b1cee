"""import_exercises: a file in the layout of free-exercise-db, folded into the catalogue."""

import gzip
import io
import json
import os
import re
from collections import Counter
from html import unescape
from pathlib import Path

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from tests.conftest import a_set, a_workout, statements
from tests.html import text
from training.admin.forms import MAX_COMPRESSED_BYTES
from training.catalogue.importing import EQUIPMENT, MUSCLES, translate
from training.catalogue.matching import words
from training.models import Exercise
from training.models.catalogue_refresh import refresh_from_catalogue

REAL_FILE = Path(__file__).parents[2].parent / "shared" / "data" / "free-exercise-db.json"

pytestmark = pytest.mark.django_db


def entry(name="Cable Moon Walk", **fields):
    return {
        "name": name,
        "force": "pull",
        "level": "beginner",
        "mechanic": "compound",
        "equipment": "cable",
        "primaryMuscles": ["lats"],
        "secondaryMuscles": [],
        "instructions": ["Take the handle.", "Walk backward."],
        "category": "strength",
        "images": [],
        "id": "ignored",
        **fields,
    }


def without(field):
    return {name: value for name, value in entry().items() if name != field}


@pytest.fixture
def import_file(tmp_path):
    """Imports entries, or the text of a file, and returns the lines of the report."""
    file = tmp_path / "exercises.json"

    def run(content, verbosity=1, **options):
        file.write_text(content if isinstance(content, str) else json.dumps(content))
        return import_from(file, verbosity, **options)

    return run


def import_from(file, verbosity=1, **options):
    output = io.StringIO()
    call_command("import_exercises", str(file), stdout=output, verbosity=verbosity, **options)
    return output.getvalue().splitlines()


def counts(report):
    """The report's first line as {outcome: count}; they must add up to the number of entries."""
    total, outcomes = report[0].split(" entries: ")
    found = {outcome: int(count) for count, outcome in re.findall(r"(\d+) (\w+)", outcomes)}
    assert sum(found.values()) == int(total)
    return found


def catalogue_now():
    return list(Exercise.objects.order_by("id").values())


def test_an_unknown_movement_is_added(import_file):
    report = import_file([entry()])
    assert report == ["1 entries: 1 added, 0 updated, 0 matched, 0 skipped"]
    added = Exercise.objects.get(id="cable-moon-walk")
    assert (added.name, added.muscle_group, added.equipment) == ("Cable Moon Walk", "Back", "Cable")
    assert added.instructions == "Take the handle.\nWalk backward."
    assert not added.edited


@pytest.mark.parametrize(
    ("name", "is_assisted"), [("Assisted Moon Walk", True), ("Unassisted Moon Walk", False)]
)
def test_an_added_movement_is_assisted_by_the_word_in_its_name(import_file, name, is_assisted):
    import_file([entry(name)])
    assert Exercise.objects.get(name=name).is_assisted is is_assisted


@pytest.mark.parametrize(
    ("name", "equipment", "ours"),
    [
        ("barbell  BENCH press", "barbell", "Barbell Bench Press"),
        ("Barbell Bench Presses", "barbell", "Barbell Bench Press"),
        ("Bench Press, Barbell", "barbell", "Barbell Bench Press"),
        ("Flat Bench Press", "barbell", "Barbell Bench Press"),
        ("Pullups", "body only", "Pull-Up"),
        ("Dumbbell Flye", "dumbbell", "Dumbbell Fly"),
        ("Farmers Walk", "other", "Farmer's Walk"),
    ],
)
def test_what_we_have_is_matched_and_left_alone(name, equipment, ours, import_file):
    before = catalogue_now()
    report = import_file([entry(name, equipment=equipment)], verbosity=2)
    assert counts(report)["matched"] == 1
    assert report[1] == f"matched {' '.join(name.split())} -> {ours}"
    assert catalogue_now() == before


@pytest.mark.parametrize(
    ("name", "equipment"),
    [("Squat to Bands", "barbell"), ("Low to High Wood Chop Cable", "cable"), ("Press", "barbell")],
)
def test_a_similar_name_is_another_movement(name, equipment, import_file):
    assert counts(import_file([entry(name, equipment=equipment)]))["added"] == 1


def test_a_name_that_means_another_exercise_in_searches_is_skipped(import_file):
    report = import_file([entry("Split Squats", equipment="body only")])
    taken_by = "Dumbbell Split Squat (dumbbell-split-squat)"
    assert report[1:] == [f'skipped [0] "Split Squats": "Split Squats" already means {taken_by}']


def test_opposite_directions_are_two_movements():
    assert words("High to Low Fly") != words("Low to High Fly")


def test_a_second_run_adds_nothing(import_file):
    file = [entry(), entry("Barbell Bench Press"), entry("Moon Walks, Cable"), entry("Луна")]
    first = import_file(file)
    before = catalogue_now()
    second = import_file(file)
    assert counts(first) == {"added": 1, "updated": 0, "matched": 1, "skipped": 2}
    assert counts(second) == {"added": 0, "updated": 0, "matched": 2, "skipped": 2}
    assert catalogue_now() == before


def test_each_skipped_entry_has_a_reason(import_file):
    long = "Very " * 30
    names = ["Cable Moon Walk", "Cable moon walks", "Луна", long, long + "Slow"]
    report = import_file([entry(name) for name in names])
    assert report[1:] == [
        'skipped [1] "Cable moon walks": the same movement as [0] "Cable Moon Walk"',
        'skipped [2] "Луна": no letter a-z or digit in its name to make an id of',
        f'skipped [4] "{long}Slow": the same id as [3] "{long.strip()}"',
    ]
    assert counts(report)["added"] == 2


def test_a_changed_source_updates_what_was_imported(import_file):
    import_file([entry()])
    report = import_file([entry(level="expert")])
    assert counts(report)["updated"] == 1
    assert Exercise.objects.get(id="cable-moon-walk").level == "expert"


def test_what_staff_have_edited_is_left_alone(import_file):
    import_file([entry()])
    Exercise.objects.filter(id="cable-moon-walk").update(name="Moon Walk", edited=True)
    report = import_file([entry(level="expert")], verbosity=2)
    assert report[1] == "matched Cable Moon Walk -> Moon Walk"
    assert Exercise.objects.get(id="cable-moon-walk").level == "beginner"


def test_an_import_survives_a_reload_of_the_catalogue(import_file):
    import_file([entry()])
    call_command("load_catalogue", verbosity=0)
    assert Exercise.objects.filter(id="cable-moon-walk").exists()


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"primaryMuscles": ["neck"]}, {"muscle_group": "Shoulders"}),
        ({"primaryMuscles": ["abductors"]}, {"muscle_group": "Legs"}),
        (
            {"primaryMuscles": ["lats"], "secondaryMuscles": ["biceps", "lower back", "forearms", "traps"]},
            {"muscle_group": "Back", "secondary_muscles": ["Arms", "Shoulders"]},
        ),
        (
            {"secondaryMuscles": ["quadriceps", "abdominals", "traps", "biceps"]},
            {"muscle_group": "Full body", "secondary_muscles": ["Back", "Legs", "Core", "Shoulders", "Arms"]},
        ),
        ({"equipment": "e-z curl bar"}, {"equipment": "Barbell"}),
        ({"equipment": "kettlebells"}, {"equipment": "Kettlebell"}),
        ({"equipment": "bands"}, {"equipment": "Band"}),
        ({"equipment": "medicine ball"}, {"equipment": "Bodyweight"}),
        ({"equipment": None}, {"equipment": "Bodyweight"}),
        ({"equipment": "other"}, {"equipment": "Bodyweight"}),
        ({"equipment": "other", "name": "Sled Drags"}, {"equipment": "Machine"}),
        ({"equipment": "other", "name": "Plate Twist"}, {"equipment": "Dumbbell"}),
        ({"equipment": "other", "name": "Log Lift"}, {"equipment": "Barbell"}),
        ({"force": None, "mechanic": None}, {"force": "other", "mechanic": "other"}),
        ({"name": "3/4 Farmer's Sit-Up"}, {"id": "3-4-farmers-sit-up"}),
        ({"images": ["Moon_Walk/0.jpg", "https://a.example/0.jpg"]}, {"images": ["https://a.example/0.jpg"]}),
    ],
)
def test_fields_fold_into_ours(fields, expected):
    translated = translate(entry(**fields))
    assert {field: translated[field] for field in expected} == expected


def test_17_muscles_and_every_equipment_have_a_place():
    assert len(MUSCLES) == 17
    for muscle in MUSCLES:
        Exercise(**translate(entry(primaryMuscles=[muscle]))).clean_fields()
    for equipment in EQUIPMENT:
        Exercise(**translate(entry(equipment=equipment))).clean_fields()


@pytest.fixture
def error_line(import_file):
    """The one line of error for a file, of which nothing is stored."""

    def error_of(content):
        before = catalogue_now()
        with pytest.raises(CommandError) as error:
            import_file(content)
        assert error.value.returncode == 1
        assert "\n" not in str(error.value)
        assert catalogue_now() == before
        return str(error.value)

    return error_of


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is not valid JSON"),
        ("[{]", "is not valid JSON"),
        ('["\\u0000"]', "is not valid JSON: a string holds a NUL character"),
        ("[" * 5000, "is not valid JSON"),
        ("{}", "must hold a JSON array of exercises"),
    ],
)
def test_a_bad_file_is_rejected(content, message, error_line):
    assert message in error_line(content)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("Push-Up", "must be an object"),
        (without("name"), "name must be a string of 1 to 200 characters, not null"),
        (entry(name=" "), "name must be a string of 1 to 200 characters"),
        (entry(name="x" * 201), "name must be a string of 1 to 200 characters"),
        (without("level"), "level must be one of beginner, intermediate, expert, not null"),
        (entry(level=["expert"]), 'level must be one of beginner, intermediate, expert, not ["expert"]'),
        (entry(level="two\nlines"), 'level must be one of beginner, intermediate, expert, not "two\\nlines"'),
        (entry(category="yoga"), "category must be one of strength, powerlifting"),
        (entry(force="twist"), 'force must be one of push, pull, static, null, not "twist"'),
        (entry(mechanic=1), "mechanic must be one of compound, isolation, null, not 1"),
        (entry(equipment="dumbell"), "equipment must be one of bands, barbell, body only"),
        (entry(primaryMuscles="lats"), "primaryMuscles must be an array of strings"),
        (entry(primaryMuscles=[]), "primaryMuscles must name a muscle"),
        (entry(secondaryMuscles=["lat"]), "a muscle must be one of abdominals, abductors"),
        (entry(instructions="Walk."), "instructions must be an array of strings"),
        (entry(images=[None]), "images must be an array of strings"),
    ],
)
def test_a_bad_entry_is_rejected_with_its_index(bad, message, error_line):
    assert f"entry [1]: {message}" in error_line([entry(), bad])


def test_a_missing_file_is_rejected_in_one_line(tmp_path):
    with pytest.raises(CommandError, match=r"nothing\.json: No such file or directory$"):
        import_from(tmp_path / "nothing.json")


def test_the_command_needs_a_file():
    with pytest.raises(SystemExit, match=r"^CommandError: .*file$"):
        call_command("import_exercises")


def test_a_dry_run_tells_what_would_change_and_stores_nothing(import_file, tmp_path):
    import_file([entry()])
    before = catalogue_now()
    file = [entry(level="expert"), entry("Star Walk"), entry("Push-Up", equipment="body only"), entry("Луна")]
    report = import_file(file, dry_run=True)
    assert report == [
        "4 entries: 1 added, 1 updated, 1 matched, 1 skipped",
        "updated Cable Moon Walk (cable-moon-walk): level",
        "added Star Walk (star-walk)",
        'skipped [3] "Луна": no letter a-z or digit in its name to make an id of',
        "Nothing is stored: this was a dry run.",
    ]
    assert catalogue_now() == before
    assert import_file(file)[0] == report[0]


def test_a_hyphen_reads_standard_input(monkeypatch):
    content = io.TextIOWrapper(io.BytesIO(json.dumps([entry()]).encode()))
    monkeypatch.setattr("sys.stdin", content)
    assert counts(import_from("-"))["added"] == 1
    assert Exercise.objects.filter(id="cable-moon-walk").exists()


def test_errors_name_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"[3]")))
    with pytest.raises(CommandError, match=r"^standard input: entry \[0\]: must be an object$"):
        import_from("-")


def test_a_file_may_be_compressed(tmp_path):
    file = tmp_path / "exercises.json.gz"
    file.write_bytes(gzip.compress(json.dumps([entry()]).encode()))
    assert counts(import_from(file))["added"] == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x1f\x8bnonsense", "is not what gzip makes"),
        (gzip.compress(b"[]" + b" " * 10_000_000), "it is longer than 10,000,000 bytes"),
    ],
)
def test_a_bad_compressed_file_is_rejected(content, message, tmp_path):
    file = tmp_path / "exercises.json.gz"
    file.write_bytes(content)
    with pytest.raises(CommandError, match=message):
        import_from(file)


UPLOAD, IMPORT = reverse("admin:training_exercise_upload"), reverse("admin:training_exercise_import")


def upload(admin_page, content, name="exercises.json"):
    content = content if isinstance(content, bytes) else json.dumps(content).encode()
    return admin_page.post(UPLOAD, {"file": SimpleUploadedFile(name, content)})


def test_staff_import_a_file_after_a_preview(admin_page, api, import_file):
    import_file([entry()])
    before = catalogue_now()
    assert UPLOAD in text(admin_page.get(reverse("admin:training_exercise_changelist")))
    assert "multipart/form-data" in text(admin_page.get(UPLOAD))
    file = [entry(level="expert"), entry("Star Walk"), entry("Split Squats", equipment="body only")]
    shown = upload(admin_page, file)
    for line in (
        "3 entries: 1 added, 1 updated, 0 matched, 1 skipped. Nothing is stored yet.",
        "Star Walk (star-walk)",
        "Cable Moon Walk (cable-moon-walk): level",
        "already means Dumbbell Split Squat (dumbbell-split-squat)",
    ):
        assert line in unescape(text(shown))
    assert catalogue_now() == before
    done = admin_page.post(IMPORT, shown.context["form"].initial, follow=True)
    assert "Imported. 3 entries: 1 added, 1 updated, 0 matched, 1 skipped." in text(done)
    assert api.get("/exercises/star-walk").json()["name"] == "Star Walk"
    assert api.get("/exercises/cable-moon-walk").json()["level"] == "expert"
    history = text(admin_page.get(reverse("admin:training_exercise_history", args=["cable-moon-walk"])))
    assert "Changed by an import: level." in history


def test_the_statements_of_an_import_do_not_grow_with_its_entries(admin_page):
    """Each entry has a row in the history of its exercise."""

    def import_counted(file):
        shown = upload(admin_page, file)
        with statements() as executed:
            admin_page.post(IMPORT, shown.context["form"].initial)
        return len(executed)

    ContentType.objects.get_for_model(Exercise)  # each process looks it up once
    names = [f"{word} Walk" for word in ("Star", "Moon", "Sun", "Mars", "Venus", "Comet", "Nova", "Orbit")]
    one_added = import_counted([entry()])
    assert import_counted([entry(name) for name in names]) == one_added
    one_updated = import_counted([entry(level="expert")])
    assert import_counted([entry(name, level="expert") for name in names]) == one_updated
    notes = Counter(LogEntry.objects.values_list("change_message", flat=True))
    assert notes == {"Added by an import.": 9, "Changed by an import: level.": 9}


def test_what_an_upload_renames_is_renamed_in_workouts(admin_page, api, import_file):
    import_file([entry()])
    api.post("/workouts", a_workout(a_set(), exercise_id="cable-moon-walk"))
    shown = upload(admin_page, gzip.compress(json.dumps([entry("Cable Moon-Walk")]).encode()))
    admin_page.post(IMPORT, shown.context["form"].initial)
    refresh_from_catalogue()
    assert api.get("/workouts").json()["workouts"][0]["exercises"][0]["name"] == "Cable Moon-Walk"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[", "exercises.json is not valid JSON"),
        ({}, "exercises.json must hold a JSON array of exercises."),
        ([entry(), without("level")], "exercises.json: entry [1]: level must be one of beginner"),
        (b"", "The submitted file is empty."),
        (gzip.compress(os.urandom(200_000)), "is not valid JSON"),
    ],
)
def test_a_bad_upload_is_refused(admin_page, content, message):
    before = catalogue_now()
    assert message in unescape(text(upload(admin_page, content)))
    assert catalogue_now() == before


def test_a_large_file_is_imported(admin_page):
    content = gzip.compress(json.dumps([entry(instructions=[os.urandom(155_000).hex()])]).encode())
    assert 170_000 < len(content) < MAX_COMPRESSED_BYTES
    shown = upload(admin_page, content)
    assert admin_page.post(IMPORT, shown.context["form"].initial).status_code == 302
    assert Exercise.objects.filter(pk="cable-moon-walk").exists()


def test_a_file_that_is_too_large_when_compressed_is_refused(admin_page):
    content = gzip.compress(json.dumps([entry(instructions=[os.urandom(180_000).hex()])]).encode())
    assert "split it, or use manage.py import_exercises" in text(upload(admin_page, content))


def test_a_damaged_preview_stores_nothing(admin_page):
    before = catalogue_now()
    for packed in ("", "???", "AAAA", "H4sI"):
        done = admin_page.post(IMPORT, {"packed": packed}, follow=True)
        assert "damaged" in text(done)
    assert catalogue_now() == before


def test_only_who_may_add_and_change_exercises_may_import(page, account):
    account.is_staff = True
    account.save()
    for permission in (None, "add_exercise"):
        if permission:
            account.user_permissions.add(Permission.objects.get(codename=permission))
        assert page.get(UPLOAD).status_code == page.post(UPLOAD).status_code == 403
        assert page.post(IMPORT, {"packed": ""}).status_code == 403


def test_an_empty_array_is_an_empty_import(import_file):
    assert import_file([]) == ["0 entries: 0 added, 0 updated, 0 matched, 0 skipped"]


def test_free_exercise_db_folds_in(django_assert_max_num_queries):
    if not REAL_FILE.exists():
        pytest.skip("shared/data/free-exercise-db.json is not next to the repository")
    before = Exercise.objects.count()
    with django_assert_max_num_queries(20):
        first = counts(import_from(REAL_FILE))
    second = counts(import_from(REAL_FILE))
    assert sum(first.values()) == 873
    assert first["matched"] > 500
    assert Exercise.objects.count() == before + first["added"]
    assert second["added"] == second["updated"] == 0
    for exercise in Exercise.objects.all():
        exercise.clean_fields()
