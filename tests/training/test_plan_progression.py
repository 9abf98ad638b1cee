"""Rules of plans over REST: what is stored of them, and what workouts do to targets."""

import datetime
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import transaction

from tests.conftest import a_set, a_workout, problems, statements
from tests.training.test_plans import a_day, a_plan, an_exercise
from training.api.serializers.workout import WorkoutSerializer
from training.imports.workouts import WorkoutRecord, Workouts
from training.models import Exercise, Plan, ProgressionStep

BENCH, SQUAT = "barbell-bench-press", "barbell-back-squat"
MONDAY = datetime.date(2020, 11, 23)
NEVER = "/plans/0198c1a0-0000-7000-8000-000000000000/progression"
LINEAR = {"kind": "linear", "increment_kg": 2.5}


def week(**days):
    """`monday=[entries]`; the others rest."""
    names = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
    return [
        a_day(number, *days[name]) if name in days else a_day(number, rest=True)
        for number, name in enumerate(names, 1)
    ]


class Coach:
    """A plan with rules, and the workouts that follow it."""

    def __init__(self, api):
        self.api = api

    def plan(self, **days):
        response = self.api.post("/plans", a_plan(days=week(**days)))
        assert response.status_code == 201, response.content
        self.path = f"/plans/{response.json()['id']}"
        return self

    def rules(self, *rules, status=200, **fields):
        response = self.api.put(f"{self.path}/progression", {"rules": list(rules), **fields})
        assert response.status_code == status, response.content
        return response.json()

    def lift(self, text, day=0, exercise_id=BENCH, rpe=None, **fields):
        """Logs "60: 8, 8, 8" so many days after MONDAY."""
        weight_kg, _, reps = text.partition(":")
        sets = [a_set(float(weight_kg), int(count), rpe=rpe) for count in reps.split(",")]
        return self.log(a_workout(*sets, exercise_id=exercise_id, **{**self.on(day), **fields}))

    def on(self, day):
        return {
            "started_at": f"{MONDAY + datetime.timedelta(days=day):%Y-%m-%d}T17:30:00Z",
            "plan_id": self.path.rpartition("/")[2],
        }

    def log(self, body):
        response = self.api.post("/workouts", body)
        assert response.status_code == 201, response.content
        return response.json()

    @property
    def stored(self):
        return self.api.get(self.path).json()

    def targets(self, exercise_id=BENCH):
        """What each day asks of an exercise: ["3×8 60"]."""
        return [
            f"{one['sets']}×{one['reps']} {one['weight_kg']:g}"
            for one in self.entries
            if one["exercise_id"] == exercise_id
        ]

    @property
    def entries(self):
        return [one for day in self.stored["days"] for one in day["exercises"]]

    @property
    def steps(self):
        return self.api.get(f"{self.path}/progression/steps", limit=100).json()["steps"]

    def said(self):
        """The kinds and reasons of the steps, oldest first."""
        return [(step["kind"], step["reason"]) for step in reversed(self.steps)]


@pytest.fixture
def coach(api):
    return Coach(api)


def rule(weekday=1, position=0, exercise_id=BENCH, **fields):
    return {"weekday": weekday, "position": position, "exercise_id": exercise_id, **LINEAR, **fields}


@pytest.fixture
def bench(coach):
    """A bench press on Mondays, 3 × 8 with 60 kg, that gets 2.5 kg a session."""
    coach.plan(monday=[an_exercise()]).rules(rule())
    return coach


def test_a_plan_without_rules_says_so(coach):
    coach.plan(monday=[an_exercise()])
    empty = {"deload_every": None, "deload_percent": 85, "rules": []}
    assert coach.api.get(f"{coach.path}/progression").json() == empty
    assert coach.steps == []
    coach.lift("60: 8, 8, 8")
    assert coach.stored["history"] == []


def test_rules_come_back_whole(coach):
    coach.plan(monday=[an_exercise()])
    stored = coach.rules(rule(), deload_every=4, deload_percent=80)
    assert coach.api.get(f"{coach.path}/progression").json() == stored
    assert (stored["deload_every"], stored["deload_percent"]) == (4, 80)
    assert stored["rules"] == [
        {
            "weekday": 1,
            "position": 0,
            "exercise_id": BENCH,
            "kind": "linear",
            "increment_kg": 2.5,
            "misses": 3,
            "deload_percent": 90,
            "reps_from": None,
            "reps_to": None,
            "rpe_up": None,
            "rpe_down": None,
            "stages": [],
            "reset_percent": None,
            "weeks": [],
            "training_max_kg": None,
            "current_training_max_kg": None,
            "sentence": "+2.5 kg a session",
        }
    ]


def test_the_increment_is_what_is_usual_for_the_equipment(coach):
    coach.plan(monday=[an_exercise(), an_exercise("dumbbell-bench-press")])
    stored = coach.rules(
        {**rule(), "increment_kg": None}, {**rule(1, 1, "dumbbell-bench-press"), "increment_kg": None}
    )
    assert [one["increment_kg"] for one in stored["rules"]] == [2.5, 2]


def test_a_session_that_is_done_raises_the_target(bench):
    workout = bench.lift("60: 8, 8, 8")
    stored = bench.stored
    assert bench.targets() == ["3×8 62.5"]
    detail = "Barbell Bench Press: 3 × 8 at 62.5 kg, up from 60: 3 × 8 done on 23 Nov."
    assert stored["history"] == [{"at": stored["updated_at"], "kind": "progressed", "detail": detail}]
    assert stored["updated_at"] == workout["created_at"]
    (step,) = bench.steps
    target = {"sets": 3, "reps": 8, "open": False, "training_max_kg": None}
    assert step == {
        "id": step["id"],
        "at": "2020-11-23T17:30:00Z",
        "workout_id": workout["id"],
        "weekday": 1,
        "exercise_id": BENCH,
        "kind": "progressed",
        "reason": "up from 60: 3 × 8 done on 23 Nov",
        "before": {**target, "weight_kg": 60},
        "after": {**target, "weight_kg": 62.5},
    }


KINDS = [
    (
        {},
        [("60: 8, 8, 7", None, "3×8 60"), ("60: 8, 7, 7", None, "3×8 60"), ("60: 7, 7, 7", None, "3×8 52.5")],
    ),
    (
        {"kind": "double", "reps_from": 8, "reps_to": 10},
        [
            ("60: 8, 8, 8", None, "3×9 60"),
            ("60: 9, 9, 9", None, "3×10 60"),
            ("60: 10, 10, 10", None, "3×8 62.5"),
        ],
    ),
    (
        {"kind": "effort"},
        [("60: 8, 8, 8", 8, "3×8 62.5"), ("62.5: 8, 8, 8", 9, "3×8 62.5"), ("62.5: 8, 8, 8", 10, "3×8 60")],
    ),
    (
        {"kind": "stages", "stages": [{"sets": 3, "reps": 8}, {"sets": 4, "reps": 6}]},
        [
            ("60: 8, 8, 8", None, "3×8 62.5"),
            ("62.5: 8, 8, 6", None, "4×6 62.5"),
            ("62.5: 6, 5, 5, 5", None, "3×8 52.5"),
        ],
    ),
    (
        {
            "kind": "wave",
            "training_max_kg": 100,
            "weeks": [
                {"sets": 3, "reps": 5, "percent": 80},
                {"sets": 1, "reps": 3, "percent": 90, "open": True},
            ],
        },
        [
            ("80: 5, 5, 5", None, "1×3 90"),
            ("90: 6", None, "3×5 80"),
            ("80: 5, 5, 5", None, "1×3 90"),
        ],  # of 102.5 kg
    ),
]


def test_a_wave_asks_its_first_week_at_once(coach):
    weeks = [{"sets": 3, "reps": 5, "percent": 80}]
    coach.plan(monday=[an_exercise()]).rules(rule(kind="wave", training_max_kg=100, weeks=weeks))
    assert coach.targets() == ["3×5 80"]
    assert [one["detail"] for one in coach.stored["history"]] == ["Changed: days, to what the rules ask for."]


def test_a_lift_that_stands_on_several_days_has_one_target(coach):
    coach.plan(monday=[an_exercise()], friday=[an_exercise(SQUAT), an_exercise()])
    coach.rules(rule(), rule(5, 1))
    coach.lift("60: 8, 8, 8")
    coach.lift("62.5: 8, 8, 8", day=4)
    assert coach.targets() == ["3×8 65"] * 2
    assert [step["weekday"] for step in coach.steps] == [5, 1]


def test_of_several_days_it_is_the_one_of_the_weekday_or_that_with_the_nearest_weight(coach):
    coach.plan(monday=[an_exercise(weight_kg=80)], friday=[an_exercise(weight_kg=60)])
    coach.rules(rule(), rule(5))
    coach.lift("60: 8, 8, 8", day=1)
    assert coach.targets() == ["3×8 80", "3×8 62.5"]
    coach.lift("62.5: 8, 8, 8", day=7)
    assert [step["weekday"] for step in coach.steps] == [1, 5]


def test_the_weekday_is_that_of_the_accounts_zone(coach, account):
    account.time_zone = "Pacific/Auckland"  # where it is Tuesday by then
    account.save()
    coach.plan(monday=[an_exercise(weight_kg=60)], tuesday=[an_exercise(weight_kg=80)])
    coach.rules(rule(), rule(2))
    coach.lift("60: 8, 8, 8")
    (step,) = coach.steps
    assert (step["weekday"], step["reason"]) == (2, "held: 8, 8, 8 of 8 with 60 instead of 80")


def test_an_account_in_pounds_gets_steps_of_its_plates(coach, account):
    account.units = "lb"
    account.save()
    coach.plan(monday=[an_exercise(weight_kg=61.23496995)]).rules({**rule(), "increment_kg": None})
    coach.lift("61.23496995: 8, 8, 8")
    assert coach.said() == [("progressed", "up from 135: 3 × 8 done on 23 Nov")]
    assert "at 140 lb" in coach.stored["history"][0]["detail"]


def test_two_entries_of_a_lift_in_a_day_share_its_sets(coach):
    coach.plan(monday=[an_exercise(sets=1, reps=5, weight_kg=80), an_exercise(sets=2, reps=8)])
    coach.rules(rule(), rule(position=1))
    sets = [a_set(80, 5), a_set(60, 8), a_set(60, 8)]
    coach.log(a_workout(*sets, **coach.on(0)))
    assert coach.targets() == ["1×5 82.5", "2×8 62.5"]


def test_warmups_and_what_was_not_done_are_not_judged(bench):
    sets = [a_set(40, 8, type="warmup"), *[a_set(60, 8)] * 3, a_set(60, 2, completed=False)]
    bench.log(a_workout(*sets, **bench.on(0)))
    assert bench.targets() == ["3×8 62.5"]
    bench.log(a_workout(a_set(60, 8, completed=False), **bench.on(7)))
    bench.log(a_workout(a_set(), exercise_id=SQUAT, **bench.on(8)))
    bench.log(a_workout(a_set(70, 8)))
    assert len(bench.steps) == 1


def test_workouts_of_a_deload_week_make_no_step(coach, time_machine):
    time_machine.move_to("2020-11-16T12:00:00Z")
    coach.plan(monday=[an_exercise()]).rules(rule(), deload_every=4)
    time_machine.move_to("2020-12-31T12:00:00Z")
    for day in (0, 7, 14, 21):
        coach.lift("60: 8, 8, 8", day=day)
    assert [step["at"][:10] for step in coach.steps] == ["2020-12-14", "2020-11-30", "2020-11-23"]
    coach.api.call("POST", f"{coach.path}/activate")
    assert coach.api.get(f"{coach.path}/progression").json()["deload_every"] == 4


def test_the_newest_workout_moves_in_time(bench):
    bench.lift("60: 8, 8, 8")
    second = bench.lift("62.5: 8, 8, 8", day=7)
    bench.api.put(f"/workouts/{second['id']}", {**second, **bench.on(14)})
    assert [step["at"][:10] for step in bench.steps] == ["2020-12-07", "2020-11-23"]
    bench.api.put(f"/workouts/{second['id']}", {**second, **bench.on(-7)})
    assert [step["at"][:10] for step in bench.steps] == ["2020-11-23"]
    assert bench.targets() == ["3×8 62.5"]


def test_an_older_workout_that_moves_in_time_moves_no_target(bench):
    first = bench.lift("60: 8, 8, 8")
    bench.lift("62.5: 8, 8, 8", day=7)
    bench.api.put(f"/workouts/{first['id']}", {**first, **bench.on(14)})
    assert (bench.targets(), len(bench.steps)) == (["3×8 65"], 2)


def test_a_workout_of_a_mistyped_year_stops_no_plan(bench):
    ahead = bench.lift("60: 8, 8, 8", started_at="2092-11-23T17:30:00Z")
    assert (bench.targets(), bench.steps) == (["3×8 60"], [])
    bench.lift("60: 8, 8, 8")
    assert bench.targets() == ["3×8 62.5"]
    bench.api.put(f"/workouts/{ahead['id']}", {**ahead, **bench.on(7)})
    assert [kind for kind, _ in bench.said()] == ["progressed", "held"]


def test_the_history_says_that_a_deleted_workout_has_taken_its_step_along(bench):
    workout = bench.lift("60: 8, 8, 8")
    assert bench.api.delete(f"/workouts/{workout['id']}").status_code == 204
    assert bench.stored["history"][-1]["detail"] == (
        "Barbell Bench Press: 3 × 8 at 60 kg, after a change of a workout."
    )
    bench.lift("60: 8, 8, 8")
    assert bench.targets() == ["3×8 62.5"]


def test_a_plan_that_is_renamed_keeps_its_rules(bench):
    bench.lift("60: 8, 8, 7")
    bench.api.put(bench.path, {**bench.stored, "name": "Renamed"})
    for day in (7, 14):
        bench.lift("60: 8, 8, 7", day=day)
    assert bench.targets() == ["3×8 52.5"]


def test_a_workout_may_leave_its_plan_and_come_to_another(bench, api):
    other = Coach(api).plan(monday=[an_exercise()])
    other.rules(rule())
    workout = bench.lift("60: 8, 8, 8")
    path = f"/workouts/{workout['id']}"
    api.put(path, {**workout, "plan_id": other.path.rpartition("/")[2]})
    assert (bench.targets(), other.targets()) == (["3×8 60"], ["3×8 62.5"])
    api.put(path, {**workout, "plan_id": None})
    assert (other.targets(), ProgressionStep.objects.filter(account__isnull=False).count()) == (["3×8 60"], 0)


def test_a_workout_from_before_the_rule_is_none_of_its_sessions(coach):
    coach.plan(monday=[an_exercise()])
    before = coach.lift("60: 8, 8, 8")
    coach.rules(rule())
    coach.api.put(f"/workouts/{before['id']}", before)
    assert (coach.targets(), coach.steps) == (["3×8 60"], [])


def test_a_rule_of_a_clock_that_ran_ahead_judges_workouts_once_stamps_are_set_back(coach, time_machine):
    time_machine.move_to("2020-12-24T12:00:00Z", tick=False)
    coach.plan(monday=[an_exercise()]).rules(rule(), deload_every=4)
    time_machine.move_to("2020-11-24T12:00:00Z", tick=False)
    call_command("set_stamps_back", stdout=StringIO())
    assert [plan.progressions.counted_from.isoformat() for plan in Plan.objects.all()] == ["2020-11-24"]
    time_machine.move_to("2020-12-08T12:00:00Z", tick=False)
    coach.lift("62.5: 8, 8, 8", day=7)
    assert coach.targets() == ["3×8 65"]


def test_the_same_rules_again_go_on(bench):
    bench.lift("60: 8, 8, 7")
    before, rules = bench.stored, bench.api.get(f"{bench.path}/progression").json()
    assert bench.rules(*rules["rules"]) == rules
    assert bench.stored == before
    for day in (7, 14):
        bench.lift("60: 8, 8, 7", day=day)
    assert bench.targets() == ["3×8 52.5"]  # three misses, one of them before


def test_another_rule_begins_anew_and_keeps_the_steps(bench):
    bench.lift("60: 8, 8, 7")
    bench.rules(rule(misses=2))
    bench.lift("60: 8, 8, 7", day=7)
    assert bench.targets() == ["3×8 60"]
    bench.lift("60: 8, 8, 7", day=14)
    assert bench.targets() == ["3×8 52.5"]
    assert len(bench.steps) == 3


def test_a_typed_weight_of_a_wave_changes_its_training_max(coach):
    weeks = [{"sets": 3, "reps": 5, "percent": 80}, {"sets": 3, "reps": 3, "percent": 90}]
    coach.plan(monday=[an_exercise()]).rules(rule(kind="wave", training_max_kg=100, weeks=weeks))
    coach.api.put(coach.path, a_plan(days=week(monday=[an_exercise(sets=3, reps=5, weight_kg=88)])))
    (stored,) = coach.api.get(f"{coach.path}/progression").json()["rules"]
    assert (stored["training_max_kg"], round(stored["current_training_max_kg"], 6)) == (100, 110)
    assert coach.targets() == ["3×5 87.5"]


WRONG = [
    ({"position": 1}, "position", "Monday has no exercise there; its last position is 0."),
    ({"weekday": 2}, "position", "Tuesday has no exercise there."),
    ({"weekday": 8}, "weekday", None),
    ({"exercise_id": SQUAT}, "exercise_id", "the plan has barbell-bench-press on Monday at this position."),
    ({"exercise_id": "no-such"}, "exercise_id", None),
    ({"kind": "magic"}, "kind", None),
    ({"increment": 5}, "increment", "unknown field; did you mean increment_kg?"),
    ({"increment_kg": 2001}, "increment_kg", None),
    ({"increment_kg": "2.5"}, "increment_kg", None),
    ({"misses": 0}, "misses", None),
    ({"deload_percent": 101}, "deload_percent", None),
    (
        {"rpe_up": 8},
        "rpe_up",
        "is not a field of the kind linear, which has: increment_kg, misses, deload_percent.",
    ),
    ({"kind": "double", "reps_to": 8}, "reps_from", "is required for the kind double."),
    ({"kind": "double", "reps_from": 9, "reps_to": 8}, "reps_from", "must not be above reps_to."),
    ({"kind": "double", "reps_from": 0, "reps_to": 8}, "reps_from", None),
    ({"kind": "double", "reps_from": 1, "reps_to": 10_001}, "reps_to", None),
    ({"kind": "effort", "rpe_up": 10}, "rpe_up", "must not be above rpe_down."),
    ({"kind": "stages"}, "stages", "is required for the kind stages."),
    ({"kind": "stages", "stages": [{"sets": 1, "reps": 1}] * 11}, "stages", None),
    ({"kind": "stages", "stages": [{"sets": 101, "reps": 1}]}, "stages[0].sets", None),
    ({"kind": "stages", "stages": [{"sets": 1, "reps": 1}], "reset_percent": 29}, "reset_percent", None),
    ({"kind": "wave", "weeks": [{"sets": 1, "reps": 1, "percent": 85}]}, "training_max_kg", None),
    (
        {"kind": "wave", "training_max_kg": 100, "weeks": [{"sets": 1, "reps": 1, "percent": 121}]},
        "weeks[0].percent",
        None,
    ),
    (
        {"kind": "wave", "training_max_kg": 100, "weeks": [{"sets": 1, "reps": 1, "percent": 85}] * 7},
        "weeks",
        None,
    ),
]


@pytest.mark.parametrize(("fields", "place", "message"), WRONG)
def test_a_wrong_rule_is_rejected_at_its_place(coach, fields, place, message):
    coach.plan(monday=[an_exercise()])
    wrong = problems(coach.api.put(f"{coach.path}/progression", {"rules": [rule(**fields)]}))
    assert wrong.keys() == {f"body.rules[0].{place}"}
    assert message in (None, wrong[f"body.rules[0].{place}"])
    assert coach.api.get(f"{coach.path}/progression").json()["rules"] == []


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "body.rules"),
        ({"rules": None}, "body.rules"),
        ({"rules": [], "deload_every": 3}, "body.deload_every"),
        ({"rules": [], "deload_every": 13}, "body.deload_every"),
        ({"rules": [], "deload_percent": 29}, "body.deload_percent"),
        ({"rules": [], "every": 4}, "body.every"),
        ({"rules": [rule(), rule()]}, "body.rules[0].position"),
    ],
)
def test_a_wrong_body_is_rejected(bench, body, path):
    assert path in problems(bench.api.put(f"{bench.path}/progression", body))


def test_assisted_and_timed_exercises_have_no_rules(coach):
    assisted = Exercise.objects.filter(name__icontains="assisted").values_list("pk", flat=True).first()
    coach.plan(monday=[an_exercise("plank"), *[an_exercise(assisted)] * bool(assisted)])
    wrong = problems(coach.api.put(f"{coach.path}/progression", {"rules": [rule(exercise_id="plank")]}))
    assert "time or distance" in wrong["body.rules[0].exercise_id"]
    if assisted:
        body = {"rules": [rule(position=1, exercise_id=assisted)]}
        wrong = problems(coach.api.put(f"{coach.path}/progression", body))
        assert "assisted" in wrong["body.rules[0].exercise_id"]


def test_a_plan_that_does_not_exist_has_no_rules(api):
    for method, path, body in [
        ("GET", NEVER, None),
        ("PUT", NEVER, {"rules": 1}),
        ("GET", f"{NEVER}/steps", None),
    ]:
        assert api.call(method, path, body).status_code == 404


def test_a_retried_request_makes_one_step(bench):
    body = a_workout(*[a_set(60, 8)] * 3, **bench.on(0))
    for _ in range(2):
        answer = bench.api.call("POST", "/workouts", body, headers={"Idempotency-Key": "once"})
        assert answer.status_code == 201
    assert (bench.targets(), len(bench.steps)) == (["3×8 62.5"], 1)


def test_a_workout_takes_two_statements_more_with_rules(coach):
    coach.plan(monday=[an_exercise(), an_exercise(SQUAT)])
    coach.lift("60: 8, 8, 8")

    def count(day):
        with statements() as run:
            coach.lift("60: 8, 8, 8", day=day)
        return len(run)

    without = count(7)
    coach.rules(rule(), rule(position=1, exercise_id=SQUAT))
    assert count(14) == without + 2
    assert count(21) == without + 2
    assert (without, len(coach.steps)) == (6, 2)


def test_a_plan_that_was_changed_since_it_was_read_is_read_again(bench, monkeypatch):
    """As by a workout of another phone, whose transaction ends between the look-up and the lock."""
    from training.models.workout import Workout

    stale = []
    fill = Workout.fill

    def meanwhile(workout, values):
        if not stale:
            stale.append(values["read_plan"])
            bench.lift("60: 8, 8, 8")
        return fill(workout, values)

    monkeypatch.setattr(Workout, "fill", meanwhile)
    bench.lift("62.5: 8, 8, 8", day=7)
    assert bench.targets() == ["3×8 65"]
    assert [kind for kind, _ in bench.said()] == ["progressed", "progressed"]


def test_an_import_makes_no_steps_and_takes_back_those_of_what_it_stored(bench, account):
    values = WorkoutSerializer.validated(a_workout(*[a_set(60, 8)] * 3, **bench.on(0)), {"account": account})
    with transaction.atomic():
        account.lock()
        stored = Workouts().store(account, [WorkoutRecord(values, "")])
    assert (bench.targets(), bench.steps) == (["3×8 60"], [])
    path = f"/workouts/{stored[0].record_id}"
    bench.api.put(path, bench.api.get(path).json())  # from now on it is a session
    assert bench.targets() == ["3×8 62.5"]
    with transaction.atomic():
        account.lock()
        assert Workouts().remove(account, stored, changed_too=True) == [True]
    assert (bench.targets(), bench.steps) == (["3×8 60"], [])
