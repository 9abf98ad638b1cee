"""Screens show a part of what is very long, and lead to the rest."""

import datetime
import json
import random
import re
from urllib.parse import urlencode

import pytest
from django.urls import reverse

from tests.conftest import a_set, a_workout, statements
from tests.html import html
from tests.training.test_web import fields_in, marked
from training.models import Exercise, Workout
from training.models.workout_exercise import insert_exercises

BENCH = "barbell-bench-press"
KB = 1000
MONSTER = a_workout() | {"exercises": [{"exercise_id": BENCH, "sets": [a_set(1, 1)] * 100}] * 100}


def sets_shown(text):
    """The rows of sets in a workout's view: their numbers."""
    return [int(number) for number in re.findall(r'<th scope="row">(\d+)</th>', text)]


@pytest.fixture
def monster(api):
    """A workout of 10,000 sets, the longest that the API takes."""
    response = api.call("POST", "/workouts", json.dumps(MONSTER, separators=(",", ":")).encode())
    return response.json()["id"]


def test_a_workout_of_10_000_sets_shows_500_and_leads_to_all(page, monster):
    text = html(page.get(reverse("workout", args=[monster])))
    assert len(sets_shown(text)) == 500
    assert "10,000" in re.search(r"<dt>Sets</dt><dd>([^<]+)", text)[1]
    assert len(text) < 200 * KB
    address = re.search(r'href="([^"]+)">Show all 10,000 sets', text)[1]
    numbers = []
    while address:
        text = html(page.get(address))
        numbers += sets_shown(text)
        assert len(text) < 200 * KB
        later = re.search(r'href="(\?page=\d+)" rel="next"', text)
        address = later and reverse("workout-sets", args=[monster]) + later[1]
    assert numbers == list(range(1, 101)) * 100


def test_a_workout_of_500_sets_is_shown_whole(page, log_workout):
    exercises = [{"exercise_id": BENCH, "sets": [a_set()] * 100}] * 5
    text = html(page.get(reverse("workout", args=[log_workout(exercises=exercises)["id"]])))
    assert len(sets_shown(text)) == 500
    assert "Show all" not in text


def test_exercises_without_sets_are_shown_in_their_place(page, log_workout):
    names = [BENCH, "chin-up", "plank"]
    exercises = [{"exercise_id": name, "sets": [a_set()] * (name != "chin-up")} for name in names]
    text = html(page.get(reverse("workout", args=[log_workout(exercises=exercises)["id"]])))
    assert re.findall(r'<h2 [^>]*><a href="/exercises/([^"]+)"', text) == names
    assert text.count("No sets.") == 1


def test_a_personal_record_behind_the_first_500_sets_is_marked_where_it_is(page, log_workout):
    log_workout(a_set(60, 5), started_at="2026-03-01T10:00:00Z")
    light = {"exercise_id": BENCH, "sets": [a_set(50, 5)] * 100}
    workout = log_workout(exercises=[*[light] * 5, {"exercise_id": BENCH, "sets": [a_set(100, 5)]}])
    assert "badge-record" not in html(page.get(reverse("workout", args=[workout["id"]])))
    assert "badge-record" in html(page.get(reverse("workout-sets", args=[workout["id"]]), {"page": 2}))


@pytest.mark.parametrize("number", ["0", "-1", "99", "x", ""])
def test_a_page_number_out_of_range_is_the_first_or_last_page(page, monster, number):
    assert len(sets_shown(html(page.get(reverse("workout-sets", args=[monster]), {"page": number})))) == 500


def test_a_stranger_has_no_sets_to_see(page, stranger_api):
    workout = stranger_api.post("/workouts", a_workout(a_set())).json()
    assert page.get(reverse("workout-sets", args=[workout["id"]])).status_code == 404


def test_the_list_names_the_first_exercises_of_each_workout(page, log_workout, monster):
    names = [BENCH, "chin-up", "plank", "barbell-deadlift", BENCH, "push-up"]
    log_workout(exercises=[{"exercise_id": name, "sets": [a_set()] * at} for at, name in enumerate(names)])
    log_workout()
    text = html(page.get(reverse("workouts")))
    facts = re.findall(r'<p class="rows-facts">(.*?)</p>', text, re.S)
    listed = [
        [re.sub(r"<[^>]+>", "", span) for span in re.findall(r"<span>.*?</span>", fact)] for fact in facts
    ]
    first = ["Barbell Bench Press", "1 × Chin-Up", "2 × Plank", "3 × Barbell Deadlift", "2 more"]
    assert sorted(listed) == sorted([[], first, ["100 × Barbell Bench Press"] * 4 + ["96 more"]])


def test_the_list_reads_no_document(page, monster):
    with statements() as run:
        html(page.get(reverse("workouts")))
    assert not any('"document"' in sql for sql in run)
    # The database counts the sets of the rows that are listed, and reads those of no others.
    (counting,) = [sql for sql in run if '"sets",' in sql]
    assert '"position" < 4' in counting
    assert '"sets",' not in counting.replace('REPLACE("training_workoutexercise"."sets",', "")
    assert not any('"sets"' in sql for sql in run if "SUM(" in sql)


def test_an_exercise_shows_500_sets_at_most_and_leads_to_the_others(page, log_workout):
    pair = [a_set(1.23456789012345, reps, rpe=7.12345678901234) for reps in (10_000, 9_999)]
    long = [{"exercise_id": BENCH, "sets": pair * 30}]
    for day in range(1, 21):
        log_workout(exercises=long * (day % 2 + 1), started_at=f"2026-03-{day:02}T10:00:00Z")
    text = html(page.get(reverse("exercise", args=[BENCH])))
    assert text.count("<span>10,000</span>") + text.count("<span>9,999</span>") in range(400, 501)
    assert text.count(">Show all</a>") == 15


def test_a_session_of_33_sets_is_shown_whole(page, log_workout):
    log_workout(*[a_set(100, reps) for reps in range(1, 34)])
    text = html(page.get(reverse("exercise", args=[BENCH])))
    assert "100 kg × 1</span>, <span>2</span>" in text
    assert "<span>33</span>" in text
    assert "Show all</a>" not in text


def test_personal_records_are_marked_on_every_page_of_sessions(page, api, log_workout):
    dice = random.Random(7)
    for day in range(40):
        weight_kg, reps = dice.randint(50, 60), dice.randint(1, 3)
        started_at = datetime.datetime(2026, 1, 1, 10, tzinfo=datetime.UTC) + datetime.timedelta(
            days=day // 2
        )
        log_workout(a_set(weight_kg, reps, completed=dice.random() < 0.8), started_at=started_at.isoformat())
    sessions = api.get(f"/exercises/{BENCH}/history", limit=100).json()["sessions"]
    record, expected = (-1, -1), {}
    for session in reversed(sessions):
        best = session["best_set"] and (session["best_set"]["weight_kg"], session["best_set"]["reps"])
        if best and best > record:
            record = best
            expected[session["workout_id"]] = "Record" if expected else "First time"
    assert len(expected) > 2
    marked, listed, address = {}, 0, reverse("exercise", args=[BENCH])
    while address:
        text = html(page.get(address))
        sessions = text[text.index('aria-labelledby="sessions"') :]
        for row in re.findall(r"<tr>\s*<th scope=\"row\">.*?</tr>", sessions, re.S):
            listed += 1
            for mark in ("Record", "First time"):
                if f">{mark}</span>" in row:
                    marked[re.search(r"/workouts/([0-9a-f-]{36})", row)[1]] = mark
        older = re.search(r'href="(\?[^"]*cursor=[^"]+)"', text)
        address = older and reverse("exercise", args=[BENCH]) + older[1].replace("&amp;", "&")
    assert listed == 40
    assert marked == expected


def test_a_first_time_is_none_the_less_for_older_sessions_without_a_lift(page, log_workout):
    for day in range(1, 17):
        log_workout(a_set(100, 5, completed=day > 3), started_at=f"2026-03-{day:02}T10:00:00Z")
    text = html(page.get(reverse("exercise", args=[BENCH])))
    assert re.search(r'href="\?[^"]*cursor=', text)  # the oldest session is on another page
    sessions = text[text.index('aria-labelledby="sessions"') :]
    assert sessions.count(">First time</span>") == 1
    assert "badge-record" not in sessions


@pytest.fixture
def train(account):
    """Stores so many sessions of one set each, heavier every time, a day apart and up to now."""

    def sessions(count):
        bench, now = Exercise.objects.get(pk=BENCH), datetime.datetime.now(datetime.UTC)
        workouts, rows = [], []
        for number, stamp in enumerate(account.stamp(count)):
            one = a_set(20 + number / 10, 5, type="working", completed=True, rpe=None)
            entry = {"exercise": bench, "notes": "", "superset_id": None, "sets": [one]}
            values = dict.fromkeys(("plan_id", "plan_name")) | {"title": "", "notes": ""}
            started_at = now - datetime.timedelta(days=count - number)
            workout = Workout(account=account, created_at=stamp)
            values |= {"started_at": started_at, "duration_seconds": 60, "exercises": [entry]}
            rows += workout.fill(values)
            workout.render([entry], stamp)
            workouts.append(workout)
        Workout.objects.bulk_create(workouts)
        insert_exercises(rows)

    return sessions


def test_the_view_of_an_exercise_stays_small_however_long_the_history(page, train):
    train(1100)
    text = html(page.get(reverse("exercise", args=[BENCH]), {"range": "all"}))
    assert "<dd>1,100</dd>" in text
    assert "<dd>129.9 kg × 5</dd>" in text
    assert len(text) < 60 * KB


def test_a_chart_of_a_range_marks_only_what_beat_everything_before(page, train, log_workout):
    log_workout(a_set(500, 1), started_at="2015-03-02T10:00:00Z")
    train(200)
    text = html(page.get(reverse("exercise", args=[BENCH]), {"range": "3m"}))
    assert marked(text) == []
    assert "<dd>500 kg × 1</dd>" in text


def urlencoded(fields):
    """The body of a form as a browser sends it."""
    return urlencode([(name, one) for name, value in fields.items() for one in as_list(value)])


def as_list(value):
    return value if isinstance(value, list) else [value]


def test_the_form_of_500_sets_fits_into_a_body_and_saves(page, api, log_workout):
    one = a_set(1.23456789012345678, 10_000, rpe=7.123456789012345)
    workout = log_workout(exercises=[{"exercise_id": BENCH, "sets": [one] * 5}] * 100)
    address = reverse("edit-workout", args=[workout["id"]])
    tokens = re.compile(r"\be(\d+)(s\d+)?\b")  # as long as those that the script of the page makes
    text = tokens.sub(lambda token: f"jm1a2b3c4d{token[1]}x{token[2] or ''}", html(page.get(address)))
    body = urlencoded({**fields_in(text), "title": "Long"})
    assert len(body) < 262_144 * 0.6
    response = page.post(address, body, content_type="application/x-www-form-urlencoded")
    assert response.headers["Location"] == reverse("workout", args=[workout["id"]])
    stored = api.get(f"/workouts/{workout['id']}").json()
    assert (stored["title"], stored["exercises"]) == ("Long", workout["exercises"])


def says_it_is_too_long(text):
    return "can only be edited over the API" in text and "<form" not in text.partition("<main")[2]


def test_a_workout_of_501_sets_is_edited_over_the_api(page, log_workout):
    exercises = [
        {"exercise_id": BENCH, "sets": [a_set()] * number} for number in (100, 100, 100, 100, 100, 1)
    ]
    workout = log_workout(exercises=exercises)
    assert says_it_is_too_long(html(page.get(reverse("edit-workout", args=[workout["id"]]))))


PLANNED = {"exercise_id": BENCH, "equipment": "Barbell", "sets": 100, "reps": 5, "weight_kg": 50, "note": ""}


def test_a_routine_that_asks_for_more_than_500_sets_starts_no_form(page, account):
    routine = account.routines.create(name="Endless", exercises=[PLANNED] * 6)
    assert says_it_is_too_long(html(page.get(reverse("log-workout"), {"routine": routine.pk})))


def test_a_routine_that_asks_for_500_sets_is_logged(page, account):
    routine = account.routines.create(name="Long", exercises=[PLANNED] * 5)
    fields = fields_in(html(page.get(reverse("log-workout"), {"routine": routine.pk})))
    ticks = {f"e{at}s{number}-completed": "yes" for at in range(5) for number in range(100)}
    body = urlencode({**fields, **ticks}, doseq=True)  # as browsers send it: other encodings take more bytes
    response = page.post(reverse("log-workout"), body, content_type="application/x-www-form-urlencoded")
    assert response.status_code == 302
    assert account.workouts.get().volume_kg == 500 * 5 * 50


def test_a_form_that_grew_beyond_500_sets_is_not_shown_again(page):
    rows = {"exercises": "e0", "e0-exercise_id": BENCH, "e0-sets": [f"s{number}" for number in range(501)]}
    assert says_it_is_too_long(html(page.post(reverse("new-workout-rows"), rows)))
    rows["e0-sets"] = rows["e0-sets"][:500]
    assert not says_it_is_too_long(html(page.post(reverse("new-workout-rows"), rows)))


def test_a_form_of_more_fields_than_500_sets_have_is_rejected(page):
    body = "&".join(["exercises=e"] * 8001)
    response = page.post(reverse("new-workout-rows"), body, content_type="application/x-www-form-urlencoded")
    assert response.status_code == 400


@pytest.fixture
def long_plan(api):
    """A week of 100 exercises a day."""
    entry = {"exercise_id": BENCH, "sets": 3, "reps": 5, "weight_kg": 50}
    days = [{"weekday": day, "label": f"Day {day}", "exercises": [entry] * 100} for day in range(1, 8)]
    return api.post("/plans", {"name": "Long", "days": days}).json()["id"]


def test_a_plan_shows_under_500_exercises_and_leads_to_each_day(page, long_plan):
    text = html(page.get(reverse("plan", args=[long_plan])))
    assert text.count("3 × 5") == 490
    days = re.findall(r'href="([^"]+)">Show 30 more', text)
    assert len(days) == 7
    text = html(page.get(days[2]))
    assert ("Wednesday" in text, text.count("3 × 5")) == (True, 100)


def test_a_day_is_found_in_no_other_week_and_by_no_stranger(client, page, long_plan, stranger):
    assert page.get(reverse("plan-day", args=[long_plan, 8])).status_code == 404
    client.force_login(stranger)
    assert client.get(reverse("plan-day", args=[long_plan, 1])).status_code == 404


def test_a_plan_of_700_exercises_is_edited_day_by_day(page, long_plan):
    text = html(page.get(reverse("edit-plan-day", args=[long_plan, 3])))
    assert text.count('name="exercises"') == 100
