"""Totals of long windows, whose past months are summed, against those that the rows give."""

import datetime
import io
import random
from unittest.mock import patch

import pytest
from django.core.management import call_command
from django.db import OperationalError, connection, transaction

from accounts.models import Account, AccountState
from fitness.api import rate_limits
from fitness.site import account_data
from tests.conftest import a_set, a_workout, client_of, statements
from tests.imports.steps import imported
from tests.training.test_merged_exercises import merge
from tests.training.test_render_again import NOTHING_TO_DO, rename, render_records
from training import long_windows, stats
from training.models import TrainingMonth, Workout
from training.models.sets import shown_volume
from training.models.training_month import sum_all_again, sum_past_months

NOW = "2026-03-10T12:00:00Z"
HISTORY = {"since": "2000-01-01T00:00:00Z", "until": "2030-01-01T00:00:00Z"}
BENCH, PRESS, SQUAT = "barbell-bench-press", "machine-chest-press", "barbell-back-squat"
DAY = datetime.timedelta(days=1)
UTC = datetime.UTC


@pytest.fixture(autouse=True)
def spring(time_machine, monkeypatch):
    """A day of March 2026, on which months are summed however few workouts they have."""
    time_machine.move_to(NOW, tick=False)
    monkeypatch.setattr(long_windows, "MAX_UNSUMMED", 0)
    monkeypatch.setattr(rate_limits, "LIMITS", {"key": "100000/m", "address": "100000/m"})


def history(api):
    response = api.get("/stats/training", **HISTORY)
    assert response.status_code == 200, response.content
    return response.json()


def sums(account, since=datetime.datetime.min, until=datetime.datetime.max):
    return stats.sums(account, since.replace(tzinfo=UTC), until.replace(tzinfo=UTC))


def sums_of_rows(account, *window):
    with patch.object(stats, "LONG", datetime.timedelta.max):
        return sums(account, *window)


def summed_until(account):
    return datetime.date.fromordinal(AccountState.objects.get(account=account).summed_until).isoformat()


def stored_months(account):
    rows = account.training_months.order_by("month", "muscle_group")
    return list(rows.values_list(*[field.name for field in TrainingMonth._meta.fields if field.name != "id"]))


def assert_summed_right(account):
    """The stored sums are those that summing the same months anew would store."""
    stored = stored_months(account)
    with transaction.atomic():
        account.lock()
        account.training_months.all().delete()
        sum_all_again(account)
    assert stored == stored_months(account)


# --- What is stored --------------------------------------------------------------------------------


def test_the_first_long_window_sums_the_past_months(api, account, log_workout):
    log_workout(a_set(100, 5), a_set(20, 5, type="warmup"), started_at="2024-02-29T23:59:59Z")
    log_workout(a_set(60, 5), exercise_id=SQUAT, started_at="2024-03-01T00:00:00Z", duration_seconds=60)
    log_workout(a_set(80, 5), started_at="2024-03-01T00:00:00Z")
    log_workout(a_set(90, 5), started_at="2026-03-01T00:00:00Z")
    before = history(api)
    assert summed_until(account) == "2026-03-01"
    february, march = datetime.date(2024, 2, 1), datetime.date(2024, 3, 1)
    assert stored_months(account) == [
        (account.pk, february, "", 1, 0, 0, 3600),
        (account.pk, february, "Chest", 1, 2, 500, 0),
        (account.pk, march, "", 2, 0, 0, 3660),
        (account.pk, march, "Chest", 1, 1, 400, 0),
        (account.pk, march, "Legs", 1, 1, 300, 0),
    ]
    assert history(api) == before


def test_small_accounts_and_windows_of_a_year_sum_nothing(api, account, log_workout, monkeypatch):
    log_workout(a_set(), started_at="2025-05-01T10:00:00Z")
    log_workout(a_set(), started_at="2025-05-02T10:00:00Z")
    assert api.get("/stats/training", since="2025-03-09T12:00:00Z", until=NOW).json()["sessions"] == 2
    monkeypatch.setattr(long_windows, "MAX_UNSUMMED", 2)
    assert history(api)["sessions"] == 2
    assert (account.training_months.count(), AccountState.objects.get().summed_until) == (0, 0)
    log_workout(a_set(), started_at="2026-03-05T10:00:00Z")
    history(api)
    assert summed_until(account) == "2026-03-01"


def test_later_months_are_summed_when_there_is_much_in_them(api, account, log_workout, time_machine):
    log_workout(a_set(), started_at="2025-05-01T10:00:00Z")
    history(api)
    log_workout(a_set(), started_at="2026-03-05T10:00:00Z")
    history(api)
    assert summed_until(account) == "2026-03-01"
    time_machine.move_to("2026-05-01T00:00:00Z")
    with statements() as run:
        assert history(api)["sessions"] == 2
    assert summed_until(account) == "2026-05-01"
    assert [sql for sql in run if sql.lstrip().startswith("INSERT INTO training_trainingmonth")]
    with statements() as run:
        assert history(api)["sessions"] == 2
    assert not [sql for sql in run if not sql.startswith(("SELECT", "(SELECT"))], run


def test_what_cannot_be_stored_is_summed_by_a_later_request(api, account, log_workout, monkeypatch):
    log_workout(a_set(), started_at="2025-05-01T10:00:00Z")

    def busy(execute, sql, *rest):
        if sql.lstrip().startswith("INSERT INTO training_trainingmonth"):
            raise OperationalError("database is locked")
        return execute(sql, *rest)

    with connection.execute_wrapper(busy):
        assert history(api)["sessions"] == 1
    assert (account.training_months.count(), AccountState.objects.get().summed_until) == (0, 0)
    assert history(api)["sessions"] == 1
    assert account.training_months.count() == 2


def test_an_account_that_is_deleted_meanwhile_is_no_error(account, log_workout):
    log_workout(a_set(), started_at="2025-05-01T10:00:00Z")
    gone = Account(pk=account.pk)
    account_data.delete(account)
    sum_past_months(gone)
    assert not TrainingMonth.objects.exists()


def test_sums_are_deleted_with_their_account_and_belong_to_nobody_else(
    api, account, stranger_api, stranger, log_workout
):
    log_workout(a_set(), started_at="2025-05-01T10:00:00Z")
    stranger_api.post("/workouts", a_workout(a_set(50), started_at="2025-05-01T10:00:00Z"))
    history(api)
    assert not stranger.training_months.exists()
    assert history(stranger_api)["volume_kg"] == 250
    assert history(api)["volume_kg"] == 500
    account_data.delete(account)
    assert {row.account_id for row in TrainingMonth.objects.all()} == {stranger.pk}


# --- What changes a summed month -------------------------------------------------------------------


@pytest.fixture
def summed(api, account, log_workout):
    """A workout of each of four months, of which the first three are summed."""
    months = ["2025-05", "2025-06", "2026-02", "2026-03"]
    logged = [
        log_workout(a_set(100, number), started_at=f"{month}-05T10:00:00Z")
        for number, month in enumerate(months, start=1)
    ]
    assert history(api)["volume_kg"] == 1000
    assert account.training_months.count() == 6
    return [f"/workouts/{one['id']}" for one in logged]


def test_a_workout_of_today_takes_no_statement_more(api, summed, account):
    with statements() as run:
        assert api.post("/workouts", a_workout(a_set(), started_at=NOW)).status_code == 201
    AccountState.objects.filter(account=account).update(summed_until=0)
    with statements() as without:
        assert api.post("/workouts", a_workout(a_set(), started_at=NOW)).status_code == 201
    assert len(run) == len(without), run


@pytest.mark.parametrize(
    ("act", "volume_kg", "more"),
    [
        (
            lambda api, path: api.post("/workouts", a_workout(a_set(), started_at="2025-05-31T23:59:59Z")),
            1500,
            2,
        ),
        (lambda api, path: api.put(path, a_workout(a_set(), started_at="2025-05-01T00:00:00Z")), 1400, 2),
        (lambda api, path: api.put(path, a_workout(a_set(), started_at="2026-02-01T00:00:00Z")), 1400, 2),
        (lambda api, path: api.put(path, a_workout(a_set(), started_at=NOW)), 1400, 2),
        (lambda api, path: api.delete(path), 900, 2),
    ],
)
def test_a_write_of_a_summed_month_sums_it_again(api, account, summed, act, volume_kg, more):
    with statements() as run:
        assert act(api, summed[0]).status_code < 300
    assert sum("training_trainingmonth" in sql for sql in run) == more, run
    assert history(api)["volume_kg"] == volume_kg
    assert_summed_right(account)


def test_a_workout_that_moves_into_a_summed_month_is_in_it(api, account, summed):
    api.put(summed[-1], a_workout(a_set(100, 4), started_at="2025-05-07T10:00:00Z"))
    assert history(api)["volume_kg"] == 1000
    assert sums(account, until=datetime.datetime(2025, 6, 1))["volume_kg"] == 500
    assert_summed_right(account)


def test_a_replacement_sums_the_month_that_the_workout_has_by_then(account, api, summed):
    """Both requests have read the workout before either writes; the texts of both take as many bytes."""
    first, second = (account.workouts.get(pk=summed[0].rpartition("/")[2]) for _ in range(2))
    values = {name: getattr(first, name) for name in Workout.WRITABLE} | {"exercises": []}
    bare = {"started_at": datetime.datetime(2025, 6, 9, tzinfo=UTC)}
    first.replace(values | {"started_at": datetime.datetime(2026, 2, 9, tzinfo=UTC)})
    second.stored_bytes = first.stored_bytes
    second.replace(values | bare)
    assert_summed_right(account)


def test_a_deletion_sums_the_month_that_the_workout_has_by_then(account, api, summed):
    first, second = (account.workouts.get(pk=summed[0].rpartition("/")[2]) for _ in range(2))
    values = {name: getattr(first, name) for name in Workout.WRITABLE} | {"exercises": []}
    first.replace(values | {"started_at": datetime.datetime(2026, 2, 9, tzinfo=UTC)})
    second.stored_bytes = first.stored_bytes
    second.remove()
    assert_summed_right(account)


def test_an_exercise_of_another_muscle_group_changes_the_sums(api, account, summed):
    rename(BENCH, muscle_group="Legs")
    assert [group["muscle_group"] for group in history(api)["by_muscle_group"]] == ["Legs"]
    assert_summed_right(account)


def test_render_records_corrects_the_sums(api, account, summed):
    account.training_months.update(sessions=7, volume_kg=7)
    account.training_months.filter(muscle_group="", month=datetime.date(2025, 6, 1)).delete()
    assert render_records() == NOTHING_TO_DO
    assert history(api)["volume_kg"] == 1000
    assert_summed_right(account)


def test_the_demo_is_summed_each_time_it_is_made(db):
    for days in ("900", "500"):
        call_command("seed_demo", "--days", days)
        account = Account.objects.get()
        assert sums(account) == sums(account) == sums_of_rows(account)
        assert_summed_right(account)


# --- Any sequence ----------------------------------------------------------------------------------


class Lifter:
    """An account whose history of three years changes at random."""

    def __init__(self, api, account, seed):
        self.api, self.account, self.random = api, account, random.Random(seed)
        self.imports, self.may_merge = [], True

    def act(self):
        acts = [self.log] * 4 + [self.replace] * 3 + [self.delete, self.take, self.undo]
        self.random.choice([*acts, self.regroup, self.merge, self.read, self.read, self.wait])()

    def some_moment(self):
        at = datetime.datetime(2026, 3, 31, 23, tzinfo=UTC) - self.random.randrange(1100) * DAY
        at = self.random.choice([at, at.replace(day=1, hour=0)])
        return at - self.random.choice([0, 0, 1]) * datetime.timedelta(microseconds=1)

    def some_window(self):
        since = self.some_moment() - self.random.choice([0, 300]) * DAY
        return since, since + (367 + self.random.randrange(900)) * DAY

    def some_workout(self):
        exercises = [
            {
                "exercise_id": self.random.choice([BENCH, BENCH, SQUAT, "plank", "pull-up"]),
                "sets": [
                    a_set(
                        self.random.choice([0, 60, 82.5, 102.25]),
                        self.random.randrange(9),
                        type=self.random.choice(["warmup", "working", "working"]),
                        completed=self.random.random() < 0.8,
                    )
                    for _ in range(self.random.randrange(4))
                ],
            }
            for _ in range(self.random.randrange(4))
        ]
        if self.may_merge and exercises:
            exercises[-1]["exercise_id"] = PRESS
        moment = self.some_moment().isoformat()
        return a_workout(started_at=moment, duration_seconds=self.random.randrange(7200)) | {
            "exercises": exercises
        }

    def some_path(self):
        ids = list(self.account.workouts.order_by("pk").values_list("pk", flat=True))
        return f"/workouts/{self.random.choice(ids)}" if ids else None

    def log(self):
        assert self.api.post("/workouts", self.some_workout()).status_code == 201

    def replace(self):
        if path := self.some_path():
            assert self.api.put(path, self.some_workout()).status_code == 200

    def delete(self):
        if path := self.some_path():
            assert self.api.delete(path).status_code == 204

    def take(self):
        """Imports three workouts from a file of FitNotes."""
        lines = ["Date,Exercise,Category,Weight,Weight Unit,Reps,Distance,Distance Unit,Time,Comment"]
        for _ in range(3):
            lines.append(
                f"{self.some_moment():%Y-%m-%d},Bench Press,Chest,{self.random.randrange(99)},kgs,8,,,,"
            )
        self.imports.append(imported(self.account, io.BytesIO("\n".join(lines).encode())))

    def undo(self):
        if self.imports:
            self.imports.pop().undo(changed_too=self.random.random() < 0.5)

    def regroup(self):
        rename(self.random.choice([BENCH, SQUAT]), muscle_group=self.random.choice(["Chest", "Legs", "Core"]))

    def merge(self):
        if self.may_merge:
            self.may_merge = False
            merge(PRESS, BENCH)

    def read(self):
        sums(self.account)

    def wait(self):
        """Sums the months up to an earlier one, as in a month that has passed."""
        AccountState.objects.filter(account=self.account).update(summed_until=0)
        self.account.training_months.all().delete()
        today = self.some_moment().date()
        with patch("training.models.training_month.utc_today", lambda: today):
            sum_past_months(self.account)


@pytest.mark.parametrize("seed", range(8))
def test_totals_are_those_of_the_rows_after_any_sequence_of_writes(api, account, seed):
    lifter = Lifter(api, account, seed)
    for _ in range(30):
        lifter.act()
        with (
            transaction.atomic()
        ):  # these reads sum nothing, so that each act meets what those before have left
            for window in [(), lifter.some_window(), lifter.some_window()]:
                assert sums(account, *window) == sums_of_rows(account, *window)
            transaction.set_rollback(True)
    assert account.workouts.exists()
    assert lifter.imports or seed != 1  # of the seeds at least this one has an import that stays
    assert_summed_right(account)


# --- Statements ------------------------------------------------------------------------------------


def test_long_windows_take_a_fixed_number_of_statements(api, summed, log_workout):
    for month in range(1, 8):
        with statements() as run:
            api.get("/stats/training", since="2000-01-01T00:00:00Z", until="2026-03-06T00:00:00Z")
        assert len(run) == 5, run  # the key, the state, all sums, two of the streak
        log_workout(a_set(), started_at=f"2024-0{month}-05T10:00:00Z")


@pytest.mark.parametrize("scope", ["read", "read_write"])
def test_a_key_that_may_only_read_sums_months_as_well(account, log_workout, scope):
    log_workout(a_set(), started_at="2025-05-01T10:00:00Z")
    history(client_of(account, scope))
    assert summed_until(account) == "2026-03-01"


@pytest.mark.parametrize("kg", [4436.135, 4436.135000000001, 4436.134999999999])
def test_a_volume_between_two_is_rounded_alike_in_whatever_order_it_was_added_up(kg):
    assert shown_volume(kg) == shown_volume(4436.135)
