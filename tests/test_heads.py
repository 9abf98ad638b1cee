"""Requests that gunicorn itself cannot parse, on the socket: rejected early, in the envelope."""

import http.client
import json
import socket
import time
import urllib.request

import pytest

from tests.conftest import a_workout

REST = b"Host: 127.0.0.1\r\n\r\n"
LINE = b"GET /api/v1/workouts?cursor=%s HTTP/1.1\r\n"
ROOM = 8_190 - len(LINE % b"") + len(b"\r\n")
START = b"POST /api/v1/workouts HTTP/1.1\r\n"

UNREADABLE = {
    "a long request line": (LINE % (b"A" * (ROOM + 1)) + REST, 400),
    "a long header": (START + b"X: " + b"a" * 8_190 + b"\r\n" + REST, 400),
    "very many headers": (START + b"X: a\r\n" * 101 + REST, 400),
    "two lengths": (START + b"Content-Length: 2\r\nContent-Length: 3\r\n" + REST + b"{}", 400),
    "a length that is no number": (START + b"Content-Length: two\r\n" + REST, 400),
    "a length beside chunks": (START + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n" + REST, 400),
    "a method in lower case": (b"get /api/v1/workouts HTTP/1.1\r\n" + REST, 400),
    "a control character in the line": (b"GET /api/\x01 HTTP/1.1\r\n" + REST, 400),
    "a control character in a header": (START + b"X: a\x00b\r\n" + REST, 400),
    "a folded header": (START + b"X: a\r\n b\r\n" + REST, 400),
    "another protocol": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
    "an unknown expectation": (START + b"Expect: tea\r\n" + REST, 400),
    "a compressed body": (START + b"Transfer-Encoding: gzip\r\n" + REST, 415),
    "an unknown transfer coding": (START + b"Transfer-Encoding: tea\r\n" + REST, 415),
}


@pytest.mark.parametrize(("request_bytes", "status"), UNREADABLE.values(), ids=UNREADABLE.keys())
def test_what_cannot_be_parsed_gets_the_envelope_and_the_connection_closes(server, request_bytes, status):
    with connection_to(server) as connection:
        connection.sendall(request_bytes)
        response, body = answer(connection)
        assert connection.recv(1) == b""
    assert (response.status, response.headers["Connection"]) == (status, "close")
    assert response.headers["X-Request-Id"]
    assert json.loads(body)["error"]["code"] in ("invalid_request", "unsupported_media_type")


def test_the_longest_request_line_is_read(server):
    with connection_to(server) as connection:
        connection.sendall(LINE % (b"A" * ROOM) + REST)
        assert answer(connection)[0].status == 401


@pytest.mark.parametrize("start", [b"GET /" + b"A" * 8_200, START + b"X: " + b"A" * 820_000])
def test_a_head_without_an_end_is_rejected_before_it_is_read_whole(server, start):
    with connection_to(server) as connection:
        connection.sendall(start)
        assert answer(connection)[0].status == 400


def test_an_error_that_leaves_the_body_unread_closes_the_connection(server):
    body = json.dumps(a_workout()).encode()
    for sent in (b"", body):  # before the response nothing is sent, or all of it
        with connection_to(server) as connection:
            head = b"Host: 127.0.0.1\r\nContent-Length: %d\r\n\r\n" % len(body)
            connection.sendall(START + head + sent)
            response, _ = answer(connection)
            assert (response.status, response.headers["Connection"]) == (401, "close")


def test_a_body_in_chunks_that_are_compressed_is_rejected(server):
    key = f"api-key: {server.key()}\r\nContent-Type: application/json\r\n".encode()
    with connection_to(server) as connection:
        connection.sendall(
            START + b"Transfer-Encoding: gzip, chunked\r\n" + key + REST + b"2\r\n{}\r\n0\r\n\r\n"
        )
        response, body = answer(connection)
    assert (response.status, json.loads(body)["error"]["code"]) == (415, "unsupported_media_type")


def test_clients_that_do_not_close_their_side_keep_nobody_waiting(server):
    """gunicorn's own worker waits up to two seconds for each of them, and serves nobody meanwhile."""
    lingering = [connection_to(server) for _ in range(40)]
    for connection in lingering:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        assert answer(connection)[0].status == 200
    started = time.monotonic()
    with urllib.request.urlopen(f"{server.url}/healthz", timeout=60) as response:
        assert response.status == 200
    assert time.monotonic() - started < len(lingering)  # of the 80 seconds that it took
    for connection in lingering:
        connection.close()


def connection_to(server):
    return socket.create_connection(("127.0.0.1", server.port), timeout=60)


def answer(connection):
    response = http.client.HTTPResponse(connection)
    response.begin()
    return response, response.read()
