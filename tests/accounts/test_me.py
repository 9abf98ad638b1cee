import datetime

import pytest

from tests.conftest import statements


def test_the_profile_of_a_new_account_is_mostly_null(reader, account):
    account.display_name = ""
    account.save()
    profile = reader.get("/me").json()
    assert profile == {
        "id": str(account.id),
        "display_name": None,
        "email": "lifter@example.org",
        "height_cm": None,
        "birth_date": None,
        "gender": None,
        "goal": "maintain",
        "created_at": profile["created_at"],
    }
    assert profile["created_at"].endswith("Z")


def test_a_profile_that_is_filled_in_comes_back(api, account):
    account.height_cm, account.gender, account.goal = 178.5, "female", "bulk"
    account.birth_date = datetime.date(1990, 4, 1)
    account.save()
    filled = {
        "display_name": "Lifter",
        "height_cm": 178.5,
        "birth_date": "1990-04-01",
        "gender": "female",
        "goal": "bulk",
    }
    assert filled.items() <= api.get("/me").json().items()


def test_everyone_sees_their_own_profile(api, stranger_api):
    assert api.get("/me").json()["email"] == "lifter@example.org"
    assert stranger_api.get("/me").json()["email"] == "stranger@example.org"


def test_the_profile_needs_the_key_and_nothing_else(api, nobody):
    api.get("/me")
    with statements() as run:
        api.get("/me")
    assert len(run) == 1, run
    assert nobody.get("/me").json()["error"]["code"] == "invalid_key"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_the_profile_is_edited_in_the_app_only(api, method):
    response = api.call(method, "/me", {"display_name": "Other"})
    assert response.json()["error"]["code"] == "method_not_allowed"
