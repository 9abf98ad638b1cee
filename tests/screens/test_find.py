"""Finding lifts and workouts in a real browser."""

import datetime
import re

import pytest
from django.utils import timezone

from tests.conftest import a_set, a_workout, client_of
from tests.screens.browser import PHONE, Touches, expect, in_browser

pytestmark = in_browser

BENCH, SQUAT, FRONT = "barbell-bench-press", "barbell-back-squat", "barbell-front-squat"


@pytest.fixture
def two_years(account):
    """Logs a workout a week for two years, oldest first, and returns their starts."""
    api, starts = client_of(account), []
    for week in range(104, 0, -1):
        start = (timezone.now() - datetime.timedelta(weeks=week)).replace(microsecond=0)
        lift = a_workout(a_set(132.5, 5), a_set(130, 10), exercise_id=SQUAT if week % 2 else BENCH)
        body = {**lift, "title": f"Week {week}", "started_at": start.isoformat()}
        assert api.post("/workouts", body).status_code == 201
        starts.append(start)
    return starts


def test_a_lift_is_found_while_somebody_types(account, sign_in):
    api = client_of(account)
    for day in (1, 2):
        api.post("/workouts", a_workout(a_set(), exercise_id=FRONT, started_at=f"2026-03-0{day}T10:00:00Z"))
    screen = sign_in(account)
    screen.goto("/exercises")
    screen.get_by_label("Exercise or muscle").press_sequentially("squat")
    expect(screen.locator("#status")).to_contain_text("exercises match")
    expect(screen.locator("#found .rows-title").first).to_have_text("Barbell Front Squat")
    expect(screen).to_have_url(re.compile(r"/exercises\?q=squat$"))
    expect(screen.get_by_label("Exercise or muscle")).to_be_focused()
    screen.get_by_label("Exercise or muscle").fill("zzzz")
    expect(screen.get_by_text("Nothing matches")).to_be_visible()


def test_a_workout_of_two_years_ago_is_two_touches_and_a_jump_away(account, two_years, sign_in):
    screen = sign_in(account)
    screen.set_viewport_size(PHONE)
    screen.goto("/")
    finger = Touches(screen)
    finger.on(screen.get_by_role("link", name="All workouts"))
    expect(screen.get_by_role("heading", name="Workouts", level=1)).to_be_visible()
    taps = finger.count
    finger.choose(screen.get_by_label("Month"), f"{timezone.localtime(two_years[0]):%B %Y}")
    jump = finger.count - taps
    finger.on(screen.get_by_role("link", name="Week 104", exact=True))
    expect(screen.get_by_role("heading", name="Week 104")).to_be_visible()
    assert (finger.count - jump, jump) == (2, 2)


def test_what_is_chosen_before_the_script_has_come_is_found(account, two_years, sign_in):
    screen, held_back = sign_in(account), []
    month = timezone.localtime(two_years[0])
    screen.route("**/find*.js", lambda script: held_back.append(script))
    with screen.expect_request("**/find*.js"):
        screen.goto("/workouts", wait_until="commit")
    screen.select_option("#id_month", label=f"{month:%B %Y}")
    for script in held_back:
        script.continue_()
    expect(screen.get_by_role("link", name="Week 104", exact=True)).to_be_visible()
    expect(screen).to_have_url(re.compile(rf"\?month={month:%Y-%m}$"))
