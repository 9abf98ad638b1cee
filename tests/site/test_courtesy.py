"""Long work lets the other requests of its process go first, but not for ever."""

import sys
import threading

import pytest

from fitness import courtesy
from fitness.courtesy import considerate, followed_by_rest, give_way

pytestmark = pytest.mark.django_db


@pytest.fixture
def pauses(monkeypatch):
    """What the work has slept, a look at a time."""
    found = []
    monkeypatch.setattr(courtesy.time, "sleep", found.append)
    return found


@pytest.fixture
def another_request(monkeypatch):
    """Requests in progress: one works, as `considerate` counts it, and another one waits."""
    monkeypatch.setattr(courtesy, "requests", [None, None])


def test_it_waits_while_another_request_is_there(monkeypatch):
    requests = [None, None]
    monkeypatch.setattr(courtesy, "requests", requests)
    monkeypatch.setattr(courtesy, "SHARE", 1_000_000)
    monkeypatch.setattr(courtesy, "MAX_WAIT_SECONDS", 60)
    waits, ended = threading.Event(), threading.Event()

    def sleep(_):
        waits.set()
        ended.wait(30)

    def end_the_other():
        waits.wait(30)
        requests.pop()
        ended.set()

    monkeypatch.setattr(courtesy.time, "sleep", sleep)
    other = threading.Thread(target=end_the_other)
    other.start()
    with considerate():
        give_way()
    other.join()
    assert waits.is_set()


def test_it_waits_no_longer_than_its_share(another_request, monkeypatch):
    now = iter([0, 1, 1, 1.01, 1.04, 1.06, 1.06])
    monkeypatch.setattr(courtesy.time, "monotonic", lambda: next(now))
    looks = []
    monkeypatch.setattr(courtesy.time, "sleep", looks.append)
    with considerate():
        give_way()
    assert len(looks) == 3  # after 0, 10 and 40 of 50 ms


def test_it_waits_for_nobody_alone(monkeypatch, pauses):
    monkeypatch.setattr(courtesy, "requests", [None])
    with considerate():
        give_way()
    assert pauses == []


def test_other_work_never_waits(another_request, pauses):
    give_way()
    assert pauses == []


def test_statements_give_way(another_request, pauses, account):
    with considerate():
        account.workouts.exists()
    assert pauses != []
    pauses.clear()
    account.workouts.exists()
    assert pauses == []


def test_turns_are_as_usual_afterwards():
    usual = sys.getswitchinterval()
    with considerate(), considerate():
        assert sys.getswitchinterval() < usual
    assert sys.getswitchinterval() == usual


def test_a_request_counts_until_it_ends(client, monkeypatch):
    seen = []
    monkeypatch.setattr("fitness.middleware.log.info", lambda *_, **__: seen.append(len(courtesy.requests)))
    client.get("/healthz")
    assert (seen, courtesy.requests) == ([1], [])


def test_a_rest_is_short(pauses, monkeypatch):
    now = iter([0, 60])
    monkeypatch.setattr(courtesy.time, "monotonic", lambda: next(now))
    with followed_by_rest():
        pass
    assert max(pauses) <= courtesy.MAX_REST_SECONDS
