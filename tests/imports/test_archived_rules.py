"""Rules of plans and their steps in archives: each rule goes on where it was."""

import datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fitness.json import timestamp
from fitness.site.data import importing
from tests.conftest import a_set, a_workout, client_of, freshly_signed_in
from tests.factories import AccountFactory
from tests.imports.accounts import archive_of
from tests.imports.steps import imported, read
from tests.imports.test_archive import as_file
from tests.training.test_plan_histories import MONDAY, RULES, days, sets
from tests.training.test_plan_progression import BENCH, SQUAT, Coach, rule
from tests.training.test_plans import an_exercise
from training.api.serializers.workout import WorkoutSerializer
from training.models import Exercise, Workout
from training.plans.workouts import Origin

WEEKS = [{"sets": 3, "reps": 5, "percent": 80}, {"sets": 3, "reps": 3, "percent": 90, "open": True}]
STAGES = {"kind": "stages", "stages": [{"sets": 3, "reps": 8}, {"sets": 6, "reps": 2}]}
CURL, ROW = "dumbbell-curl", "bent-over-barbell-row"
NEXT = [("62.5: 8, 8, 8", BENCH), ("90: 3, 3, 5", SQUAT), ("60: 8, 8, 8", ROW), ("60: 8, 8, 7", CURL)]


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


def moved(newcomer):
    """The newcomer's plan, which an import has stored."""
    coach = Coach(client_of(newcomer))
    coach.path = f"/plans/{newcomer.plans.get().pk}"
    return coach


def what_shows(coach):
    """Everything of a plan's progression but ids."""
    rules = coach.api.get(f"{coach.path}/progression").json()
    left_out = ("id", "workout_id")
    steps = [{name: step[name] for name in step if name not in left_out} for step in coach.steps]
    return coach.stored["days"], rules, steps


def without_ids(progression):
    rules = [{name: one[name] for name in one if name != "id"} for one in progression["rules"]]
    return {**progression, "rules": rules}


def test_rules_and_steps_come_back_and_go_on(trained, page, newcomer):
    ran = imported(newcomer, as_file(archive_of(page)))
    assert [(f.column, f.value, f.text) for f in ran.findings.all()] == []
    assert ran.refused == []
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
    (one,) = account.routines.get().progressions.rules
    origin = Origin(routine_id=account.routines.get().pk, held_rules=frozenset([one.id]))
    Workout.objects.log(account, values, origin=origin)
    ran = imported(newcomer, as_file(archive_of(page)))
    assert ran.refused == []
    came = newcomer.routines.get()
    assert came.progressions.rules[0].state == account.routines.get().progressions.rules[0].state
    (step,) = newcomer.progression_steps.all()
    assert (step.kind, step.is_held, step.routine_id) == ("held_by_you", True, came.pk)
    assert without_ids(client_of(newcomer).get(f"/routines/{came.pk}/progression").json()) == without_ids(
        api.get(path).json()
    )


def test_a_workout_that_came_along_is_folded_again_when_it_changes(trained, page, newcomer):
    imported(newcomer, as_file(archive_of(page)))
    for account_api, coach in ((trained.api, trained), (client_of(newcomer), moved(newcomer))):
        first = account_api.get("/workouts", limit=100).json()["workouts"][-1]
        assert account_api.delete(f"/workouts/{first['id']}").status_code == 204
        assert coach.targets() == ["3×8 60"]
        assert len(coach.steps) == 3


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
    "a step without lifts": (*STEP, "lifts", []),
    "a step of a huge weight": (*STEP, "lifts", 0, "weight_kg", 1e300),
    "a step of another rule": (*STEP, "rule_id", "0198c1a0-0000-4000-8000-000000000000"),
    "a step of no workout": (*STEP, "workout_id", "nothing"),
    "a step without a day": (*STEP, "weekday", None),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_named_and_nothing_is_restored(wrong, trained, page, newcomer):
    *path, value = wrong
    ran = read(newcomer, as_file(change(path, value)(archive_of(page))))
    assert ran.findings.first().column.partition(":")[0] == path[0]
    if ran.findings.problems().exists():
        with pytest.raises(importing.Busy, match="is refused"):
            importing.begin_storing(ran.run)


def test_a_plan_that_is_being_deleted_leaves_no_step_in_an_archive(trained, page, account):
    account.plans.update(deleted_at="2026-11-25T12:00:00Z", rules=None)
    document = archive_of(page)
    assert (document["plans"], document["plan_progressions"], document["progression_steps"]) == ([], [], [])


@pytest.mark.parametrize(
    "wrong",
    [
        ("progression_steps", 1, "before", "week", 5),
        ("progression_steps", 2, "after", "stage", 2),
        (*STEP, "fold", 2),
    ],
)
def test_a_step_that_its_rule_cannot_have_made_is_left_out(wrong, trained, page, newcomer):
    """Somebody has set the rule anew while the archive was made."""
    *path, value = wrong
    ran = imported(newcomer, as_file(change(path, value)(archive_of(page))))
    assert [kind for kind, _ in ran.refused] == ["progression_steps"]
    assert ran.findings.changes().get().column == "progression_steps: rule_id"
    assert len(moved(newcomer).steps) == 3


def test_two_rules_with_one_id_are_refused(trained, page, newcomer):
    document = archive_of(page)
    rules = document["plan_progressions"][0]["rules"]
    rules[1]["id"] = rules[0]["id"]
    ran = read(newcomer, as_file(document))
    assert ("plan_progressions", document["plans"][0]["id"]) in ran.refused


def test_a_rule_that_is_left_out_leaves_its_steps_out(trained, page, newcomer):
    """Somebody has changed the plan while the archive was made."""
    document = change((*RULE, "entries", 0, "position"), 5)(archive_of(page))
    ran = imported(newcomer, as_file(document))
    assert [kind for kind, _ in ran.refused] == ["progression_steps"]
    came = moved(newcomer)
    assert len(came.api.get(f"{came.path}/progression").json()["rules"]) == 4
    assert BENCH not in {step["exercise_id"] for step in came.steps}


def test_rules_of_two_plans_with_one_id_are_two(trained, page, newcomer):
    """As in an archive of which somebody has copied a plan by hand."""
    document = archive_of(page)
    copy_id = "0198c1a0-0000-7000-8000-000000000000"
    document["plans"].append({**document["plans"][0], "id": copy_id, "active": False})
    document["plan_progressions"].append({**document["plan_progressions"][0], "plan_id": copy_id})
    ran = imported(newcomer, as_file(document))
    assert ran.refused == []
    one, copied = (plan.progressions.rule_ids for plan in newcomer.plans.all())
    assert one.isdisjoint(copied)
    assert sorted(plan.steps.count() for plan in newcomer.plans.all()) == [0, 4]


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
    assert (ran.refused, [*ran.findings.all()]) == ([], [])
    came = moved(newcomer)
    assert what_shows(came) == what_shows(coach)
    for one in (coach, came):
        train(one, after)
    assert what_shows(came) == what_shows(coach)


def train(coach, sessions):
    for exercise_id, day, lifts in sessions:
        at = MONDAY + datetime.timedelta(days=day)
        body = a_workout(*lifts, exercise_id=exercise_id, started_at=timestamp(at))
        coach.log({**body, "plan_id": coach.path.rpartition("/")[2]})
