import datetime

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts import keys
from accounts.models import Account, ApiKey
from tests.conftest import ApiClient, a_workout


def code(response):
    return response.status_code, response.json()["error"]["code"]


def test_two_keys_are_never_equal():
    assert len({keys.generate() for _ in range(1000)}) == 1000


@pytest.mark.parametrize("position", [0, 4, 20, 37, 38, 43])
def test_a_mistyped_key_fails_its_checksum(position):
    key = keys.generate()
    other = "A" if key[position] != "A" else "B"
    assert keys.is_well_formed(key)
    assert not keys.is_well_formed(key[:position] + other + key[position + 1 :])


def test_only_a_hash_and_a_hint_are_stored(account):
    key, record = account.issue_key("phone", "read", "never")
    stored = " ".join(str(value) for value in ApiKey.objects.filter(pk=record.pk).values().get().values())
    assert key not in stored
    assert key[4:38] not in stored
    assert record.digest == keys.digest(key)


@pytest.mark.parametrize("header", ["Authorization", "api-key"])
def test_a_key_is_read_from_either_header(api, header):
    value = f"Bearer {api.key}" if header == "Authorization" else api.key
    assert ApiClient().call("GET", "/workouts", headers={header: value}).status_code == 200


def test_both_headers_may_carry_the_same_key(api):
    assert api.call("GET", "/workouts", headers={"api-key": api.key}).status_code == 200


def test_two_different_keys_are_rejected(api, stranger_api):
    response = api.call("GET", "/workouts", headers={"api-key": stranger_api.key})
    assert code(response) == (401, "invalid_key")


REFUSED = {
    "none": {},
    "empty": {"Authorization": "Bearer "},
    "no scheme": {"Authorization": "{key}"},
    "another scheme": {"Authorization": "Basic {key}"},
    "mistyped": {"Authorization": "Bearer {key}x"},
    "another prefix": {"api-key": "sk_{key}"},
    "not ASCII": {"api-key": "svc_ü" + "a" * 39},
}


@pytest.mark.parametrize("headers", REFUSED.values(), ids=REFUSED.keys())
def test_without_a_valid_key_the_response_is_401(api, headers):
    headers = {name: value.format(key=api.key) for name, value in headers.items()}
    response = ApiClient().call("GET", "/workouts", headers=headers)
    assert code(response) == (401, "invalid_key")
    assert response["WWW-Authenticate"].startswith("Bearer")


def test_a_key_in_the_query_is_rejected(api, nobody):
    assert nobody.get("/workouts", api_key=api.key).status_code == 401


def test_a_session_does_not_authenticate_the_api(account, nobody):
    nobody.client.force_login(account)
    assert nobody.get("/workouts").status_code == 401


def test_unknown_and_mistyped_keys_get_the_same_bytes(nobody):
    unknown, mistyped = ApiClient(keys.generate()), ApiClient("svc_" + "a" * 40)
    assert (
        unknown.get("/workouts").content
        == mistyped.get("/workouts").content
        == nobody.get("/workouts").content
    )


def test_a_mistyped_key_costs_no_query(django_assert_num_queries, db):
    with django_assert_num_queries(0):
        ApiClient("svc_" + "a" * 40).get("/workouts")


def test_a_revoked_key_is_invalid_at_once(account, api):
    assert api.get("/workouts").status_code == 200
    account.api_keys.get().revoke()
    assert code(api.get("/workouts")) == (401, "invalid_key")


@pytest.mark.parametrize(("expires", "days"), [("90d", 90), ("1y", 365)])
def test_a_key_expires_by_itself(account, clock, expires, days):
    key, _ = account.issue_key("phone", "read", expires)
    clock.shift(datetime.timedelta(days=days, seconds=-10))
    assert ApiClient(key).get("/workouts").status_code == 200
    clock.shift(20)
    assert code(ApiClient(key).get("/workouts")) == (401, "expired_key")


def test_a_key_without_expiry_lasts(account, clock, api):
    clock.shift(datetime.timedelta(days=5000))
    assert api.get("/workouts").status_code == 200


def test_a_revoked_key_that_expired_stays_invalid(account, clock):
    key, record = account.issue_key("phone", "read", "90d")
    record.revoke()
    clock.shift(datetime.timedelta(days=100))
    assert code(ApiClient(key).get("/workouts")) == (401, "invalid_key")


def test_the_keys_of_a_deactivated_account_are_invalid(account, api):
    Account.objects.update(is_active=False)
    assert code(api.get("/workouts")) == (401, "invalid_key")


def test_an_account_holds_ten_active_keys(account):
    records = [account.issue_key(f"key {n}", "read", "90d")[1] for n in range(10)]
    with pytest.raises(ValidationError, match="10 active keys"):
        account.issue_key("one more", "read", "never")
    records[0].revoke()
    account.issue_key("in its place", "read", "never")


def test_expired_keys_do_not_count_toward_the_ten(account, clock):
    for n in range(10):
        account.issue_key(f"key {n}", "read", "90d")
    clock.shift(datetime.timedelta(days=91))
    account.issue_key("next", "read", "never")


def test_the_last_use_is_stored_at_most_once_a_minute(account, api, clock):
    api.get("/workouts")
    clock.shift(59)
    api.get("/workouts")
    assert account.api_keys.with_use().get().last_used_at.second == 0
    clock.shift(1)
    api.get("/workouts")
    assert account.api_keys.with_use().get().last_used_at == timezone.now()


def test_a_last_use_in_the_future_is_overwritten(account, api, clock):
    clock.shift(datetime.timedelta(days=1))
    api.get("/workouts")
    clock.shift(-datetime.timedelta(days=1))
    api.get("/workouts")
    assert account.api_keys.with_use().get().last_used_at == timezone.now()


def test_issue_key_prints_a_working_key_alone(db, capsys):
    call_command("issue_key", "New@Example.org", "--scope", "read_write", "--expires", "never")
    key = capsys.readouterr().out.strip()
    assert ApiClient(key).post("/workouts", a_workout()).status_code == 201
    assert Account.objects.get().email == "new@example.org"
    assert not Account.objects.get().has_usable_password()


@pytest.mark.parametrize(
    "arguments",
    [
        ["not-an-email"],
        [f"{'a' * 60}@{'b.' * 120}org"],
        ["a@example.org", "--name", "x" * 201],
        ["a@example.org", "--name", ""],
    ],
)
def test_issue_key_rejects_bad_input_and_stores_nothing(db, arguments):
    with pytest.raises(CommandError):
        call_command("issue_key", *arguments)
    assert not Account.objects.exists()


@pytest.mark.parametrize("arguments", [[], ["a@example.org", "--scope", "all"], ["a@example.org", "--x"]])
def test_issue_key_reports_bad_arguments_in_one_line_with_exit_code_1(arguments, monkeypatch):
    from accounts.management.commands.issue_key import Command

    with pytest.raises(SystemExit) as exit:
        Command().create_parser("manage.py", "issue_key").parse_args(arguments)
    assert str(exit.value.code).startswith("CommandError: ")
