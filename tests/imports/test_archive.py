"""Coming back with an archive: what was exported is there again."""

import io
import zipfile
from collections import Counter
from itertools import count
from uuid import uuid4

import orjson
import pytest
from django.utils import timezone

from accounts.models import Account
from fitness.imports.findings import Findings
from fitness.imports.tables import Unreadable
from fitness.site.data import archive, importing
from fitness.site.data.reading import Options
from tests.conftest import a_set, client_of, freshly_signed_in, statements
from tests.factories import AccountFactory
from tests.imports.accounts import (
    archive_of,
    created,
    everything,
    exported,
    fill,
    planned,
    week,
    workout,
)
from tests.imports.steps import ANSWERS, imported, read, work
from training.models import Exercise, ExerciseHabit, ExerciseName
from training.models.exercise_habit import Habit


@pytest.fixture
def filled(account):
    Account.objects.filter(pk=account.pk).update(height_cm=181.5, birth_date="1990-05-17", goal="cut")
    return fill(account)


@pytest.fixture
def newcomer(db):
    return AccountFactory(email="newcomer@example.org", display_name="")


MACROS = {"calories": 1, "protein_g": 1, "carbs_g": 1, "fat_g": 1}


def as_file(document):
    return io.BytesIO(document if isinstance(document, bytes) else orjson.dumps(document))


def ours(page, **changes):
    """The archive of a page with some lists replaced."""
    return as_file({**archive_of(page), **changes})


# --- There and back ----------------------------------------------------------------------------------


def test_references_lead_to_the_new_records(filled, page, newcomer):
    imported(newcomer, as_file(exported(page)))
    api = client_of(newcomer)
    later, earlier = everything(api, "workouts")
    assert later["plan_id"] is None
    assert earlier["plan_id"] == next(one["id"] for one in everything(api, "plans") if one["name"] == "New")
    (log,) = everything(api, "logs")
    assert log["supplement_id"] == everything(api, "supplements")[0]["id"]
    newcomer.meals.get().untick("2026-03-03")
    assert newcomer.nutrition_days.get(day="2026-03-03").calories == 0


def test_plans_come_back_with_their_history(filled, page, newcomer):
    imported(newcomer, as_file(exported(page)))
    former = newcomer.plans.get(name="Older")
    assert [change["kind"] for change in former.history] == ["retired", "replaced"]
    assert newcomer.plans.active().get().name == "New"


def test_goals_and_routines_keep_their_order(filled, page, newcomer):
    imported(newcomer, as_file(exported(page)))
    api = client_of(newcomer)
    assert [goal["target_weight_kg"] for goal in everything(api, "goals")] == [80, 75, 80]
    assert [routine["name"] for routine in everything(api, "routines")] == ["B", "A"]


def test_equal_records_are_all_stored_whatever_the_size_of_a_step(filled, page, newcomer, monkeypatch):
    created(filled.post("/workouts", workout()))
    created(filled.post("/body/weight", {"weight_kg": 82.4, "logged_at": "2026-03-01T06:45:30Z"}))
    monkeypatch.setattr(importing, "ITEMS_AT_ONCE", 1)
    about = {"target_weight_kg": 80, "deadline": "2026-12-31", "start_weight_kg": 82.4}
    newcomer.goals.create(created_at=timezone.now(), **about)
    archived = exported(page)
    first = imported(newcomer, as_file(archived))
    numbers = [newcomer.goals.count(), newcomer.workouts.count(), newcomer.weight_logs.count()]
    assert (numbers, len(first.there)) == ([3, 3, 3], 1)
    assert imported(newcomer, as_file(archived)).stored == {}
    assert first.undo() == []
    assert left(newcomer) == ["goals"]


def test_a_record_that_was_changed_since_is_left_alone(filled, page, account):
    archived = exported(page)
    supplement = account.supplements.get()
    account.supplements.update(dosage="3 g")
    routine = account.routines.get(name="A")
    routine.replace({"name": "A", "focus": "Arms", "exercises": []})
    account.exercise_names.filter(name="Yoga").update(fate="note")
    account.exercise_habits.update(setup="Seat 5")
    created(filled.put("/nutrition/2026-03-02", {**MACROS, "calories": 1000}))
    ran = imported(account, as_file(archived))
    changed = {("supplement", str(supplement.pk)), ("routine", str(routine.pk))}
    assert ran.differs == {
        **dict.fromkeys(changed, "was changed since"),
        ("nutrition", "2026-03-02"): "has 2850 kcal in the file, 1000 here",
        ("exercise_name", "strong Yoga"): "means something else here",
        ("exercise_habit", "barbell-back-squat"): "is another one here",
    }
    assert ran.stored == {}


def test_what_the_account_has_stays_and_the_newest_goal_stays_the_current_one(filled, page, newcomer):
    api = client_of(newcomer)
    api.post("/plans", {"name": "Mine", "days": week(), "active": True})
    api.post("/goals", {"target_weight_kg": 60})
    Account.objects.filter(pk=newcomer.pk).update(height_cm=170)
    imported(newcomer, as_file(exported(page)))
    assert newcomer.plans.active().get().name == "Mine"
    assert newcomer.goals.current().target_weight_kg == 60
    newcomer.refresh_from_db()
    assert (newcomer.height_cm, str(newcomer.birth_date), newcomer.goal) == (170, "1990-05-17", "cut")


def test_ticks_are_not_stored_with_a_day_that_is_another_one(filled, page, newcomer):
    """The totals of such a day do not hold what the ticks have added."""
    newcomer.nutrition_days.create(day="2026-03-02", logged_at="2026-03-02T00:00:00Z", **MACROS)
    imported(newcomer, as_file(exported(page)))
    assert [str(tick.day) for tick in newcomer.meal_ticks.select_related("nutrition_day")] == ["2026-03-03"]


# --- Taking it back ----------------------------------------------------------------------------------

MANAGERS = (
    *("workouts", "plans", "routines", "weight_logs", "measurements", "goals", "nutrition_days"),
    *("meals", "meal_ticks", "supplements", "supplement_logs", "exercise_names", "exercise_pins"),
    *("nutrition_targets", "exercise_habits"),
)


def left(account):
    return [name for name in MANAGERS if getattr(account, name).exists()]


def test_undo_keeps_what_was_changed_or_is_in_use(filled, page, newcomer):
    ran = imported(newcomer, as_file(exported(page)))
    api = client_of(newcomer)
    earlier = everything(api, "workouts")[-1]
    created(api.put(f"/workouts/{earlier['id']}", workout(title="Mine", plan_id=earlier["plan_id"])))
    newcomer.weight_logs.filter(logged_at__day=1).update(weight_kg=90)
    created(api.put("/nutrition/2026-03-02", {**MACROS, "calories": 1000}))
    plan = newcomer.plans.get(name="Older")
    created(api.put(f"/plans/{plan.pk}", {"name": "Mine now", "days": week(planned())}))
    creatine = newcomer.supplements.get()
    created(api.post(f"/supplements/{creatine.pk}/logs", {"day": "2026-05-05"}))
    newcomer.meals.get().tick("2026-05-05")
    newcomer.measurements.filter(waist_cm=81).update(waist_cm=85)
    newcomer.exercise_names.filter(name="Yoga").update(fate="note")
    Account.objects.filter(pk=newcomer.pk).update(height_cm=182)
    kept = Counter(kind for kind, _ in ran.undo())
    one_each = ("workout", "weight", "nutrition", "measurement", "supplement", "meal", "exercise_name")
    assert kept == {"plan": 2, "profile": 1, **dict.fromkeys(one_each, 1)}
    assert newcomer.workouts.get().title == "Mine"
    assert {one.name for one in newcomer.plans.all()} == {"Mine now", "New"}  # the workout is of the new one
    newcomer.refresh_from_db()
    assert (newcomer.height_cm, newcomer.birth_date, newcomer.goal) == (182, None, "maintain")
    assert ran.undo(changed_too=True) == []
    assert left(newcomer) == ["nutrition_days"]
    assert str(newcomer.nutrition_days.get().day) == "2026-05-05"


@pytest.mark.django_db(transaction=True)
def test_workouts_of_a_plan_that_is_taken_back_keep_its_name(account):
    fill(account)
    newcomer = AccountFactory(email="newcomer@example.org")
    ran = imported(newcomer, as_file(exported(freshly_signed_in(account))))
    api = client_of(newcomer)
    plan = newcomer.plans.get(name="New")
    created(api.post("/workouts", workout(title="Own", plan_id=str(plan.pk))))
    assert ran.undo() == [("plan", str(account.plans.get(name="New").pk))]
    assert ran.undo(changed_too=True) == []
    work()
    (own,) = everything(api, "workouts")
    assert (own["title"], own["plan_id"], own["plan_name"]) == ("Own", None, "New")
    assert not newcomer.plans.exists()


# --- What is refused ---------------------------------------------------------------------------------


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
        (b" " * 20_000_001, "larger than 20 MB"),
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
        file.writestr("fitness.json", b" " * 30_000_000)
    with pytest.raises(Unreadable, match="larger than 20 MB"):
        list(archive.read(packed, Findings()))


def test_other_files_are_no_archives():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("Nutrition.csv", "Date")
    files = (packed, as_file(b"Date,Weight\r\n"), as_file(b""), as_file(b"PK"), as_file(b"\xef\xbb\xbfDate"))
    assert [archive.is_archive(file) for file in files] == [False] * 5
    assert archive.is_archive(as_file(b'\xef\xbb\xbf {"format"'))


def test_too_many_records_are_for_the_command(monkeypatch, page):
    monkeypatch.setattr(archive, "MAX_WORKOUTS", 1)
    document = {**archive_of(page), "workouts": [{"id": "a"}, {"id": "b"}]}
    with pytest.raises(Unreadable, match="import_data"):
        list(archive.read(as_file(document), Findings()))
    assert len(list(archive.read(as_file(document), Findings(), is_limited=False))) == 3


def test_the_command_reads_as_many_records_as_there_are(monkeypatch, page, account):
    monkeypatch.setattr(archive, "MAX_RECORDS", 1)
    file = ours(page, goals=[{"id": "a", "target_weight_kg": 80}, {"id": "b"}])
    with pytest.raises(Unreadable, match="import_data"):
        read(account, file)
    unlimited = Options(max_rows=None, max_records=None)
    assert importing.receive(account, file, "file", ANSWERS, unlimited).items.count() == 3


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
    unknown = {"exercise_id": "moon-walk", "rest_seconds": 60}
    assert len(imported(newcomer, ours(page, exercise_habits=[unknown])).refused) == 1


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
        ({"meal_ticks": [{"meal_id": "1", "day": "2026-03-02"}]}, (1, "meal_ticks: meal_id", "empty")),
        ({"supplements": [{"id": "1", "name": "a", "time": "25:00"}]}, (1, "supplements: time", "number")),
        ({"routines": [{"id": "1", "name": "a"}]}, (1, "routines: exercises", "number")),
        ({"plans": [{"id": "1", "name": "a", "days": []}]}, (1, "plans: days", "number")),
        ({"workouts": [{"id": "1", "exercises": [{}]}]}, (1, "workouts: started_at", "number")),
    ],
)
def test_a_broken_record_is_refused_and_named(page, newcomer, changes, problem):
    ran = imported(newcomer, ours(page, **changes))
    (found,) = ran.findings.problems()
    assert (found.line, found.column, found.code) == problem
    assert ran.rows["refused"] == 1
    assert left(newcomer) == []


def test_a_repeated_record_is_stored_once(page, newcomer):
    goal = {"id": "1", "target_weight_kg": 80}
    ran = imported(newcomer, ours(page, goals=[goal, goal]))
    assert (newcomer.goals.count(), ran.rows["duplicate"]) == (1, 1)


def test_two_ticks_of_a_day_are_one(page, newcomer):
    creatine = {"id": "1", "name": "Creatine", "time": "08:00"}
    logs = [{"id": str(n), "supplement_id": "1", "day": "2026-03-02"} for n in range(2)]
    ran = imported(newcomer, ours(page, supplements=[creatine], supplement_logs=logs))
    assert newcomer.supplement_logs.count() == 1
    assert ran.undo() == []


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


# --- Exercises that the catalogue lacks --------------------------------------------------------------


def lacking(entry):
    return {**entry, "exercise_id": "ohio-state", "name": "Ohio State"}


def test_a_workout_keeps_an_unknown_exercise_as_a_note(page, newcomer):
    body = {**workout(), "id": str(uuid4()), "notes": "Slept well"}
    body["exercises"] = [
        lacking({"notes": "hard", "superset_id": None, "sets": [a_set(40, 12), a_set(42.5, 10)]}),
        {"exercise_id": "pull-up", "sets": [a_set(0, 8)]},
    ]
    ran = imported(newcomer, ours(page, workouts=[body]))
    (stored,) = everything(client_of(newcomer), "workouts")
    assert stored["notes"] == "Slept well\nOhio State: 40 kg × 12, 42.5 kg × 10, hard"
    assert [entry["exercise_id"] for entry in stored["exercises"]] == ["pull-up"]
    assert ran.findings.changes().get().column == "workouts: exercises[0]"


def test_plans_and_routines_go_without_an_unknown_exercise(page, newcomer):
    entries = [lacking(planned()), planned()]
    routine = {"id": "1", "name": "A", "exercises": entries}
    plan = {"id": "2", "name": "P", "days": week(*entries)}
    ran = imported(newcomer, ours(page, routines=[routine], plans=[plan]))
    assert [one["exercise_id"] for one in newcomer.routines.get().exercises] == ["barbell-bench-press"]
    assert len(newcomer.plans.get().days[0]["exercises"]) == 1
    assert {change.column for change in ran.findings.changes()} == {"plans: days", "routines: exercises"}


@pytest.mark.parametrize(
    "entry", [{"exercise_id": "ohio-state"}, {"exercise_id": []}, {"exercise_id": None}, 5]
)
def test_a_broken_entry_of_a_workout_is_refused(page, newcomer, entry):
    body = {**workout(), "id": "1", "exercises": [entry]}
    ran = imported(newcomer, ours(page, workouts=[body]))
    assert ran.refused == [("workout", "1")]


# --- How much it asks of the database ----------------------------------------------------------------


def test_a_step_takes_the_same_statements_for_any_number_of_records(page, newcomer, monkeypatch):
    monkeypatch.setattr(importing, "ITEMS_AT_ONCE", 200)
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
            meals=[{"id": pk, "name": pk, **MACROS} for pk in ids],
            meal_ticks=[{"meal_id": pk, "day": "2026-03-02", **MACROS} for pk in ids],
            supplements=[{"id": pk, "name": pk, "time": "08:00"} for pk in ids],
            supplement_logs=[{"id": pk, "supplement_id": pk, "day": "2026-03-02"} for pk in ids],
        )

    def executed(records):
        file = document(records)
        ran = read(newcomer, file)
        with statements() as found:
            has_more = importing.step(ran.run)
        assert (has_more, ran.items("new"), ran.refused, ran.differs) == (True, {}, [], {})
        importing.go_on_to_the_end(ran.run)
        newcomer.nutrition_days.all().delete()
        return len(found)

    executed(1)  # fills the profile
    assert executed(2) == executed(12)


def test_targets_that_are_there_stay(filled, page, newcomer):
    newcomer.nutrition_targets.create(calories=2000)
    ran = imported(newcomer, ours(page))
    assert newcomer.nutrition_targets.get().calories == 2000
    assert ran.differs == {("nutrition_targets", "only"): "are others here, which stay"}
