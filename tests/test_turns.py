"""Writes of one account take turns: the account is locked before anything is decided."""

import pytest
from django.urls import reverse

from tests.accounts.test_web import KEY_WISH
from tests.conftest import statements
from tests.training.test_web import a_form, a_plan_form, planned_rows, sign_form_id

LOCK = ("SELECT 1 FROM accounts_account", "UPDATE accounts_account SET last_change")  # lock and stamp

FORMS = {  # address -> (the table of what it makes, what is typed)
    "log-workout": ("training_workout", a_form()),
    "create-routine": ("training_routine", {"name": "Heavy", "focus": "", **planned_rows()}),
    "create-plan": ("training_plan", a_plan_form()),
}


@pytest.mark.parametrize(("address", "table", "typed"), [(name, *row) for name, row in FORMS.items()])
def test_two_submissions_of_a_form_wait_for_each_other(page, address, table, typed):
    """Without a lock before the look for the form's record, both would find none and make one."""
    form_id = sign_form_id(page, reverse(address))
    with statements() as run:
        assert page.post(reverse(address), {**typed, "form": form_id}).status_code == 302
    made = index_of(run, f'INSERT INTO "{table}"')
    looked = max(at for at in range(made) if f'FROM "{table}"' in run[at])
    locked = index_of(run, LOCK)
    assert locked < looked < made


def test_two_submissions_of_the_form_of_a_key_wait_for_each_other(page):
    with statements() as run:
        page.post(reverse("developer"), KEY_WISH)
    assert index_of(run, LOCK) < index_of(run, 'SELECT 1 AS "a" FROM "accounts_apikey"')


WRITES = {  # (method, path) -> the table that is read to decide what happens
    "POST /plans/{plan_id}/activate": "training_plan",
    "PUT /plans/{plan_id}": "training_plan",
    "POST /supplements/{supplement_id}/logs": "supplements_supplementlog",
    "PUT /nutrition/{day}": "nutrition_nutritionday",
    "POST /goals": "body_weightlog",
}


@pytest.mark.parametrize("operation", WRITES)
def test_a_write_that_depends_on_what_is_stored_locks_first(api, account, operation):
    from tests.test_isolation import example, fill

    method, path = operation.split()
    body, address = example(method.lower(), path), path.format(**fill(account))
    with statements() as run:
        assert api.call(method, address, body).status_code in (200, 201)
    decided = [at for at, sql in enumerate(run) if f'FROM "{WRITES[operation]}"' in sql]
    assert index_of(run, LOCK) < decided[-1]


def index_of(run, beginning):
    return next(at for at, sql in enumerate(run) if sql.startswith(beginning))
