"""Rules of routines, and what Train knows of a workout: its routine, its day and what is held.

What plans and routines share is tried with both: `planned`. The rest of the rules is in
test_plan_progression.py.
"""

import datetime
import json
import re
import uuid

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from fitness.site import account_data
from tests.conftest import a_set, a_workout, client_of, freshly_signed_in, problems, statements
from tests.mcp_endpoint.conftest import ToolClient
from tests.training.query_plans import POSTGRESQL, explained
from tests.training.test_plan_progression import BENCH, KINDS, LINEAR, SQUAT, Coach, rule, week
from tests.training.test_plans import a_plan, an_exercise
from tests.training.test_web import a_form, fields_in
from training.api.serializers.workout import WorkoutSerializer
from training.models import Exercise, ProgressionStep, Workout
from training.models.catalogue_refresh import refresh_from_catalogue
from training.models.draft import moment
from training.plans.rules import Target
from training.plans.updates import NextTarget, next_targets
from training.plans.workouts import LoggedWorkout, Origin

USED_STEP = re.compile("progressionstep|step_newest")
NEVER = "/routines/0198c1a0-0000-7000-8000-000000000000/progression"


class Trainer(Coach):
    """A plan or routine, and the workouts that Train has begun from it."""

    noun = "plan"

    def __init__(self, account):
        super().__init__(client_of(account))
        self.account, self.page = account, freshly_signed_in(account)

    @property
    def pk(self):
        return self.path.rpartition("/")[2]

    def of(self, *entries):
        """A new plan with these entries on Monday, or a routine with them."""
        return self.plan(monday=entries)

    def put(self, *entries):
        body = a_plan(days=week(monday=entries))
        assert self.api.put(self.path, body).status_code == 200

    def rule(self, position=0, exercise_id=BENCH, **fields):
        return rule(1, position, exercise_id, **fields)

    @property
    def rule_ids(self):
        (planning,) = getattr(self.account, f"{self.noun}s").all()
        return [one["id"] for one in planning.rules["followed"]]

    def lift(self, text, day=0, exercise_id=BENCH, rpe=None, held=(), **fields):
        weight_kg, _, reps = text.partition(":")
        sets = [a_set(float(weight_kg), int(count), rpe=rpe) for count in reps.split(",")]
        return self.train({exercise_id: sets}, day, held, **fields)

    def train(self, sets_of, day=0, held=(), **fields):
        """The workout of a page that began it by itself, so many days after Monday, 23 November."""
        document = self.document(sets_of, day, **fields)
        answer = self.send(document, {"duration_seconds": 3600, "keep_undone": True, "held": list(held)})
        assert answer.status_code == 200, answer.content
        return self.api.get(f"/workouts/{answer.json()['finished']['id']}").json()

    def document(self, sets_of, day=0, **fields):
        started_at = datetime.datetime.fromisoformat(self.on(day)["started_at"])
        at = moment(started_at)
        return {
            "id": str(uuid.uuid4()),
            "started_at": at,
            "changed_at": at,
            "title": "",
            "notes": "",
            "plan_id": None,
            "routine_id": None,
            f"{self.noun}_id": self.pk,
            "exercises": [self.entry(index, at, *one) for index, one in enumerate(sets_of.items())],
            **fields,
        }

    def entry(self, index, at, exercise_id, sets):
        common = {"changed_at": at, "removed_at": None}
        return {
            "uid": f"e{index}",
            "order": index,
            "exercise_id": exercise_id,
            "measure": "reps",
            "rest_seconds": 120,
            "rests_in_superset": False,
            "setup": "",
            "notes": "",
            "superset_id": None,
            **common,
            "sets": [
                {
                    "uid": f"s{number}",
                    "order": number,
                    "type": one.get("type", "working"),
                    "weight_kg": one["weight_kg"],
                    "reps": one["reps"],
                    "rpe": one.get("rpe"),
                    "done_at": at if one.get("completed", True) else None,
                    **common,
                }
                for number, one in enumerate(sets)
            ],
        }

    def send(self, document, finish):
        body = json.dumps({"document": document, "finish": finish})
        return self.page.put(f"/train/drafts/{document['id']}", body, content_type="application/json")

    def change(self, workout, *sets):
        body = {**workout, "exercises": [{"exercise_id": BENCH, "sets": list(sets)}]}
        assert self.api.put(f"/workouts/{workout['id']}", body).status_code == 200

    def delete(self, workout):
        assert self.api.delete(f"/workouts/{workout['id']}").status_code == 204


class RoutineTrainer(Trainer):
    noun = "routine"

    def of(self, *entries):
        response = self.api.post("/routines", {"name": "Push", "exercises": entries})
        assert response.status_code == 201, response.content
        self.path = f"/routines/{response.json()['id']}"
        return self

    def put(self, *entries):
        body = {"name": "Push", "exercises": entries}
        assert self.api.put(self.path, body).status_code == 200

    def rule(self, position=0, exercise_id=BENCH, **fields):
        return {"position": position, "exercise_id": exercise_id, **LINEAR, **fields}

    @property
    def entries(self):
        return self.stored["exercises"]


TRAINERS = {"plan": Trainer, "routine": RoutineTrainer}


@pytest.fixture(params=TRAINERS)
def planned(request, account):
    """A bench press, 3 × 8 with 60 kg, that gets 2.5 kg a session: on Mondays, and in a routine."""
    trainer = TRAINERS[request.param](account).of(an_exercise())
    trainer.rules(trainer.rule())
    return trainer


@pytest.fixture
def routine(account):
    trainer = RoutineTrainer(account).of(an_exercise())
    trainer.rules(trainer.rule())
    return trainer


@pytest.fixture
def trainer(account):
    return Trainer(account)


# --- What plans and routines share ---------------------------------------------------------------------


@pytest.mark.parametrize("noun", TRAINERS)
@pytest.mark.parametrize(("fields", "sessions"), KINDS)
def test_each_kind_moves_the_target(account, noun, fields, sessions):
    trainer = TRAINERS[noun](account).of(an_exercise())
    trainer.rules(trainer.rule(**fields))
    for number, (lifted, rpe, target) in enumerate(sessions):
        trainer.lift(lifted, day=number * 7, rpe=rpe)
        assert trainer.targets() == [target]
    assert len(trainer.steps) == 3


def test_an_older_workout_moves_nothing(planned):
    planned.lift("60: 8, 8, 8", day=0)
    planned.lift("62.5: 8, 8, 8", day=14)
    late = planned.lift("62.5: 8, 8, 7", day=7)
    planned.change(late, *[a_set(90, 8)] * 3)
    planned.delete(late)
    assert planned.targets() == ["3×8 65"]
    assert [kind for kind, _ in planned.said()] == ["progressed", "progressed"]


def test_a_workout_that_is_changed_moves_its_target_anew_while_it_is_the_newest(planned):
    first = planned.lift("60: 8, 8, 8")
    planned.change(first, *[a_set(60, 7)] * 3)
    assert (planned.targets(), planned.said()[0][0]) == (["3×8 60"], "held")
    planned.lift("60: 8, 8, 8", day=7)
    planned.change(first, *[a_set(90, 8)] * 3)
    assert [kind for kind, _ in planned.said()] == ["held", "progressed"]
    assert planned.targets() == ["3×8 62.5"]


def test_an_older_workout_takes_nothing_back(planned):
    first = planned.lift("60: 8, 8, 8")
    second = planned.lift("62.5: 8, 8, 8", day=7)
    planned.delete(first)
    assert (planned.targets(), len(planned.steps)) == (["3×8 65"], 1)
    planned.delete(second)
    assert (planned.targets(), planned.steps) == (["3×8 62.5"], [])


def test_a_deleted_workout_leaves_no_step(planned):
    first = planned.lift("60: 8, 8, 8")
    second = planned.lift("62.5: 8, 8, 8", day=7)
    planned.delete(second)
    assert planned.targets() == ["3×8 62.5"]
    planned.delete(first)
    assert (planned.targets(), planned.steps) == (["3×8 60"], [])


def test_a_target_that_is_typed_begins_anew(planned):
    first = planned.lift("60: 8, 8, 8")
    planned.put(an_exercise(weight_kg=70))
    planned.lift("70: 8, 8, 8", day=7)
    assert planned.targets() == ["3×8 72.5"]
    assert [step["before"]["weight_kg"] for step in planned.steps] == [70, 60]
    planned.delete(first)
    assert (planned.targets(), len(planned.steps)) == (["3×8 72.5"], 1)


def test_a_replacement_keeps_the_rules_of_entries_that_stay(planned):
    planned.lift("60: 8, 8, 7")
    planned.put(an_exercise(SQUAT), an_exercise())
    (stored,) = planned.api.get(f"{planned.path}/progression").json()["rules"]
    assert (stored["position"], stored["exercise_id"]) == (1, BENCH)
    for day in (7, 14):
        planned.lift("60: 8, 8, 7", day=day)
    assert planned.targets() == ["3×8 52.5"]  # three misses, one of them before
    planned.put(an_exercise(SQUAT))
    assert planned.api.get(f"{planned.path}/progression").json()["rules"] == []
    assert len(planned.steps) == 3  # the rule has ended, and goes on with its exercise


def test_a_rule_that_is_removed_takes_its_steps_along(planned):
    planned.lift("60: 8, 8, 8")
    assert planned.rules()["rules"] == []
    assert planned.steps == []
    planned.lift("62.5: 8, 8, 8", day=7)
    assert planned.targets() == ["3×8 62.5"]


def test_steps_come_in_pages(planned):
    ids = [planned.lift("60: 8, 8, 8", day=day)["id"] for day in range(3)]
    first = planned.api.get(f"{planned.path}/progression/steps", limit=2).json()
    rest = planned.api.get(f"{planned.path}/progression/steps", limit=2, cursor=first["next_cursor"]).json()
    assert [step["workout_id"] for page in (first, rest) for step in page["steps"]] == ids[::-1]


def test_what_is_deleted_leaves_no_steps(planned, account):
    workout = planned.lift("60: 8, 8, 8")
    assert planned.api.delete(planned.path).status_code == 204
    assert not account.progression_steps.exists()
    planned.delete(workout)


def test_a_deleted_account_leaves_nothing(planned, account):
    planned.lift("60: 8, 8, 8")
    account_data.delete(account)
    assert not ProgressionStep.objects.filter(account=account.pk).exists()


@pytest.mark.parametrize("noun", TRAINERS)
def test_a_merged_exercise_takes_its_rule_and_its_sessions_along(account, noun):
    given_up = "machine-chest-press"
    trainer = TRAINERS[noun](account).of(an_exercise(given_up))
    trainer.rules(trainer.rule(exercise_id=given_up))
    trainer.lift("60: 8, 8, 8", exercise_id=given_up)
    trainer.train({given_up: [a_set(62.5, 8)] * 2, BENCH: [a_set(62.5, 8)]}, day=7)
    assert [kind for kind, _ in trainer.said()] == ["progressed", "held"]
    Exercise.objects.get(pk=given_up).merge_into(Exercise.objects.get(pk=BENCH))
    refresh_from_catalogue()
    assert [kind for kind, _ in trainer.said()] == ["progressed", "held"]
    assert {step["exercise_id"] for step in trainer.steps} == {BENCH}
    trainer.lift("62.5: 8, 8, 8", day=14)
    assert trainer.targets() == ["3×8 65"]


def test_of_two_merged_exercises_of_a_day_each_keeps_its_rule(account):
    given_up = "machine-chest-press"
    trainer = Trainer(account).of(an_exercise(), an_exercise(given_up, weight_kg=40))
    trainer.rules(trainer.rule(), trainer.rule(1, exercise_id=given_up))
    trainer.train({BENCH: [a_set(60, 8)] * 3, given_up: [a_set(40, 8)] * 3})
    Exercise.objects.get(pk=given_up).merge_into(Exercise.objects.get(pk=BENCH))
    refresh_from_catalogue()
    trainer.train({BENCH: [*[a_set(62.5, 8)] * 3, *[a_set(42.5, 8)] * 3]}, day=7)
    assert trainer.targets() == ["3×8 65", "3×8 45"]


# --- Rules of routines ---------------------------------------------------------------------------------


def test_rules_of_a_routine_have_no_day_and_no_lighter_weeks(routine):
    workout = routine.lift("60: 8, 8, 8")
    stored = routine.api.get(f"{routine.path}/progression").json()
    assert stored.keys() == {"rules"}
    (stored_rule,) = stored["rules"]
    assert stored_rule.items() >= routine.rule().items()
    assert (stored_rule["sentence"], "weekday" in stored_rule) == ("+2.5 kg a session", False)
    (step,) = routine.steps
    assert (step["workout_id"], step["reason"]) == (workout["id"], "up from 60: 3 × 8 done on 23 Nov")
    assert "weekday" not in step
    assert routine.rules(*stored["rules"]) == stored


@pytest.mark.parametrize(
    ("body", "path", "message"),
    [
        ({"rules": [], "deload_every": 4}, "body.deload_every", None),
        ({"rules": [rule()]}, "body.rules[0].weekday", None),
        (
            {"rules": [{"position": 1, "exercise_id": BENCH, **LINEAR}]},
            "body.rules[0].position",
            "the routine has no exercise there; its last position is 0.",
        ),
        (
            {"rules": [{"position": 0, "exercise_id": SQUAT, **LINEAR}]},
            "body.rules[0].exercise_id",
            "the routine has barbell-bench-press at this position.",
        ),
        ({"rules": [{"position": 0, "exercise_id": BENCH, **LINEAR}] * 2}, "body.rules[0].position", None),
        ({"rules": [{"position": 0, "exercise_id": BENCH, **LINEAR}] * 101}, "body.rules", None),
    ],
)
def test_a_wrong_body_is_rejected(routine, body, path, message):
    wrong = problems(routine.api.put(f"{routine.path}/progression", body))
    assert path in wrong
    assert message in (None, wrong[path])


def test_a_routine_of_somebody_else_has_no_rules(routine, stranger_api):
    for path in (NEVER, f"{routine.path}/progression"):
        for method, address, body in [
            ("GET", path, None),
            ("PUT", path, {"rules": 1}),
            ("GET", f"{path}/steps", None),
        ]:
            assert stranger_api.call(method, address, body).status_code == 404


def test_a_workout_that_names_a_routine_of_somebody_else_moves_nothing(routine, stranger):
    theirs = RoutineTrainer(stranger)
    theirs.path = routine.path
    theirs.lift("60: 8, 8, 8")
    assert (routine.targets(), routine.steps, stranger.progression_steps.count()) == (["3×8 60"], [], 0)
    assert routine.stored["use_count"] == 0


def test_workouts_over_the_api_move_no_routine(routine):
    routine.log(a_workout(*[a_set(60, 8)] * 3))
    assert routine.targets() == ["3×8 60"]


def test_a_form_that_began_with_a_routine_moves_it(routine):
    sets = [{"weight": "60", "reps": "8"}] * 3
    response = routine.page.post(reverse("log-workout"), a_form(*sets, routine=routine.pk))
    assert response.status_code == 302
    assert (routine.targets(), routine.stored["use_count"]) == (["3×8 62.5"], 1)


def test_a_routine_without_rules_is_replaced_by_two_statements(account):
    routine = RoutineTrainer(account).of(an_exercise())
    stored = account.routines.get()
    stored.account = account
    values = {"name": "Push", "focus": "", "exercises": stored.exercises}
    with statements() as run:
        stored.replace(values)
    assert len(run) == 2  # the lock and the update
    routine.rules(routine.rule())
    stored.replace({**values, "exercises": []})  # read before it had rules
    assert (routine.entries, account.routines.get().progressions.rules) == ([], ())


def test_a_step_is_of_a_plan_or_of_a_routine(routine, account):
    routine.lift("60: 8, 8, 8")
    with pytest.raises(IntegrityError), transaction.atomic():
        account.progression_steps.update(routine=None)


def test_a_workout_may_follow_both(trainer, account):
    plan, routine = trainer.of(an_exercise()), RoutineTrainer(account).of(an_exercise())
    for one in (plan, routine):
        one.rules(one.rule())
    workout = plan.lift("60: 8, 8, 8", routine_id=routine.pk)
    assert (plan.targets(), routine.targets()) == (["3×8 62.5"],) * 2
    plan.change(workout, *[a_set(60, 7)] * 3)
    assert (plan.targets(), routine.targets()) == (["3×8 60"],) * 2
    plan.change(workout, *[a_set(60, 8)] * 3)
    assert plan.api.delete(plan.path).status_code == 204
    assert (routine.targets(), account.progression_steps.count()) == (["3×8 62.5"], 1)
    plan.delete(workout)
    assert (routine.targets(), routine.steps) == (["3×8 60"], [])


def test_a_workout_of_which_no_set_is_done_any_more_leaves_its_routine(routine):
    workout = routine.lift("60: 8, 8, 8")
    routine.change(workout, a_set(60, 8, completed=False))
    assert (routine.targets(), routine.steps) == (["3×8 60"], [])
    routine.change(workout, *[a_set(60, 8)] * 3)
    assert routine.steps == []


# --- Finish ------------------------------------------------------------------------------------------


def test_a_workout_that_is_finished_twice_makes_one_step(planned, account):
    document = planned.document({BENCH: [a_set(60, 8)] * 3})
    options = {"duration_seconds": 60}
    assert [planned.send(document, options).status_code for _ in range(2)] == [200, 409]
    assert (planned.targets(), len(planned.steps)) == (["3×8 62.5"], 1)


def test_a_change_that_is_held_leaves_the_target(planned):
    planned.lift("60: 8, 8, 8", day=7, held=planned.rule_ids)
    assert planned.targets() == ["3×8 60"]
    assert planned.said()[0] == ("held_by_you", "held by you on 30 Nov")
    planned.lift("60: 8, 8, 8", day=14)
    assert planned.targets() == ["3×8 62.5"]


def test_a_workout_that_is_changed_stays_held(planned):
    workout = planned.lift("60: 8, 8, 8", held=planned.rule_ids)
    planned.change(workout, *[a_set(60, 9)] * 3)
    assert (planned.targets(), planned.said()[0][0]) == (["3×8 60"], "held_by_you")


@pytest.mark.parametrize("held", [["1"], [1], "x", [str(uuid.uuid4())] * 201])
def test_what_is_held_is_a_list_of_ids(planned, held):
    document = planned.document({BENCH: [a_set(60, 8)]})
    assert planned.send(document, {"duration_seconds": 60, "held": held}).status_code == 400
    assert planned.send(document, {"duration_seconds": 60, "held": [str(uuid.uuid4())]}).status_code == 200


# --- The day of a plan ---------------------------------------------------------------------------------


@pytest.fixture
def two_days(trainer):
    """A bench press on Monday and on Friday, with a rule each; Train has begun Friday's on a Wednesday."""
    trainer.plan(monday=[an_exercise(weight_kg=60)], friday=[an_exercise(weight_kg=80)])
    trainer.rules(rule(), rule(5))
    trainer.page.post("/train/start", {"plan": trainer.pk, "day": "5"})
    return trainer


def finish_begun(trainer, weight_kg):
    document = trainer.page.get("/train/draft").json()["draft"]["document"]
    later = moment(timezone.now() + datetime.timedelta(milliseconds=1))
    for one in document["exercises"][0]["sets"]:
        one |= {"weight_kg": weight_kg, "reps": 8, "done_at": later, "changed_at": later}
    answer = trainer.send(document, {"duration_seconds": 60})
    assert answer.status_code == 200, answer.content
    return trainer.api.get(f"/workouts/{answer.json()['finished']['id']}").json()


def test_the_day_that_a_workout_was_begun_from_wins(two_days):
    workout = finish_begun(two_days, 60)  # which is Monday's weight
    (step,) = two_days.steps
    assert (step["weekday"], step["kind"]) == (5, "held")
    two_days.change(workout, *[a_set(80, 8)] * 3)
    assert two_days.targets() == ["3×8 60", "3×8 82.5"]


def test_a_workout_that_begins_with_nothing_knows_no_day(two_days, account):
    assert account.training_drafts.get().weekday == 5
    draft = two_days.page.get("/train/draft").json()["draft"]["document"]
    assert "weekday" not in draft
    two_days.page.delete(f"/train/drafts/{draft['id']}")
    two_days.page.post("/train/start", {})
    assert account.training_drafts.open().get().weekday is None


# --- What it costs -------------------------------------------------------------------------------------


def test_a_finish_takes_two_statements_more_with_rules(account):
    def count(trainer, day):
        document = trainer.document({BENCH: [a_set(60, 8)] * 3, SQUAT: [a_set(60, 8)] * 3}, day)
        with statements() as run:
            assert trainer.send(document, {"duration_seconds": 60}).status_code == 200
        return len(run)

    for noun in TRAINERS.values():
        trainer = noun(account).of(an_exercise(), an_exercise(SQUAT))
        count(trainer, 0)
        without = count(trainer, 7)
        trainer.rules(trainer.rule(), trainer.rule(position=1, exercise_id=SQUAT))
        assert [count(trainer, day) for day in (14, 21)] == [without + 2] * 2
        assert len(trainer.steps) == 4


def test_a_workout_without_a_routine_is_changed_and_deleted_by_as_many_statements(routine, account):
    def count(workout):
        with statements() as changed:
            routine.change(workout, a_set(60, 8))
        with statements() as deleted:
            routine.delete(workout)
        return len(changed), len(deleted)

    assert count(routine.log(a_workout(a_set(60, 8)))) == (7, 5)
    assert count(routine.lift("60: 8, 8, 8")) > (7, 5)


@pytest.mark.skipif(POSTGRESQL, reason="with so few rows it reads the table")
def test_steps_of_a_workout_are_looked_up_by_it_among_those_of_the_account(routine):
    """SQLite has three indexes of steps that begin with the account, and would walk one of them."""
    workout = routine.lift("60: 8, 8, 8")
    with statements() as run:
        routine.change(workout, *[a_set(60, 7)] * 3)
        routine.page.get(f"/train/finished/{workout['id']}")
        routine.delete(workout)
    plan = [line for line in explained(run) if USED_STEP.search(line) and "step_of_rule" not in line]
    assert len(plan) > 5
    assert all("workout_id=?" in line or "(id=?)" in line for line in plan), plan


def test_reading_takes_no_statement_more_with_rules(planned):
    for path in (f"/{planned.noun}s", planned.path):
        with statements() as run:
            planned.api.get(path)
        assert len(run) == 2, run


# --- Next time -----------------------------------------------------------------------------------------


def done(account, *sets, day=23, exercise_id=BENCH) -> LoggedWorkout:
    at = f"2020-11-{day}T17:30:00Z"
    body = a_workout(*sets, started_at=at, exercise_id=exercise_id)
    values = WorkoutSerializer.validated(body, {"account": account})
    return LoggedWorkout.of(uuid.uuid4(), values["started_at"], values["started_at"], values["exercises"])


def next_time(trainer, done, held=()):
    ids = {"plan": trainer.pk, "routine": None} if trainer.noun == "plan" else {"routine": trainer.pk}
    routine_id = ids["routine"] and uuid.UUID(ids["routine"])
    plan_id = ids.get("plan") and uuid.UUID(ids["plan"])
    return next_targets(trainer.account, plan_id, done, Origin(routine_id, held_rules=frozenset(held)))


def test_next_time_is_what_the_workout_will_do(planned, account):
    (told,) = next_time(planned, done(account, *[a_set(60, 8)] * 3))
    assert told == NextTarget(
        rule_id=planned.rule_ids[0],
        exercise_id=BENCH,
        exercise="Barbell Bench Press",
        kind="progressed",
        before=Target(3, 8, 60),
        after=Target(3, 8, 62.5),
        reason="up from 60: 3 × 8 done on 23 Nov",
    )
    assert (planned.targets(), planned.steps) == (["3×8 60"], [])
    planned.lift("60: 8, 8, 8")
    assert planned.said() == [(told.kind, told.reason)]


def test_next_time_of_what_is_held_is_the_same_again(planned, account):
    (told,) = next_time(planned, done(account, *[a_set(60, 8)] * 3), held=planned.rule_ids)
    assert (told.kind, told.before, told.after) == ("held_by_you", Target(3, 8, 60), Target(3, 8, 60))


def test_next_time_leaves_out_a_rule_that_has_a_newer_session(planned, account):
    planned.put(an_exercise(), an_exercise(SQUAT))
    planned.rules(planned.rule(), planned.rule(position=1, exercise_id=SQUAT))
    planned.lift("60: 8, 8, 8", day=1)
    both = done(account, *[a_set(60, 8)] * 3)
    both.sets_of[SQUAT] = both.sets_of[BENCH]
    assert [one.exercise_id for one in next_time(planned, both)] == [SQUAT]


def test_next_time_takes_one_statement(planned, account):
    planned.put(an_exercise(), *[an_exercise(SQUAT)] * 20)
    planned.rules(planned.rule(), *[planned.rule(position=n, exercise_id=SQUAT) for n in range(1, 21)])
    workout = done(account, *[a_set(60, 8)] * 3)
    with statements() as run:
        next_time(planned, workout)
    assert len(run) == 1
    with statements() as run:
        assert next_targets(account, None, workout, Origin()) == []
    assert not run


def test_next_time_of_a_stranger_is_nothing(planned, stranger):
    stranger_of_it = TRAINERS[planned.noun](stranger)
    stranger_of_it.path = planned.path
    assert next_time(stranger_of_it, done(stranger, *[a_set(60, 8)] * 3)) == []


def test_a_workout_of_somebody_else_does_not_follow(routine, stranger, account):
    values = WorkoutSerializer.validated(a_workout(*[a_set(60, 8)] * 3), {"account": stranger})
    Workout.objects.log(stranger, values, origin=Origin(uuid.UUID(routine.pk)))
    assert (routine.targets(), account.progression_steps.count()) == (["3×8 60"], 0)


def test_the_finished_page_says_that_an_older_workout_has_moved_nothing(trainer):
    trainer.of(an_exercise()).rules(trainer.rule())
    first = trainer.lift("60: 8, 8, 8", day=0)
    newest = trainer.lift("60: 8, 8, 8", day=14)
    late = trainer.lift("60: 8, 8, 8", day=7)
    said = "No target of Barbell Bench Press has moved: a later workout with it is stored."
    for one, expected in ((late, True), (newest, False), (first, False)):
        assert (said in trainer.page.get(f"/train/finished/{one['id']}").content.decode()) is expected


def test_pages_say_that_an_older_workout_moves_nothing(trainer):
    trainer.of(an_exercise()).rules(trainer.rule())
    newest = trainer.lift("60: 8, 8, 8", day=7)
    older = trainer.lift("60: 8, 8, 8", day=0)
    said = "No target of Barbell Bench Press has moved: a later workout with it is stored."
    for one, expected in ((older, True), (newest, False)):
        edit = f"/workouts/{one['id']}/edit"
        fields = fields_in(trainer.page.get(edit).content.decode())
        assert (said in trainer.page.post(edit, fields, follow=True).content.decode()) is expected
        delete = f"/workouts/{one['id']}/delete"
        assert (said in trainer.page.post(delete, follow=True).content.decode()) is expected


def test_a_late_workout_names_only_the_rule_that_it_has_not_moved(trainer):
    """Monday's workout is stored after Friday's, which is another rule's: Monday's target has moved."""
    trainer.plan(monday=[an_exercise()], friday=[an_exercise(weight_kg=80)]).rules(rule(), rule(5))
    trainer.lift("80: 8, 8, 8", day=4)
    monday = trainer.lift("60: 8, 8, 8")
    assert trainer.targets() == ["3×8 62.5", "3×8 82.5"]
    page = trainer.page.get(f"/train/finished/{monday['id']}").content.decode()
    assert "a later workout with it is stored" not in page
    tools = ToolClient(trainer.account.issue_key("assistant", "read_write", "never")[0])
    late = a_workout(*[a_set(62.5, 8)] * 3, **trainer.on(1))
    assert "Moved no target" not in str(tools.notices("log_workout", **late))
