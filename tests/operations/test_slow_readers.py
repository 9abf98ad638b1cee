"""Clients that read a large answer slowly or not at all hold no thread, and get all of it."""

import http.client
import io
import json
import logging
import select
import socket
import time
import urllib.request
from contextlib import ExitStack, contextmanager, suppress
from uuid import uuid4

import pytest
from gunicorn.config import Config

from fitness.server import ThreadedServer
from tests.bodies import body
from tests.server import Server, listens, own_database, wait_until

LARGE = 12_000_000  # more than all buffers of the kernel on the way
REQUEST = b"%s /answers/%s?size=%d&reader=%s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n"
OK = b'{"status":"ok"}'
KINDS = ["plain", "streamed", "announced", "file"]
NEXT = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory, prepared):
    with serving_answers(tmp_path_factory.mktemp("answers"), prepared) as server:
        yield server


@pytest.fixture(scope="module")
def impatient(tmp_path_factory, prepared):
    """It waits two seconds for a reader."""
    options = "--worker-class tests.impatient.ThreadedServer"
    folder = tmp_path_factory.mktemp("impatient")
    with serving_answers(folder, prepared, GUNICORN_CMD_ARGS=options) as server:
        yield server


@contextmanager
def serving_answers(folder, template, **environment):
    with own_database(folder, template) as database:
        server = Server(folder, database, **environment)
        server.command.append("tests.answers:application")
        if not template:
            server.manage("prepare")
        server.start()
        try:
            yield server
        finally:
            server.stop()


@pytest.mark.parametrize("kind", KINDS)
def test_readers_that_read_nothing_hold_no_thread(server, kind):
    with ExitStack() as stack:
        for _ in range(8):
            stack.enter_context(Reader(server, kind)).wait()
        with urllib.request.urlopen(f"{server.url}/healthz", timeout=20) as response:
            assert response.status == 200


@pytest.mark.parametrize("kind", KINDS)
def test_a_slow_reader_gets_all_of_it_and_goes_on_with_its_connection(server, kind):
    """The second request is sent together with the first one, the third after its answer."""
    with Reader(server, kind, more=NEXT) as reader:
        response, text = reader.read()
        assert text == body(LARGE)
        assert response.headers["Connection"] == "keep-alive"
        assert (response.headers["Transfer-Encoding"] == "chunked") is (kind == "streamed")
        assert reader.read()[1] == OK
        reader.send(NEXT)
        assert reader.read()[1] == OK
    wait_until(lambda: reader.closed == [True])


def test_a_slow_reader_may_ask_to_close_the_connection(server):
    with Reader(server, "streamed", headers=b"Connection: close\r\n") as reader:
        response, text = reader.read()
        assert (text, response.headers["Connection"]) == (body(LARGE), "close")
        assert reader.socket.recv(1) == b""


def test_a_reader_of_http_1_0_gets_it_without_chunks(server):
    with Reader(server, "streamed", size=0) as reader:
        reader.read()
        reader.send(b"GET /answers/streamed?size=%d&reader=a HTTP/1.0\r\n\r\n" % LARGE)
        assert reader.read()[1] == body(LARGE)


@pytest.mark.parametrize(("method", "kind"), [("HEAD", "streamed"), ("HEAD", "file"), ("GET", "unchanged")])
def test_an_answer_without_a_body_ends_with_its_head(server, method, kind):
    with Reader(server, kind, method=method, more=NEXT) as reader:
        assert reader.read(method)[1] == b""
        assert reader.read()[1] == OK
    wait_until(lambda: reader.closed == [True])


@pytest.mark.parametrize("size", [100, LARGE])
def test_an_error_in_the_middle_cuts_the_answer_off_behind_what_was_made(server, size):
    with Reader(server, "broken", size=size) as reader:
        _, _, chunks = reader.read_rest().partition(b"\r\n\r\n")
    assert len(chunks) > size
    assert not chunks.endswith(b"\r\n0\r\n\r\n")
    wait_until(lambda: reader.closed == [True])
    assert "broken on purpose" in server.log


@pytest.mark.parametrize("kind", ["streamed", "file"])
def test_a_reader_that_goes_away_leaves_nothing(server, kind):
    with Reader(server, kind) as reader:
        reader.wait()
    wait_until(lambda: reader.closed == [True], within=25)  # earlier than by SEND_SECONDS


def test_a_reader_that_takes_nothing_is_closed(impatient):
    with Reader(impatient, "streamed") as reader:
        wait_until(lambda: reader.closed == [True])
        assert len(reader.read_rest()) < LARGE


def test_a_reader_that_takes_something_now_and_then_is_not_closed(impatient):
    """Less in two seconds than what makes room in the kernel's buffers."""
    with Reader(impatient, "streamed") as reader:
        for _ in range(50):
            reader.buffer.read(5_000)
            time.sleep(0.1)
        assert reader.read_rest().endswith(b"\r\n0\r\n\r\n")


def test_readers_hold_limited_memory(tmp_path, prepared):
    """Of three answers of 12 MB, of which it holds at most 30 MB, the one that waits longest is given up."""
    options = "--worker-class tests.impatient.FrugalServer"
    with serving_answers(tmp_path, prepared, GUNICORN_CMD_ARGS=options) as server, ExitStack() as stack:
        readers = []
        for _ in range(3):
            readers.append(stack.enter_context(Reader(server, "plain")))
            readers[-1].wait()
        wait_until(readers[0].is_reset)
        assert len(readers[0].read_rest()) < LARGE
        for reader in readers[1:]:
            assert reader.read()[1] == body(LARGE)


def test_a_reader_that_was_given_up_meanwhile_does_not_end_the_server():
    idle = ThreadedServer(1, 1, [], None, 1, Config(), logging.getLogger("test"))
    idle.on_writable(object(), None)  # reported together with the one for which it was given up


def test_a_stopping_server_lets_a_slow_reader_finish(tmp_path, prepared):
    with serving_answers(tmp_path, prepared) as server, Reader(server, "streamed") as reader:
        reader.wait()
        server.process.terminate()
        wait_until(lambda: not listens(server.port))
        assert reader.read()[1] == body(LARGE)
        assert server.process.wait(timeout=60) == 0


class Slowly(io.RawIOBase):
    def __init__(self, connection):
        self.connection = connection

    def readable(self):
        return True

    def readinto(self, buffer):
        time.sleep(0.001)
        return self.connection.recv_into(buffer)


class Buffer(io.BufferedReader):
    def close(self):
        """http.client closes it behind each answer, but the next one may be in it."""


class Reader:
    """A client with a small buffer of its system, which has sent a request."""

    def __init__(self, server, kind, *, method="GET", size=LARGE, headers=b"", more=b""):
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16_384)
        self.socket.settimeout(60)
        self.socket.connect(("127.0.0.1", server.port))
        self.buffer = Buffer(Slowly(self.socket), 65_536)
        self.server, self.name = server, uuid4().hex
        self.send(REQUEST % (method.encode(), kind.encode(), size, self.name.encode(), headers) + more)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.socket.close()

    def makefile(self, mode):
        return self.buffer

    def send(self, request):
        self.socket.sendall(request)

    def wait(self):
        """Waits until the answer has begun."""
        assert self.socket.recv(1, socket.MSG_PEEK) == b"H"

    def read(self, method="GET"):
        """The next answer, and its body."""
        response = http.client.HTTPResponse(self, method=method)
        response.begin()
        return response, response.read()

    def read_rest(self):
        """What comes until the connection ends, also by a reset."""
        received = b""
        with suppress(ConnectionResetError):
            while piece := self.socket.recv(1_000_000):
                received += piece
        return received

    def is_reset(self):
        poller = select.poll()
        poller.register(self.socket, select.POLLERR)
        return bool(poller.poll(0))

    @property
    def closed(self):
        """For each time that its answer was closed, whether a thread of the pool has done it."""
        with urllib.request.urlopen(f"{self.server.url}/answers/closed", timeout=60) as response:
            return [in_thread for reader, in_thread in json.load(response) if reader == self.name]
