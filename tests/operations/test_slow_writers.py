"""Clients that send a body slowly, above all files to import: they take turns, and have a time limit."""

import json
import select
import socket
import time
import urllib.request
from contextlib import ExitStack, suppress

import pytest

from fitness.addresses import UPLOAD_PATH
from fitness.server import MAX_UPLOADS, MAX_WAITING_UPLOADS
from tests.operations.test_heads import answer, connection_to

POST = b"POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: session=unknown\r\nTransfer-Encoding: chunked\r\n\r\n"
UPLOAD = POST % UPLOAD_PATH.encode()
OTHER = POST % b"/sign-in"
START = b"3\r\nabc\r\n"
END = b"0\r\n\r\n"


ENCODED = "/settings/d%61ta/imports"
ABSOLUTE = "http://127.0.0.1/settings/data/imports?a=1"


@pytest.mark.parametrize("address", [UPLOAD_PATH, ENCODED, ABSOLUTE])
def test_files_to_import_leave_threads_to_others(server, address):
    with ExitStack() as stack:
        uploads = [sending(stack, server, POST % address.encode()) for _ in range(8)]
        assert status_of_health(server) == 200
        for upload in uploads:
            upload.sendall(END)
        assert {answer(upload)[0].status for upload in uploads} == {403}  # of a session that there is not


def test_a_file_for_which_too_many_wait_is_refused(server):
    """A turn that the test before has ended may count for a moment longer."""
    with ExitStack() as stack:
        uploads = [sending(stack, server, UPLOAD) for _ in range(MAX_UPLOADS + MAX_WAITING_UPLOADS + 1)]
        assert select.select(uploads, [], [], 60)[0]
        for upload in uploads:
            upload.sendall(END)
        answers = [answer(upload) for upload in uploads]
        refusals = [(response, body) for response, body in answers if response.status == 503]
        assert 1 <= len(refusals) <= 1 + MAX_UPLOADS
        for response, body in refusals:
            assert response.headers["Retry-After"] == "5"
            assert json.loads(body)["error"]["code"] == "unavailable"
        assert {response.status for response, _ in answers} == {403, 503}


def test_a_file_that_does_not_come_ends_its_turn(impatient):
    with ExitStack() as stack:
        silent = [sending(stack, impatient, UPLOAD) for _ in range(MAX_UPLOADS * 2)]
        honest = sending(stack, impatient, UPLOAD)
        honest.sendall(END)
        assert answer(honest)[0].status == 403
        for upload in silent:
            assert answer(upload)[0].status == 400


def test_a_client_that_left_while_it_waited_takes_no_turn(server):
    with ExitStack() as stack:
        first = [sending(stack, server, UPLOAD) for _ in range(MAX_UPLOADS)]
        for _ in range(3):
            sending(stack, server, UPLOAD).close()
        last = sending(stack, server, UPLOAD)
        for upload in [*first, last]:
            upload.sendall(END)
            assert answer(upload)[0].status == 403


def test_a_body_that_pauses_too_long_is_refused(impatient):
    with ExitStack() as stack:
        silent = sending(stack, impatient, OTHER)
        assert answer(silent)[0].status == 400
        assert silent.recv(1) == b""


def test_the_time_for_a_body_is_that_for_all_of_it(impatient):
    with ExitStack() as stack:
        slow = sending(stack, impatient, OTHER)
        slow.settimeout(0.1)
        for _ in range(600):
            with suppress(TimeoutError):
                assert slow.recv(12) == b"HTTP/1.1 400"
                return
            slow.sendall(START)
        pytest.fail("it was read for a minute")


def test_a_connection_has_the_time_again_for_its_next_body(impatient):
    with ExitStack() as stack:
        connection = sending(stack, impatient, OTHER)
        for _ in range(2):
            connection.sendall(END)
            assert answer(connection)[0].status == 403
            time.sleep(4)  # longer than it has for one
            connection.sendall(OTHER + START)


def sending(stack, server, head):
    """A connection on which the beginning of a body was sent."""
    connection = stack.enter_context(connection_to(server))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.sendall(head + START)
    return connection


def status_of_health(server):
    with urllib.request.urlopen(f"{server.url}/healthz", timeout=20) as response:
        return response.status
