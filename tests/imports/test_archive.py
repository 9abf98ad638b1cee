"""Coming back with an archive: what was exported is there again."""

import copy
import io
import zipfile
from importlib import import_module
from itertools import count
from uuid import uuid4

import orjson
import pytest
from django.apps import apps

from accounts.models import Account
from fitness.imports.findings import Findings
from fitness.imports.messages import Unreadable
from fitness.site.data import archive, exports, importing, restoring, steps
from tests.conftest import a_set, client_of, freshly_signed_in, statements
from tests.factories import AccountFactory
from tests.imports.accounts import (
    archive_of,
    created,
    everything,
    exported,
    fill,
    planned,
    portable,
    week,
    workout,
)
from tests.imports.steps import imported, read
from tests.mcp_endpoint.conftest import ToolClient
from training.models import Exercise, ExerciseHabit, ExerciseName
from training.models.exercise_habit import Habit


@pytest.fixture
def filled(account):
    Account.objects.filter(pk=account.pk).update(height_cm=181.5, birth_date="1990-05-17", goal="cut")
    return fill(account)


@pytest.fixture(scope="module")
def archive_of_somebody(transaction_of_module):
    account = AccountFactory()
    fill(account)
    return archive_of(freshly_signed_in(account))


SEVEN = (
    *("pull-up", "chest-dip", "push-up", "barbell-deadlift"),
    *("barbell-bench-press", "barbell-back-squat", "leg-press"),
)
MACROS = {"calories": 1, "protein_g": 1, "carbs_g": 1, "fat_g": 1}


def as_file(document):
    return io.BytesIO(document if isinstance(document, bytes) else orjson.dumps(document))


def ours(page, **changes):
    """The archive of a page with some lists replaced."""
    return as_file({**archive_of(page), **changes})


def test_a_tick_of_a_meal_that_came_along_is_taken_off_its_day(filled, page, newcomer):
    imported(newcomer, as_file(exported(page)))
    newcomer.foods.get(is_meal=True).untick("2026-03-03")
    assert newcomer.nutrition_days.get(day="2026-03-03").calories == 93


def test_meals_and_ticks_of_an_older_archive_become_foods_and_entries(page, newcomer):
    days = [{"day": f"2026-03-0{n}", "logged_at": "2026-03-05T00:00:00Z", **MACROS} for n in (2, 3)]
    tick = {"meal_id": "a", "day": "2026-03-02", **MACROS}
    document = {name: items for name, items in archive_of(page).items() if not name.startswith("food")}
    document |= {"nutrition": days, "meals": [{"id": "a", **FOOD}], "meal_ticks": [tick, tick]}
    ran = imported(newcomer, as_file(document))
    assert (ran.refused, newcomer.food_entries.count()) == ([], 1)
    oats = newcomer.foods.get()
    assert (oats.is_meal, oats.portion, oats.unit, oats.macros) == (True, 1, "piece", MACROS)
    assert (oats.tick("2026-03-02").amount, newcomer.food_entries.count()) == (1, 1)  # it is ticked already
    complete = newcomer.nutrition_days.filter(is_complete=True)
    assert [str(day) for day in complete] == ["2026-03-03"]  # as after an update


def test_when_a_food_was_eaten_comes_along(filled, account, page, newcomer):
    imported(newcomer, as_file(exported(page)))
    used = {food.name: food.used_at for food in account.foods.all()}
    assert {food.name: food.used_at for food in newcomer.foods.all()} == used
    assert all(used.values())


def test_more_entries_of_a_day_than_the_app_takes_are_refused(page, newcomer):
    day = {"logged_at": "2026-03-05T00:00:00Z", **MACROS}
    entries = [{"id": str(n), "food_id": None, "day": f"2026-03-0{2 + n % 2}", **MACROS} for n in range(201)]
    nutrition = [{"day": f"2026-03-0{n}", **day} for n in (2, 3)]
    ran = read(newcomer, ours(page, nutrition=nutrition, food_entries=entries))
    problem = ran.findings.problems().get()
    assert (problem.line, problem.column, problem.code) == (201, "food_entries", "too_many")
    assert "beyond the 100 that a day may have" in str(problem)


def test_equal_records_are_all_stored_whatever_the_size_of_a_step(filled, page, newcomer, monkeypatch):
    created(filled.post("/workouts", workout()))
    created(filled.post("/body/weight", {"weight_kg": 82.4, "logged_at": "2026-03-01T06:45:30Z"}))
    monkeypatch.setattr(steps, "RESTORED_AT_ONCE", 1)
    imported(newcomer, as_file(exported(page)))
    assert portable(newcomer) == portable(filled_account(page))


def filled_account(page):
    return Account.objects.get(pk=archive_of(page)["profile"]["id"])


def test_an_archive_is_restored_beside_the_account_that_it_is_of_and_twice(filled, page, account, newcomer):
    before, archived = archive_of(page), exported(page)
    another = AccountFactory(email="another@example.org", display_name="")
    for one in (newcomer, another):
        imported(one, as_file(archived))
        assert portable(one) == portable(account)
    lists = ("workouts", "plans", "weight")
    assert {name: archive_of(page)[name] for name in lists} == {name: before[name] for name in lists}


def test_profile_and_settings_of_an_account_stay(filled, page, newcomer):
    Account.objects.filter(pk=newcomer.pk).update(height_cm=170)
    ExerciseHabit.objects.remember(newcomer, {"barbell-back-squat": Habit(setup="Mine")})
    ExerciseName.objects.choose(newcomer, "strong", {"Yoga": "note"})
    newcomer.exercise_pins.create(exercise_id="pull-up")
    newcomer.nutrition_targets.create(calories=2000)
    imported(newcomer, as_file(exported(page)))
    assert newcomer.exercise_habits.get().setup == "Mine"
    assert {one.name: one.fate for one in newcomer.exercise_names.all()}["Yoga"] == "note"
    assert (newcomer.exercise_names.count(), newcomer.exercise_pins.count()) == (3, 1)
    assert newcomer.nutrition_targets.get().calories == 2000
    newcomer.refresh_from_db()
    assert (newcomer.height_cm, str(newcomer.birth_date), newcomer.goal) == (170, "1990-05-17", "cut")


MANAGERS = (
    *("workouts", "plans", "routines", "weight_logs", "measurements", "goals", "nutrition_days"),
    *("foods", "food_entries", "supplements", "supplement_logs", "progression_steps", "workout_exercises"),
)
SETTINGS = ("exercise_names", "exercise_pins", "nutrition_targets", "exercise_habits")


def left(account):
    return [name for name in MANAGERS if getattr(account, name).exists()]


RECORDS = {
    "workouts": lambda api: api.post("/workouts", workout()),
    "routines": lambda api: api.post("/routines", {"name": "A", "exercises": [planned()]}),
    "weight": lambda api: api.post("/body/weight", {"weight_kg": 82}),
    "goals": lambda api: api.post("/goals", {"target_weight_kg": 80}),
    "nutrition": lambda api: api.put("/nutrition/2026-03-02", MACROS),
}


@pytest.mark.parametrize("store", RECORDS.values(), ids=RECORDS.keys())
def test_an_account_with_a_record_is_refused_before_and_after_the_preview(store, page, newcomer):
    ran = read(newcomer, ours(page))
    created(store(client_of(newcomer)))
    with pytest.raises(Unreadable, match="has records already"):
        importing.begin_storing(ran.run)
    newcomer.refresh_from_db()
    assert not newcomer.is_being_restored
    with pytest.raises(Unreadable, match="has records already"):
        read(newcomer, ours(page))


def test_a_record_that_a_request_was_storing_keeps_the_archive_out(filled, page, newcomer):
    """It had read the account before the restore began."""
    before = Account.objects.get(pk=newcomer.pk)
    ran = read(newcomer, as_file(exported(page)))
    importing.begin_storing(ran.run)
    before.goals.set_for(before, {"target_weight_kg": 60})
    steps.go_on_to_the_end(ran.run)
    newcomer.refresh_from_db()
    assert (ran.run.state, newcomer.is_being_restored) == ("unreadable", False)
    assert newcomer.goals.get().target_weight_kg == 60
    assert newcomer.workouts.count() == 0


def test_the_account_takes_no_other_record_until_the_last_step(filled, page, newcomer):
    ran = read(newcomer, as_file(exported(page)))
    importing.begin_storing(ran.run)
    api, screen = client_of(newcomer), freshly_signed_in(newcomer)
    for store in RECORDS.values():
        response = store(api)
        assert (response.status_code, response.json()["error"]["code"]) == (503, "unavailable")
        assert "being restored" in response.json()["error"]["message"]
    assert api.get("/workouts").status_code == 200
    sentence, error = ToolClient(api.key).refused("log_weight", {"weight_kg": 82})
    assert ("being restored" in sentence, error["code"]) == (True, "unavailable")
    answer = screen.post("/body/weight/log", {"weight": "82"})
    assert answer.status_code == 503
    assert "being restored" in answer.content.decode()
    assert screen.post("/settings/profile/units", {"units": "lb"}).status_code == 302
    assert "undo" not in screen.get("/settings/data").content.decode()  # its own page stops it
    assert screen.post("/sign-out").status_code == 302
    assert left(newcomer) == []
    steps.go_on_to_the_end(ran.run)
    created(api.post("/body/weight", {"weight_kg": 82}))


def test_what_is_restored_in_part_goes_on_or_is_taken_back_as_a_whole(filled, page, newcomer, monkeypatch):
    before, archived = portable(newcomer), exported(page)
    monkeypatch.setattr(steps, "RESTORED_AT_ONCE", 1)
    monkeypatch.setattr(restoring, "REMOVED_AT_ONCE", 1)
    count = 0
    while True:
        ran = read(newcomer, as_file(archived))
        importing.begin_storing(ran.run)
        if not all(steps.go_on(ran.run) for _ in range(count)):
            break
        assert {name for name, _ in ran.undo()} <= {"profile", *SETTINGS}
        assert left(newcomer) == []
        created(client_of(newcomer).post("/goals", {"target_weight_kg": 80}))
        newcomer.goals.all().delete()
        Account.objects.filter(pk=newcomer.pk).update(height_cm=None, birth_date=None, goal="maintain")
        for name in SETTINGS:
            getattr(newcomer, name).all().delete()
        assert portable(newcomer) == before
        count += 7
    assert count > 20
    assert portable(newcomer) == portable(filled_account(page))


def test_an_account_without_room_stops_and_can_be_emptied(filled, page, newcomer, settings):
    ran = read(newcomer, as_file(exported(page)))
    importing.begin_storing(ran.run)
    settings.ACCOUNT_STORAGE_MB = 0.0001
    steps.go_on_to_the_end(ran.run)
    assert "would take more than" in ran.run.problem
    settings.ACCOUNT_STORAGE_MB = 10
    ran.undo()
    assert (left(newcomer), ran.run.state) == ([], "undone")


LATER = {
    "weight": lambda api, account: created(api.post("/workouts", workout(plan_id=plan_of(api)))),
    "plan_progressions": lambda api, account: created(
        api.put(f"/plans/{plan_of(api)}", {"name": "New", "days": week(planned("pull-up"), planned())})
    ),
    "foods": lambda api, account: account.foods.get(is_meal=True).tick("2026-05-05"),
    "supplement_logs": lambda api, account: created(
        api.post(
            f"/supplements/{account.supplements.create(name='Zinc', dosage='', time='22:00').pk}/logs",
            {"day": "2026-05-05"},
        )
    ),
}


def plan_of(api):
    return next(one["id"] for one in everything(api, "plans") if one["active"])


@pytest.mark.parametrize("name", LATER)
def test_an_archive_of_an_account_that_is_used_meanwhile_is_restored(filled, account, newcomer, name):
    rule = {"weekday": 1, "position": 0, "exercise_id": "barbell-bench-press", "kind": "linear"}
    created(filled.put(f"/plans/{plan_of(filled)}/progression", {"rules": [rule]}))
    pieces = []
    for piece in exports.archive_pieces(account):
        if piece == f',"{name}":['.encode():
            LATER[name](filled, account)
        pieces.append(piece)
    imported(newcomer, as_file(b"".join(pieces)))
    assert newcomer.workouts.count() == 2


def test_an_update_ends_a_merge_that_is_half_done(filled, page, newcomer):
    """Merges were imports of archives into filled accounts; what they had not stored counted for ever."""
    ran = read(newcomer, as_file(exported(page)))
    importing.begin_storing(ran.run)
    import_module("accounts.migrations.0004_end_merges_of_archives").end_merges(apps, None)
    ran.run.refresh_from_db()
    assert (ran.run.state, ran.run.stored_bytes) == ("done", 500 * ran.run.items.count())
    assert not ran.run.items.exclude(payload="").exists()
    assert newcomer.state.stored.get().file_bytes == ran.run.stored_bytes


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"{", "not valid JSON"),
        (b'{"format": NaN}', "not valid JSON"),
        (b'{"format": 1e999}', "not valid JSON"),
        (b'{"a": 1, "a": 2}', "not valid JSON"),
        (b'{"a": "\\u0000"}', "a string holds a NUL character"),
        (b'{"a":' * 40 + b"1" + b"}" * 40, "nested deeper than 32 levels"),
        (b"[]", "is an object"),
        (b"{}", 'its "format" is not'),
        (b'{"format": {"name": "other", "version": 1}}', 'its "format" is not'),
        (b'{"format": {"name": "fitness-account", "version": 2}}', "is of version 2, and this service reads"),
        (b'{"format": {"name": "fitness-account", "version": true}}', "is of version"),
        (b'{"format": {"name": "fitness-account"}}', "is of version"),
        (b" " * 60_000_001, "larger than 60 MB"),
        (b"PK nonsense", "cannot be unpacked"),
    ],
)
def test_what_is_no_archive_is_refused_in_a_sentence(text, sentence):
    with pytest.raises(Unreadable, match=sentence) as error:
        list(archive.read(as_file(text), Findings()))
    assert str(error.value).endswith(".")


def test_lists_without_a_format_are_no_archive(page):
    document = archive_of(page)
    del document["format"]
    with pytest.raises(Unreadable, match='its "format" is not'):
        list(archive.read(as_file(document), Findings()))


def test_a_bomb_of_a_zip_is_refused():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("fitness.json", b" " * 70_000_000)
    with pytest.raises(Unreadable, match="larger than 60 MB"):
        list(archive.read(packed, Findings()))


def test_other_files_are_no_archives():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("Nutrition.csv", "Date")
    files = (packed, as_file(b"Date,Weight\r\n"), as_file(b""), as_file(b"PK"), as_file(b"\xef\xbb\xbfDate"))
    assert [archive.is_archive(file) for file in files] == [False] * 5
    assert archive.is_archive(as_file(b'\xef\xbb\xbf {"format"'))


@pytest.mark.parametrize(("bound", "name"), [("MAX_WORKOUTS", "workouts"), ("MAX_RECORDS", "goals")])
def test_too_many_records_are_for_the_command(monkeypatch, page, bound, name):
    monkeypatch.setattr(archive, bound, 1)
    document = {**archive_of(page), name: [{"id": "a"}, {"id": "b"}]}
    with pytest.raises(Unreadable, match="import_data"):
        list(archive.read(as_file(document), Findings()))
    assert len(list(archive.read(as_file(document), Findings(), is_limited=False))) == 3


def test_the_longest_name_of_an_exercise_comes_back(page, account, newcomer):
    ExerciseName.objects.choose(account, "x" * 20, {"y" * 200: "note"})
    imported(newcomer, as_file(exported(page)))
    assert newcomer.exercise_names.get().name == "y" * 200


def test_habits_of_exercises_that_were_merged_since_become_one(page, account, newcomer):
    habits = {"barbell-back-squat": Habit(setup="Low bar"), "barbell-deadlift": Habit(setup="Straps")}
    ExerciseHabit.objects.remember(account, habits)
    archived = exported(page)
    Exercise.objects.get(pk="barbell-deadlift").merge_into(Exercise.objects.get(pk="barbell-back-squat"))
    imported(newcomer, as_file(archived))
    assert newcomer.exercise_habits.get().setup == "Low bar"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_an_archive_is_read_in_each_encoding_with_a_mark_or_without(api, page, newcomer, encoding):
    api.post("/workouts", workout(title="Rücken 💪"))
    imported(newcomer, io.BytesIO(exported(page).decode().encode(encoding)))
    assert newcomer.workouts.get().title == "Rücken 💪"


def test_unknown_resources_are_named_and_skipped(page, newcomer):
    ran = imported(newcomer, ours(page, moods=[{"id": "1"}]))
    (change,) = ran.findings.changes()
    assert (change.column, change.text) == ("moods", "is not known to this service, and is left out")


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"plans": 5}, (1, "plans", "columns")),
        ({"goals": [7]}, (1, "goals", "columns")),
        ({"goals": [{"target_weight_kg": 80}]}, (1, "goals", "columns")),
        ({"goals": [{"id": "1", "target_weight_kg": "80"}]}, (1, "goals: target_weight_kg", "number")),
        ({"goals": [{"id": "1", "mood": 1}]}, (1, "goals: mood", "number")),
        ({"goals": [{"id": "1", "created_at": "yesterday"}]}, (1, "goals: created_at", "number")),
        ({"measurements": [{"id": "1"}]}, (1, "measurements", "number")),
        ({"supplements": [{"id": "1", "name": "a", "time": "25:00"}]}, (1, "supplements: time", "number")),
        ({"routines": [{"id": "1", "name": "a"}]}, (1, "routines: exercises", "number")),
        ({"plans": [{"id": "1", "name": "a", "days": []}]}, (1, "plans: days", "number")),
        ({"workouts": [{"id": "1", "exercises": [{}]}]}, (1, "workouts: started_at", "number")),
    ],
)
def test_a_broken_record_is_refused_and_named(page, newcomer, changes, problem):
    ran = read(newcomer, ours(page, **changes))
    (found,) = ran.findings.problems()
    assert (found.line, found.column, found.code) == problem
    assert ran.rows["refused"] == 1
    with pytest.raises(importing.Busy, match="a record of it is refused"):
        importing.begin_storing(ran.run)


@pytest.mark.parametrize(
    "value", [7, [], {}, None, True, "", "x" * 100, "{0198c1a0-0000-4000-8000-000000000000}"]
)
@pytest.mark.parametrize("name", ["workouts", "plans", "own_exercises", "supplements", "progression_steps"])
@pytest.mark.usefixtures("page")  # with the other tests of pages, on SQLite alone
def test_whatever_an_id_is_ends_in_a_sentence_or_a_record(archive_of_somebody, newcomer, name, value):
    archived = copy.deepcopy(archive_of_somebody)
    archived["own_exercises"] = [{"id": 1, "name": "A", "muscle_group": "Legs", "equipment": "Band"}]
    archived["progression_steps"] = [{"workout_id": 1, "rule_id": 1, "plan_id": None, "routine_id": None}]
    for record in archived[name]:
        record.update({key: value for key in record if key == "id" or key.endswith("_id")})
    try:
        ran = read(newcomer, as_file(archived))
        importing.begin_storing(ran.run)
        steps.go_on_to_the_end(ran.run)
    except (Unreadable, importing.Busy):
        assert left(newcomer) == []
    else:
        assert ran.run.state == "done"


def test_a_repeated_record_is_stored_once(page, newcomer):
    goal = {"id": "1", "target_weight_kg": 80}
    ran = imported(newcomer, ours(page, goals=[goal, goal]))
    assert (newcomer.goals.count(), ran.rows["duplicate"]) == (1, 1)


def test_two_ticks_of_a_day_are_one(page, newcomer):
    creatine = {"id": "1", "name": "Creatine", "time": "08:00"}
    logs = [{"id": str(n), "supplement_id": "1", "day": "2026-03-02"} for n in range(2)]
    ran = imported(newcomer, ours(page, supplements=[creatine], supplement_logs=logs))
    assert (newcomer.supplement_logs.count(), ran.rows["duplicate"]) == (1, 1)


def test_a_time_of_creation_that_is_still_to_come_is_not_believed(page, newcomer):
    goals = [
        {"id": str(n), "target_weight_kg": 80 + n, "created_at": "2999-01-01T00:00:00Z"} for n in range(3)
    ]
    imported(newcomer, ours(page, goals=goals))
    newcomer.goals.set_for(newcomer, {"target_weight_kg": 60})
    targets = [goal["target_weight_kg"] for goal in everything(client_of(newcomer), "goals")]
    assert targets == [60, 82, 81, 80]


@pytest.mark.parametrize(
    ("profile", "columns"),
    [
        ({"height_cm": 5000, "goal": "cut"}, ["profile: height_cm"]),
        ({"birth_date": 5, "gender": [], "goal": "cut"}, ["profile: birth_date", "profile: gender"]),
        ({"display_name": "x" * 201, "goal": "cut"}, ["profile: display_name"]),
    ],
)
def test_a_broken_part_of_the_profile_is_left_out(page, newcomer, profile, columns):
    ran = imported(newcomer, ours(page, profile=profile))
    assert [change.column for change in ran.findings.changes()] == columns
    newcomer.refresh_from_db()
    assert (newcomer.goal, newcomer.height_cm, newcomer.display_name) == ("cut", None, "")


def lacking(entry):
    return {**entry, "exercise_id": "ohio-state", "name": "Ohio State"}


def test_an_unknown_exercise_becomes_one_of_the_account_s_own_with_all_its_sets(page, newcomer):
    entry = lacking({"muscle_group": "Legs", "notes": "", "superset_id": None, "sets": [a_set(40, 12)]})
    body = {**workout(), "id": str(uuid4()), "exercises": [entry]}
    routine = {"id": "1", "name": "A", "exercises": [lacking({**planned(), "equipment": "Cable"})]}
    habit, lost = {"exercise_id": "ohio-state", "rest_seconds": 60}, {"exercise_id": "dumbbell-moon-walk"}
    file = ours(page, workouts=[body], routines=[routine], exercise_habits=[habit], exercise_pins=[lost])
    ran = imported(newcomer, file)
    ohio, moon = Exercise.objects.owned_by(newcomer).order_by("-name")
    assert (ohio.name, ohio.muscle_group, ohio.equipment) == ("Ohio State", "Legs", "Cable")
    assert (moon.name, moon.equipment) == ("Dumbbell moon walk", "Dumbbell")
    (stored,) = everything(client_of(newcomer), "workouts")
    (first,) = stored["exercises"]
    assert (first["exercise_id"], first["sets"][0]["reps"]) == (ohio.pk, 12)
    assert newcomer.routines.get().exercises[0]["exercise_id"] == ohio.pk
    assert newcomer.exercise_habits.get().exercise_id == ohio.pk
    assert newcomer.exercise_pins.get().exercise_id == moon.pk
    assert [change.column for change in ran.findings.changes()] == ["own_exercises"] * 2


def test_what_belongs_to_two_exercises_that_are_one_here_is_one(page, newcomer):
    own = {
        "id": "own-1",
        "name": "Pull-Up",
        "muscle_group": "Back",
        "equipment": "Bodyweight",
        "is_assisted": False,
    }
    both = [{"exercise_id": pk, "rest_seconds": 60} for pk in ("own-1", "pull-up")]
    pins = [{"exercise_id": one["exercise_id"]} for one in both]
    imported(newcomer, ours(page, own_exercises=[own], exercise_habits=both, exercise_pins=pins))
    assert newcomer.exercise_habits.get().exercise_id == newcomer.exercise_pins.get().exercise_id == "pull-up"


def test_ids_in_other_letters_are_other_ids(page, newcomer):
    pk = str(uuid4())
    goals = [{"id": one, "target_weight_kg": 80} for one in (pk, pk.upper(), f"{{{pk}}}")]
    imported(newcomer, ours(page, goals=goals))
    assert newcomer.goals.count() == 3


def test_more_own_exercises_than_an_account_may_have_are_refused(page, newcomer):
    entries = [lacking({"notes": "", "superset_id": None, "sets": []}) for _ in range(205)]
    for number, entry in enumerate(entries):
        entry.update(exercise_id=f"lift-{number}", name=f"Lift {number}")
    bodies = [{**workout(), "id": str(uuid4()), "exercises": entries[n : n + 40]} for n in range(0, 205, 40)]
    ran = read(newcomer, ours(page, workouts=bodies))
    assert len(ran.refused) == 5
    assert "beyond the 200" in ran.findings.problems().first().text


FOOD = {"name": "Oats", **MACROS}
BOUNDED = {
    "supplements": [{"id": str(n), "name": "Zinc", "time": "08:00"} for n in range(101)],
    "foods": [{"id": str(n), **FOOD} for n in range(501)],
    "exercise_pins": [{"exercise_id": exercise_id} for exercise_id in SEVEN],
}


@pytest.mark.parametrize("name", BOUNDED)
def test_more_of_what_one_page_shows_than_an_account_may_have_is_refused(page, newcomer, name):
    ran = read(newcomer, ours(page, **{name: BOUNDED[name]}))
    problem = ran.findings.problems().get()
    assert (problem.line, problem.column, problem.code) == (len(BOUNDED[name]), name, "too_many")
    assert problem.text


def test_pins_of_an_archive_are_added_up_to_those_that_an_account_may_have(page, newcomer):
    newcomer.exercise_pins.create(exercise_id="plank")
    imported(newcomer, ours(page, exercise_pins=BOUNDED["exercise_pins"][:6]))
    assert newcomer.exercise_pins.count() == 6
    assert newcomer.exercise_pins.filter(exercise_id="plank").exists()


@pytest.mark.parametrize(
    "entry", [{"exercise_id": "pull-up", "sets": 5}, {"exercise_id": []}, {"exercise_id": None}, 5]
)
def test_a_broken_entry_of_a_workout_is_refused(page, newcomer, entry):
    body = {**workout(), "id": "1", "exercises": [entry]}
    ran = read(newcomer, ours(page, workouts=[body]))
    assert ran.refused == [("workouts", "1")]


def test_a_step_takes_the_same_statements_for_any_number_of_records(page, newcomer, monkeypatch):
    monkeypatch.setattr(steps, "RESTORED_AT_ONCE", 200)
    targets = count(60)

    def document(records):
        ids = [str(uuid4()) for _ in range(records)]
        day = {"day": "2026-03-02", "logged_at": "2026-03-02T00:00:00Z", **MACROS}
        return ours(
            page,
            plans=[{"id": pk, "name": pk, "days": week(planned())} for pk in ids],
            routines=[{"id": pk, "name": pk, "exercises": [planned()]} for pk in ids],
            goals=[{"id": pk, "target_weight_kg": next(targets)} for pk in ids],
            measurements=[{"id": pk, "waist_cm": 80} for pk in ids],
            nutrition=[day],
            foods=[{"id": pk, "name": pk, **MACROS} for pk in ids],
            food_entries=[{"id": pk, "food_id": pk, "day": "2026-03-02", **MACROS} for pk in ids],
            supplements=[{"id": pk, "name": pk, "time": "08:00"} for pk in ids],
            supplement_logs=[{"id": pk, "supplement_id": pk, "day": "2026-03-02"} for pk in ids],
        )

    def executed(records):
        ran = read(AccountFactory(display_name=""), document(records))
        importing.begin_storing(ran.run)
        with statements() as found:
            has_more = steps.step(ran.run)
        assert (has_more, ran.items("new"), ran.refused) == (True, {}, [])
        return len(found)

    executed(1)
    assert executed(2) == executed(12)
