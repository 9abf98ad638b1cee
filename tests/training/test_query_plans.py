"""How the databases run the statements of hot requests at 10,000 workouts: along an index."""

import datetime

import pytest
from django.conf import settings
from django.db import connection, transaction

from tests.conftest import a_set, a_workout, client_of, statements
from tests.factories import AccountFactory
from tests.mcp_endpoint.conftest import ToolClient
from tests.training.query_plans import POSTGRESQL, add_history, explained, scans, sorts
from training import stats
from training.models import Exercise, Workout

# SQLite names the indexes of constraints by their number.
KEY = "training_workout_pkey" if POSTGRESQL else "sqlite_autoindex_training_workout_1"
CHANGE_STAMP = "workout_change_stamp" if POSTGRESQL else "sqlite_autoindex_training_workout_2"

WORKOUTS, FIRST = 10_000, datetime.date(2020, 1, 1)


@pytest.fixture(scope="module")
def lifter(django_db_setup, django_db_blocker):
    """An account with a long history, beside another; gone again after this module."""
    with django_db_blocker.unblock(), transaction.atomic():
        lifter, stranger = AccountFactory(), AccountFactory()
        for account in (stranger, lifter):
            add_history(account, WORKOUTS, FIRST)
        if POSTGRESQL:
            with connection.cursor() as cursor:
                cursor.execute("ANALYZE")
        yield lifter
        transaction.set_rollback(True)


@pytest.fixture
def api(lifter, db):
    return client_of(lifter)


@pytest.fixture
def names(lifter, api):
    """What the addresses of requests name: a workout, an exercise, places in lists."""
    newest = lifter.workouts.latest("started_at")
    exercise = newest.exercises.get().exercise_id
    pages = {
        "deep_in_workouts": "/workouts",
        "deep_in_events": "/workouts/events",
        "deep_in_history": f"/exercises/{exercise}/history",
    }
    return {
        "workout": newest.id,
        "exercise": exercise,
        "name": newest.exercises.get().exercise.name,
        "now": f"{newest.started_at:%Y-%m-%dT23:00:00Z}",
        "first_month": f"{lifter.workouts.earliest('started_at').started_at:%Y-%m}",
        "last_month": f"{newest.started_at:%Y-%m}",
        **{name: api.get(path, limit=100).json()["next_cursor"] for name, path in pages.items()},
    }


@pytest.fixture
def plan_of(api, names):
    """Returns the lines of the plans of a request's statements, but for the look-up of its key."""

    def lines(path):
        with statements() as run:
            assert api.get(path.format(**names)).status_code == 200
        return explained(run[1:])

    return lines


@pytest.fixture
def page_plan_of(lifter, names, client):
    """The same for a screen, but for the look-ups of its session and account."""
    client.force_login(lifter)

    def lines(path):
        with statements() as run:
            assert client.get(path.format(**names)).status_code == 200
        return explained(run[2:])

    return lines


@pytest.mark.parametrize(
    ("path", "index"),
    [
        ("/workouts", "workout_newest"),
        ("/workouts?cursor={deep_in_workouts}", "workout_newest"),
        ("/workouts?since=2040-01-01T00:00:00Z&until=2045-01-01T00:00:00Z", "workout_newest"),
        ("/workouts/{workout}", KEY),
        ("/workouts/events", CHANGE_STAMP),
        ("/workouts/events?cursor={deep_in_events}", CHANGE_STAMP),
        ("/exercises/{exercise}/history", "session_newest"),
        ("/exercises/{exercise}/history?cursor={deep_in_history}", "session_newest"),
    ],
)
def test_personal_records_are_read_along_an_index_without_a_sort(plan_of, path, index):
    plan = plan_of(path)
    assert any(index in line for line in plan), plan
    assert not scans(plan), plan
    assert not sorts(plan), plan


@pytest.mark.parametrize("path", ["/exercises?q=press", "/exercises?q=zzz&muscle_group=Legs"])
def test_a_search_reads_the_newest_session_of_each_exercise_found(plan_of, path):
    plan = plan_of(path)
    assert any("session_newest" in line for line in plan), plan
    assert not [line for line in scans(plan) if "training_workout" in line], plan


@pytest.mark.parametrize(
    ("path", "indexes"),
    [
        ("/workouts", ["workout_newest"]),
        ("/exercises/{exercise}", ["session_newest", "session_best"]),
        ("/exercises/{exercise}?range=all", ["session_newest", "session_best"]),
        ("/workouts?month={first_month}", ["workout_newest", "session_newest"]),
        ("/workouts?month={last_month}", ["workout_newest", "session_best"]),
        ("/workouts?day={first_month}-20", ["workout_newest", "session_newest"]),
    ],
)
def test_pages_read_no_more_of_the_history_than_they_show(page_plan_of, path, indexes):
    plan = page_plan_of(path)
    for index in indexes:
        assert any(index in line for line in plan), plan
    assert not scans(plan), plan


@pytest.mark.skipif(POSTGRESQL, reason="SQLite read all sessions of an account")
def test_the_bests_of_a_year_are_ranges_of_an_index(lifter, names, client):
    client.force_login(lifter)
    with statements() as run:
        assert client.get("/progress").status_code == 200
    (bests,) = [sql for sql in run if "best_reps" in sql and "GROUP BY" in sql]
    plan = explained([bests])
    within = "session_newest (account_id=? AND exercise_id=? AND started_at>? AND started_at<?)"
    assert [line for line in plan if within in line], plan
    assert not scans(plan), plan


def test_workouts_with_a_lift_are_found_without_reading_its_sessions(page_plan_of):
    plan = page_plan_of("/workouts?q={name}")
    if POSTGRESQL:  # it may look the lift up among the few exercises of the workout as well
        indexes = ("session_newest", "workout_exercise_position")
        found = [line for line in plan if any(f"Scan using {index}" in line for index in indexes)]
    else:
        found = [line for line in plan if "session_newest" in line and "workout_id" in line]
    assert found, plan
    assert not [line for line in plan if "hashed SubPlan" in line], plan
    assert not [line for line in scans(plan) if "training_workout" in line], plan


@pytest.mark.parametrize("range_", ["3m", "1y", "all"])
def test_the_figures_of_an_exercise_are_read_along_an_index(page_plan_of, range_):
    plan = page_plan_of("/exercises/{exercise}?range=" + range_)
    along = [line for line in plan if "session_newest" in line]
    assert len(along) >= 3, plan  # the sessions of the page, their number, and the points of the chart
    with connection.cursor() as cursor:
        constraints = connection.introspection.get_constraints(cursor, "training_workoutexercise")
    assert {"best_weight_kg", "best_reps"} <= set(constraints["session_newest"]["columns"])
    # It would sort all sessions of the range for a window function, and group them for an aggregate.
    assert not [line for line in plan if "WindowAgg" in line or "GROUP BY" in line or "qualify" in line], plan


@pytest.mark.parametrize(
    ("path", "indexes"),
    [
        ("/stats/records", ["session_best"]),
        ("/stats/training?until={now}", ["workout_newest", "session_totals", "workout_day"]),
    ],
)
def test_statistics_read_no_more_of_the_history_than_they_count(plan_of, path, indexes):
    plan = plan_of(path)
    for index in indexes:
        assert any(index in line for line in plan), plan
    assert not scans(plan), plan


def test_notices_of_weeks_read_no_more_of_the_history_than_their_window(lifter):
    until = lifter.workouts.latest("started_at").started_at
    since = until - datetime.timedelta(days=30)
    with statements() as run:
        assert stats.utc_weeks(lifter, since, until)
    plan = explained(run)
    assert not scans(plan), plan
    for index in ("workout_newest", "session_totals"):
        (line, *_) = [line for line in plan if index in line] or [plan]
        assert index in line, plan
        assert POSTGRESQL or "started_at>?" in line, plan


def test_what_a_renamed_exercise_leaves_stale_is_found_along_an_index(lifter, names, db):
    exercise = Exercise.objects.get(pk=names["exercise"])
    with statements() as run:
        assert Workout.objects.stale(lifter, exercise)
        assert lifter.pk in Workout.objects.accounts_with(exercise)
    plan = explained(run)
    # The workouts with the exercise, those of them whose rows have other help, and the accounts.
    assert POSTGRESQL or sum("session_newest" in line for line in plan) == 3, plan
    # An empty shard of a cluster is read whole.
    assert settings.CITUS or "Seq Scan on training_workoutexercise" not in str(plan)
    states = "accounts_accountstate"
    assert not [line for line in plan if line.startswith("SCAN ") and states not in line], plan


def test_what_the_summary_of_a_workout_compares_with_is_read_along_an_index(lifter, api):
    ids = sorted(set(lifter.workout_exercises.values_list("exercise_id", flat=True)))[:6]
    entries = [{"exercise_id": exercise_id, "sets": [a_set()]} for exercise_id in ids]
    with statements() as run:
        ToolClient(api.key).get("log_workout", **{**a_workout(), "exercises": entries})
    compared = [
        sql for sql in run if (sql.startswith("SELECT") and "best_weight_kg" in sql) or "document" in sql[:40]
    ]
    plan = explained(compared)
    assert len(compared) == 3  # with the same start, of the last minutes, the best sets
    for index in ("workout_newest", CHANGE_STAMP, "session_best"):
        assert any(index in line for line in plan), plan
    assert not scans(plan), plan
    assert not sorts(plan), plan
