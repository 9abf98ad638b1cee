"""The Idempotency-Key: a POST that is sent twice is carried out once."""

import datetime
import time

import pytest
import time_machine
from django.db import OperationalError

from accounts import idempotency
from accounts.idempotency import IdempotentRequest
from tests.api.test_isolation import KEYED, example, fill
from tests.conftest import a_set, a_workout, client_of, problems, statements

POSTS = [path for method, path in KEYED if method == "post"]
BODY = a_workout(a_set(), title="Once")
REUSED = "was sent with another request before. Use a new key for each thing to be done."


def post(api, body=BODY, key="a-key", path="/workouts"):
    return api.call("POST", path, body, headers={"Idempotency-Key": key})


def replayed(response):
    return response.headers.get("Idempotent-Replayed")


@pytest.mark.parametrize("path", POSTS)
def test_every_post_can_be_repeated(api, account, path):
    path, body = path.format(**fill(account)), example("post", path)
    first, again = (post(api, body, path=path) for _ in range(2))
    assert first.status_code in (200, 201)
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert (replayed(first), replayed(again)) == (None, "true")


def test_a_repeated_workout_is_stored_once(api, account):
    first, again = post(api), post(api)
    assert (first.status_code, again.status_code) == (201, 201)
    assert account.workouts.count() == 1


def test_another_key_is_another_workout(api, account):
    assert post(api, key="one").json()["id"] != post(api, key="two").json()["id"]
    assert account.workouts.count() == 2


def test_without_the_header_everything_is_new(api, account):
    responses = [api.post("/workouts", BODY) for _ in range(2)]
    assert [replayed(response) for response in responses] == [None, None]
    assert account.workouts.count() == 2


def test_the_key_of_another_request_is_rejected(api, account):
    post(api)
    assert problems(post(api, {**BODY, "title": "Other"})) == {"header.Idempotency-Key": REUSED}
    assert problems(post(api, path="/goals", body={})) == {"header.Idempotency-Key": REUSED}
    assert account.workouts.count() == 1
    assert not account.goals.exists()


def test_a_rejected_request_leaves_its_key_free(api):
    assert "body.title" in problems(post(api, {**BODY, "title": 7}))
    assert post(api).status_code == 201


def test_a_database_error_leaves_the_key_free(api, account, monkeypatch):
    def down(self, *args):
        raise OperationalError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("training.models.Workout.fill", down)
        assert post(api).status_code == 503
    assert replayed(post(api)) is None
    assert account.workouts.count() == 1


def test_a_repetition_returns_the_workout_as_it_is_now(api, account):
    path = f"/workouts/{post(api).json()['id']}"
    replaced = api.put(path, BODY | {"title": "Later"})
    again = post(api)
    assert (again.status_code, replayed(again)) == (201, "true")
    assert again.json() == replaced.json()


def test_a_repetition_after_the_workout_was_deleted_makes_no_other(api, account):
    api.delete(f"/workouts/{post(api).json()['id']}")
    assert post(api).status_code == 404
    assert account.workouts.count() == 0


def test_what_is_stored_is_small_however_large_the_response(api, account):
    exercises = [{"exercise_id": "plank", "sets": [a_set()] * 100}] * 20
    assert post(api, BODY | {"exercises": exercises}).status_code == 201
    (kept,) = IdempotentRequest.objects.values_list()
    assert len(str(kept)) < 500


def test_every_api_key_has_idempotency_keys_of_its_own(api, account, stranger_api):
    others = [client_of(account), stranger_api]
    responses = [post(client) for client in (api, *others)]
    assert [replayed(response) for response in responses] == [None] * 3
    assert len({response.json()["id"] for response in responses}) == 3


def test_a_reader_gets_403_before_the_key_is_read(reader):
    assert post(reader).status_code == 403


def test_a_response_is_repeated_for_a_day(api, account, monkeypatch):
    monkeypatch.setattr("accounts.idempotency.PROCESS_START", 4_000_000_000)  # no clock is ahead of that
    with time_machine.travel("2026-03-02T12:00:00Z", tick=False) as clock:
        post(api)
        clock.shift(datetime.timedelta(hours=23, minutes=59))
        assert replayed(post(api)) == "true"
        clock.shift(datetime.timedelta(minutes=1))
        assert replayed(post(api)) is None
    assert account.workouts.count() == 2
    assert IdempotentRequest.objects.count() == 1


def test_a_clock_that_runs_a_day_ahead_makes_no_retry_new(api, account, monkeypatch):
    monkeypatch.setattr(idempotency, "PROCESS_START", time.time() - time.monotonic())
    first = post(api)
    with time_machine.travel(datetime.timedelta(hours=25)):
        assert replayed(post(api)) == "true"
        post(api, key="another")
    assert post(api).json()["id"] == first.json()["id"]
    assert account.workouts.count() == 2


def test_what_was_done_while_the_clock_ran_ahead_is_kept_for_a_day_and_not_longer(api, account, monkeypatch):
    monkeypatch.setattr(idempotency, "PROCESS_START", time.time() - time.monotonic())
    with time_machine.travel(datetime.timedelta(hours=25)):
        post(api)
    a_day = datetime.timedelta(days=1)
    monkeypatch.setattr(idempotency, "PROCESS_START", idempotency.PROCESS_START + a_day.total_seconds())
    with time_machine.travel(a_day):
        assert replayed(post(api)) is None
    assert account.workouts.count() == 2


@pytest.mark.parametrize("key", ["", "two words", "é", "k" * 256])
def test_a_malformed_key_is_rejected(api, key):
    assert problems(post(api, key=key)) == {
        "header.Idempotency-Key": "must be 1 to 255 visible ASCII characters."
    }


def test_other_methods_ignore_the_header(api, log_workout):
    path = f"/workouts/{log_workout()['id']}"
    for title in ("Squats", "Deadlifts"):
        response = api.call("PUT", path, {**BODY, "title": title}, headers={"Idempotency-Key": "a-key"})
        assert (response.json()["title"], replayed(response)) == (title, None)


def test_it_takes_a_constant_number_of_statements_more(api):
    api.post("/workouts", BODY)
    counts = []
    for key in (None, "one", "one"):
        with statements() as run:
            api.call("POST", "/workouts", BODY, headers={"Idempotency-Key": key} if key else None)
        counts.append(len(run))
    assert counts == [5, 5 + 4, 4]
