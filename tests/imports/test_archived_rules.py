"""Rules of plans and their steps in archives: each rule goes on where it was."""

import io

import orjson
import pytest

from fitness.site.data import importing
from tests.conftest import a_set, a_workout, client_of, freshly_signed_in
from tests.factories import AccountFactory
from tests.imports.accounts import archive_of
from tests.imports.steps import imported, work
from tests.training.test_plan_progression import BENCH, SQUAT, Coach, rule
from tests.training.test_plans import an_exercise
from training.api.serializers.workout import WorkoutSerializer
from training.models import Exercise, ProgressionStep, Workout
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


def test_an_archive_read_again_adds_nothing(trained, page, account, newcomer):
    for one in (account, newcomer, newcomer):
        before = ProgressionStep.objects.filter(account=one).count()
        ran = imported(one, as_file(archive_of(page)))
        assert (ran.differs, ran.refused) == ({}, [])
        assert ("plan_progression" in {kind for kind, _ in ran.stored}) == (one is newcomer and not before)
    assert newcomer.progression_steps.count() == 4


def test_an_undone_import_leaves_no_rule_and_no_step(trained, page, newcomer):
    ran = imported(newcomer, as_file(archive_of(page)))
    importing.begin_undoing(ran.run)
    work()
    assert not newcomer.plans.exists()
    assert not newcomer.progression_steps.exists()


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
