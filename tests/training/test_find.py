"""Finding lifts and workouts on the screens, and what both are compared with."""

import datetime
import re
from functools import partial
from html import unescape

import pytest
from django.urls import reverse
from django.utils import timezone

from fitness.web.shortcuts import get_page
from tests.conftest import a_set, a_workout, statements
from tests.html import html, plain
from tests.training.test_plan_progression import week
from tests.training.test_plans import a_plan, an_exercise
from training.catalogue.folding import unmarked
from training.models import Exercise

BENCH, SQUAT, FRONT = "barbell-bench-press", "barbell-back-squat", "barbell-front-squat"


def ago(days):
    return (timezone.now() - datetime.timedelta(days=days)).isoformat()


def tiles(text):
    return dict(re.findall(r"<dt>([^<]+)</dt><dd>([^<]+)</dd>", text))


@pytest.fixture
def shown(page):
    """A function that returns the HTML of a screen by its name."""

    def shown(name, *args, **query):
        return html(page.get(reverse(name, args=args), query))

    return shown


def test_lifts_that_were_done_come_first_with_date_and_best_set(shown, log_workout):
    log_workout(a_set(132.5, 5), exercise_id=SQUAT, started_at="2026-03-02T10:00:00Z")
    log_workout(a_set(0, 12), exercise_id="chin-up", started_at="2026-03-03T10:00:00Z")
    text = shown("exercises")
    yours = text[text.index('id="yours"') : text.index('id="catalogue"')]
    assert "Barbell Back Squat Legs 1 workout Best 132.5 kg × 5 Last time 2 Mar" in plain(yours)
    assert "12 reps Last time 3 Mar" in plain(yours)
    assert "0 kg" not in text
    assert re.findall(r'class="chip" href="/exercises/([^"]+)"', text) == ["chin-up", SQUAT]


def test_exercises_that_are_held_show_their_longest_time_and_distance(shown, log_workout):
    for pk, notes in (
        ("plank", "Set 1: 90 s\nSet 2: 45 s"),
        ("plank", "75 s\nShaky."),
        ("treadmill-running", "1800 s, 5.2 km"),
        ("side-plank", "Shaky."),
    ):
        log_workout(exercises=[{"exercise_id": pk, "notes": notes, "sets": []}])
    yours = plain(shown("exercises"))
    assert "Plank Core 2 workouts Longest 1:30 Last time" in yours
    assert "Longest 30:00, 5.2 km Last time" in yours
    assert "Side Plank Core 1 workout Best – Last time" in yours


def test_what_a_stranger_did_is_nobody_elses(shown, stranger_api):
    stranger_api.post("/workouts", a_workout(a_set(), exercise_id=SQUAT))
    assert 'id="yours"' not in shown("exercises", q="squat")


def titles(text):
    return re.findall(r'<a href="/workouts/[^"]{36}"><bdi>([^<]*)</bdi>', text)


def test_workouts_are_found_by_exercise_title_and_notes(shown, log_workout, stranger_api):
    log_workout(a_set(), exercise_id=SQUAT, title="Monday")
    log_workout(a_set(), title="Squats and more", started_at="2026-03-03T10:00:00Z")
    log_workout(a_set(), title="Tired", notes="100% no squat today", started_at="2026-03-04T10:00:00Z")
    log_workout(a_set(), title="Push", started_at="2026-03-05T10:00:00Z")
    stranger_api.post("/workouts", a_workout(a_set(), exercise_id=SQUAT, title="Theirs"))
    assert titles(shown("workouts", q="squat")) == ["Tired", "Squats and more", "Monday"]
    assert titles(shown("workouts", q="100%")) == ["Tired"]
    assert titles(shown("workouts", q="bench")) == ["Push", "Tired", "Squats and more"]


def test_a_search_without_a_match_leads_back(shown, log_workout):
    log_workout(a_set())
    text = shown("workouts", q="<b>zzz")
    assert "No workout with “<bdi>&lt;b&gt;zzz</bdi>”" in text
    assert "Show all workouts" in text
    assert "No workout on this day" in shown("workouts", day="2020-01-01")


def test_a_month_heading_adds_up_its_workouts(shown, log_workout):
    log_workout(a_set(100, 5), a_set(100, 5), started_at="2026-03-01T00:00:00Z")
    log_workout(a_set(50, 10), started_at="2026-03-31T23:59:59Z")
    log_workout(a_set(50, 1), started_at="2026-02-28T23:59:59Z")
    totals = [
        " ".join(plain(one).split()) for one in re.findall(r'"month-totals">(.*?)</p>', shown("workouts"))
    ]
    assert totals == ["2 workouts 3 sets 1,500 kg 2 h", "1 workout 1 set 50 kg 1 h"]


def test_a_month_and_a_day_are_chosen(shown, log_workout):
    for day in ("2025-12-31", "2026-01-01", "2026-01-02"):
        log_workout(title=day, started_at=f"{day}T12:00:00Z")
    text = shown("workouts", month="2026-01")
    assert titles(text) == ["2026-01-02", "2026-01-01"]
    assert re.findall(r'<option value="([\d-]+)"( selected)?>', text) == [
        ("2026-01", " selected"),
        ("2025-12", ""),
    ]
    assert titles(shown("workouts", day="2025-12-31")) == ["2025-12-31"]


@pytest.mark.parametrize(
    "query", [{"month": "x"}, {"day": "2026-02-30"}, {"q": "x" * 201}, {"q": "a\0"}, {"month": "99999-01"}]
)
def test_what_no_form_sends_is_left_out(shown, log_workout, query):
    log_workout(title="Push")
    assert titles(shown("workouts", **query)) == ["Push"]


def test_the_months_of_a_long_history_are_bounded(shown, log_workout):
    for year in (1, 2025, 2026):
        log_workout(title=str(year), started_at=f"{year:04}-02-02T12:00:00Z")
    months = re.findall(r'<option value="([\d-]+)"', shown("workouts"))
    assert (months[0], months[12], months[-1], len(months)) == ("2026-02", "2025-02", "1976-03", 600)
    assert titles(shown("workouts", month="0001-02")) == ["1"]


@pytest.mark.parametrize("month", ["0001-01", "9999-12"])
def test_the_ends_of_the_calendar_are_months(shown, account, log_workout, month):
    log_workout(title="Push")
    for zone in ("Pacific/Kiritimati", "America/Los_Angeles"):
        account.time_zone = zone
        account.save()
        assert "No workout in this month" in shown("workouts", month=month)


def badge(text):
    """What marks a workout in the list, if anything does: it has one mark at most."""
    found = re.findall(r'<span class="(badge[^"]*)">([^<]*)</span>', text)
    assert found in ([], [("badge badge-record", "Record")], [("badge", "First time")])
    return found[0][1] if found else None


@pytest.mark.parametrize("query", [{}, {"q": "bench"}])
def test_workouts_with_a_record_are_marked_in_the_list(shown, log_workout, query):
    for day, weight_kg in enumerate([100, 90, 105, 105], 1):
        log_workout(a_set(weight_kg, 5), title=str(day), started_at=f"2026-03-0{day}T10:00:00Z")
    rows = re.findall(r'<p class="rows-title".*?</p>', shown("workouts", **query), re.S)
    marked = {title: badge(row) for row in rows for title in titles(row)}
    assert marked == {"1": "First time", "2": None, "3": "Record", "4": None}


@pytest.mark.parametrize("asked", ["month", "day"])
def test_records_are_marked_in_both_halves_of_a_history(shown, log_workout, asked):
    lifts = [(100, 5), (90, 5), (100, 5), (100, 6), (105, 1), (105, 1), (80, 9), (106, 1)]
    for month, (weight_kg, reps) in enumerate(lifts, 1):
        moment = f"2025-{month:02}-03T10:00:00Z"
        log_workout(a_set(weight_kg, reps), a_set(70, 9), title=str(month), started_at=moment)
    end = 7 if asked == "month" else 10
    marks = ["First time", None, None, "Record", "Record", None, None, "Record"]
    for month, mark in enumerate(marks, 1):
        text = shown("workouts", **{asked: f"2025-{month:02}-03"[:end]})
        assert titles(text) == [str(month)]
        assert badge(text) == mark, month


def test_the_tiles_of_a_lift_have_the_numbers_of_the_api(shown, api, log_workout):
    for days, (weight_kg, reps) in enumerate([(100, 5), (120, 1), (110, 8), (60, 3)], 1):
        log_workout(a_set(weight_kg, reps), started_at=ago(days))
    (record,) = api.get("/stats/records").json()["records"]
    sessions = api.get(f"/exercises/{BENCH}/history").json()["sessions"]
    found = tiles(shown("exercise", BENCH))
    assert found["Heaviest set"] == f"{record['weight_kg']:g} kg × {record['reps']}"
    highest = max(one["best_set"]["estimated_1rm_kg"] for one in sessions)
    assert found["Best e1RM"] == f"{highest:g} kg"
    assert found["Workouts"] == str(len(sessions))


def test_a_lift_without_weight_is_shown_by_repetitions(shown, log_workout):
    log_workout(a_set(0, 8), a_set(0, 7), exercise_id="chin-up", started_at=ago(9))
    log_workout(a_set(0, 10), a_set(0, 9), exercise_id="chin-up", started_at=ago(2))
    text = shown("exercise", "chin-up")
    assert tiles(text) == {"Most reps in a set": "10", "Workouts": "2"}
    assert re.search(r"Last time \d+ \w+ 2 sets, best 10 reps", plain(text))
    assert "0 kg" not in text
    assert "1RM" not in text
    assert '"title": "Most reps in a set"' in text


def test_instructions_are_folded_once_a_lift_was_done(shown, log_workout):
    assert re.search(r"<details[^>]* open>\s*<summary><h2>How to do it", shown("exercise", BENCH))
    log_workout(a_set())
    text = shown("exercise", BENCH)
    assert re.search(r"<details[^>]*how-to\">\s*<summary><h2>How to do it", text)
    assert (
        text.index("<dl")
        < text.index('id="progress"')
        < text.index('id="sessions"')
        < text.index('<details class="card')
    )


def test_a_chart_keeps_the_best_of_each_time_and_its_records(page, account, api, log_workout, monkeypatch):
    monkeypatch.setattr("training.stats.history.MAX_POINTS", 10)
    for days in range(60, 0, -1):
        log_workout(a_set(140 if days == 30 else 100 + days % 3, 5), started_at=ago(days))
    (series,) = page.get(reverse("exercise", args=[BENCH]), {"range": "all"}).context["chart"].series
    heaviest = [value for _, value in series.points]
    assert len(heaviest) in range(8, 13)
    assert {102, 140} <= set(heaviest)
    assert [value for _, value in series.marked][-1] == 140


@pytest.mark.parametrize(("exercise_id", "loads"), [(BENCH, (100, 70)), ("chin-up", (0, 0))])
def test_the_line_does_not_fall_for_a_light_week(page, log_workout, exercise_id, loads):
    for days in range(60, 0, -1):
        is_light = 30 <= days < 37
        log_workout(
            a_set(loads[is_light], 4 if is_light else 8), exercise_id=exercise_id, started_at=ago(days)
        )
    for range_ in ("3m", "1y", "all"):
        response = page.get(reverse("exercise", args=[exercise_id]), {"range": range_})
        series = response.context["chart"].series[0]
        highest = max(value for _, value in series.points)
        assert len(series.points) == 60, range_
        assert [value for _, value in series.points].count(highest) == 53
        assert len(series.joined) in (4, 5)
        assert {value for _, value in series.joined} == {highest}
        assert set(series.joined) <= set(series.points)
        assert "joins the best of every 15 days" in plain(html(response))


def test_the_line_of_many_years_joins_few_points(page, log_workout):
    for number in range(100):
        log_workout(a_set(60 + number, 5), started_at=ago(72 * number + 1))
    response = page.get(reverse("exercise", args=[BENCH]), {"range": "all"})
    assert len(response.context["chart"].series[0].joined) in (59, 60, 61)
    assert "joins the best of every 119 days" in plain(html(response))


@pytest.mark.parametrize("range_", ["3m", "1y", "all"])
def test_a_point_of_many_sessions_has_the_best_set_and_the_highest_estimate(
    page, log_workout, monkeypatch, time_machine, range_
):
    # These hours are within one time of each range.
    time_machine.move_to("2026-03-04T23:00:00Z", tick=False)
    monkeypatch.setattr("training.stats.history.MAX_POINTS", 2)
    log_workout(a_set(60, 5), started_at="2025-01-01T12:00:00Z")
    for hour, (weight_kg, reps) in enumerate([(99, 5), (100, 5), (95, 10), (100, 4), (100, 5)], 10):
        log_workout(a_set(weight_kg, reps), started_at=f"2026-03-04T{hour}:00:00Z")

    def charted(measure):
        query = {"range": range_, "measure": measure}
        (series,) = page.get(reverse("exercise", args=[BENCH]), query).context["chart"].series
        return series

    estimates, heaviest = charted("e1rm"), charted("heaviest")
    day, kg = estimates.points[-1]
    assert (day.isoformat(), kg) == ("2026-03-04T11:00:00+00:00", 126.7)
    assert heaviest.points[-1] == heaviest.marked[-1] == (day, 100)


def test_a_workout_is_shown_beside_the_last_time(shown, log_workout):
    log_workout(a_set(100, 5), a_set(100, 5), a_set(100, 5), started_at="2026-03-01T10:00:00Z")
    second = log_workout(a_set(102.5, 5), a_set(100, 5), started_at="2026-03-08T10:00:00Z")
    text = plain(shown("workout", second["id"]))
    assert (
        "Last time , 1 Mar 2026: 3 × 5 at 100 kg +2.5 kg in the best set \N{MINUS SIGN}488 kg volume" in text
    )
    assert "Volume 1,012 kg \N{MINUS SIGN}488 kg on last time, in the same exercises" in text


def rows_of_sets(text):
    return [plain(row).split() for row in re.findall(r"<tr[^>]*>(.*?)</tr>", text, re.S)]


def test_each_set_is_beside_that_of_the_last_time(shown, log_workout):
    log_workout(a_set(60, 5, type="warmup"), a_set(100, 5), a_set(95, 6), started_at="2026-03-01T10:00:00Z")
    warm_up, sets = a_set(60, 5, type="warmup"), [a_set(102.5, 5), a_set(100, 5), a_set(100, 4)]
    second = log_workout(warm_up, *sets, started_at="2026-03-08T10:00:00Z")
    head, *rows = rows_of_sets(shown("workout", second["id"]))
    assert head == ["Set", "Last", "time", "Weight", "Reps", "Remarks"]  # nobody rated a set
    assert rows[0] == ["W", "60", "kg", "5", "Warm-up"]
    assert rows[1][:8] == ["1", "100", "kg", "×", "5", "102.5", "kg", "5"]
    assert rows[2][:8] == ["2", "95", "kg", "×", "6", "100", "kg", "5"]
    assert rows[3][:5] == ["3", "–", "100", "kg", "4"]


def test_a_column_is_there_for_what_was_rated(shown, log_workout):
    rated = log_workout(a_set(100, 5, rpe=8.5), a_set(100, 5))
    head, first, second = rows_of_sets(shown("workout", rated["id"]))
    assert head == ["Set", "Weight", "Reps", "RPE", "Remarks"]
    assert (first[:5], second) == (["1", "100", "kg", "5", "8.5"], ["2", "100", "kg", "5", "–"])


def test_sets_of_the_same_weight_are_written_as_one_run(shown, log_workout):
    log_workout(a_set(60, 9, type="warmup"), a_set(100, 5), a_set(100, 4), a_set(90, 8), a_set(100, 3))
    (cell,) = re.findall(r'<td class="table-sets">(.*?)</td>', shown("exercise", BENCH))
    assert re.sub(r"<[^>]+>", "", cell) == "100 kg × 5, 4 · 90 kg × 8 · 100 kg × 3"
    log_workout(a_set(0, 10), a_set(0, 9), exercise_id="chin-up")
    (cell,) = re.findall(r'<td class="table-sets">(.*?)</td>', shown("exercise", "chin-up"))
    assert re.sub(r"<[^>]+>", "", cell) == "10, 9"


@pytest.mark.parametrize(
    ("sets", "said"),
    [
        ([a_set(100, 5)] * 4, "4 × 5 at 100 kg"),
        ([a_set(100, 5), a_set(100, 5, completed=False)], "100 kg × 5, 5"),
        ([*[a_set(100, 5)] * 2, a_set(90, 8)], "2 × 5 at 100 kg · 90 kg × 8"),
        ([*[a_set(0, 8)] * 3, a_set(10, 3)], "Body weight, 3 × 8 · 10 kg × 3"),
    ],
)
def test_sets_that_are_alike_are_counted(shown, log_workout, sets, said):
    log_workout(*sets)
    (cell,) = re.findall(r'<td class="table-sets">(.*?)</td>', shown("exercise", BENCH))
    assert re.sub(r"<[^>]+>", "", cell) == said


def test_nothing_lifted_but_the_body_has_no_volume_in_kg(shown, log_workout):
    workout = log_workout(a_set(0, 8), exercise_id="chin-up", started_at=ago(0))
    assert "Volume –" in plain(shown("workout", workout["id"]))
    for text in (shown("workout", workout["id"]), shown("workouts"), shown("home")):
        assert "0 kg" not in plain(text)


def test_body_weight_is_compared_by_repetitions(shown, log_workout):
    first = log_workout(a_set(0, 8), exercise_id="chin-up", started_at="2026-03-01T10:00:00Z")
    second = log_workout(a_set(0, 9), exercise_id="chin-up", started_at="2026-03-08T10:00:00Z")
    assert "1 × 8 reps +1 rep in the best set" in plain(shown("workout", second["id"]))
    assert "The first time" in shown("workout", first["id"])


@pytest.mark.time_machine("2026-04-01T12:00:00Z")  # within a year of the workouts
def test_statements_do_not_grow_with_the_history(page, log_workout):
    def counted():
        counts = {}
        for address in ADDRESSES:
            page.get(address)
            with statements() as run:
                page.get(address)
            counts[address] = len(run)
        return counts

    for day in (1, 2):
        log_workout(a_set(), title="Push", started_at=f"2026-03-0{day}T10:00:00Z")
    few = counted()
    for day in range(3, 30):
        exercises = [{"exercise_id": pk, "sets": [a_set()]} for pk in (BENCH, SQUAT, "chin-up")]
        log_workout(title="Push", exercises=exercises, started_at=f"2026-03-{day:02}T10:00:00Z")
    assert counted() == few
    assert few[f"/exercises/{BENCH}"] == 12
    assert max(few.values()) <= 12


ADDRESSES = [
    *("/exercises", "/exercises?q=press"),
    *(f"/exercises/{BENCH}", f"/exercises/{BENCH}?range=all"),
    *(
        "/workouts",
        "/workouts?q=push",
        "/workouts?q=press",
        "/workouts?month=2026-03",
        "/workouts?day=2026-03-02",
    ),
]


@pytest.mark.parametrize("typed", ["Bankdrücken", "bankdrucken lang", "Bench Press", "BANKDRÜCKEN"])
def test_a_search_knows_names_in_the_language_of_the_screen_and_in_english(page, account, typed):
    account.language = "de"
    account.save()
    found = html(page.get("/exercises", {"q": typed}))
    assert 'href="/exercises/barbell-bench-press"' in found
    suggested = html(page.get(reverse("exercise-suggestions"), {"q": typed}))
    assert "barbell-bench-press" in suggested


def test_the_catalogue_is_in_the_order_of_the_names_it_shows(page, account, monkeypatch):
    monkeypatch.setattr("training.web.views.exercise.get_page", partial(get_page, size=300))
    account.language = "de"
    account.save()
    address, names = "/exercises", []
    while address:
        text = html(page.get(address))
        catalogue = text[text.index('id="catalogue"') :]
        names += re.findall(r'<a href="/exercises/[^"]+"><bdi>([^<]+)</bdi>', catalogue)
        older = re.search(r'href="(\?cursor=[^"]+)" rel="next"', text)
        address = older and f"/exercises{older[1]}"
    assert len(names) == Exercise.objects.count()
    assert names == sorted(names, key=lambda name: unmarked(unescape(name)))
    order = ["Ausfallschritt ohne Gewicht", "Überzüge mit der Kurzhantel", "Wadenheben einbeinig"]
    assert sorted(order, key=names.index) == order


def test_a_word_of_another_language_is_not_searched_in_english(page):
    assert "barbell-bench-press" not in html(page.get("/exercises", {"q": "Bankdrücken"}))


@pytest.mark.time_machine("2026-11-23T12:00:00Z")  # a Monday
def test_an_exercise_begins_with_what_comes_next(shown, api, log_workout):
    days = week(monday=[an_exercise(weight_kg=62.5)], thursday=[an_exercise(weight_kg=50)])
    plan = api.post("/plans", a_plan(days=days)).json()
    assert "Next time" not in shown("exercise", BENCH)
    api.post(f"/plans/{plan['id']}/activate", {})
    assert "Next time Today 3 × 8 at 62.5 kg" in plain(shown("exercise", BENCH))
    log_workout(*[a_set(60, 8)] * 3, started_at="2026-11-23T09:00:00Z")
    text = shown("exercise", BENCH)
    assert "Next time Thursday 3 × 8 at 50 kg Last time 23 Nov 3 × 8 at 60 kg" in plain(text)
    assert f'href="/plans/{plan["id"]}/days/4"' in text
    assert "Next time" not in shown("exercise", SQUAT)


def test_the_chart_of_an_exercise_has_one_line_of_choice(page, log_workout):
    log_workout(a_set(100, 5), started_at=ago(3))
    log_workout(a_set(90, 12), started_at=ago(1))
    address = reverse("exercise", args=[BENCH])
    for measure, values in (("", [100, 90]), ("heaviest", [100, 90]), ("e1rm", [116.7, 126])):
        (series,) = page.get(address, {"measure": measure}).context["chart"].series
        assert [value for _, value in series.points] == values
    text = html(page.get(address, {"measure": "e1rm", "range": "3m"}))
    assert 'href="?measure=heaviest&amp;range=3m#progress"' in text
    assert 'href="?range=all&amp;measure=e1rm#progress"' in text


def test_a_muscle_narrows_the_exercises_down_by_one_touch(page, log_workout):
    assert re.findall(r'class="chip" href="\?(muscle_group=\w+)', html(page.get(reverse("exercises"))))[
        :2
    ] == [
        "muscle_group=Chest",
        "muscle_group=Back",
    ]
    legs = html(page.get(reverse("exercises"), {"muscle_group": "Legs"}))
    assert '<a class="chip" href="?" aria-current="true">Legs</a>' in legs
    assert '<details class="filter-more">' in legs
    assert "Barbell Bench Press" not in legs


def test_an_exercise_can_be_started_and_logged_whether_it_was_done_or_not(page, log_workout):
    for _ in range(2):
        text = html(page.get(reverse("exercise", args=[BENCH])))
        assert f'href="{reverse("log-workout")}?exercise={BENCH}"' in text
        assert f'<input type="hidden" name="exercise" value="{BENCH}">' in text
        log_workout()
