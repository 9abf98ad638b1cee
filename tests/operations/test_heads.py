"""Requests that gunicorn itself cannot parse, on the socket: rejected early, in the envelope."""

import http.client
import json
import logging
import socket
import time
import urllib.request
from contextlib import ExitStack, suppress
from types import SimpleNamespace

import pytest
from gunicorn.config import Config
from gunicorn.http.errors import LimitRequestLine

from fitness.server import ThreadedServer
from tests.conftest import a_workout
from tests.server import Server, free_port, own_database

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


ENDLESS = {
    "a request line": (b"GET /" + b"A" * 8_200, "The request line is longer than 8,190 bytes"),
    "a header": (START + b"X: " + b"A" * 20_000, "The headers are too large"),
    "a large header": (START + b"X: " + b"A" * 820_000, "The headers are too large"),
    "a header behind a long one": (START + b"X: " + b"A" * 20_000 + b"\r\nY", "The headers are too large"),
    "many headers": (START + (b"X: " + b"A" * 8_000 + b"\r\n") * 9, "The headers are too large"),
    "a line that ends by a line feed alone": (START + b"X: a\n", "The request is not well-formed HTTP"),
}


@pytest.mark.parametrize(("start", "message"), ENDLESS.values(), ids=ENDLESS.keys())
def test_a_head_without_an_end_is_rejected_before_it_is_read_whole(server, start, message):
    with connection_to(server) as connection:
        connection.sendall(start)
        response, body = answer(connection)
        assert connection.recv(1) == b""
    assert (response.status, response.headers["Connection"]) == (400, "close")
    assert json.loads(body)["error"]["message"].startswith(message)


HALF = b"GET /healthz HTTP/1.1\r\nHost: 127.0"
REST_OF_IT = b".0.1\r\n\r\n"


def test_half_sent_heads_hold_no_thread(server):
    with ExitStack() as stack:
        waiting = [stack.enter_context(connection_to(server)) for _ in range(40)]
        for connection in waiting:
            connection.sendall(HALF)
        with urllib.request.urlopen(f"{server.url}/healthz", timeout=60) as response:
            assert response.status == 200
        for connection in waiting[:5]:
            connection.sendall(REST_OF_IT)
            assert answer(connection)[0].status == 200


def test_a_head_may_come_byte_by_byte_and_again_on_the_same_connection(server):
    with connection_to(server) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(2):
            for byte in HALF + REST_OF_IT:
                connection.send(bytes([byte]))
            assert answer(connection)[0].status == 200


def test_requests_that_come_together_are_answered_in_turn(server):
    """The third one comes in two parts."""
    with connection_to(server) as connection:
        for sent, answers in [((HALF + REST_OF_IT) * 2 + HALF, 2), (REST_OF_IT, 1)]:
            connection.sendall(sent)
            received = b""
            while received.count(b'{"status":"ok"}') < answers:
                part = connection.recv(65_536)
                assert part, "closed"
                received += part


@pytest.mark.parametrize("sent", [b"", HALF, (HALF + REST_OF_IT) + HALF], ids=["nothing", "half", "another"])
def test_a_connection_whose_head_does_not_come_is_closed(impatient, sent):
    with connection_to(impatient) as connection:
        connection.sendall(sent)
        if sent.endswith(REST_OF_IT + HALF):
            assert answer(connection)[0].status == 200
        assert connection.recv(1) == b""


def test_the_time_for_a_head_is_that_for_all_of_it(impatient):
    with connection_to(impatient) as connection:
        connection.sendall(HALF)
        connection.settimeout(0.1)
        for _ in range(600):
            with suppress(TimeoutError):
                assert connection.recv(1) == b""
                return
            with suppress(ConnectionError):
                connection.sendall(b"0")
        pytest.fail("it was open for a minute")


def test_what_cannot_be_parsed_does_not_end_a_worker_on_a_unix_socket_or_ipv6(tmp_path, prepared):
    path, port = tmp_path / "socket", free_port()
    binds = [f"unix:{path}", f"[::1]:{port}"]
    with own_database(tmp_path, prepared) as database:
        server = Server(tmp_path, database)
        options = " ".join(f"--bind {bind}" for bind in [*binds, f"127.0.0.1:{server.port}"])
        server.environment["GUNICORN_CMD_ARGS"] = options
        server.start()
        try:
            workers = server.workers
            for family, address in [(socket.AF_UNIX, str(path)), (socket.AF_INET6, ("::1", port))]:
                with socket.socket(family) as connection:
                    connection.settimeout(60)
                    connection.connect(address)
                    connection.sendall(b"NONSENSE\r\n\r\n")
                    assert answer(connection)[0].status == 400
            assert server.workers == workers
        finally:
            server.stop()
    lines = [json.loads(line) for line in server.log.splitlines() if line.startswith("{")]
    assert [line["address"] for line in lines if line.get("status") == 400] == ["", "::/64"]


def test_a_refusal_that_fails_does_not_end_the_worker(monkeypatch):
    closed = []
    worker = ThreadedServer(1, 1, [], None, 1, Config(), logging.getLogger("test"))
    monkeypatch.setattr(worker, "close_when_drained", closed.append)
    conn = SimpleNamespace(sock=None, client=None)  # on which nothing can be written
    worker.refuse(conn, LimitRequestLine(1, 1))
    assert closed == [conn]


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
