"""If-None-Match spares an answer that the client has; If-Match protects changes that it has not seen."""

import datetime

import pytest
from django.core.management import call_command
from django.test import override_settings

from accounts.models import Account
from fitness.api import conditional
from fitness.management.commands import seed_demo
from tests.conftest import a_set, a_workout, client_of, problems, statements
from tests.training.test_render_again import rename as rename_exercise
from training.models import Plan

UNKNOWN = "/workouts/01890000-0000-7000-8000-000000000000"
REST_DAYS = [{"weekday": day, "label": "Rest", "rest": True} for day in range(1, 8)]
LISTS = ["/workouts", "/workouts?limit=1", "/workouts/events", "/workouts/count"]


def known(api, path, tag):
    return api.call("GET", path, headers={"If-None-Match": tag})


@pytest.fixture
def workout(log_workout):
    return log_workout(a_set(), a_set())


@pytest.fixture
def path(workout):
    return f"/workouts/{workout['id']}"


@pytest.mark.parametrize("path_of", [*LISTS, "/workouts/{id}"])
def test_what_the_client_has_is_not_sent_again(api, workout, path_of):
    path = path_of.format(**workout)
    first = api.get(path)
    assert first.headers["Cache-Control"] == "private, no-cache"
    assert first.headers["Vary"] == "Authorization, Api-Key"
    again = known(api, path, first.headers["ETag"])
    assert (again.status_code, again.content) == (304, b"")
    assert "Content-Type" not in again.headers
    for name in ("ETag", "Cache-Control", "Vary"):
        assert again.headers[name] == first.headers[name]
    assert {"X-Request-Id", "RateLimit"} <= again.headers.keys()


@pytest.mark.parametrize("path", LISTS)
def test_a_list_that_the_client_has_is_not_read(api, workout, path):
    tag = api.get(path).headers["ETag"]
    with statements() as run:
        assert known(api, path, tag).status_code == 304
    assert len(run) == 2, run
    assert "training_workout" not in str(run)


def test_a_list_that_the_client_does_not_have_is_sent(api, workout):
    with statements() as run:
        answer = known(api, "/workouts", 'W/"other"')
    assert answer.status_code == 200
    assert answer.json() == api.get("/workouts").json()
    assert len(run) == 3, run


def rename(api, workout):
    rename_exercise(workout["exercises"][0]["exercise_id"], name="Flat Press")


def delete_plan(api, workout):
    plan = api.post("/plans", {"name": "Block", "days": REST_DAYS}).json()
    api.put(f"/workouts/{workout['id']}", a_workout(plan_id=plan["id"]))
    Plan.objects.get(pk=plan["id"]).remove()


CHANGES = {
    "another workout": lambda api, workout: api.post("/workouts", a_workout()),
    "a replacement": lambda api, workout: api.put(f"/workouts/{workout['id']}", a_workout(title="B")),
    "the same again": lambda api, workout: api.put(f"/workouts/{workout['id']}", a_workout(a_set(), a_set())),
    "a deletion": lambda api, workout: api.delete(f"/workouts/{workout['id']}"),
    "a new name in the catalogue": rename,
    "the deletion of its plan": delete_plan,
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_of_workouts_makes_a_new_version(api, log_workout, workout, change):
    other = log_workout(a_set(), exercise_id="plank")
    tags = {path: api.get(path).headers["ETag"] for path in [*LISTS, f"/workouts/{workout['id']}"]}
    CHANGES[change](api, workout)
    for path, tag in tags.items():
        if change == "another workout" and workout["id"] in path:
            assert known(api, path, tag).status_code == 304
        elif change == "a deletion" and workout["id"] in path:
            assert known(api, path, tag).status_code == 404
        else:
            answer = known(api, path, tag)
            assert (answer.status_code, answer.headers["ETag"] != tag) == (200, True), path
    assert api.get(f"/workouts/{other['id']}").json() == other


def test_a_tag_is_of_one_address_and_one_account(api, stranger_api, log_workout, workout):
    log_workout()
    stranger_api.post("/workouts", a_workout())
    paths = [*LISTS, "/workouts?limit=2"]
    tags = [client.get(path).headers["ETag"] for client in (api, stranger_api) for path in paths]
    assert len(set(tags)) == len(tags)
    assert known(stranger_api, "/workouts", api.get("/workouts").headers["ETag"]).status_code == 200


def test_a_tag_is_of_one_release_and_one_secret(api, workout, monkeypatch, settings, tmp_path):
    """The secret signs the cursors of a list: with another one they would be refused."""
    tag = api.get("/workouts").headers["ETag"]
    code = tmp_path / "training" / "api" / "views" / "workout.py"
    code.parent.mkdir(parents=True)
    code.write_text("one")
    settings.BASE_DIR = tmp_path
    first = conditional.digest_of_release()
    assert conditional.digest_of_release() == first
    code.write_text("two")
    second = conditional.digest_of_release()
    settings.SECRET_KEY = "another"
    third = conditional.digest_of_release()
    assert len({first, second, third}) == 3
    monkeypatch.setattr(conditional, "RELEASE", third)
    assert known(api, "/workouts", tag).status_code == 200


def test_an_update_leaves_the_version_of_a_workout_as_it_is(api, path, monkeypatch):
    tag = api.get(path).headers["ETag"]
    monkeypatch.setattr(conditional, "RELEASE", b"another")
    assert known(api, path, tag).status_code == 304
    assert api.call("PUT", path, a_workout(), headers={"If-Match": tag}).status_code == 200


def test_a_demo_that_is_made_again_is_a_new_version(db):
    call_command("seed_demo", days=60, verbosity=0)
    api = client_of(Account.objects.get(is_demo=True))
    tag = api.get("/workouts/count").headers["ETag"]
    call_command("seed_demo", days=30, verbosity=0)
    assert known(api, "/workouts/count", tag).status_code == 200


def test_a_workout_of_a_demo_that_reads_differently_is_a_new_version(db):
    """The demo has its id and change stamp again."""
    today = datetime.date(2026, 11, 20)
    api = client_of(seed_demo.seed("demo@example.org", today, 20, "blue horse 77"))
    workout = api.get("/workouts").json()["workouts"][0]
    path = f"/workouts/{workout['id']}"
    tag = api.get(path).headers["ETag"]
    rename(api, workout)
    seed_demo.seed("demo@example.org", today, 20, "blue horse 77")
    assert known(api, path, tag).status_code == 200
    assert api.call("PUT", path, a_workout(), headers={"If-Match": tag}).status_code == 412


@pytest.mark.parametrize(
    ("header", "status"),
    [
        ("{tag}", 304),
        ("{opaque}", 304),  # without W/
        ('"a", {tag}', 304),
        ("*", 304),
        ('"a"', 200),
        ("", 200),
        ("nonsense, , ;", 200),
        ("W/{tag}", 200),
    ],
)
def test_the_header_lists_tags(api, workout, header, status):
    tag = api.get("/workouts").headers["ETag"]
    sent = header.format(tag=tag, opaque=tag.removeprefix("W/"))
    assert known(api, "/workouts", sent).status_code == status


def test_refusals_come_before_the_comparison(api, nobody, workout):
    assert known(nobody, "/workouts", "*").status_code == 401
    assert known(api, UNKNOWN, "*").status_code == 404
    assert problems(known(api, "/workouts?limit=0", "*")).keys() == {"query.limit"}


def test_an_empty_list_has_no_tag_until_there_is_something(api):
    answer = api.get("/workouts")
    assert "ETag" not in answer.headers
    assert answer.headers["Cache-Control"] == "no-store"


def test_a_head_request_is_conditional_too(api, path):
    tag = api.call("HEAD", path).headers["ETag"]
    assert api.call("HEAD", path, headers={"If-None-Match": tag}).status_code == 304


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_a_change_in_between_is_not_overwritten(api, path, method):
    tag = api.get(path).headers["ETag"]
    api.put(path, a_workout(a_set(), title="Of another device"))
    stored = api.get(path).json()
    body = a_workout() if method == "PUT" else None
    refused = api.call(method, path, body, headers={"If-Match": tag})
    assert refused.status_code == 412
    assert refused.json()["error"]["code"] == "precondition_failed"
    assert api.get(path).json() == stored


@pytest.mark.parametrize("header", ["{tag}", "{opaque}", "*", '"a", {tag}'])
def test_a_write_over_what_was_read_is_carried_out(api, path, header):
    tag = api.get(path).headers["ETag"]
    match = {"If-Match": header.format(tag=tag, opaque=tag.removeprefix("W/"))}
    replaced = api.call("PUT", path, a_workout(title="B"), headers=match)
    assert (replaced.status_code, replaced.json()["title"]) == (200, "B")
    match = {"If-Match": api.get(path).headers["ETag"]}
    assert api.call("DELETE", path, headers=match).status_code == 204
    assert api.call("DELETE", path, headers=match).status_code == 404


def test_a_conditional_write_locks_before_it_reads(api, path):
    tag = api.get(path).headers["ETag"]
    with statements() as run:
        api.call("PUT", path, a_workout(), headers={"If-Match": tag})
    assert "accounts_accountstate" in run[1]
    assert "training_workout" in run[2]


def test_a_conditional_write_reports_what_is_malformed_first(api, path):
    refused = api.call("PUT", path, {"title": 5}, headers={"If-Match": '"old"'})
    assert "body.title" in problems(refused)


@override_settings(ACCOUNT_STORAGE_MB=1)
def test_a_conditional_write_that_fails_stores_nothing(api, path, account):
    stored = api.get(path)
    type(account.state).objects.filter(account=account).update(stored_bytes=999_900)
    sets = [a_set() for _ in range(20)]
    refused = api.call("PUT", path, a_workout(*sets), headers={"If-Match": stored.headers["ETag"]})
    assert problems(refused).keys() == {"body"}
    assert api.get(path).json() == stored.json()


@pytest.mark.parametrize("path", ["/workouts", "/workouts/events"])
def test_a_malformed_cursor_is_refused_before_any_version_is_compared(api, log_workout, path):
    log_workout(a_set())
    for tag in ("*", '"a", *', 'W/"0"'):
        answer = api.call("GET", path, query={"cursor": "nonsense"}, headers={"If-None-Match": tag})
        assert (tag, answer.status_code) == (tag, 400)
    assert api.call("GET", path, headers={"If-None-Match": "*"}).status_code == 304
