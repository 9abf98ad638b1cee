"""The wire rules of the API, tried on a workout (strict JSON, framing, errors, their order)."""

import json

import pytest

from tests.conftest import a_set, a_workout, problems

MALFORMED = {
    "cut off": b'{"title": ',
    "empty": b"",
    "not an object": b"[]",
    "null": b"null",
    "a number": b"1",
    "NaN": b'{"duration_seconds": NaN}',
    "infinity": b'{"duration_seconds": 1e999}',
    "5,000 digits": b'{"duration_seconds": ' + b"1" * 5000 + b"}",
    "duplicate key": b'{"title": "a", "title": "b"}',
    "lone surrogate": b'{"title": "\\ud800"}',
    "NUL": b'{"title": "\\u0000"}',
    "NUL in an ignored field": b'{"id": {"x": ["\\u0000"]}}',
    "invalid UTF-8": b'{"title": "\xff"}',
    "byte order mark": b"\xef\xbb\xbf{}",
    "deep": b'{"id": ' + b"[" * 32 + b"]" * 32 + b"}",
    "very deep": b"[" * 100_000,
    "two values": b"{} {}",
}


@pytest.mark.parametrize("body", MALFORMED.values(), ids=MALFORMED.keys())
def test_a_malformed_body_is_rejected_as_a_whole(api, body):
    assert problems(api.call("POST", "/workouts", body)).keys() == {"body"}


def test_32_levels_are_read(api, log_workout):
    assert log_workout(id=json.loads("[" * 31 + "]" * 31))["title"] == ""


WRONG_TYPES = [
    ("title", 1),
    ("title", None),
    ("title", "x" * 201),
    ("notes", None),
    ("notes", "x" * 5001),
    ("started_at", None),
    ("started_at", "2026-03-02T17:30:00"),
    ("started_at", "2026-03-02"),
    ("started_at", "2026-02-30T00:00:00Z"),
    ("started_at", "2026-03-02T17:30:00+24:00"),
    ("started_at", "0001-01-01T00:00:00+01:00"),
    ("started_at", 1772472600),
    ("started_at", "2026-03-02 17:30:00Z"),
    ("started_at", "2026-06-30T23:59:60Z"),
    ("duration_seconds", "10"),
    ("duration_seconds", 10.5),
    ("duration_seconds", True),
    ("duration_seconds", -1),
    ("duration_seconds", 604_801),
    ("duration_seconds", 10**400),
    ("plan_id", "0198c1a0-0000-7000-8000-000000000000"),
    ("plan_id", 7),
    ("plan_name", "x" * 201),
    ("exercises", None),
    ("exercises", {}),
    ("exercises", [{"exercise_id": "barbell-bench-press", "sets": []}] * 101),
]


@pytest.mark.parametrize(("field", "value"), WRONG_TYPES)
def test_a_field_of_the_wrong_type_or_size_is_rejected_at_its_place(api, field, value):
    response = api.post("/workouts", a_workout() | {field: value})
    assert problems(response).keys() == {f"body.{field}"}
    assert api.get("/workouts/count").json() == {"count": 0}


WRONG_SETS = [
    ("weight_kg", "80 kg"),
    ("weight_kg", True),
    ("weight_kg", None),
    ("weight_kg", -0.1),
    ("weight_kg", 2000.1),
    ("weight_kg", 10**400),
    ("reps", 5.5),
    ("reps", 10_001),
    ("type", "drop"),
    ("type", None),
    ("completed", "yes"),
    ("completed", 1),
    ("rpe", 10.5),
    ("rpe", "8"),
]


@pytest.mark.parametrize(("field", "value"), WRONG_SETS)
def test_a_wrong_set_is_rejected_at_its_place(api, field, value):
    response = api.post("/workouts", a_workout(a_set(), a_set(**{field: value})))
    assert problems(response).keys() == {f"body.exercises[0].sets[1].{field}"}


def test_whole_numbers_may_be_written_as_floats(api, log_workout):
    body = json.dumps(a_workout(a_set(reps=5))).replace('"reps": 5', '"reps": 5.0').encode()
    stored = api.call("POST", "/workouts", body).json()
    assert stored["exercises"][0]["sets"][0]["reps"] == 5


def test_all_problems_are_reported_at_once(api):
    response = api.call(
        "POST",
        "/workouts",
        {
            "colour": "red",
            "exercises": [
                {"exercise_id": "no-such-thing", "sets": [{"weight": 80, "reps": "5"}, 3]},
                {"sets": [], "plan_id": "x"},
            ],
        },
        query={"page": "2"},
    )
    assert problems(response).keys() == {
        "query.page",
        "body.colour",
        "body.started_at",
        "body.duration_seconds",
        "body.exercises[0].exercise_id",
        "body.exercises[0].sets[0].weight_kg",
        "body.exercises[0].sets[0].weight",
        "body.exercises[0].sets[0].reps",
        "body.exercises[0].sets[1]",
        "body.exercises[1].exercise_id",
        "body.exercises[1].plan_id",
    }


def test_an_unknown_field_names_the_nearest(api):
    message = problems(api.post("/workouts", a_workout({"weight": 80, "reps": 5})))
    assert message["body.exercises[0].sets[0].weight"] == "unknown field; did you mean weight_kg?"


def test_server_managed_fields_are_ignored_whatever_they_hold(log_workout):
    stored = log_workout(a_set(), id=7, volume_kg="lots", created_at=None, updated_at=[{}])
    assert stored["volume_kg"] == 500


QUERIES = [
    ("limit=0", "query.limit"),
    ("limit=101", "query.limit"),
    ("limit=-1", "query.limit"),
    ("limit=abc", "query.limit"),
    ("limit=", "query.limit"),
    ("limit=1.5", "query.limit"),
    ("limit=1&limit=2", "query.limit"),
    ("limit=٣", "query.limit"),
    ("since=yesterday", "query.since"),
    ("since=2026-01-01T00:00:00", "query.since"),
    ("since=2026-01-01T00:00:00%2B24:00", "query.since"),
    ("since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z", "query.since"),
    ("cursor=", "query.cursor"),
    ("cursor=abc", "query.cursor"),
    ("cursor=" + "A" * 10_000, "query.cursor"),
    ("cursor=%00", "query.cursor"),
    ("offset=10", "query.offset"),
    ("since=%ff", "query"),
    ("&".join(f"{n}=" for n in range(20_001)), "query"),
]


@pytest.mark.parametrize(("query", "path"), QUERIES)
def test_a_wrong_query_is_rejected_at_its_place(api, query, path):
    response = api.client.get(f"/api/v1/workouts?{query}", headers=bearer(api))
    assert problems(response).keys() == {path}


@pytest.mark.parametrize(
    "timestamp", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2026-01-01t00:00:00z"]
)
def test_far_and_lower_case_timestamps_are_read(api, timestamp):
    assert api.get("/workouts", since=timestamp).status_code == 200


def test_an_unescaped_plus_in_a_timestamp_is_accepted(api):
    response = api.client.get("/api/v1/workouts?since=2026-01-01T00:00:00+01:00", headers=bearer(api))
    assert response.status_code == 200


@pytest.mark.parametrize(
    "content_type",
    ["text/plain", "application/json; charset=latin-1", "multipart/form-data", "application/xml"],
)
def test_only_utf8_json_is_read(api, content_type):
    response = api.call("POST", "/workouts", a_workout(), content_type=content_type)
    assert (response.status_code, code(response)) == (415, "unsupported_media_type")


def test_a_body_without_a_content_type_is_rejected(api):
    assert code(api.call("POST", "/workouts", {}, content_type="")) == "unsupported_media_type"


def test_a_missing_body_needs_no_content_type_and_is_a_problem_at_body(api):
    assert problems(api.post("/workouts", None)) == {"body": "is missing; send a JSON object."}


def test_a_charset_of_utf8_is_fine(api):
    response = api.call("POST", "/workouts", a_workout(), content_type="application/json; charset=UTF-8")
    assert response.status_code == 201


def test_a_compressed_body_is_rejected(api):
    response = api.call("POST", "/workouts", a_workout(), headers={"Content-Encoding": "gzip"})
    assert response.status_code == 415


def test_256_kb_are_accepted_and_one_byte_more_is_not(api):
    body = json.dumps(a_workout()).encode()
    assert api.call("POST", "/workouts", body.ljust(262_144)).status_code == 201
    response = api.call("POST", "/workouts", body.ljust(262_145))
    assert (response.status_code, code(response)) == (413, "payload_too_large")
    assert response["RateLimit"]


@pytest.mark.parametrize("path", ["", "/", "/nothing", "/workouts/", "/workouts/1/sets", "//workouts"])
def test_an_unknown_address_is_the_envelope_and_no_redirect(nobody, path):
    assert code(nobody.get(path)) == "not_found"


@pytest.mark.parametrize("method", ["PATCH", "DELETE", "PUT", "OPTIONS", "TRACE", "FROB"])
def test_a_method_that_the_path_does_not_have_is_405(reader, method):
    response = reader.call(method, "/workouts")
    assert (response.status_code, code(response)) == (405, "method_not_allowed")
    assert response["Allow"] == "GET, POST, HEAD"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_writing_to_an_unknown_address_is_not_found(api, method):
    assert code(api.call(method, "/workouts/", {})) == "not_found"


def test_a_method_override_header_changes_nothing(api):
    response = api.call("POST", "/workouts/count", {}, headers={"X-HTTP-Method-Override": "GET"})
    assert response.status_code == 405


def test_head_works_where_get_does(api, log_workout):
    path = f"/workouts/{log_workout()['id']}"
    assert api.call("HEAD", path).status_code == 200
    assert api.call("HEAD", path).content == b""


def test_checks_come_in_the_order_of_the_contract(api, reader, nobody):
    missing = "/workouts/0198c1a0-0000-7000-8000-000000000000"
    bad = {"body": b"not json", "content_type": "text/plain"}
    assert nobody.call("POST", "/nothing", **bad).status_code == 404
    assert nobody.call("PUT", missing, **bad).status_code == 401
    assert reader.call("PATCH", missing, **bad).status_code == 405
    assert reader.call("PUT", missing, **bad).status_code == 403
    assert api.call("PUT", missing, **bad).status_code == 415
    assert api.call("PUT", missing, b"not json").status_code == 404
    assert api.call("POST", "/workouts", b"not json").status_code == 400


@pytest.mark.parametrize("accept", ["text/html", "application/xml", "image/png"])
def test_responses_are_json_whatever_accept_is(api, accept):
    response = api.call("GET", "/nothing", headers={"Accept": accept})
    assert response["Content-Type"] == "application/json"


def test_every_response_has_a_request_id_of_its_own(api, nobody):
    ids = {response["X-Request-Id"] for response in (api.get("/workouts"), nobody.get("/nothing"))}
    assert len(ids) == 2


def test_a_bug_is_500_in_the_envelope(api, monkeypatch):
    monkeypatch.setattr("fitness.db.keysets.Keyset.page_of", lambda *args, **values: 1 / 0)
    response = api.get("/workouts")
    assert (response.status_code, code(response)) == (500, "internal_error")
    assert b"ZeroDivision" not in response.content


@pytest.mark.parametrize("fault", ["OperationalError", "InterfaceError", "IntegrityError", "InternalError"])
def test_a_database_error_is_503_with_retry_after(api, monkeypatch, fault):
    import django.db

    def fail(*args, **values):
        raise getattr(django.db, fault)("secret detail")

    monkeypatch.setattr("fitness.db.keysets.Keyset.page_of", fail)
    response = api.get("/workouts")
    assert (response.status_code, code(response)) == (503, "unavailable")
    assert response["Retry-After"]
    assert b"secret" not in response.content


def test_a_post_beside_a_node_that_leaves_a_cluster_is_stored_once(api):
    """Citus finds a shard on a node that it finds no more; the next statement has the new place."""
    from django.db import InternalError, connection

    left = ["INSERT INTO training_workoutexercise"]

    def leave(execute, sql, params, many, context):
        if left and sql.replace('"', "").startswith(left[0]):
            left.pop()
            raise InternalError("could not find the node")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(leave):
        response = api.post("/workouts", a_workout(a_set()))
    assert (left, response.status_code) == ([], 201)
    assert api.get("/workouts/count").json() == {"count": 1}


def test_an_unreachable_database_is_503_before_the_key_is_known(api, monkeypatch):
    from django.db import OperationalError

    def fail(*args):
        raise OperationalError("down")

    monkeypatch.setattr("accounts.models.ApiKey.look_up", fail)
    assert code(api.get("/workouts")) == "unavailable"


def test_a_foreign_host_header_is_rejected_in_the_envelope(api):
    response = api.call("GET", "/workouts", headers={"Host": "evil.example"})
    assert code(response) == "invalid_request"


def code(response):
    return response.json()["error"]["code"]


def bearer(client):
    return {"Authorization": f"Bearer {client.key}"}
