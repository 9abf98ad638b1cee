"""Every operation, called by a stranger, with a read-only key, without a key and with a wrong method.

Operations and request bodies come from the OpenAPI document, so new operations are tested automatically.
"""

import json
import re

import pytest

from fitness.api.schema import document
from tests.conftest import client_of, freshly_signed_in
from tests.factories import AccountFactory
from tests.mcp_endpoint.conftest import ToolClient
from training.models.own_exercise import make
from training.urls import web as training_pages

pytestmark = pytest.mark.django_db

METHODS = {"get", "post", "put", "patch", "delete"}
PATHS = json.loads(document())["paths"]
OPERATIONS = [(method, path) for path, methods in PATHS.items() for method in methods]
KEYED = [(method, path) for method, path in OPERATIONS if path != "/openapi.json"]
WRITES = [(method, path) for method, path in KEYED if method != "get"]
READS = [path for method, path in KEYED if method == "get"]

NEVER = "0198c1a0-0000-7000-8000-000000000000"
NEVER_DAY = "1999-01-01"
PATH_OF = {  # path parameter -> the list whose POST creates such an item
    "workout_id": "/workouts",
    "routine_id": "/routines",
    "plan_id": "/plans",
    "weight_id": "/body/weight",
    "measurement_id": "/body/measurements",
}


def example(method, path):
    """The first example of an operation's body, or None for one that takes none."""
    content = PATHS[path][method].get("requestBody", {}).get("content", {})
    return next((one["value"] for media in content.values() for one in media["examples"].values()), None)


def fill(owner):
    """Creates an item of every kind in an account. Returns the values for path parameters."""
    api = client_of(owner)
    ids = {"exercise_id": "barbell-bench-press", "day": "2026-03-02"}
    for name, path in PATH_OF.items():
        response = api.post(path, example("post", path))
        assert response.status_code == 201, (path, response.content)
        ids[name] = response.json()["id"]
    make(owner, f"Thing of {owner.email}", "Legs", "Machine")
    supplement = owner.supplements.create(name="Creatine", dosage="5 g", time="08:00")
    ids["supplement_id"] = str(supplement.pk)
    api.post("/goals", example("post", "/goals"))
    api.put(f"/nutrition/{ids['day']}", example("put", "/nutrition/{day}"))
    api.post(f"/supplements/{supplement.pk}/logs", {"day": ids["day"]})
    return ids


@pytest.fixture(scope="module")
def account(transaction_of_module):
    return AccountFactory(email="lifter@example.org", display_name="Lifter")


@pytest.fixture(scope="module")
def ids(account):
    return fill(account)


def code(response):
    return response.status_code, response.json()["error"]["code"]


@pytest.mark.parametrize(("method", "path"), KEYED)
def test_a_request_without_a_key_is_rejected(nobody, method, path):
    assert code(nobody.call(method.upper(), path)) == (401, "invalid_key")


@pytest.mark.parametrize(("method", "path"), WRITES)
def test_a_read_only_key_cannot_write(reader, ids, method, path):
    response = reader.call(method.upper(), path.format(**ids), example(method, path))
    assert code(response) == (403, "insufficient_scope")


@pytest.mark.parametrize("path", READS)
def test_a_read_only_key_can_read_everything(reader, ids, path):
    assert reader.get(path.format(**ids)).status_code == 200


@pytest.mark.parametrize("path", PATHS)
def test_a_method_that_is_not_in_the_document_is_rejected(api, path):
    for method in METHODS - PATHS[path].keys():
        assert code(api.call(method.upper(), path, {})) == (405, "method_not_allowed")


OWNED = [(method, path) for method, path in KEYED if "{" in path and "{exercise_id}" not in path]


@pytest.mark.parametrize(("method", "path"), [row for row in OWNED if row != ("put", "/nutrition/{day}")])
def test_a_strangers_item_is_not_found(stranger_api, ids, method, path):
    days = {"day": NEVER_DAY}
    variants = (ids, dict.fromkeys(ids, NEVER) | days, dict.fromkeys(ids, "no-id") | days)
    body = example(method, path)
    answers = [stranger_api.call(method.upper(), path.format(**each), body) for each in variants]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.content for answer in answers}) == 1


def calls_of(exercise_id):
    """Every operation that takes an exercise, in its path or its body."""
    for method, path in KEYED:
        body = json.dumps(example(method, path)) if method != "get" else "null"
        if "{exercise_id}" in path or '"exercise_id"' in body:
            named = re.sub(r'"exercise_id": "[^"]*"', f'"exercise_id": "{exercise_id}"', body)
            yield method.upper(), path.replace("{exercise_id}", exercise_id), json.loads(named)


def test_a_strangers_own_exercise_is_as_unknown_as_none(api, ids, stranger):
    """In paths, bodies and the arguments of tools: the same answer, but for the id itself."""
    theirs = make(stranger, "Pendulum Thing", "Legs", "Machine").pk
    unknown = theirs[:-2] + ("00" if theirs[-2:] != "00" else "11")

    def answers(exercise_id):
        found = []
        for method, path, body in calls_of(exercise_id):
            response = api.call(method, path.format(**ids), body)
            said = re.sub("the nearest ids are [^;]*;", "", response.content.decode())
            found.append((method, path, response.status_code, said))
        return json.loads(json.dumps(found).replace(exercise_id, "ID"))

    refused = answers(theirs)
    assert len(refused) > 5
    assert {status for *_, status, _ in refused} <= {400, 404}
    assert refused == answers(unknown)


def test_no_page_knows_a_strangers_own_exercise(account, stranger):
    theirs, page = make(stranger, "Pendulum Thing", "Legs", "Machine").pk, freshly_signed_in(account)
    mine = make(account, "My Thing", "Legs", "Machine").pk
    named = [one for one in training_pages if "slug:" in str(one.pattern)]
    assert len(named) > 12
    for one in named:
        for ids in ([theirs, theirs], [mine, theirs]):
            path = re.sub("<slug:[a-z_]+>", lambda _, ids=ids: ids.pop(0), str(one.pattern))
            if theirs in path:
                statuses = {page.get(f"/{path}").status_code, page.post(f"/{path}").status_code}
                assert statuses <= {404, 405}, path


def test_no_tool_names_a_strangers_own_exercise(account, stranger):
    theirs = make(stranger, "Pendulum Thing", "Legs", "Machine").pk
    tools = ToolClient(account.issue_key("tools", "read_write", "never")[0])
    assert tools.get("search_exercises", query="pendulum thing")["exercises"] == []
    said = json.dumps(tools.call("search_exercises", {"query": "pendulum thing"}))
    assert "own-" not in said
    sentence, error = tools.refused("get_exercise_history", {"exercise_id": theirs})
    assert "Pendulum" not in sentence + json.dumps(error)
    logged = {"title": "A", "exercises": [{"exercise_id": theirs, "sets": [{"weight_kg": 1, "reps": 1}]}]}
    sentence, error = tools.refused("log_workout", logged)
    assert f'there is no exercise "{theirs}"' in sentence + json.dumps(error).replace("\\", "")


def test_another_account_does_not_change_any_response(api, ids, stranger, stranger_api, time_machine):
    time_machine.move_to("2026-04-01T00:00:00Z", tick=False)
    paths = [path.format(**ids) for path in READS]
    before = [api.get(path).content for path in paths]
    fill(stranger)
    for method, path in OWNED:
        stranger_api.call(method.upper(), path.format(**ids), example(method, path))
    after = [api.get(path).content for path in paths]
    assert [path for path, a, b in zip(paths, before, after, strict=True) if a != b] == []


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_an_unknown_query_parameter_is_rejected(api, ids, method, path):
    response = api.call(method.upper(), path.format(**ids), example(method, path), query={"no_such": "1"})
    assert response.status_code == 400, response.content
    assert "query.no_such" in {item["path"] for item in response.json()["error"]["details"]}
