"""A deadlock, in which PostgreSQL ends the request's transaction, is no error for the client."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import psycopg
import pytest
from django.conf import settings
from django.db import connection

from tests.conftest import a_set, a_workout, client_of
from tests.factories import AccountFactory
from tests.mcp_endpoint.conftest import ToolClient
from tests.server import wait_until
from tests.training.test_plans import a_plan

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time"),
    pytest.mark.skipif(settings.CITUS, reason="locks rows of one server"),
]

WAITS = """
SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND datname = current_database()
"""


PLAN = "SELECT 1 FROM training_plan WHERE id = %s FOR UPDATE"
ACCOUNTS = "LOCK TABLE accounts_accountstate"  # granted as soon as the request has lost it


@pytest.fixture
def api(transactional_db):
    return client_of(AccountFactory(email="locked@example.org"))


@pytest.fixture
def plan_id(api):
    return api.post("/plans", a_plan()).json()["id"]


@contextmanager
def deadlock(plan_id):
    """Another transaction, which holds the plan and wants the accounts once the request waits for the plan.

    PostgreSQL ends the request's: the other one looks for a deadlock only after a minute.
    """
    with psycopg.connect(**connection.get_connection_params()) as other, ThreadPoolExecutor(1) as pool:
        other.execute("SET deadlock_timeout = '1min'")
        other.execute(PLAN, [plan_id])
        done = pool.submit(want_accounts, other)
        yield
        done.result()


def want_accounts(other):
    wait_until(lambda: other.execute(WAITS).fetchone(), within=30)
    other.execute(ACCOUNTS)
    other.rollback()


def test_a_post_that_was_the_victim_of_a_deadlock_is_stored_once(api, plan_id):
    with deadlock(plan_id):
        response = api.post("/workouts", a_workout(a_set(), plan_id=plan_id))
    assert response.status_code == 201
    assert [workout["id"] for workout in api.get("/workouts").json()["workouts"]] == [response.json()["id"]]


def test_a_retry_by_its_key_finds_what_was_stored_after_a_deadlock(api, plan_id):
    def log():
        return api.call(
            "POST", "/workouts", a_workout(a_set(), plan_id=plan_id), headers={"Idempotency-Key": "once"}
        )

    with deadlock(plan_id):
        first = log()
    assert (first.status_code, log().json()) == (201, first.json())


def test_a_tool_that_was_the_victim_of_a_deadlock_succeeds(api, plan_id):
    with deadlock(plan_id):
        stored = ToolClient(api.key).get("log_workout", **a_workout(a_set(), plan_id=plan_id))
    assert [workout["id"] for workout in api.get("/workouts").json()["workouts"]] == [stored["id"]]
