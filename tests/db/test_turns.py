"""Each write locks its account before it reads the rows on which it depends, so writes are serialized."""

import re

import pytest
from django.urls import reverse

from tests.accounts.people import KEY_WISH
from tests.conftest import statements
from tests.training.test_web import a_form, planned_rows, sign_form_id

pytestmark = pytest.mark.each_database

# What `lock` and `stamp` execute.
LOCK = ("SELECT 1 FROM accounts_accountstate", "UPDATE accounts_accountstate SET last_change")

FORMS = {  # name of the URL -> (the table that it inserts into, the form values)
    "log-workout": ("training_workout", a_form()),
    "create-routine": ("training_routine", {"name": "Heavy", "focus": "", **planned_rows()}),
    "create-plan": ("training_plan", {"name": "Mine"}),
}


@pytest.mark.parametrize(("address", "table", "values"), [(name, *row) for name, row in FORMS.items()])
def test_two_submissions_of_a_form_wait_for_each_other(page, address, table, values):
    """If the lock came after the SELECT for the form's row, both could find no row and insert one."""
    form_id = sign_form_id(page, reverse(address))
    with statements() as executed:
        assert page.post(reverse(address), {**values, "form": form_id}).status_code == 302
    insert = next(at for at, sql in enumerate(executed) if re.match(rf'\s*INSERT INTO "?{table}\b', sql))
    last_select = max(at for at in range(insert) if f'FROM "{table}"' in executed[at])
    locked = position_of(executed, LOCK)
    assert locked < last_select < insert


def test_two_submissions_of_the_form_of_a_key_wait_for_each_other(page):
    with statements() as executed:
        page.post(reverse("developer"), KEY_WISH)
    assert position_of(executed, LOCK) < position_of(executed, 'SELECT 1 AS "a" FROM "accounts_apikey"')


WRITES = {  # operation -> the table that is read to decide what to write
    "POST /plans/{plan_id}/activate": "training_plan",
    "PUT /plans/{plan_id}": "training_plan",
    "PUT /plans/{plan_id}/progression": "training_plan",
    "PUT /routines/{routine_id}/progression": "training_routine",
    "POST /supplements/{supplement_id}/logs": "supplements_supplementlog",
    "PUT /nutrition/{day}": "nutrition_nutritionday",
    "POST /goals": "body_weightlog",
}


@pytest.mark.parametrize("operation", WRITES)
def test_a_write_that_depends_on_what_is_stored_locks_first(api, account, operation):
    from tests.api.test_isolation import example, fill

    method, path = operation.split()
    body, address = example(method.lower(), path), path.format(**fill(account))
    with statements() as executed:
        assert api.call(method, address, body).status_code in (200, 201)
    selects = [at for at, sql in enumerate(executed) if f'FROM "{WRITES[operation]}"' in sql]
    assert position_of(executed, LOCK) < selects[-1]


def position_of(executed, beginning):
    return next(at for at, sql in enumerate(executed) if sql.startswith(beginning))
