"""Rules of plans and their steps in archives: each rule goes on where it was."""

import datetime
import io

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fitness.json import timestamp
from tests.conftest import a_set, a_workout, client_of, freshly_signed_in
from tests.factories import AccountFactory
from tests.imports.accounts import archive_of
from tests.imports.steps import imported
from tests.training.test_plan_histories import MONDAY, RULES, days, sets
from tests.training.test_plan_progression import BENCH, SQUAT, Coach, rule
from tests.training.test_plans import an_exercise
from training.api.serializers.workout import WorkoutSerializer
from training.models import Exercise, Workout
from training.progression.plans import Begun

WEEKS = [{"sets": 3, "reps": 5, "percent": 80}, {"sets": 3, "reps": 3, "percent": 90, "open": True}]
STAGES = {"kind": "stages", "stages": [{"sets": 3, "reps": 8}, {"sets": 6, "reps": 2}]}
CURL, ROW = "dumbbell-curl", "bent-over-barbell-row"
NEXT = [
    ("62.5: 8, 8, 8", BENCH),
    ("90: 3, 3, 5", SQUAT),
    ("60: 8, 8, 8", ROW),
    ("60: 8, 8, 7", CURL),
]


@pytest.fixture
def trained(api):
    """A plan with a rule of each kind, and a week that followed it."""
    lifts = [BENCH, SQUAT, ROW, CURL, "pull-up"]
    coach = Coach(api).plan(monday=[an_exercise(exercise_id=one) for one in lifts])
    coach.rules(
        rule(),
        rule(position=1, exercise_id=SQUAT, kind="wave", weeks=WEEKS, training_max_kg=100),
        rule(position=2, exercise_id=ROW, **STAGES),
        rule(position=3, exercise_id=CURL, kind="effort"),
        rule(position=4, exercise_id="pull-up", kind="double", reps_from=6, reps_to=9, increment_kg=0),
        deload_every=6,
        deload_percent=80,
    )
    coach.lift("60: 8, 8, 8")
    coach.lift("80: 5, 5, 5", 1, SQUAT)
    coach.lift("60: 8, 8, 5", 2, ROW)
    coach.lift("60: 8, 8, 8", 3, CURL, rpe=9)
    return coach


@pytest.fixture
def newcomer(db):
    return AccountFactory(email="newcomer@example.org")


def moved(newcomer):
    """The newcomer's plan, which an import has stored."""
    coach = Coach(client_of(newcomer))
    coach.path = f"/plans/{newcomer.plans.get().pk}"
    return coach


def as_file(document):
    return io.BytesIO(orjson.dumps(document))


def what_shows(coach):
    """Everything of a plan's progression but ids."""
    rules = coach.api.get(f"{coach.path}/progression").json()
    left_out = ("id", "workout_id")
    steps = [{name: step[name] for name in step if name not in left_out} for step in coach.steps]
    return coach.stored["days"], rules, steps


def test_rules_and_steps_come_back_and_go_on(trained, page, newcomer):
    ran = imported(newcomer, as_file(archive_of(page)))
    assert [(f.column, f.value, f.text) for f in ran.findings.all()] == []
    assert (ran.refused, ran.differs) == ([], {})
    came = moved(newcomer)
    assert len(came.steps) == 4
    assert what_shows(came) == what_shows(trained)
    for coach in (trained, came):
        for day, (text, exercise_id) in enumerate(NEXT, 7):
            coach.lift(text, day, exercise_id)
    assert len(came.steps) == 8
    assert what_shows(came) == what_shows(trained)


def test_rules_of_a_routine_come_along(api, account, page, newcomer):
    body = {"name": "Push", "focus": "", "exercises": [an_exercise()]}
    routine_id = api.post("/routines", body).json()["id"]
    path = f"/routines/{routine_id}/progression"
    assert (
        api.put(path, {"rules": [{"position": 0, "exercise_id": BENCH, "kind": "linear"}]}).status_code == 200
    )
    values = WorkoutSerializer.validated(a_workout(*[a_set(60, 8)] * 3), {"account": account})
    (one,) = account.routines.get().progressions.followed
    begun = Begun(routine_id=account.routines.get().pk, held=frozenset([one.id]))
    Workout.objects.log(account, values, begun=begun)
    ran = imported(newcomer, as_file(archive_of(page)))
    assert (ran.refused, ran.differs) == ([], {})
    came = newcomer.routines.get()
    assert came.progressions.followed[0].state == account.routines.get().progressions.followed[0].state
    (step,) = newcomer.progression_steps.all()
    assert (step.kind, step.is_held, step.routine_id) == ("held_by_you", True, came.pk)
    assert client_of(newcomer).get(f"/routines/{came.pk}/progression").json() == api.get(path).json()
    assert imported(newcomer, as_file(archive_of(page))).stored == {}


def test_a_workout_that_came_along_is_folded_again_when_it_changes(trained, page, newcomer):
    imported(newcomer, as_file(archive_of(page)))
    for account_api, coach in ((trained.api, trained), (client_of(newcomer), moved(newcomer))):
        first = account_api.get("/workouts", limit=100).json()["workouts"][-1]
        assert account_api.delete(f"/workouts/{first['id']}").status_code == 204
        assert coach.targets() == ["3×8 60"]
        assert len(coach.steps) == 3


def test_rules_that_a_plan_has_here_stay(trained, page, newcomer):
    document = archive_of(page)
    imported(newcomer, as_file({**document, "plan_progressions": [], "progression_steps": []}))
    here = moved(newcomer)
    here.rules(rule(increment_kg=5))
    ran = imported(newcomer, as_file(document))
    assert [text for (kind, _), text in ran.differs.items() if kind == "plan_progression"] == [
        "has other rules here"
    ]
    (one,) = here.api.get(f"{here.path}/progression").json()["rules"]
    assert one["increment_kg"] == 5
    assert here.steps == []


def test_a_rule_of_an_exercise_that_the_catalogue_lacks_is_left_out(trained, page, newcomer):
    document = archive_of(page)
    text = orjson.dumps(document).replace(b'"dumbbell-curl"', b'"nobody-knows"')
    imported(newcomer, io.BytesIO(text))
    came = moved(newcomer)
    kinds = {one["exercise_id"] for one in came.api.get(f"{came.path}/progression").json()["rules"]}
    assert CURL not in kinds
    assert BENCH in kinds


def test_a_merged_exercise_takes_its_rule_along(trained, page, newcomer):
    document = archive_of(page)
    Exercise.objects.get(pk=CURL).merge_into(Exercise.objects.get(pk="alternating-hammer-curl"))
    imported(newcomer, as_file(document))
    came = moved(newcomer)
    rules = came.api.get(f"{came.path}/progression").json()["rules"]
    assert "alternating-hammer-curl" in {one["exercise_id"] for one in rules}


def change(path, value):
    """A function that replaces what is at a path of an archive."""

    def changed(document):
        *way, last = path
        place = document
        for part in way:
            place = place[part]
        place[last] = value
        return document

    return changed


RULE = ("plan_progressions", 0, "rules", 0)
STEP = ("progression_steps", 0)
WRONG = {
    "a negative weight": (*RULE, "state", "target", "weight_kg", -1),
    "a stage that the rule lacks": ("plan_progressions", 0, "rules", 2, "state", "stage", 5),
    "a week that the rule lacks": ("plan_progressions", 0, "rules", 1, "state", "week", 3),
    "an id that is none": (*RULE, "id", "first"),
    "no entries": (*RULE, "entries", []),
    "a kind that nobody knows": (*RULE, "entries", 0, "kind", "hope"),
    "an entry that does not exist": (*RULE, "entries", 0, "position", 4),
    "a text for the fold": (*RULE, "fold", "1"),
    "a list for the state": (*RULE, "state", []),
    "a reason that nobody knows": (*STEP, "why", "luck"),
    "a step of a huge weight": (*STEP, "lifts", 0, "weight_kg", 1e300),
    "a step of another rule": (*STEP, "rule_id", "0198c1a0-0000-4000-8000-000000000000"),
    "a step of no workout": (*STEP, "workout_id", "nothing"),
    "a step without a day": (*STEP, "weekday", None),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_left_out_and_named(wrong, trained, page, newcomer):
    *path, value = wrong
    ran = imported(newcomer, as_file(change(path, value)(archive_of(page))))
    assert newcomer.plans.count() == 1
    assert newcomer.workouts.count() == 4
    assert newcomer.progression_steps.count() < 4
    assert ran.refused or ran.findings.exists()
    assert freshly_signed_in(newcomer).get(f"/plans/{newcomer.plans.get().pk}").status_code == 200


# --- What differs from what an archive has -----------------------------------------------------------


def test_an_older_archive_leaves_the_rules_that_have_moved_since(trained, page, account):
    older = archive_of(page)
    trained.lift("62.5: 8, 8, 8", 7)
    before = what_shows(trained)
    ran = imported(account, as_file(older))
    assert ran.stored == {}
    assert ran.refused == []
    assert {kind for kind, _ in ran.differs} == {"plan", "plan_progression", "progression_step"}
    assert what_shows(trained) == before


def test_a_plan_that_comes_back_beside_the_older_one_has_rules_of_its_own(trained, page, account, newcomer):
    imported(newcomer, as_file(archive_of(page)))
    there = moved(newcomer)
    there.lift("62.5: 8, 8, 8", 7)
    imported(account, as_file(archive_of(freshly_signed_in(newcomer))))
    older, came = account.plans.order_by("id")
    ids = [{one.id for one in plan.progressions.followed} for plan in (older, came)]
    assert len(ids[0] | ids[1]) == 10
    back = Coach(trained.api)
    back.path = f"/plans/{came.pk}"
    assert (len(trained.steps), what_shows(back)) == (4, what_shows(there))
    back.lift("65: 8, 8, 8", 8)
    assert (back.targets(), trained.targets()) == (["3×8 67.5"], ["3×8 62.5"])
    assert (len(trained.steps), len(back.steps)) == (4, 6)


def test_undo_keeps_rules_that_somebody_has_changed(trained, page, newcomer):
    ran = imported(newcomer, as_file(archive_of(page)))
    here = moved(newcomer)
    here.rules(rule(increment_kg=5))
    assert {kind for kind, _ in ran.undo()} == {"plan", "plan_progression"}
    (one,) = here.api.get(f"{here.path}/progression").json()["rules"]
    assert one["increment_kg"] == 5
    assert ran.undo(changed_too=True) == []
    assert not newcomer.plans.exists()
    assert not newcomer.progression_steps.exists()


def test_undo_keeps_a_plan_that_somebody_gave_rules(trained, page, newcomer):
    ran = imported(newcomer, as_file({**archive_of(page), "plan_progressions": [], "progression_steps": []}))
    here = moved(newcomer)
    here.rules(rule())
    assert [kind for kind, _ in ran.undo()] == ["plan"]
    assert len(here.api.get(f"{here.path}/progression").json()["rules"]) == 1


def test_rules_follow_entries_that_move_up_where_an_exercise_is_unknown(trained, page, newcomer):
    text = orjson.dumps(archive_of(page)).replace(b'"barbell-bench-press"', b'"nobody-knows"')
    ran = imported(newcomer, io.BytesIO(text))
    came = moved(newcomer)
    rules = came.api.get(f"{came.path}/progression").json()["rules"]
    assert [(one["position"], one["exercise_id"]) for one in rules] == [
        *((0, SQUAT), (1, ROW), (2, CURL), (3, "pull-up"))
    ]
    assert len(came.steps) == 3
    assert {one.column for one in ran.findings.all()} >= {"rules of plans: rules", "plans: days"}


def test_a_plan_that_is_being_deleted_leaves_no_step_in_an_archive(trained, page, account):
    account.plans.update(deleted_at="2026-11-25T12:00:00Z", rules=None)
    document = archive_of(page)
    assert (document["plans"], document["plan_progressions"], document["progression_steps"]) == ([], [], [])


def test_rules_of_what_does_not_move_are_left_out(trained, page, newcomer):
    document = archive_of(page)
    for old, new in (("barbell-bench-press", "plank"), ("dumbbell-curl", "band-assisted-pull-up")):
        document = orjson.loads(orjson.dumps(document).replace(f'"{old}"'.encode(), f'"{new}"'.encode()))
    imported(newcomer, as_file(document))
    came = moved(newcomer)
    rules = came.api.get(f"{came.path}/progression").json()["rules"]
    assert [one["exercise_id"] for one in rules] == [SQUAT, ROW, "pull-up"]


@pytest.mark.parametrize(
    "wrong",
    [
        (*STEP, "lifts", []),
        ("progression_steps", 1, "before", "week", 5),
        ("progression_steps", 2, "after", "stage", 2),
        (*STEP, "fold", 2),
    ],
)
def test_a_step_that_its_rule_cannot_have_made_is_left_out(wrong, trained, page, newcomer):
    *path, value = wrong
    ran = imported(newcomer, as_file(change(path, value)(archive_of(page))))
    assert [kind for kind, _ in ran.refused] == ["progression_step"]
    api = client_of(newcomer)
    for stored in api.get("/workouts", limit=100).json()["workouts"]:
        kept = {name: stored[name] for name in ("plan_id", "started_at")}
        body = a_workout(a_set(40, 8), exercise_id=stored["exercises"][0]["exercise_id"], **kept)
        assert api.put(f"/workouts/{stored['id']}", body).status_code == 200
    assert len(moved(newcomer).steps) == 3


def test_two_rules_with_one_id_are_refused(trained, page, newcomer):
    document = archive_of(page)
    rules = document["plan_progressions"][0]["rules"]
    rules[1]["id"] = rules[0]["id"]
    ran = imported(newcomer, as_file(document))
    assert ("plan_progression", document["plans"][0]["id"]) in ran.refused


# --- Random histories ----------------------------------------------------------------------------------

LIFTS = (BENCH, SQUAT, ROW, "barbell-deadlift", "barbell-overhead-press")  # one for each kind of rule


MONTHS = st.lists(st.tuples(st.sampled_from(LIFTS), days, sets), min_size=1, max_size=8)


@pytest.mark.django_db
@pytest.mark.usefixtures("unlimited")
@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(MONTHS, MONTHS, st.sampled_from([None, 4, 5]), st.sampled_from(["kg", "lb"]))
def test_any_rules_go_on_where_they_were(before, after, deload_every, units):
    account, newcomer = AccountFactory(units=units), AccountFactory(units=units, display_name="")
    coach = Coach(client_of(account)).plan(monday=[an_exercise(exercise_id=one) for one in LIFTS])
    kinds = [rule(position=n, exercise_id=LIFTS[n], **fields) for n, fields in enumerate(RULES)]
    coach.rules(*kinds, deload_every=deload_every)
    train(coach, before)
    archive = as_file(archive_of(freshly_signed_in(account)))
    ran = imported(newcomer, archive)
    assert (ran.refused, ran.differs, [*ran.findings.all()]) == ([], {}, [])
    came = moved(newcomer)
    assert what_shows(came) == what_shows(coach)
    for owner in (newcomer, account):
        again = imported(owner, archive)
        assert (again.stored, again.refused, again.differs) == ({}, [], {})
    for one in (coach, came):
        train(one, after)
    assert what_shows(came) == what_shows(coach)
    assert ran.undo(changed_too=True) == []
    assert not newcomer.progression_steps.exists()


def train(coach, sessions):
    for exercise_id, day, lifts in sessions:
        at = MONDAY + datetime.timedelta(days=day)
        body = a_workout(*lifts, exercise_id=exercise_id, started_at=timestamp(at))
        coach.log({**body, "plan_id": coach.path.rpartition("/")[2]})
