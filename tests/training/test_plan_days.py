"""A plan is named on one page and edited day by day on others, of which each saves its day alone."""

import pytest
from django.urls import reverse

from tests.conftest import freshly_signed_in
from tests.html import html, plain
from tests.training.test_plan_progression import Coach, rule
from tests.training.test_plans import an_exercise
from tests.training.test_web import fields_in, planned_rows, sign_form_id

pytestmark = pytest.mark.each_database  # a digest of a day is of the JSON that the database returns

NAMED = {"name": "Mine", "summary": "", "progression": ""}
PRESS = "barbell-overhead-press"


def a_day_form(**fields):
    return {"label": "Push", "focus": "", **planned_rows(), **fields}


class Days:
    """The pages of a plan's days as one person sees them."""

    def __init__(self, page, plan):
        self.page, self.plan = page, plan

    def opened(self, weekday):
        return fields_in(html(self.page.get(self.address(weekday))))

    def save(self, weekday, **fields):
        """Opens a day, changes some of its fields, and saves it; returns the text of the next page."""
        return self.send(weekday, {**self.opened(weekday), **fields})

    def send(self, weekday, fields):
        answer = self.page.post(self.address(weekday), fields, follow=True)
        self.plan.refresh_from_db()
        return plain(html(answer))

    def press(self, weekday, **fields):
        """Presses a button that saves nothing; returns the fields of the form that is shown then."""
        address = reverse("plan-day-rows", args=[self.plan.pk, weekday])
        return fields_in(html(self.page.post(address, a_day_form(**fields))))

    def address(self, weekday):
        return reverse("edit-plan-day", args=[self.plan.pk, weekday])

    @property
    def labels(self):
        return [day["label"] for day in self.plan.days]


@pytest.fixture
def days(page, account):
    """A plan that trains on Monday."""
    page.post(reverse("create-plan"), NAMED)
    days = Days(page, account.plans.get())
    days.save(1, rest="", **a_day_form())
    return days


@pytest.fixture
def ruled(api, account):
    """A bench press on Monday, which has a rule, and a press on Thursday, which has one as well."""
    coach = Coach(api).plan(monday=[an_exercise()], thursday=[an_exercise(PRESS)])
    coach.rules(rule(), rule(4, 0, PRESS))
    days = Days(freshly_signed_in(account), account.plans.get())
    days.coach = coach
    return days


def test_a_new_plan_is_made_once_and_rests_on_all_days(page, account):
    form = {**NAMED, "form": sign_form_id(page, reverse("create-plan"))}
    for _ in range(2):
        page.post(reverse("create-plan"), form)
    plan = account.plans.get()
    assert (plan.days_per_week, plan.active, plan.history) == (0, False, [])
    text = html(page.get(reverse("plan", args=[plan.pk])))
    assert text.count("Add exercises") == 7
    assert "Fill this in." in html(page.post(reverse("create-plan"), {**NAMED, "name": ""}))


def test_each_day_is_saved_alone(days):
    assert days.plan.days[0]["exercises"][0]["weight_kg"] == 92.5
    tuesday = days.opened(2)
    days.save(1, label="Pull")
    days.send(2, {**tuesday, "rest": "", **a_day_form(label="Legs")})
    assert days.labels == ["Pull", "Legs", "Rest", "Rest", "Rest", "Rest", "Rest"]
    assert [entry["kind"] for entry in days.plan.history] == ["replaced"] * 3


def test_the_name_of_a_plan_is_saved_without_its_days(days):
    address = reverse("edit-plan", args=[days.plan.pk])
    fields = fields_in(html(days.page.get(address)))
    days.save(1, label="Pull")
    days.page.post(address, {**fields, "summary": "Get strong."})
    days.plan.refresh_from_db()
    assert (days.plan.summary, days.labels[0]) == ("Get strong.", "Pull")


def test_saving_what_nobody_changed_leaves_the_history_alone(days):
    before = days.plan.history
    for weekday in (1, 2):
        assert "Your changes are saved." in days.save(weekday)
    address = reverse("edit-plan", args=[days.plan.pk])
    days.page.post(address, fields_in(html(days.page.get(address))))
    days.plan.refresh_from_db()
    assert days.plan.history == before


def test_a_day_that_has_changed_meanwhile_is_replaced_only_once_that_is_said(days):
    opened = days.opened(1)
    days.save(1, label="Pull")
    changed = {**opened, "label": "Legs"}
    shown = html(days.page.post(days.address(1), changed))
    assert "Nothing is saved. This day has changed since you opened it." in plain(shown)
    assert fields_in(shown)["label"] == ["Legs"]
    days.plan.refresh_from_db()
    assert days.labels[0] == "Pull"
    days.send(1, fields_in(shown))
    assert days.labels[0] == "Legs"


def test_a_form_that_is_sent_twice_saves_its_day_once(days):
    opened = {**days.opened(1), "label": "Legs"}
    for _ in range(2):
        assert "Your changes are saved." in days.send(1, opened)
    assert len(days.plan.history) == 2


def test_a_target_that_a_workout_has_moved_meanwhile_is_not_set_back_unsaid(ruled):
    opened = ruled.opened(1)
    ruled.coach.lift("60: 8, 8, 8")
    assert ruled.coach.targets() == ["3×8 62.5"]
    assert "This day has changed since you opened it." in ruled.send(1, {**opened, "label": "Legs"})
    assert ruled.coach.targets() == ["3×8 62.5"]


def test_a_rest_day_gives_up_its_exercises_and_says_which_rules_end(ruled):
    text = ruled.save(1, rest="yes")
    assert "Your changes are saved. Rules: 1 kept; ended: Barbell Bench Press." in text
    monday = ruled.plan.days[0]
    assert (monday["label"], monday["rest"], monday["exercises"]) == ("Rest", True, [])


def test_a_rest_day_keeps_what_it_is_called(api, days):
    plan = api.get(f"/plans/{days.plan.pk}").json()
    plan["days"][2] |= {"label": "Walk", "focus": "Outside"}
    api.put(f"/plans/{days.plan.pk}", {name: plan[name] for name in ("name", "days")})
    days.save(3)
    assert (days.plan.days[2]["label"], days.plan.days[2]["focus"]) == ("Walk", "Outside")


def test_a_day_changes_places_with_another_and_takes_its_rules_along(ruled):
    ruled.coach.lift("60: 8, 8, 8")
    text = ruled.save(1, to="4", label="Heavy")
    assert "Rules: Barbell Overhead Press now on Monday; Barbell Bench Press now on Thursday." in text
    assert (ruled.labels[0], ruled.labels[3]) == ("Day 4", "Heavy")
    rules = ruled.plan.progressions.places.items()
    assert sorted((place.weekday, bool(one.newest)) for place, (one, _) in rules) == [(1, False), (4, True)]
    assert ruled.coach.targets() == ["3×8 62.5"]
    details = [entry["detail"] for entry in ruled.plan.history]
    assert "Changed: days, two of which changed places." in details


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"label": ""}, "Name the day"),
        ({"e0-sets": "0"}, "Enter how many sets, from 1 to 100."),
        ({"e0-weight": "heavy"}, "Enter a weight from 0 to 2,000 kg"),
        ({"e0-exercise_id": "no-such-thing"}, "there is no exercise"),
    ],
)
def test_errors_of_a_day_are_shown_beside_the_field_with_nothing_lost(days, change, message):
    form = {**days.opened(2), "rest": "", **a_day_form(**{"focus": "Chest", "e0-note": "Pause.", **change})}
    text = html(days.page.post(days.address(2), form))
    assert message in text
    kept = fields_in(text)
    assert all(kept.get(name) in (form[name], [form[name]]) for name in a_day_form()), kept
    days.plan.refresh_from_db()
    assert days.labels[1] == "Rest"


def test_an_exercise_is_added_to_a_day_without_scripts(days):
    assert days.page.get(reverse("plan-day-rows", args=[days.plan.pk, 1])).status_code == 405
    assert len(days.press(1, **{"add-exercise": "exercises chin-up"})["exercises"]) == 2


def test_a_day_is_filled_from_a_routine_without_scripts(days, account):
    entries = days.plan.days[0]["exercises"] * 2
    routine = account.routines.create(name="Heavy", focus="Pressing", exercises=entries)
    fields = days.press(3, rest="yes", source=f"routine {routine.pk}", fill="yes")
    assert (fields["label"], fields["focus"]) == (["Heavy"], ["Pressing"])
    assert "rest" not in fields
    first, second = fields["exercises"]
    assert fields[f"{second}-weight"] == ["92.5"]
    assert first != second


def test_a_day_is_copied_from_another(days):
    days.send(3, {**days.press(3, source="day 1", fill="yes"), "opened": days.opened(3)["opened"]})
    assert {**days.plan.days[2], "weekday": 1} == days.plan.days[0]


@pytest.mark.parametrize("source", ["", "day", "day 8", "routine", "routine x", "routine {theirs}", "week 1"])
def test_a_day_stays_as_it_is_without_a_source(days, stranger, source):
    theirs = stranger.routines.create(name="Theirs", exercises=[])
    fields = days.press(1, label="Own", source=source.format(theirs=theirs.pk), fill="yes")
    assert (fields["label"], len(fields["exercises"])) == (["Own"], 1)


def test_the_form_of_a_day_is_found_in_no_other_week_and_by_no_stranger(days, stranger):
    for weekday in (0, 8):
        assert days.page.get(days.address(weekday)).status_code == 404
    theirs = freshly_signed_in(stranger)
    assert theirs.get(days.address(1)).status_code == 404
    assert theirs.post(days.address(1), a_day_form()).status_code == 404
