import datetime
import random
import re

import pytest
from django.utils import timezone

from accounts.models import Account
from fitness.days import ONE_DAY, midnight
from tests.conftest import a_set, a_workout, client_of, statements
from tests.html import headings, plain, text
from tests.training.random_workouts import some_sets
from training.models import Exercise
from training.stats import history as stats_history

pytestmark = pytest.mark.usefixtures("unlimited")

SQUAT, BENCH, PULL_UP = "barbell-back-squat", "barbell-bench-press", "pull-up"


def days_ago(days):
    return (timezone.now() - ONE_DAY * days).isoformat()


def lifts_of(response):
    """The lifts of /progress, or those of a page of all."""
    if "leading" in response.context:
        return [lift for lift, _ in response.context["leading"]]
    return [lift for _, lifts in response.context["groups_of_lifts"] for lift in lifts]


def lift_of(response, exercise_id):
    return next(lift for lift in lifts_of(response) if lift.exercise_id == exercise_id)


def test_a_new_account_is_led_to_its_first_workout(page):
    html = text(page.get("/progress"))
    assert headings(html) == 1
    assert 'action="/train/start"' in html
    assert 'href="/workouts/new"' in html


def test_a_lift_is_shown_with_its_best_its_change_and_its_record(page, log_workout):
    log_workout(a_set(100, 5), exercise_id=SQUAT, started_at=days_ago(85))
    record = log_workout(a_set(110, 5), exercise_id=SQUAT, started_at=days_ago(20))
    last = log_workout(a_set(90, 5), exercise_id=SQUAT, started_at=days_ago(2))
    response = page.get("/progress")
    lift = lift_of(response, SQUAT)
    assert lift.value == 128.3
    assert lift.change.text == "+10 %"
    assert str(lift.record.workout_id) == record["id"]
    assert str(lift.last_workout) == last["id"]
    assert response.context["headline"].startswith("Barbell Back Squat up 10 % in 90 days.")
    html = text(response)
    assert "128.3 kg" in html
    assert f'href="/exercises/{SQUAT}"' in html


def test_a_workout_is_logged_between_the_statements_of_the_page(page, api, monkeypatch):
    def planked(days):
        exercise = {"exercise_id": "plank", "sets": [a_set(0, 1)], "notes": "1:30"}
        assert (
            api.post(
                "/workouts", a_workout(started_at=days_ago(days)) | {"exercises": [exercise]}
            ).status_code
            == 201
        )

    read = stats_history.other_measures

    def log_and_read(*values):
        planked(60)
        return read(*values)

    planked(1)
    monkeypatch.setattr(stats_history, "other_measures", log_and_read)
    assert page.get("/progress").status_code == 200


def test_the_best_of_other_measures(page, log_workout):
    log_workout(a_set(100, 5), a_set(60, 12), exercise_id=SQUAT, started_at=days_ago(40))
    log_workout(a_set(80, 10), exercise_id=SQUAT, started_at=days_ago(2))
    values = {
        measure: lift_of(page.get("/progress", {"measure": measure}), SQUAT).value
        for measure in ("e1rm", "heaviest", "volume", "reps", "nonsense")
    }
    assert values == {"e1rm": 116.7, "heaviest": 100, "volume": 1220, "reps": 10, "nonsense": 116.7}


def test_a_lift_without_weight_is_counted_in_reps(page, log_workout):
    log_workout(a_set(0, 8), exercise_id=PULL_UP, started_at=days_ago(80))
    log_workout(a_set(0, 11), exercise_id=PULL_UP, started_at=days_ago(0))
    for measure in ("e1rm", "heaviest", "volume", "reps"):
        response = page.get("/progress", {"measure": measure})
        lift = lift_of(response, PULL_UP)
        assert (lift.value, lift.measure, lift.change.text) == (11, "reps", "+3 reps")
        assert "11 reps" in text(response)
        assert ">0 kg<" not in text(response)
    assert response.context["headline"] == "Pull-Up, 11 reps: a record this week."


@pytest.mark.parametrize(("weight_kg", "unsaid"), [(100, ">0 %<"), (0, ">0 reps<")])
def test_a_lift_that_stays_as_it_was_is_the_same(page, log_workout, weight_kg, unsaid):
    for days in (85, 2):
        log_workout(a_set(weight_kg, 5), exercise_id=PULL_UP, started_at=days_ago(days))
    html = text(page.get("/progress"))
    assert "same in 90 days" in plain(html)
    assert unsaid not in html


def test_the_line_does_not_fall_for_a_light_week(page, log_workout):
    for days, weight_kg in ((47, 100), (33, 100), (31, 60), (18, 105), (8, 110), (1, 70)):
        log_workout(a_set(weight_kg, 1), exercise_id=SQUAT, started_at=days_ago(days))
    line = lift_of(page.get("/progress", {"measure": "heaviest"}), SQUAT).line
    values = [value for _, value in line]
    assert values == sorted(values)
    assert values[-1] == 110


def test_the_figure_its_change_and_the_line_are_of_the_same_time(page, log_workout):
    for days, weight_kg in ((300, 255), (250, 255), (70, 240), (31, 245), (2, 250)):
        log_workout(a_set(weight_kg, 1), exercise_id="leg-press", started_at=days_ago(days))
    response = page.get("/progress", {"measure": "heaviest"})
    ((lift, chart),) = response.context["leading"]
    values = [value for _, value in lift.line]
    assert (values[0], values[-1], lift.now) == (240, 250, 250)
    assert lift.change.text == "+4 %"
    assert [value for _, value in chart.points] == values
    (shown,) = re.findall(r'<li class="lead">.*?</li>', text(response), re.S)
    assert "250 kg +4 % in 90 days" in plain(shown)


@pytest.mark.parametrize("days", [(76, 20), (89, 1), (62, 29)])
def test_a_change_is_that_from_the_first_point_to_the_last(page, log_workout, days):
    for number, ago in enumerate(days):
        log_workout(a_set(100 + 10 * number, 1), exercise_id=SQUAT, started_at=days_ago(ago))
    lift = lift_of(page.get("/progress", {"measure": "heaviest"}), SQUAT)
    assert (lift.line[0][1], lift.line[-1][1], lift.change.text) == (100, 110, "+10 %")


def test_a_lift_not_done_for_a_month_says_when_it_was(page, log_workout):
    log_workout(a_set(100, 1), exercise_id=SQUAT, started_at=days_ago(100))
    log_workout(a_set(90, 1), exercise_id=BENCH, started_at=days_ago(40))
    html = plain(text(page.get("/progress", {"measure": "heaviest"})))
    for kg, days in ((100, 100), (90, 40)):
        assert f"{kg} kg last done {timezone.localdate() - ONE_DAY * days:%-d %b}" in html


def test_the_sentence_is_of_the_measure_that_the_page_shows(page, log_workout):
    log_workout(a_set(100, 10), exercise_id=SQUAT, started_at=days_ago(85))
    log_workout(a_set(110, 5), exercise_id=SQUAT, started_at=days_ago(20))
    for measure, said in (("heaviest", "up 10 %"), ("e1rm", "down 4 %")):
        assert said in page.get("/progress", {"measure": measure}).context["headline"]


def test_a_lift_of_which_nothing_was_completed_has_no_figures(page, log_workout):
    log_workout(a_set(100, 5, completed=False), exercise_id=SQUAT, started_at=days_ago(1))
    response = page.get("/progress")
    lift = lift_of(response, SQUAT)
    assert (lift.value, lift.change, lift.record) == (None, None, None)
    assert response.context["headline"].startswith("Your last workout was on ")


@pytest.fixture
def many_exercises(log_workout):
    """The ids of 44 exercises of like loads, that which was done last first."""
    alike = Exercise.objects.active().filter(equipment="Barbell", mechanic="compound")
    ids = list(alike.values_list("pk", flat=True)[:44])
    for number, exercise_id in enumerate(ids):
        log_workout(a_set(), exercise_id=exercise_id, started_at=days_ago(number))
    return ids


def test_six_lifts_are_shown_and_a_link_leads_to_all(page, many_exercises):
    response = page.get("/progress", {"measure": "heaviest"})
    assert [lift.exercise_id for lift in lifts_of(response)] == many_exercises[:6]
    html = text(response)
    assert 'href="/progress/lifts?measure=heaviest"' in html
    assert html.count('href="/exercises/') == 6
    assert 'href="/progress?measure=heaviest"' in text(page.get("/progress/lifts?measure=heaviest"))


def test_all_lifts_come_in_pages(page, many_exercises):
    first = page.get("/progress/lifts", {"measure": "heaviest"})
    assert {lift.exercise_id for lift in lifts_of(first)} == set(many_exercises[:40])
    second = page.get("/progress/lifts", {"cursor": first.context["next_cursor"]})
    assert {lift.exercise_id for lift in lifts_of(second)} == set(many_exercises[40:])
    assert second.context["next_cursor"] is None
    assert "measure=heaviest&amp;cursor=" in text(first)
    assert page.get("/progress/lifts", {"cursor": "nonsense"}).status_code == 404


def test_the_sentence_is_of_more_lifts_than_are_shown(page, log_workout, many_exercises):
    log_workout(a_set(110, 5), exercise_id=many_exercises[20], started_at=days_ago(0))
    name = Exercise.objects.get(pk=many_exercises[20]).name
    assert many_exercises[20] not in [lift.exercise_id for lift in lifts_of(page.get("/progress"))[1:]]
    assert page.get("/progress").context["headline"].startswith(f"{name}, 110 kg × 5: a record")


@pytest.mark.parametrize("address", ["/progress", "/progress/lifts"])
def test_before_the_first_workout_there_is_nothing_to_show(page, address):
    assert "Your first workout starts it" in text(page.get(address))


QUARTERS = [quarter / 4 for quarter in range(160, 480)]


@pytest.fixture
def history(api):
    """A year of random workouts, some of them in the first and the last minutes of a day."""
    rng = random.Random(7)
    exercises = [SQUAT, BENCH, PULL_UP, "plank", "barbell-deadlift"]
    for days in range(0, 380, 3):
        started_at = (
            timezone.now() - ONE_DAY * days - datetime.timedelta(minutes=rng.choice([0, 1, 400, 720]))
        )
        entries = [
            {"exercise_id": pk, "sets": some_sets(rng, (0,) if pk == PULL_UP else QUARTERS)}
            for pk in rng.sample(exercises, 3)
        ]
        body = a_workout(started_at=started_at.isoformat()) | {"exercises": entries}
        assert api.post("/workouts", body).status_code == 201


@pytest.mark.parametrize("zone", ["", "America/Los_Angeles"])
def test_the_weeks_are_those_of_the_api(page, api, account, history, zone):
    Account.objects.filter(pk=account.pk).update(time_zone=zone)
    shown = page.get("/progress").context["weeks"]
    assert len(shown) == 12
    with timezone.override(zone or "UTC"):
        bounds = [(midnight(week.monday), midnight(week.monday + ONE_DAY * 7)) for week in shown]
    for week, (since, until) in zip(shown, bounds, strict=True):
        query = {"since": since.isoformat(), "until": until.isoformat()}
        totals = api.call("GET", "/stats/training", query=query).json()
        assert {
            group["muscle_group"]: (group["sets"], group["volume_kg"]) for group in totals["by_muscle_group"]
        } == {group: (of_group.sets, of_group.volume_kg) for group, of_group in week.groups.items()}
        assert (week.sets, round(week.volume_kg, 2)) == (totals["completed_sets"], totals["volume_kg"])


def test_records_are_those_of_the_api(page, api, history):
    from_api = api.get("/stats/records", limit=100).json()["records"]
    assert from_api
    board = page.get("/progress/records").context["records"]
    beside = {"at": None, "is_assisted": False, "is_first": False}
    assert [{**record, "at": None, "is_first": False} for record in board] == [
        {**record, **beside} for record in from_api
    ]
    lifts = {lift.exercise_id: lift.record for lift in lifts_of(page.get("/progress"))}
    for record in from_api:
        mine = lifts[record["exercise_id"]]
        assert (mine.weight_kg, mine.reps, str(mine.workout_id)) == (
            record["weight_kg"],
            record["reps"],
            record["workout_id"],
        )


def test_bests_are_those_of_the_page_of_the_exercise(page, history):
    for lift in lifts_of(page.get("/progress")):
        context = page.get(f"/exercises/{lift.exercise_id}").context
        if lift.measure != "reps":
            assert lift.value == context["strongest"]


def test_the_line_joins_points_of_the_progress_of_the_exercise(page, history):
    lift = lift_of(page.get("/progress"), SQUAT)
    shown = page.get(f"/exercises/{SQUAT}", {"range": "all", "measure": "e1rm"})
    (progress,) = shown.context["chart"].series
    assert len(lift.line) == 5
    assert {value for _, value in lift.line} <= {value for _, value in progress.points}


def test_groups_are_marked_where_their_sets_are(page, log_workout):
    for exercise_id, sets in ((BENCH, 9), (SQUAT, 10), ("barbell-deadlift", 21)):
        log_workout(*[a_set(100, 5)] * sets, exercise_id=exercise_id, started_at=timezone.now().isoformat())
    groups = dict(page.get("/progress").context["groups"])
    levels = {group: cells[-1].level for group, cells in groups.items()}
    assert levels["Chest"] == "few"
    assert levels["Legs"] in ("right", "many")
    assert "many" in levels.values()
    assert groups["Chest"][0].level == ""
    assert "4.5" in text(page.get("/progress", {"by": "volume"}))


def test_days_of_the_calendar_open_their_workouts(page, log_workout):
    workout = log_workout(a_set(), started_at=days_ago(3))
    html = text(page.get("/progress"))
    assert html.count(f'href="/workouts?day={workout["started_at"][:10]}"') == 2  # the year and its month
    assert html.count("/workouts?day=") == 2


def test_the_board_is_narrowed_by_group_and_by_time(page, log_workout):
    log_workout(a_set(100, 5), exercise_id=BENCH, started_at="2024-05-01T10:00:00Z")
    log_workout(a_set(140, 5), exercise_id=SQUAT, started_at="2024-12-31T23:59:00Z")
    log_workout(a_set(0, 12), exercise_id=PULL_UP, started_at=days_ago(10))

    def shown(**query):
        records = page.get("/progress/records", query).context["records"]
        return [record["exercise_id"] for record in records]

    assert shown() == [PULL_UP, SQUAT, BENCH]
    assert shown(muscle_group="Chest") == [BENCH]
    assert shown(period="2024") == [SQUAT, BENCH]
    assert shown(period="2024", muscle_group="Legs") == [SQUAT]
    assert shown(period="90-days") == [PULL_UP]
    assert shown(period="1999") == shown(muscle_group="Wings") == shown()
    assert "Nothing matches" in text(page.get("/progress/records", {"muscle_group": "Core"}))
    assert "12 reps" in text(page.get("/progress/records"))


def test_years_of_the_board_are_those_of_the_account(page, account, log_workout):
    log_workout(a_set(100, 5), exercise_id=SQUAT, started_at="2024-12-31T23:59:00Z")
    Account.objects.filter(pk=account.pk).update(time_zone="Asia/Tokyo")
    assert page.get("/progress/records", {"period": "2025"}).context["records"]
    assert '<option value="2024"' not in text(page.get("/progress/records"))


def test_the_board_comes_in_pages(page, log_workout):
    ids = list(Exercise.objects.active().values_list("pk", flat=True)[:45])
    for number, exercise_id in enumerate(ids):
        log_workout(a_set(), exercise_id=exercise_id, started_at=days_ago(number))
    first = page.get("/progress/records", {"period": "90-days"}).context
    query = {"period": "90-days", "cursor": first["next_cursor"]}
    second = page.get("/progress/records", query).context
    shown = [record["exercise_id"] for record in [*first["records"], *second["records"]]]
    assert shown == ids


def test_home_leads_to_all_records(page, log_workout):
    log_workout(a_set(0, 12), exercise_id=PULL_UP, started_at=days_ago(1))
    html = text(page.get("/"))
    assert 'href="/progress/records"' in html
    assert "12 reps" in html


def test_another_account_sees_nothing(page, stranger, log_workout):
    client_of(stranger).post("/workouts", a_workout(a_set(200, 5), exercise_id=SQUAT, started_at=days_ago(1)))
    assert "leading" not in page.get("/progress").context
    log_workout(a_set(60, 5), exercise_id=BENCH, started_at=days_ago(1))
    response = page.get("/progress")
    assert [lift.exercise_id for lift in lifts_of(response)] == [BENCH]
    assert response.context["weeks"][-1].sets + response.context["weeks"][-2].sets == 1
    assert [one["exercise_id"] for one in page.get("/progress/records").context["records"]] == [BENCH]


def area_levels(response):
    return {area: level for area, level in response.context["muscles"].worked.items() if level != "none"}


def test_the_muscles_of_the_week_have_levels_on_the_figure(page, log_workout):
    log_workout(a_set(100, 5), exercise_id="barbell-romanian-deadlift", started_at=days_ago(7))
    log_workout(*[a_set(100, 5)] * 9, a_set(60, 5, type="warmup"), exercise_id=SQUAT, started_at=days_ago(0))
    log_workout(*[a_set(100, 5)] * 10, exercise_id=BENCH, started_at=days_ago(0))
    log_workout(*[a_set(20, 8)] * 21, exercise_id="dumbbell-curl", started_at=days_ago(0))
    response = page.get("/progress")
    assert area_levels(response) == {"quads": "few", "chest": "right", "biceps": "many"}
    assert response.context["muscles"].sets == [("Biceps", 21), ("Chest", 10), ("Quads", 9)]
    html = text(response)
    assert html.count('class="muscle-many"') == 1
    assert '<svg class="figure" viewBox="0 0 220 222" aria-hidden="true">' in html
    assert "Quads 9" in plain(html)


def test_each_muscle_of_an_exercise_has_its_sets_and_times(page, api):
    entries = [
        {"exercise_id": "bodyweight-lunge", "sets": [a_set(20, 8)] * 2},
        {"exercise_id": "plank", "sets": [], "notes": "90 s\n75 s"},
        {"exercise_id": "plank", "sets": [], "notes": "90 s\n75 s"},
    ]
    assert (
        api.post("/workouts", a_workout(started_at=days_ago(0)) | {"exercises": entries}).status_code == 201
    )
    response = page.get("/progress")
    assert response.context["muscles"].sets == [("Abs", 4), ("Glutes", 2), ("Quads", 2)]
    assert area_levels(response) == dict.fromkeys(("abs", "glutes", "quads"), "few")


def test_an_exercise_whose_name_says_no_muscle_colours_all_of_its_group(page, account, log_workout):
    exercise = Exercise.objects.create(
        id="mystery", name="Mystery Machine", muscle_group="Legs", equipment="Machine", owner=account
    )
    log_workout(a_set(20, 8), exercise_id=exercise.pk, started_at=days_ago(0))
    response = page.get("/progress")
    assert response.context["muscles"].sets == [("Legs", 1)]
    assert set(area_levels(response)) == {
        *("quads", "hamstrings", "glutes", "calves", "adductors", "abductors"),
    }


def test_a_week_without_a_set_has_no_figure(page, log_workout):
    log_workout(a_set(100, 5), exercise_id=SQUAT, started_at=days_ago(7))
    assert 'class="figure"' not in text(page.get("/progress"))


def test_the_number_of_statements_is_fixed(page, log_workout, request):
    def counted():
        counts = {}
        for address in (
            "progress",
            "progress?measure=volume&by=volume",
            "progress/lifts",
            "progress/records",
        ):
            with statements() as run:
                page.get(f"/{address}")
            counts[address] = len(run)
        return counts

    log_workout(a_set(), started_at=days_ago(1))
    few = counted()
    request.getfixturevalue("history")
    assert counted() == few
    assert max(few.values()) <= 11


def test_pounds_are_shown_where_they_are_chosen(page, account, log_workout):
    log_workout(a_set(102.05828325, 1), exercise_id=SQUAT, started_at=days_ago(1))
    Account.objects.filter(pk=account.pk).update(units="lb")
    assert "225 lb" in text(page.get("/progress", {"measure": "heaviest"}))
    assert "225 lb × 1" in text(page.get("/progress/records"))


def test_everything_is_two_touches_away(page):
    html = text(page.get("/more"))
    for name in ("workouts", "exercises", "routines", "plans", "nutrition", "supplements", "goals"):
        assert f'href="/{name}"' in html
    assert 'href="/settings/profile"' in html


@pytest.mark.parametrize("days", [91, 365, 4000])
def test_a_chart_has_no_more_times_than_it_says_at_any_moment(time_machine, days):
    time_machine.move_to("2026-11-23T20:43:00Z", tick=False)
    for _ in range(120):
        starts = stats_history.times(timezone.now() - ONE_DAY * days)
        assert stats_history.MAX_POINTS - 2 <= len(starts) <= stats_history.MAX_POINTS
        time_machine.shift(datetime.timedelta(hours=73))


def shown_order(page, account, lifts):
    """The lifts of /progress, of {exercise_id: (kg of a rep, the days ago on which it was done)}."""
    for days in sorted({day for _, done in lifts.values() for day in done}, reverse=True):
        trained = [(pk, kg) for pk, (kg, done) in lifts.items() if days in done]
        exercises = [{"exercise_id": pk, "sets": [a_set(kg, 1)]} for pk, kg in trained]
        client_of(account).post("/workouts", a_workout(started_at=days_ago(days), exercises=exercises))
    return [lift.exercise_id for lift in lifts_of(page.get("/progress"))]


def test_what_is_trained_most_and_heaviest_comes_first(page, account):
    lifts = {PULL_UP: (0, (9, 5)), BENCH: (80, (9, 5)), SQUAT: (120, (9,)), "plank": (0, (9, 5, 1))}
    assert shown_order(page, account, lifts) == [BENCH, PULL_UP, SQUAT, "plank"]


def test_squat_bench_and_deadlift_come_before_a_calf_raise(page, account):
    lifts = {
        "machine-standing-calf-raise": (150, (9, 7, 5, 3)),
        "leg-press": (200, (9, 5)),
        "dumbbell-curl": (20, (9, 7, 5, 3)),
        BENCH: (85, (9, 5)),
        "barbell-deadlift": (185, (9,)),
        SQUAT: (130, (9, 5)),
    }
    assert shown_order(page, account, lifts) == [
        SQUAT,
        "leg-press",
        "barbell-deadlift",
        BENCH,
        "machine-standing-calf-raise",
        "dumbbell-curl",
    ]


def test_a_line_of_reps_has_no_dents_for_sets_of_few(page, account):
    for number, reps in enumerate([12, 5, 13, 6, 14, 5]):
        body = a_workout(a_set(0, reps), exercise_id=PULL_UP, started_at=days_ago(88 - 15 * number))
        client_of(account).post("/workouts", body)
    (lift,) = lifts_of(page.get("/progress"))
    assert [value for _, value in lift.line] == [12, 13, 13, 14, 14]


def test_warm_ups_are_no_sets_of_the_advice(page, log_workout):
    sets = [a_set(60, 8, type="warmup"), *[a_set()] * 10, a_set(completed=False)]
    log_workout(*sets, started_at=days_ago(0))
    response = page.get("/progress")
    cell = dict(response.context["groups"])["Chest"][-1]
    assert (cell.sets, cell.level) == (10, "right")
    assert response.context["weeks"][-1].work_sets == 10


def at_noon(day):
    return f"{day}T12:00:00Z"


@pytest.fixture
def wednesday(time_machine):
    time_machine.move_to("2026-11-18T12:00:00Z", tick=False)


def test_this_week_is_beside_the_same_weekdays_of_the_last_four(page, log_workout, wednesday):
    log_workout(a_set(), started_at=at_noon("2026-09-01"))
    log_workout(*[a_set()] * 2, a_set(type="warmup"), started_at=at_noon("2026-11-16"))
    for day, sets in (("2026-11-11", 3), ("2026-11-04", 4), ("2026-10-26", 4), ("2026-10-20", 1)):
        log_workout(*[a_set(100, 5)] * sets, started_at=at_noon(day))
    for day in ("2026-11-12", "2026-11-15", "2026-10-18"):  # a Thursday, a Sunday, five weeks ago
        log_workout(*[a_set()] * 9, started_at=at_noon(day))
    response = page.get("/progress")
    now, usual, weeks = response.context["this_week"]
    assert (now.sessions, now.sets) == (1, 2)
    assert (usual.sessions, usual.sets, usual.volume_kg, weeks) == (1, 3, 1500, 4)
    assert "Monday to Wednesday, beside the same days of the last 4 weeks on average" in plain(text(response))


def test_weeks_before_somebody_began_are_no_usual_ones(page, log_workout, wednesday):
    log_workout(a_set(), started_at=at_noon("2026-11-17"))
    assert page.get("/progress").context["this_week"].usual is None
    log_workout(*[a_set()] * 4, started_at=at_noon("2026-11-10"))
    this_week = page.get("/progress").context["this_week"]
    assert (this_week.usual.sets, this_week.weeks) == (4, 1)


def test_a_first_session_is_no_record(page, log_workout, wednesday):
    log_workout(a_set(100, 5), exercise_id=SQUAT, started_at=at_noon("2026-11-17"))
    assert page.get("/progress").context["headline"] == "1 set so far this week."
    log_workout(a_set(140, 5, type="warmup"), exercise_id=SQUAT, started_at=at_noon("2026-11-18"))
    assert page.get("/progress").context["headline"] == "1 set so far this week."
    log_workout(a_set(90, 5), exercise_id=SQUAT, started_at=at_noon("2024-11-17"))
    squat = "Barbell Back Squat, 100 kg × 5: a record this week."
    assert page.get("/progress", {"measure": "volume"}).context["headline"] == squat


def test_the_week_of_a_record_is_that_of_the_zone(page, account, log_workout, wednesday):
    log_workout(a_set(90, 5), exercise_id=SQUAT, started_at=at_noon("2026-10-01"))
    log_workout(a_set(100, 5), exercise_id=SQUAT, started_at="2026-11-16T03:00:00Z")
    assert "a record this week" in page.get("/progress").context["headline"]
    Account.objects.filter(pk=account.pk).update(time_zone="America/Los_Angeles")  # where it was Sunday
    assert "a record this week" not in page.get("/progress").context["headline"]


def test_a_stalled_lift_and_a_group_that_lags_are_named(page, log_workout, wednesday):
    for week in range(1, 5):
        for exercise_id, sets in ((SQUAT, 12), (BENCH, 12), ("dumbbell-curl", 6)):
            log_workout(*[a_set(50 - week, 5)] * sets, exercise_id=exercise_id, started_at=days_ago(7 * week))
    assert page.get("/progress").context["headline"] == (
        "Arms had fewer than 10 sets in each of the last four weeks."
    )
    for days in (30, 33, 2, 1):
        log_workout(a_set(49, 5), exercise_id=SQUAT, started_at=days_ago(days))
    assert page.get("/progress").context["headline"] == (
        "Barbell Back Squat has stalled: its last four workouts were no better than those before."
    )


@pytest.mark.parametrize("address", ["/", "/progress"])
def test_sets_of_the_advice_are_those_that_were_done(page, log_workout, address):
    warmups = [a_set(60, 8, type="warmup", completed=False)] * 2
    log_workout(*warmups, a_set(60, 8, type="warmup"), *[a_set()] * 3, started_at=days_ago(0))
    context = page.get(address).context
    if address == "/":
        assert context["week"]["sets"] == 3
    else:
        assert dict(context["groups"])["Chest"][-1].sets == 3
        assert context["weeks"][-1].sets == 4


def test_the_lifts_trained_most_are_on_the_first_page(page, log_workout):
    for number in range(15):
        log_workout(a_set(), exercise_id=BENCH, started_at=days_ago(40 + number * 2))
    others = Exercise.objects.active().exclude(pk=BENCH).values_list("pk", flat=True)[:40]
    for exercise_id in others:
        log_workout(a_set(), exercise_id=exercise_id, started_at=days_ago(1))
    assert lifts_of(page.get("/progress"))[0].exercise_id == BENCH
    first = page.get("/progress/lifts")
    second = page.get("/progress/lifts", {"cursor": first.context["next_cursor"]})
    shown = [lift.exercise_id for lift in [*lifts_of(first), *lifts_of(second)]]
    assert BENCH in [lift.exercise_id for lift in lifts_of(first)]
    assert sorted(shown) == sorted([BENCH, *others])
    assert second.context["next_cursor"] is None


def test_records_by_time_and_distance_are_below_those_of_sets(page, log_workout):
    done = ((1, "plank", "Set 1: 115 s"), (2, "plank", "90 s"), (3, "treadmill-running", "1800 s, 5.2 km"))
    for day, pk, notes in done:
        exercises = [{"exercise_id": pk, "notes": notes, "sets": []}]
        log_workout(exercises=exercises, started_at=f"2026-11-0{day}T10:00:00Z")
    shown = plain(text(page.get("/progress/records")))
    assert "No records yet" not in shown
    assert re.search(r"Longest .* Treadmill Running 30:00, 5.2 km – 3 Nov.* Plank 1:55 – 1 Nov", shown)
    of_core = text(page.get("/progress/records", {"muscle_group": "Core"}))
    assert "1:55" in of_core
    assert "5.2 km" not in of_core
    assert "Nothing matches" in text(page.get("/progress/records", {"muscle_group": "Chest"}))
