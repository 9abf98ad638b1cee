"""There and back through the pages: what one account exports, another one imports."""

import csv
import datetime
import io

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.conftest import a_set, client_of, freshly_signed_in
from tests.factories import AccountFactory
from tests.imports.accounts import (
    LISTS,
    NEW,
    REFERENCES,
    created,
    everything,
    exported,
    fill,
    portable,
    workout,
)
from tests.imports.test_import_pages import counted, imported
from training.catalogue import imported_names
from training.models import Exercise, ExerciseName

pytestmark = pytest.mark.usefixtures("unlimited")

EXPORT = "/settings/data/export"
ARCHIVES = {"fitness.json": EXPORT, "fitness.zip": f"{EXPORT}/everything"}
STRONG, HEVY = f"{EXPORT}/strong", f"{EXPORT}/hevy"
FORMS = [(STRONG, "kg"), (HEVY, "kg"), (HEVY, "lb")]
ZONE = "Asia/Kolkata"  # five and a half hours from UTC, all year


@pytest.fixture
def account(db):
    return AccountFactory(display_name="", height_cm=181.5, time_zone=ZONE)


@pytest.fixture
def filled(account):
    return fill(account)


def lists(api):
    """All lists of the API, without ids and times of creation."""
    own = {*NEW, *REFERENCES}
    return {
        name: [{key: item[key] for key in item if key not in own} for item in everything(api, name)]
        for name in LISTS
    }


LISTS_OF_ALL = (
    *("workouts", "routines", "plans", "weight", "measurements", "goals", "nutrition"),
    *("foods", "food_entries", "supplements", "supplement_logs", "exercise_names", "exercise_pins"),
    *("nutrition_targets", "exercise_habits"),
)


@pytest.mark.parametrize("name", ARCHIVES)
def test_an_archive_gives_a_newcomer_equal_lists(account, filled, page, newcomer, newcomer_page, name):
    run = imported(newcomer_page, name, exported(page, ARCHIVES[name]))
    assert (run.state, set(counted(run))) == ("done", {"stored"})
    assert not run.findings.exists()
    there = lists(client_of(newcomer))
    assert all(there.values())
    assert there == lists(filled)
    assert {kind for kind, items in portable(account).items() if items} >= {"profile", *LISTS_OF_ALL}
    assert portable(newcomer) == portable(account)


def as_held(item, address):
    """A workout with what a form has room for."""
    is_hevy = address == HEVY
    seconds = item["duration_seconds"]
    if is_hevy:  # the start and the end are to the minute
        seconds = (int(item["started_at"][17:19]) + seconds) // 60 * 60
    entries = [
        {
            "exercise_id": entry["exercise_id"],
            "notes": entry["notes"],
            "superset_id": entry["superset_id"] if is_hevy else None,
            "sets": [
                {**one, "weight_kg": pytest.approx(one["weight_kg"], abs=5e-5 if is_hevy else 5e-4)}
                for one in entry["sets"]
                if one["completed"]
            ],
        }
        for entry in item["exercises"]
    ]
    return {
        "title": item["title"],
        "notes": item["notes"],
        "started_at": f"{item['started_at'][:17]}00Z" if is_hevy else item["started_at"],
        "duration_seconds": seconds,
        "exercises": entries,
    }


def shown(item):
    """The same of a workout that is stored."""
    names = ("exercise_id", "notes", "superset_id", "sets")
    entries = [{name: entry[name] for name in names} for entry in item["exercises"]]
    about = {name: item[name] for name in ("title", "notes", "started_at", "duration_seconds")}
    return {**about, "exercises": entries}


def assert_same_workouts(account, newcomer, address, unit):
    """Imports a form of the account's workouts into the newcomer. Returns the run."""
    content = exported(freshly_signed_in(account), address, unit=unit)
    run = imported(
        freshly_signed_in(newcomer), "workouts.csv", content, time_zone=account.time_zone, unit="kg"
    )
    assert (run.state, [*run.findings.problems().values_list("column", "text")]) == ("done", [])
    assert run.report["unknown_names"] == []
    expected = [as_held(item, address) for item in everything(client_of(account), "workouts")]
    assert [shown(item) for item in everything(client_of(newcomer), "workouts")] == expected
    return run


@pytest.mark.parametrize(("address", "unit"), FORMS)
def test_a_form_of_another_app_gives_a_newcomer_the_same_workouts(account, filled, newcomer, address, unit):
    run = assert_same_workouts(account, newcomer, address, unit)
    assert counted(run) == {"stored": 2}
    assert newcomer.workouts.get(title="Leg day").notes == "-1 hour of sleep"


@pytest.mark.parametrize(("address", "unit"), FORMS)
def test_a_form_of_another_app_stores_nothing_where_it_came_from(account, page, address, unit):
    api = client_of(account)
    body = workout(title="Done", notes="")
    for entry in body["exercises"]:
        entry["sets"] = [one for one in entry["sets"] if one.get("completed", True)]
    created(api.post("/workouts", body))
    run = imported(page, "workouts.csv", exported(page, address, unit=unit), time_zone=ZONE, unit="kg")
    assert counted(run) == {"there": 1}


@pytest.mark.parametrize(("address", "unit"), FORMS)
@pytest.mark.parametrize("started_at", ["2026-03-29T00:30:00Z", "2025-10-25T23:30:00Z"])
def test_a_workout_in_a_night_when_clocks_change_keeps_its_duration(db, address, unit, started_at):
    account, newcomer = AccountFactory(time_zone="Europe/Berlin"), AccountFactory()
    body = workout(started_at=started_at, duration_seconds=3 * 3600)
    created(client_of(account).post("/workouts", body))
    assert_same_workouts(account, newcomer, address, unit)


HEVY_HEADER = (
    '"title","start_time","end_time","description","exercise_title","superset_id","exercise_notes",'
    '"set_index","set_type","weight_kg","reps","distance_km","duration_seconds","rpe"'
)
HEVY_NAMES, STRONG_NAMES = (
    {name: exercise_id for name, exercise_id in imported_names()[app].items() if exercise_id}
    for app in ("hevy", "strong")
)
STRONG_HEADER = "Date,Workout Name,Duration,Exercise Name,Set Order,Weight,Reps,Notes,Workout Notes,RPE"


def hevy_file(*rows):
    """A file of Hevy of (name, notes, set_index, set_type, weight) a row, fifty rows a workout."""
    lines = [HEVY_HEADER]
    for number, (name, notes, index, kind, weight) in enumerate(rows):
        start = f'"2 Feb {2000 + number // 50}, 18:30","2 Feb {2000 + number // 50}, 19:30"'
        lines.append(f'"Day",{start},"","{name}",,"{notes}",{index},"{kind}",{weight},5,,,')
    return "\n".join(lines).encode()


def strong_file(*names):
    """A file of Strong with a set of each exercise, fifty a workout."""
    rows = [f"{2000 + n // 50}-02-02 18:30:00,Day,1h,{name},1,60,5,,," for n, name in enumerate(names)]
    return "\n".join([STRONG_HEADER, *rows]).encode()


def rows_of(page, address, *columns):
    text = exported(page, address, unit="kg").decode()
    rows = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    return [tuple(row[name] for name in columns) for row in rows]


def halves(names):
    """The names in two parts, in each of which an exercise has one name."""
    first = {exercise_id: name for name, exercise_id in names.items()}.values()
    return {"the last names": [*first], "the others": [name for name in names if name not in set(first)]}


@pytest.mark.parametrize("part", halves(HEVY_NAMES))
def test_the_built_in_names_of_hevy_come_back(page, part):
    names = halves(HEVY_NAMES)[part]
    run = imported(page, "hevy.csv", hevy_file(*[(name, "", 0, "normal", 60) for name in names]))
    assert not run.findings.exists()
    assert sorted(rows_of(page, HEVY, "exercise_title")) == sorted((name,) for name in names)
    assert imported(page, "again.csv", exported(page, HEVY, unit="kg")).report["chosen_names"] == []


@pytest.mark.parametrize("part", halves(STRONG_NAMES))
def test_the_built_in_names_of_strong_come_back(page, part):
    names = halves(STRONG_NAMES)[part]
    run = imported(page, "strong.csv", strong_file(*names))
    assert not run.findings.exists()
    assert sorted(rows_of(page, STRONG, "Exercise Name")) == sorted((name,) for name in names)


def test_of_two_names_of_an_exercise_the_one_with_weight_is_that_of_sets_with_weight(page):
    rows = [("Chin Up", "", 0, "normal", ""), ("Chin Up (Weighted)", "", 0, "normal", 10)]
    imported(page, "hevy.csv", hevy_file(*rows))
    assert rows_of(page, HEVY, "exercise_title", "weight_kg") == [
        ("Chin Up", ""),
        ("Chin Up (Weighted)", "10"),
    ]


def test_a_name_of_ones_own_is_exported_as_one_that_the_app_has(account, page):
    ExerciseName.objects.choose(account, "hevy", {"Kniebeuge": "barbell-back-squat"})
    imported(page, "hevy.csv", hevy_file(("Kniebeuge", "", 0, "normal", 60)))
    assert rows_of(page, HEVY, "exercise_title") == [("Squat (Barbell)",)]


MARKED = [("warmup", "W"), ("normal", "1"), ("failure", "F"), ("dropset", "D"), ("dropset", "D")]


@pytest.mark.parametrize("notes", ["", r"Belt from set 2\nSlow", "Set 4: easy"])
def test_sets_to_failure_and_drop_sets_come_back(page, api, notes):
    rows = [("Squat (Barbell)", notes, n, kind, 100) for n, (kind, _) in enumerate(MARKED)]
    imported(page, "hevy.csv", hevy_file(*rows))
    (entry,) = api.get("/workouts").json()["workouts"][0]["exercises"]
    assert entry["notes"].splitlines()[-2:] == ["Failure in set 2", "Drop sets 3, 4"]
    assert {one["type"] for one in entry["sets"]} == {"warmup", "working"}
    assert rows_of(page, HEVY, "set_type", "exercise_notes") == [(kind, notes) for kind, _ in MARKED]
    orders = [order for (order,) in rows_of(page, STRONG, "Set Order") if order != "Note"]
    assert orders == ["W", "1", "F", "D", "D"]
    assert counted(imported(page, "hevy.csv", exported(page, HEVY, unit="kg"))) == {"there": 1}


@pytest.mark.parametrize("notes", ["", "Belt\n"])
def test_lines_of_notes_are_exported_as_kinds_of_sets(api, page, notes):
    sets = [a_set(100, 5, type="warmup" if kind == "warmup" else "working") for kind, _ in MARKED]
    lines = "Failure in set 2\nDrop sets 3, 4"
    entry = {"exercise_id": "barbell-back-squat", "notes": f"{notes}{lines}", "sets": sets}
    created(api.post("/workouts", workout(exercises=[entry])))
    assert rows_of(page, HEVY, "set_type", "exercise_notes") == [(kind, notes.strip()) for kind, _ in MARKED]


@pytest.mark.parametrize(
    "notes",
    [
        "Failure in set 2",  # there is one
        "Failure in sets 1",
        "Failure in set 1\nDrop set 1",
        "Drop set 1\nBelt",
    ],
)
def test_lines_that_an_import_would_not_write_stay_notes(account, api, page, newcomer, notes):
    sets = [a_set(60, 5, type="warmup"), a_set(100, 5)]
    entry = {"exercise_id": "barbell-back-squat", "notes": notes, "sets": sets}
    created(api.post("/workouts", workout(exercises=[entry])))
    assert rows_of(page, HEVY, "set_type") == [("warmup",), ("normal",)]
    for address, unit in FORMS:
        assert_same_workouts(account, AccountFactory(), address, unit)


CHARACTERS = "ab 1=+-@,;\"'\n💪é"


def survives(text):
    """Whether files of other apps have room for a text: not for blanks around it, nor for "-" in Strong's."""
    return text == text.strip() and text != "-" and not text.startswith(("'=", "'+", "'-", "'@"))


TEXTS = st.text(CHARACTERS, max_size=12).filter(survives) | st.sampled_from(
    ["=SUM(A1:A9)", "+1 kg\nnext time", 'so-called "easy"', "@home", "-5 %", 'a\n"\n"']
)
MARKS = st.sampled_from(["Drop sets 1, 2", "a\nFailure in set 2", "Failure in sets 1, 3\nDrop set 2"])
SETS = st.builds(
    a_set,
    st.just(0) | st.floats(0.001, 1999) | st.integers(1, 400).map(lambda half: half / 2),
    st.integers(1, 10_000),
    type=st.sampled_from(["warmup", "working"]),
    completed=st.sampled_from([True, True, True, False]),
    rpe=st.none() | st.integers(0, 20).map(lambda half: half / 2),
)
ENTRIES = st.fixed_dictionaries(
    {
        "exercise_id": st.integers(0, 10_000),  # its number in the catalogue
        "notes": TEXTS | MARKS,
        "superset_id": st.none() | st.sampled_from("ab"),
        "sets": st.lists(SETS, max_size=4),
    }
).filter(lambda entry: entry["notes"] or any(one["completed"] for one in entry["sets"]))
WORKOUTS = st.fixed_dictionaries(
    {
        "title": TEXTS.filter(lambda text: "\n" not in text),
        "notes": TEXTS,
        "minute": st.integers(0, 10_000_000),  # since 2000
        "second": st.integers(0, 59),
        "duration_seconds": st.integers(0, 604_800 - 60),
        "exercises": st.lists(ENTRIES, min_size=1, max_size=3),
    }
)


def bodies(workouts, exercises):
    """What the API takes."""
    since = datetime.datetime(2000, 1, 1)
    for one in workouts:
        start = since + datetime.timedelta(minutes=one["minute"], seconds=one["second"])
        entries = [
            {**entry, "exercise_id": exercises[entry["exercise_id"] % len(exercises)]}
            for entry in one["exercises"]
        ]
        ids = [entry["exercise_id"] for entry in entries]
        assume(len(set(ids)) == len(ids))  # in a form, an exercise twice in a row is one
        rest = {name: one[name] for name in ("title", "notes", "duration_seconds")}
        yield {**rest, "started_at": f"{start.isoformat()}Z", "exercises": entries}


@pytest.mark.django_db
@pytest.mark.parametrize(("address", "unit"), FORMS)
@settings(max_examples=15)
@given(st.lists(WORKOUTS, min_size=1, max_size=3, unique_by=lambda one: one["minute"]))
def test_random_workouts_come_back(address, unit, workouts):
    exercises = sorted(Exercise.objects.active().values_list("pk", flat=True))
    account = AccountFactory(time_zone=ZONE)
    for body in bodies(workouts, exercises):
        created(client_of(account).post("/workouts", body))
    run = assert_same_workouts(account, AccountFactory(), address, unit)
    assert counted(run) == {"stored": len(workouts)}
