"""Rules when the days of a plan change: they belong to the exercise, then to the day."""

import re

import pytest

from tests.conftest import a_set, a_workout, freshly_signed_in
from tests.training.test_plan_progression import BENCH, SQUAT, Coach, rule, week
from tests.training.test_plans import a_plan, an_exercise
from training.models import Exercise
from training.models.catalogue_refresh import refresh_from_catalogue

PRESS, DEADLIFT = "barbell-overhead-press", "barbell-deadlift"
WEEKS = [{"sets": 3, "reps": 5, "percent": 80}, {"sets": 3, "reps": 3, "percent": 90}]


class Planner(Coach):
    """A plan whose days somebody sends again."""

    def send(self, **days):
        """Sends the plan with these days, and returns what its history says."""
        response = self.api.put(self.path, a_plan(days=week(**days)))
        assert response.status_code == 200, response.content
        return response.json()["history"][-1]["detail"]

    @property
    def ruled(self):
        """Where which exercise has a rule, and of which kind."""
        return [
            (one["weekday"], one["position"], one["exercise_id"], one["kind"])
            for one in self.api.get(f"{self.path}/progression").json()["rules"]
        ]


@pytest.fixture
def planner(api):
    """A bench press on Monday, which has gone up once, a press and a deadlift on Thursday."""
    planner = Planner(api)
    planner.plan(monday=[an_exercise()], thursday=[press(), deadlift()])
    planner.rules(
        rule(),
        rule(4, 0, PRESS, kind="double", reps_from=6, reps_to=9),
        rule(4, 1, DEADLIFT, kind="effort"),
    )
    planner.lift("60: 8, 8, 8")
    return planner


def bench(**fields):
    return an_exercise(BENCH, weight_kg=62.5, **fields)


def press(**fields):
    return an_exercise(PRESS, **fields)


def deadlift(**fields):
    return an_exercise(DEADLIFT, **fields)


def test_a_day_that_moves_takes_its_rules_along(planner):
    said = planner.send(monday=[bench()], friday=[press(), deadlift()])
    assert planner.ruled == [(1, 0, BENCH, "linear"), (5, 0, PRESS, "double"), (5, 1, DEADLIFT, "effort")]
    assert said == (
        "Changed: days. Rules: 1 kept; Barbell Overhead Press now on Friday; Barbell Deadlift now on Friday."
    )


def test_days_that_change_places_keep_each_rule_with_its_exercise(planner):
    planner.send(monday=[press(), deadlift()], thursday=[bench()])
    assert planner.ruled == [(1, 0, PRESS, "double"), (1, 1, DEADLIFT, "effort"), (4, 0, BENCH, "linear")]
    planner.lift("62.5: 8, 8, 8", day=3)
    assert planner.targets() == ["3×8 65"]  # it goes on where it was


def test_another_order_within_a_day_changes_no_rule(planner):
    said = planner.send(monday=[bench()], thursday=[deadlift(), an_exercise(SQUAT), press()])
    assert planner.ruled[1:] == [(4, 0, DEADLIFT, "effort"), (4, 2, PRESS, "double")]
    assert said == "Changed: days. Rules: 3 kept."


def test_a_rule_does_not_pass_to_another_exercise(planner):
    said = planner.send(monday=[an_exercise(SQUAT)], thursday=[press(), deadlift()])
    assert [exercise for _, _, exercise, _ in planner.ruled] == [PRESS, DEADLIFT]
    assert said == "Changed: days. Rules: 2 kept; ended: Barbell Bench Press."


def test_the_old_days_restore_what_was_ended(planner):
    before = planner.stored["days"]
    planner.send(monday=[an_exercise(SQUAT)])
    assert (planner.ruled, len(planner.steps)) == ([], 1)
    planner.lift("200: 1", exercise_id=DEADLIFT, day=3)
    said = planner.send(monday=[bench()], thursday=[press(), deadlift()])
    assert planner.stored["days"] == before
    assert len(planner.ruled) == 3
    assert "going on: Barbell Bench Press, Barbell Overhead Press, Barbell Deadlift" in said
    planner.lift("62.5: 8, 8, 8", day=7)
    assert [kind for kind, _ in planner.said()] == ["progressed", "progressed"]
    assert planner.targets() == ["3×8 65"]


def test_an_ended_rule_goes_on_elsewhere_and_begins_anew_with_another_target(planner):
    planner.send(monday=[an_exercise(SQUAT)])
    planner.send(monday=[an_exercise(SQUAT)], saturday=[an_exercise(BENCH, weight_kg=70)])
    assert planner.ruled == [(6, 0, BENCH, "linear")]
    planner.lift("70: 8, 8, 8", day=5)
    assert planner.targets() == ["3×8 72.5"]


def test_of_two_entries_of_an_exercise_the_second_keeps_the_second_rule(planner):
    planner.plan(monday=[bench(), an_exercise(SQUAT), an_exercise(BENCH, sets=1, reps=20, weight_kg=40)])
    planner.rules(rule(), rule(position=2, increment_kg=5))
    first, second = bench(), an_exercise(BENCH, sets=1, reps=20, weight_kg=40)
    planner.send(monday=[first, second], tuesday=[an_exercise(SQUAT)])
    stored = planner.api.get(f"{planner.path}/progression").json()["rules"]
    assert [(one["position"], one["increment_kg"]) for one in stored] == [(0, 2.5), (1, 5)]


def test_a_rule_of_two_days_stays_where_one_of_them_is_lost(planner):
    planner.plan(monday=[bench()], friday=[bench()]).rules(rule(), rule(5))
    planner.send(monday=[bench()])
    assert planner.ruled == [(1, 0, BENCH, "linear")]
    planner.lift("62.5: 8, 8, 8", day=7)
    assert planner.targets() == ["3×8 65"]


def test_a_wave_goes_along_in_its_week(planner):
    planner.plan(monday=[bench()]).rules(rule(kind="wave", training_max_kg=100, weeks=WEEKS))
    planner.lift("80: 5, 5, 5", day=7)
    assert planner.targets() == ["3×3 90"]
    planner.send(monday=[an_exercise(SQUAT)])
    planner.send(wednesday=[{**an_exercise(BENCH), "sets": 3, "reps": 3, "weight_kg": 90}])
    assert planner.targets() == ["3×3 90"]
    (stored,) = planner.api.get(f"{planner.path}/progression").json()["rules"]
    assert (stored["weekday"], stored["current_training_max_kg"]) == (3, 100)


def test_rules_that_are_removed_do_not_come_back(planner):
    planner.rules()
    planner.send(monday=[an_exercise(SQUAT)])
    planner.send(monday=[bench()])
    assert (planner.ruled, planner.steps) == ([], [])


def test_an_ended_rule_is_found_by_the_exercise_that_was_kept(planner):
    planner.send(monday=[an_exercise(SQUAT)])
    Exercise.objects.get(pk=PRESS).merge_into(Exercise.objects.get(pk="dumbbell-shoulder-press"))
    refresh_from_catalogue()
    planner.send(monday=[an_exercise("dumbbell-shoulder-press")])
    assert planner.ruled == [(1, 0, "dumbbell-shoulder-press", "double")]


def test_an_account_that_is_deleted_takes_ended_rules_along(planner, account):
    planner.send(monday=[an_exercise(SQUAT)])
    planner.log(a_workout(a_set(), **planner.on(0)))
    assert planner.api.delete(planner.path).status_code == 204
    assert not account.progression_steps.exists()


def test_rules_that_were_stored_without_a_list_of_ended_ones_go_on(planner, account):
    plan = account.plans.get()
    stored = plan.rules
    assert stored.pop("ended") == []
    assert all(one["start"] for one in stored["followed"])
    plan.save()
    planner.lift("62.5: 8, 8, 8", day=7)
    assert planner.targets() == ["3×8 65"]
    planner.send(monday=[an_exercise(SQUAT)])
    assert len(account.plans.get().rules["ended"]) == 3


def test_the_page_says_what_has_ended_and_asks_whether_its_successor_gets_a_rule(planner, account):
    page = freshly_signed_in(account)
    planner.send(monday=[an_exercise(SQUAT)], thursday=[press(), deadlift()])
    shown = page.get(f"{planner.path}/rules").content.decode()
    assert "<bdi>Barbell Back Squat</bdi> took its place." in shown
    address = re.search(r'href="([^"]+)">Give it such a rule', shown)[1]
    form = page.get(address)
    assert form.context["form"].kind == "linear"
    planner.rules(rule(exercise_id=SQUAT))
    assert "took its place" not in page.get(f"{planner.path}/rules").content.decode()
