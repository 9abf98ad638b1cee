"""Rules of plans in a real browser: from home to a rule for all lifts of a plan, and why targets moved."""

import pytest

from tests.conftest import client_of
from tests.screens.browser import PHONE, expect, in_browser, overflow
from tests.training.test_plan_progression import SQUAT, week
from tests.training.test_plans import a_plan, an_exercise

pytestmark = in_browser

MOST_TOUCHES = 8


class Finger:
    def __init__(self, screen):
        self.screen, self.touches = screen, 0

    def on(self, role, name, place=None):
        self.touches += 1
        (place or self.screen).get_by_role(role, name=name).first.click()


@pytest.fixture
def plan(account, transactional_db):
    days = week(monday=[an_exercise(), an_exercise(exercise_id=SQUAT, weight_kg=100)])
    return client_of(account).post("/plans", a_plan(days=days)).json()


def test_all_lifts_of_a_plan_get_a_rule_by_few_touches(screen, live_server, account, sign_in, plan):
    sign_in(account)
    screen.set_viewport_size(PHONE)
    screen.goto("/")
    finger = Finger(screen)
    finger.on("link", "More", screen.get_by_role("navigation", name="Main"))
    finger.on("link", "Plans", screen.get_by_role("main"))
    finger.on("link", plan["name"])
    finger.on("link", "Add a rule")
    finger.on("link", "Barbell Bench Press")
    finger.on("link", "Reps, then weight")
    expect(screen.get_by_role("heading", name="The next twelve workouts")).to_be_visible()
    finger.on("button", "The same rule for all exercises")
    expect(screen.get_by_text("8 to 10 reps, then +2.5 kg")).to_be_visible()
    assert finger.touches <= MOST_TOUCHES
    assert overflow(screen) == 0
    assert {one.rule.kind for one in account.plans.get().progressions.rules} == {"double"}
