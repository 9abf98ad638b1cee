"""Tests that need a real server: HTTP framing, concurrent writers, a client that syncs."""

import http.client
import json
import os
import random
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.conf import settings

from tests.conftest import a_set, a_workout
from tests.server import Http

LIMIT = 262_144

pytestmark = pytest.mark.xdist_group("live server")  # the last test reads the log of the others


@pytest.fixture(scope="module")
def key(server):
    return server.key()


def raw(server, request):
    """Sends these bytes. Returns the status and the body of the response."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(request)
        response = http.client.HTTPResponse(connection)
        response.begin()
        return response.status, response.read()


def post(key, body, *headers, path="/api/v1/workouts"):
    lines = [
        f"POST {path} HTTP/1.1",
        "Host: 127.0.0.1",
        f"Authorization: Bearer {key}",
        "Connection: close",
        *headers,
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def chunked(body, size=60_000):
    chunks = [body[start : start + size] for start in range(0, len(body), size)]
    return b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"


JSON = "Content-Type: application/json"


def test_a_chunked_body_is_accepted(server, key):
    body = json.dumps(a_workout(a_set(), title="in chunks")).encode()
    status, text = raw(server, post(key, chunked(body, 50), JSON, "Transfer-Encoding: chunked"))
    assert (status, json.loads(text)["title"]) == (201, "in chunks")


@pytest.mark.parametrize("framing", ["chunked", "length"])
def test_the_size_limit_is_exact(server, key, framing):
    body = json.dumps(a_workout()).encode()
    for size, expected in ((LIMIT, 201), (LIMIT + 1, 413)):
        padded = body.ljust(size)
        if framing == "chunked":
            request = post(key, chunked(padded), JSON, "Transfer-Encoding: chunked")
        else:
            request = post(key, padded, JSON, f"Content-Length: {size}")
        status, text = raw(server, request)
        assert status == expected, text


BROKEN_CHUNKS = [b"zz\r\nabc\r\n0\r\n\r\n", b"3\r\nabcXX0\r\n\r\n", b"3\r\nabc\r\n"]


@pytest.mark.parametrize("path", ["/api/v1/workouts", "/mcp"])
@pytest.mark.parametrize("body", BROKEN_CHUNKS)
def test_broken_chunks_are_rejected(server, key, body, path):
    request = post(key, body, JSON, "Transfer-Encoding: chunked", path=path)
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        response = http.client.HTTPResponse(connection)
        response.begin()
        assert response.status == 400


def test_whoever_sends_a_conditional_write_slowly_keeps_nobody_waiting(server, key):
    """The account is locked after the body has arrived."""
    client = Http(server, key)
    path = f"/workouts/{client.call('POST', '/workouts', a_workout())[1]['id']}"
    half = post(key, b'{"title"', JSON, "If-Match: *", "Content-Length: 500", path=f"/api/v1{path}")
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(half.replace(b"POST", b"PUT", 1))
        time.sleep(1)
        assert client.call("POST", "/workouts", a_workout())[0] == 201


def test_a_huge_content_length_is_rejected_before_the_body_is_read(server, key):
    status, text = raw(server, post(key, b"", JSON, f"Content-Length: {10**12}"))
    assert (status, json.loads(text)["error"]["code"]) == (413, "payload_too_large")


RAW = {
    "two keys that differ": ("Authorization: Bearer svc_x", 401),
    "another key header": ("api-key: svc_x", 401),
    "underscored key header only": ("api_key: svc_x", 201),  # dropped by the server, so the other key is used
    "charset": ("Content-Type: application/json; charset=utf-16", 415),
    "compressed": ("Content-Encoding: gzip", 415),
    "forged address": ("X-Forwarded-For: ::::, junk, 1.2.3.4", 201),
    "method override": ("X-HTTP-Method-Override: DELETE", 201),
}


@pytest.mark.parametrize(("header", "expected"), RAW.values(), ids=RAW.keys())
def test_odd_headers(server, key, header, expected):
    body = json.dumps(a_workout()).encode()
    content_type = [] if header.startswith("Content-Type") else [JSON]
    status, _ = raw(server, post(key, body, *content_type, header, f"Content-Length: {len(body)}"))
    assert status == expected


def test_a_header_with_an_underscore_is_not_read_as_the_key(server, key):
    request = (
        f"GET /api/v1/workouts HTTP/1.1\r\nHost: 127.0.0.1\r\napi_key: {key}\r\nConnection: close\r\n\r\n"
    )
    assert raw(server, request.encode())[0] == 401


@pytest.mark.parametrize(
    "target", ["/api/v1//workouts", "/api/v1/workouts/%ff", "/api/v1/workouts/%00", "/api/..;/x"]
)
def test_odd_paths_are_not_found(server, key, target):
    head = [f"GET {target} HTTP/1.1", "Host: 127.0.0.1", f"api-key: {key}", "Connection: close", "", ""]
    status, text = raw(server, "\r\n".join(head).encode())
    assert (status, json.loads(text)["error"]["code"]) == (404, "not_found")


def test_a_body_near_the_size_limit_is_stored_and_returned(server, key):
    body = a_workout()
    sets = [{"weight_kg": 1, "reps": 1}] * 72
    body["exercises"] = [{"exercise_id": "plank", "sets": sets}] * 100
    assert LIMIT * 0.8 < len(json.dumps(body)) < LIMIT
    client = Http(server, key)
    status, stored = client.call("POST", "/workouts", body)
    assert (status, stored["volume_kg"]) == (201, 7200)
    assert client.call("GET", f"/workouts/{stored['id']}") == (200, stored)


def test_a_client_that_syncs_gets_every_change_of_6_concurrent_writers(server):
    key = server.key("sync@example.org")
    written, seen = {}, {}
    done = threading.Event()

    def write(worker):
        http, ids = Http(server, key), []
        for number in range(20):
            if ids and number % 3 == 0:
                status, stored = http.call(
                    "PUT", f"/workouts/{random.choice(ids)}", a_workout(title=f"{number}")
                )
            else:
                status, stored = http.call("POST", "/workouts", a_workout(a_set()))
                ids.append(stored["id"])
            assert status in (200, 201)
            written[stored["id"]] = stored

    def sync():
        http, since = Http(server, key), None
        while True:
            finished = done.is_set()
            query = f"?limit=100&since={since}" if since else "?limit=100"
            events = http.call("GET", f"/workouts/events{query}")[1]["events"]
            seen.update((event["workout"]["id"], event["workout"]) for event in events)
            since = events[-1]["at"] if events else since
            if finished and len(events) <= 1:
                return

    with ThreadPoolExecutor(7) as pool:
        reader = pool.submit(sync)
        list(pool.map(write, range(6)))
        done.set()
        reader.result(timeout=60)
    assert seen == written


# What is invalid is refused before a statement, so alike on every database.
MODE = "all" if settings.SQLITE else "positive"


@pytest.mark.parametrize(("phases", "mode"), [("examples,coverage,fuzzing", MODE), ("stateful", "positive")])
def test_generated_requests_find_no_failure(server, tmp_path, phases, mode):
    """Runs all checks of Schemathesis on every operation of the OpenAPI document."""
    command = [
        str(Path(sys.executable).parent / "schemathesis"),
        *("run", f"{server.url}/api/v1/openapi.json", "--checks", "all", "--phases", phases, "--mode", mode),
        # Random examples find what validation lets through, which is the same on every database.
        *("--max-examples", "8" if settings.SQLITE else "3", "--no-color", "--seed", "1"),
        *("-H", f"Authorization: Bearer {server.key('fuzz@example.org')}"),
    ]
    environment = {
        **os.environ,
        "SCHEMATHESIS_HOOKS": "tests.schemathesis_hooks",
        "PYTHONPATH": str(Path.cwd()),
    }
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout[-6000:]


def test_no_response_was_a_500_and_no_key_was_logged(server, key):
    """Runs last, and reads the log of all tests of this server."""
    lines = [json.loads(line) for line in server.log.splitlines() if line.startswith("{")]
    assert lines
    assert [line for line in lines if line.get("status") == 500] == []
    assert key not in server.log
    assert all("request_id" in line for line in lines if line["logger"] == "fitness.requests")
