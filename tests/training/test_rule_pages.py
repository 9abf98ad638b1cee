"""The pages of a plan's rules: forms, forecasts, and the person's own past under a rule."""

import datetime
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from tests.conftest import a_set, a_workout
from tests.training.test_plan_progression import BENCH, SQUAT, Coach, rule, week
from tests.training.test_plans import an_exercise
from tests.training.test_routine_progression import TRAINERS, Trainer
from tests.training.test_web import fields_in
from training.models import Plan
from training.plans import Linear, State, Target, back_test, loading_of
from training.plans.steps import Session
from training.web.rules import summary

PULL_UP, PLANK, ASSISTED = "pull-up", "plank", "band-assisted-pull-up"


def text_of(answer):
    """What a page says, without tags and with single spaces."""
    body = re.sub(r"<(style|script).*?</\1>", " ", answer.content.decode(), flags=re.S)
    return " ".join(re.sub(r"<[^>]+>", " ", body).replace("&#x27;", "'").split())


@pytest.fixture
def plan(api):
    coach = Coach(api).plan(
        monday=[an_exercise(), an_exercise(exercise_id=SQUAT, weight_kg=100)],
        thursday=[an_exercise(exercise_id=PULL_UP, weight_kg=0), an_exercise(exercise_id=PLANK, weight_kg=0)],
    )
    coach.id = coach.path.rpartition("/")[2]
    return coach


@pytest.fixture
def at(page, plan):
    """Reads and sends the form of an entry."""

    class Form:
        def address(self, name="plan-rule", weekday=1, position=0):
            return reverse(name, args=[plan.id, weekday, position])

        def read(self, weekday=1, position=0, **query):
            answer = page.get(self.address(weekday=weekday, position=position), query)
            assert answer.status_code == 200
            return answer

        def send(self, name="plan-rule", weekday=1, position=0, kind="", **typed):
            fields = fields_in(self.read(weekday, position, kind=kind).content.decode())
            return page.post(self.address(name, weekday, position), {**fields, **typed})

        @property
        def rules(self):
            found = plan.api.get(f"{plan.path}/progression").json()["rules"]
            return {(one["weekday"], one["position"]): one for one in found}

    return Form()


def plan_page(page, plan):
    return page.get(reverse("plan", args=[plan.id]))


def plan_day(page, plan, weekday=1):
    return page.get(reverse("plan-day", args=[plan.id, weekday]))


def test_a_plan_without_rules_shows_one_line_more(page, plan):
    said = text_of(plan_page(page, plan))
    assert said.count("Add a rule") == 1
    assert "a session" not in said
    assert "Deload" not in said


EXPECTED = {
    "linear": {"increment_kg": 2.5, "misses": 3, "deload_percent": 90},
    "double": {"reps_from": 8, "reps_to": 10, "increment_kg": 2.5},
    "effort": {"rpe_up": 8, "rpe_down": 9.5},
    "stages": {"stages": [{"sets": 3, "reps": 10}, {"sets": 3, "reps": 8}, {"sets": 3, "reps": 6}]},
    "wave": {"training_max_kg": 0, "increment_kg": 2.5},
}


@pytest.mark.parametrize("kind", EXPECTED)
def test_a_rule_of_each_kind_is_saved_with_what_is_usual_and_read_back(at, kind):
    answer = at.send(kind=kind)
    assert answer.status_code == 302
    stored = at.rules[1, 0]
    assert stored["kind"] == kind
    assert {name: stored[name] for name in EXPECTED[kind]} == EXPECTED[kind]
    again = at.send(kind=kind)
    assert (again.status_code, at.rules[1, 0]) == (302, stored)


def test_a_stored_rule_is_said_and_its_form_is_a_touch_away(at):
    at.send(kind="linear")
    answer = at.read()
    said = text_of(answer)
    assert "All sets done: +2.5 kg next time. 3 misses in a row: down to 90 %." in said
    assert "Next time 3 × 8 at 60 kg" in said
    assert ("Save rule" in said, "Remove rule" in said) == (False, True)
    assert f'href="{at.address()}?kind=linear"' in answer.content.decode()
    form = text_of(at.read(kind="linear"))
    assert ("Save rule" in form, "Remove rule" in form) == (True, False)


def test_weeks_are_typed_a_line_each(at):
    at.send(kind="wave", weeks="3x5 at 70%\n\n1 × 3+ @ 92,5", training_max="100")
    stored = at.rules[1, 0]
    assert stored["weeks"] == [
        {"sets": 3, "reps": 5, "percent": 70, "open": False},
        {"sets": 1, "reps": 3, "percent": 92.5, "open": True},
    ]
    assert stored["training_max_kg"] == 100


@pytest.mark.parametrize("language", ["en", "de", "es", "fr"])
def test_the_example_of_weeks_can_be_typed_as_each_language_writes_it(at, account, language):
    account.language = language
    account.save()
    example = re.findall(r"1 × 5\+ \S+ 85\s%", text_of(at.read(kind="wave")))[-1]  # below the field
    at.send(kind="wave", weeks=example)
    (stored,) = at.rules.values()
    assert stored["weeks"] == [{"sets": 1, "reps": 5, "percent": 85, "open": True}]


def test_somebody_in_pounds_types_pounds(at, account):
    account.units = "lb"
    account.save()
    assert 'value="5"' in at.read(kind="linear").content.decode()
    at.send(kind="linear")
    assert at.rules[1, 0]["increment_kg"] == pytest.approx(5 * 0.45359237)
    assert at.rules[1, 0]["sentence"] == "+5 lb a session"


@pytest.mark.parametrize(
    ("kind", "field", "typed", "says"),
    [
        ("linear", "increment", "much", "Enter a weight from 0 to 2,000 kg."),
        ("linear", "misses", "0", "Enter a whole number from 1 to 10."),
        ("double", "reps_from", "20", "Enter whole repetitions, not above the most."),
        ("double", "reps_to", "", "Enter whole repetitions, from 1 to 10,000."),
        ("effort", "rpe_up", "11", "Enter a number from 0 to 10, not above the other RPE."),
        ("stages", "stages", "five by three", "“five by three” cannot be read."),
        ("stages", "stages", "0 × 3", "Enter 1 to 10 stages"),
        ("stages", "stages", "", "Enter 1 to 10 stages"),
        ("wave", "weeks", "3 × 5 at 200 %", "Enter 1 to 6 weeks"),
        ("wave", "training_max", "-1", "Enter a weight from 0 to 2,000 kg, or nothing."),
    ],
)
def test_an_error_is_at_its_field(at, kind, field, typed, says):
    for name in ("plan-rule", "copy-plan-rule", "preview-plan-rule"):
        answer = at.send(name, kind=kind, **{field: typed})
        about = answer.content.decode().partition(f'id="{field}-about"')[2].partition("</div>")[0]
        assert (answer.status_code, says in about) == (200, True), (name, about)
    assert at.rules == {}


@pytest.mark.parametrize("typed", ["nan", "inf", "-1e999", "٣", "\0", "9" * 400])
@pytest.mark.parametrize("kind", EXPECTED)
def test_what_is_no_number_is_no_error_of_the_server(at, kind, typed):
    fields = dict.fromkeys(
        ["increment", "increment_kg", "misses", "reps_from", "rpe_up", "training_max", "training_max_kg"],
        typed,
    )
    answer = at.send(
        "preview-plan-rule", kind=kind, **fields, weeks=f"{typed} × 5 at 85 %", stages=f"5 × {typed}"
    )
    assert answer.status_code == 200
    assert at.rules == {}


def test_other_rules_and_lighter_weeks_stay(at, page, plan):
    at.send(kind="linear")
    page.post(reverse("plan-deloads", args=[plan.id]), {"every": "6", "percent": "80"})
    at.send(position=1, kind="double")
    stored = plan.api.get(f"{plan.path}/progression").json()
    assert [rule["kind"] for rule in stored["rules"]] == ["linear", "double"]
    assert (stored["deload_every"], stored["deload_percent"]) == (6, 80)
    at.send("remove-plan-rule")
    assert list(at.rules) == [(1, 1)]


def test_the_same_rule_is_for_all_exercises_that_can_have_it(at):
    at.send("copy-plan-rule", kind="linear", increment="5")
    assert {place: rule["increment_kg"] for place, rule in at.rules.items()} == {
        (1, 0): 5,
        (1, 1): 5,
        (4, 0): 0,
    }
    at.send("copy-plan-rule", kind="stages")
    assert {place: rule["kind"] for place, rule in at.rules.items()} == {
        (1, 0): "stages",
        (1, 1): "stages",
        (4, 0): "linear",
    }


def test_percentages_for_all_begin_with_what_each_lift_has_reached(at, plan):
    plan.log(a_workout(a_set(100, 1), exercise_id=SQUAT, started_at="2026-03-02T17:30:00Z"))
    at.send("copy-plan-rule", kind="wave")
    maxes = {place: rule["training_max_kg"] for place, rule in at.rules.items()}
    assert maxes == {(1, 0): 0, (1, 1): 92.5}  # 90 % of 103.3


def test_three_entries_of_a_lift_get_the_sets_of_a_wave(api, page, at, plan):
    plan.plan(monday=[an_exercise(), an_exercise(), an_exercise()])
    plan.id = plan.path.rpartition("/")[2]
    at.send("copy-plan-rule", kind="wave", training_max="100")
    assert plan.targets() == ["1×5 65", "1×5 75", "1×5 85"]
    assert "1 × 5 at 65" in text_of(at.read(position=1))
    at.send(position=2, kind="wave", training_max="110")
    assert [rule["training_max_kg"] for rule in at.rules.values()] == [110] * 3


def test_timed_and_assisted_exercises_have_no_rule(api, page, plan):
    plan.plan(monday=[an_exercise(exercise_id=PLANK, weight_kg=0), an_exercise(exercise_id=ASSISTED)])
    pk = plan.path.rpartition("/")[2]
    assert "No exercise here can have a rule" in text_of(page.get(reverse("plan-rules", args=[pk])))
    for position in (0, 1, 2):
        assert page.get(reverse("plan-rule", args=[pk, 1, position])).status_code == 404


def test_strangers_find_no_page_of_rules(client, stranger, plan, at):
    client.force_login(stranger)
    for name in ("plan-rules", "plan-deloads"):
        assert client.get(reverse(name, args=[plan.id])).status_code == 404
        assert client.post(reverse(name, args=[plan.id])).status_code == 404
    assert client.get(at.address()).status_code == 404
    for name in ("plan-rule", "preview-plan-rule", "copy-plan-rule", "remove-plan-rule"):
        assert client.post(at.address(name), {"kind": "linear"}).status_code == 404


def test_a_form_of_another_exercise_than_the_plan_has_now_changes_nothing(at):
    answer = at.send(exercise=SQUAT)
    assert "The plan has changed meanwhile" in text_of(answer)
    assert at.rules == {}


def test_a_plan_says_each_rule_and_why_its_target_moved(at, page, plan):
    at.send(kind="linear")
    plan.lift("60: 8, 8, 8")
    said = text_of(plan_page(page, plan))
    assert "Barbell Bench Press 3 × 8 at 62.5 kg" in said
    assert "Targets moved: Barbell Bench Press: 3 × 8 at 62.5 kg, up from 60" in said
    day = text_of(plan_day(page, plan))
    assert "Barbell Bench Press 3 × 8 at 62.5 kg up from 60: 3 × 8 done on 23 Nov Then +2.5 kg" in day
    rule = text_of(page.get(reverse("plan-rule", args=[plan.id, 1, 0])))
    assert "Next time 3 × 8 at 62.5 kg up from 60: 3 × 8 done on 23 Nov" in rule
    assert rule.count("3 × 8 at 62.5 kg") == 1  # what the workout did is the target of now
    assert "up up from 60: 3 × 8 done" in rule


@pytest.mark.time_machine("2026-11-23T12:00:00Z")  # a Monday
def test_a_day_says_what_to_do_and_what_comes_then(page, plan):
    stages = [{"sets": 5, "reps": 3}, {"sets": 6, "reps": 2}, {"sets": 10, "reps": 1}]
    body = {name: plan.stored[name] for name in ("name", "summary", "progression", "days")}
    entry = an_exercise(exercise_id=SQUAT, sets=5, reps=3, weight_kg=95)
    plan.api.put(plan.path, {**body, "days": week(monday=[entry], thursday=[an_exercise()])})
    staged = {"kind": "stages", "stages": stages, "increment_kg": 5}
    plan.rules(rule(exercise_id=SQUAT, **staged), rule(4))
    monday, thursday = (text_of(plan_day(page, plan, weekday)) for weekday in (1, 4))
    assert "5 × 3 at 95 kg Last set as many as are clean. Then +5 kg" in monday
    assert "3 × 8 at 60 kg Then +2.5 kg" in thursday
    Plan.objects.update(active=True)
    today, _, other = plan_page(page, plan).content.decode().partition("Thursday")
    for mark in (">Today<", "button-primary"):
        assert (mark in today, mark in other) == (True, False), mark


def test_a_rule_that_knows_no_weight_yet_is_said_whole(page, plan):
    body = {name: plan.stored[name] for name in ("name", "summary", "progression", "days")}
    days = week(monday=[an_exercise(weight_kg=0), an_exercise(exercise_id=PULL_UP, weight_kg=0)])
    plan.api.put(plan.path, {**body, "days": days})
    plan.rules(rule(), rule(position=1, exercise_id=PULL_UP))
    said = text_of(plan_day(page, plan))
    assert "3 × 8 · Your own load +2.5 kg a session" in said
    assert "3 × 8 · Body weight Then +1 rep" in said


def test_a_target_that_was_typed_has_no_reason(at, page, plan):
    at.send(kind="linear")
    plan.lift("60: 8, 8, 8")
    body = {name: plan.stored[name] for name in ("name", "summary", "progression", "days")}
    body["days"] = week(monday=[an_exercise(weight_kg=80)])
    assert plan.api.put(plan.path, body).status_code == 200
    said = text_of(plan_day(page, plan))
    assert re.search(r"3 × 8 at 80 kg Last time, [^:]+: best set 60 kg × 8, 3 sets Then \+2.5 kg", said)
    assert "up from 60" not in said


def test_a_plan_without_text_is_described_by_its_rules(at, page, plan):
    Plan.objects.filter(pk=plan.id).update(progression="")
    at.send("copy-plan-rule", kind="linear")
    assert "+2.5 kg a session: Barbell Bench Press , Barbell Back Squat" in text_of(plan_page(page, plan))


def test_a_lighter_week_shows_lighter_targets(page, plan):
    page.post(reverse("plan-deloads", args=[plan.id]), {"every": "4", "percent": "80"})
    assert "Every 4 weeks at 80 %, next from" in text_of(plan_page(page, plan))
    stored = Plan.objects.get(pk=plan.id)
    begin = timezone.now().date() - datetime.timedelta(weeks=3)
    stored.rules = {**stored.rules, "counted_from": begin.isoformat()}
    stored.save()
    said = text_of(plan_page(page, plan))
    assert "Deload week: 80 % of each weight" in said
    assert "This week 3 × 8 at 47.5 kg" in said
    day = text_of(plan_day(page, plan))
    assert "Deload week" in day
    assert "Then +" not in day


@pytest.mark.parametrize("typed", [{"every": "3", "percent": "80"}, {"every": "4", "percent": "10"}])
def test_lighter_weeks_have_bounds(page, plan, typed):
    assert page.post(reverse("plan-deloads", args=[plan.id]), typed).status_code == 200
    assert plan.api.get(f"{plan.path}/progression").json()["deload_every"] is None


def days_ago(count):
    return (timezone.now() - datetime.timedelta(days=count)).replace(microsecond=0)


def test_the_past_under_a_rule_is_that_of_the_pure_module(at, plan, account):
    lifts = [(60, [8, 8, 8]), (62.5, [8, 8, 8]), (62.5, [8, 8, 6]), (62.5, [8, 7, 6]), (62.5, [7, 6, 6])]
    sessions = []
    for index, (weight_kg, counts) in enumerate(lifts):
        sets = [a_set(weight_kg, count) for count in counts]
        start = days_ago(60 - index)
        workout = plan.log(a_workout(*sets, started_at=start.isoformat().replace("+00:00", "Z")))
        sets = [{"type": "working", "completed": True, "rpe": None, **one} for one in sets]
        sessions.append(Session(workout["id"], start, sets))
    plan.log(a_workout(a_set(300, 8), started_at="2020-03-02T17:30:00Z"))
    rule = Linear(2.5)
    tested = back_test(rule, State(Target(3, 8, 60)), sessions, loading_of("Barbell", "kg", 2.5))
    said = text_of(at.read(kind="linear"))
    assert summary(tested, "kg") in said
    assert "Over 5 workouts it would have asked for more than you lifted 3 times" in said
    assert "stepped down once; today it would stand at 3 × 8 at 57.5 kg." in said
    assert "stepped down 3 × 8 at 65" in said
    assert at.rules == {}


def test_the_past_under_a_rule_leaves_the_deload_weeks_of_the_plan_out(at, plan):
    """Those since they were set: a lighter week before was nobody's plan."""
    plan.rules(deload_every=4)
    stored = Plan.objects.get()
    since = timezone.localdate() - datetime.timedelta(weeks=6)
    stored.rules = {**stored.rules, "counted_from": since.isoformat()}
    stored.save()
    for weeks_ago, weight_kg in ((11, 55), (6, 60), (5, 60), (4, 60), (3, 50), (2, 60)):
        at_that_time = days_ago(7 * weeks_ago).isoformat().replace("+00:00", "Z")
        plan.log(a_workout(*[a_set(weight_kg, 8)] * 3, started_at=at_that_time))
    said = text_of(at.read(kind="linear"))
    assert "Over 5 workouts it would" in said
    assert "Deload weeks are left out." in said
    assert "3 × 8 at 50" not in said
    assert "3 × 8 at 55" in said


def test_a_preview_stores_nothing_and_shows_what_was_typed(at):
    said = text_of(at.send("preview-plan-rule", kind="linear", increment="10"))
    assert "3 × 8 at 170" in said
    assert at.rules == {}


def test_the_forecast_has_the_deload_weeks_of_the_plan(at, plan):
    plan.rules(deload_every=4, deload_percent=80)
    stored = Plan.objects.get()
    monday = timezone.localdate() - datetime.timedelta(days=timezone.localdate().weekday())
    begin = monday - datetime.timedelta(weeks=1)  # the third and the fourth week are to come
    stored.rules = {**stored.rules, "counted_from": begin.isoformat()}
    stored.save()
    assert "Deload week" not in text_of(at.read(kind="linear"))
    Plan.objects.update(active=True)
    said = text_of(at.read(kind="linear"))
    deload = monday + datetime.timedelta(weeks=2)
    shown = re.search(r"(\d+ \w+( \d{4})?) Deload week 3 × 8 at (\S+) 3 × 8 at (\S+)", said)
    assert shown
    assert shown[1].startswith(f"{deload:%-d %b}")
    before = float(re.findall(r"3 × 8 at (\S+)", said[: shown.start()])[-2])
    after = float(re.findall(r"3 × 8 at (\S+)", said[shown.end() :])[0])
    assert float(shown[3]) < before < after == before + 2.5
    assert re.findall(r"Deload week", said) == ["Deload week"] * 3


def test_pages_take_as_many_statements_for_many_rules_and_sessions(page, plan, at):
    def counts():
        found = []
        for address in (reverse("plan", args=[plan.id]), reverse("plan-rules", args=[plan.id]), at.address()):
            with CaptureQueriesContext(
                connection,
            ) as statements:
                assert page.get(address).status_code == 200
            found.append(len(statements))
        return found

    without = counts()
    at.send(kind="linear")
    plan.lift("60: 8, 8, 8")
    with_one = counts()
    at.send("copy-plan-rule", kind="linear")
    for day in (7, 14):
        plan.lift("62.5: 8, 8, 8", day=day)
        plan.lift("100: 8, 8, 8", day=day, exercise_id=SQUAT)
    assert counts() == with_one
    assert with_one[0] == without[0]


def test_no_cache_may_store_a_page_of_rules(page, plan, at):
    for address in (
        reverse("plan-rules", args=[plan.id]),
        reverse("plan-deloads", args=[plan.id]),
        at.address(),
    ):
        assert {"private", "no-store"} <= set(page.get(address).headers["Cache-Control"].split(", "))


def test_rules_of_a_routine_are_set_on_its_pages(page, api):
    body = {"name": "Push", "exercises": [an_exercise(), an_exercise(exercise_id="pull-up", weight_kg=0)]}
    routine_id = api.post("/routines", body).json()["id"]
    address = f"/routines/{routine_id}"
    assert "Add a rule" in page.get(address).content.decode()
    listed = page.get(f"{address}/rules").content.decode()
    assert f"{address}/rules/0/1" in listed
    assert "Deload weeks" not in listed
    form = page.get(f"{address}/rules/0/0").content.decode()
    assert "The next twelve workouts" in form
    fields = {"kind": "linear", "exercise": "barbell-bench-press", "increment": "2.5", "misses": "3"}
    saved = page.post(f"{address}/rules/0/0", {**fields, "deload_percent": "90"})
    assert (saved.status_code, saved.url) == (302, address)
    (rule,) = api.get(f"{address}/progression").json()["rules"]
    assert (rule["position"], rule["kind"], rule["increment_kg"]) == (0, "linear", 2.5)
    assert "3 × 8 at 60 kg Then +2.5 kg" in text_of(page.get(address))
    assert page.get(f"{address}/rules/0/7").status_code == 404
    assert page.post(f"{address}/rules/0/0/remove").status_code == 302
    assert api.get(f"{address}/progression").json()["rules"] == []


# --- A new beginning from the records -----------------------------------------------------------------


@pytest.fixture
def trainer(account):
    return Trainer(account)


@pytest.mark.parametrize("noun", TRAINERS)
def test_a_target_is_set_from_the_records(account, noun):
    trainer = TRAINERS[noun](account).of(an_exercise())
    trainer.rules(trainer.rule())
    trainer.lift("60: 8, 8, 7")
    trainer.log(a_workout(a_set(100, 8), exercise_id=BENCH))
    address = f"{trainer.path}/rules/{1 if noun == 'plan' else 0}/0"
    shown = trainer.page.get(address).content.decode()
    assert "held: 8, 8, 7 of 8" in shown
    listed = trainer.page.get(f"{trainer.path}/rules").content.decode()
    assert '<span class="badge">same again</span>' in listed
    answer = trainer.page.post(f"{address}/reset", follow=True)
    assert "The target is set from your record." in answer.content.decode()
    assert trainer.targets() == ["3×8 87.5"]  # 90 % of an estimated maximum of 126.7 kg, for eight
    trainer.lift("87.5: 8, 8, 8", day=7)
    assert trainer.targets() == ["3×8 90"]


def test_a_training_max_is_set_from_the_records(trainer):
    weeks = [{"sets": 3, "reps": 5, "percent": 80}, {"sets": 3, "reps": 3, "percent": 90}]
    trainer.of(an_exercise()).rules(rule(kind="wave", training_max_kg=60, weeks=weeks))
    trainer.log(a_workout(a_set(100, 8), exercise_id=BENCH))
    trainer.page.post(f"{trainer.path}/rules/1/0/reset")
    (stored,) = trainer.api.get(f"{trainer.path}/progression").json()["rules"]
    assert stored["current_training_max_kg"] == pytest.approx(112.5)
    assert trainer.targets() == ["3×5 90"]


def test_without_a_record_or_a_rule_nothing_is_set(trainer):
    trainer.of(an_exercise()).rules(rule())
    answer = trainer.page.post(f"{trainer.path}/rules/1/0/reset", follow=True)
    assert "You have no record with this exercise yet." in answer.content.decode()
    trainer.rules()
    assert trainer.page.post(f"{trainer.path}/rules/1/0/reset").status_code == 404
    assert trainer.targets() == ["3×8 60"]
