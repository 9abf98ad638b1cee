"""gunicorn's threaded worker, with the API's error envelope for requests that gunicorn itself cannot parse.

The head of a request is read in the poller: a client who sends half of one holds no thread. It gets a thread
once its head is whole, and is closed after HEAD_SECONDS without.

A request that never reaches Django, step by step:

1. `Head` or gunicorn's parser raises. Example: a request line of 9,000 bytes -> LimitRequestLine.
2. `handle_error` logs a line, and writes the whole response: 400 (or 415) in the envelope, Connection: close.
3. `close_when_drained` waits in the poller until the client closes its side, instead of in a thread.
"""

import logging
import selectors
import socket
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from functools import partial
from http import HTTPStatus
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeAlias
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from gunicorn.http.errors import (
    ExpectationFailed,
    InvalidHeader,
    LimitRequestHeaders,
    LimitRequestLine,
    ParseException,
    UnsupportedTransferCoding,
)
from gunicorn.util import write_nonblock
from gunicorn.workers.gthread import TConn, ThreadWorker
from uuid_utils.compat import uuid7

from fitness.addresses import client_of

if TYPE_CHECKING:
    from fitness.api.errors import ApiError

ExcInfo: TypeAlias = tuple[type[BaseException], BaseException, TracebackType] | tuple[None, None, None]

log = logging.getLogger("fitness.requests")

HEAD_SECONDS = 10
MAX_LINE_BYTES = 8_190  # limit_request_line and limit_request_field_size in gunicorn.conf.py
MAX_HEAD_BYTES = 65_536
MAX_DRAINED_BYTES = 1_000_000

UNKNOWN_CODING = "Send the body with a Content-Length, or in no other Transfer-Encoding than chunked."
SENTENCES = {
    LimitRequestLine: "The request line is longer than 8,190 bytes. Send less in the query.",
    LimitRequestHeaders: (
        "The headers are too large: there may be 100 of at most 8,190 bytes each, and 65,536 bytes in all."
    ),
    ExpectationFailed: "The only expectation that is understood is 100-continue.",
    UnsupportedTransferCoding: UNKNOWN_CODING,
}
MALFORMED = "The request is not well-formed HTTP: check its request line, its headers and its length."


class Head:
    """The bytes of a request that have come so far."""

    def __init__(self, data: bytes) -> None:
        self.data = bytearray(data)
        self.line_at = 0  # where the last line begins

    def is_whole(self) -> bool:
        """Whether gunicorn's parser can read it, or reject it, without waiting for more.

        Raises LimitRequestLine and LimitRequestHeaders also for lines that have no end yet.
        """
        while (end := self.data.find(b"\r\n", self.line_at)) >= 0:
            self.check_line(end)
            if end == self.line_at > 0:
                return True
            self.line_at = end + 2
        self.check_line(len(self.data) - 1)  # the last byte may be half of a line's end
        # gunicorn rejects a line feed alone, and does not wait behind it.
        return self.data.count(b"\n") != self.data.count(b"\r\n")

    def check_line(self, end: int) -> None:
        is_first = self.line_at <= 2  # it may be behind an empty line
        if is_first and end - self.line_at > MAX_LINE_BYTES:
            raise LimitRequestLine(end, MAX_LINE_BYTES)
        if end - self.line_at > MAX_LINE_BYTES or end > MAX_HEAD_BYTES:
            raise LimitRequestHeaders("a long line, or many of them")


class ThreadedServer(ThreadWorker):  # type: ignore[misc]  # gunicorn is untyped
    wsgi: WSGIApplication
    head_seconds = HEAD_SECONDS

    def load_wsgi(self) -> None:
        super().load_wsgi()
        self.wsgi = closing_on_request(self.wsgi)

    def is_parent_alive(self) -> bool:
        """Closes connections after their next response once the parent was killed, as after SIGTERM.

        gunicorn would keep them open, and the port in use, for the whole graceful_timeout.
        """
        if super().is_parent_alive():
            return True
        self.alive = False
        return False

    def set_accept_enabled(self, enabled: bool) -> None:
        """Also closes the listeners of a worker that stops, after accepting the connections that wait there.

        gunicorn keeps them open until its last request ends: new connections would still succeed, nobody
        would read them, and the end would reset them. A proxy does not send a POST again after a reset, but
        it does after a refused connection.
        """
        super().set_accept_enabled(enabled)
        if enabled or self.alive:
            return
        for listener in self.sockets:
            accepted = -1
            while accepted != self.nr_conns:
                accepted = self.nr_conns
                self.accept(listener)
            listener.close()
        self.sockets: list[Any] = []

    def enqueue_req(self, conn: TConn) -> None:
        """Reads the head of the next request of a connection, which then gets a thread.

        gunicorn reads it in the thread, and waits there for clients who send half of it.
        """
        conn.init()
        conn.sock.setblocking(False)
        conn.head = Head(conn.parser.unreader.take_buffered())
        if go_on := self.read_head(conn):
            go_on()
            return
        conn.timeout = time.monotonic() + self.head_seconds
        self.pending_conns.append(conn)  # gunicorn's murder_pending closes it at the timeout
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self.on_head_readable, conn))

    def on_head_readable(self, conn: TConn, client: socket.socket) -> None:
        if go_on := self.read_head(conn):
            self.poller.unregister(client)
            self.pending_conns.remove(conn)
            go_on()

    def read_head(self, conn: TConn) -> Callable[[], None] | None:
        """What follows on what has come of a head; None while it is not whole."""
        try:
            return partial(self.submit, conn) if has_head(conn) else None
        except ParseException as refusal:
            return partial(self.refuse, conn, refusal)

    def submit(self, conn: TConn) -> None:
        conn.parser.unreader.unread(bytes(conn.head.data))
        super().enqueue_req(conn)

    def refuse(self, conn: TConn, refusal: ParseException) -> None:
        try:
            self.handle_error(None, conn.sock, conn.client, refusal)
        except Exception:  # it would end the poller, and with it the worker
            self.log.exception("a refusal was not sent")
        self.close_when_drained(conn)

    def handle_error(self, req: Any, client: socket.socket, addr: Any, exc: Exception) -> None:
        """Writes the API's error envelope for a request that gunicorn cannot parse."""
        if not isinstance(exc, ParseException):
            super().handle_error(req, client, addr, exc)
            return
        request_id = uuid7().hex
        error = error_of(exc)
        response = error_response(error, request_id)
        address = address_of(addr)
        fields = {"status": error.status, "address": address, "code": error.code, "request_id": request_id}
        log.info("request", extra=fields)
        try:
            write_nonblock(client, response)
        except OSError as fault:
            self.log.debug("Failed to send the refusal: %s", fault)

    def finish_request(self, conn: TConn, fs: Future[bool]) -> None:
        if fs.cancelled() or fs.exception() or fs.result() is not False:
            super().finish_request(conn, fs)
        else:
            self.close_when_drained(conn)

    def close_when_drained(self, conn: TConn) -> None:
        """Waits in the poller until the client closes its side of a finished connection.

        gunicorn itself waits up to two seconds for each client, and serves nobody meanwhile.
        """
        try:
            conn.sock.shutdown(socket.SHUT_WR)
            conn.sock.setblocking(False)
        except OSError:  # the client has closed it already
            self.nr_conns -= 1
            conn.close()
            return
        conn.drained = 0
        conn.timeout = time.monotonic() + self.cfg.keepalive
        self.pending_conns.append(conn)  # gunicorn's murder_pending closes it at the timeout
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self.drain, conn))

    def drain(self, conn: TConn, client: socket.socket) -> None:
        """Reads and drops what a client still sends.

        Closing first could reset the connection, and the client would lose the response.
        """
        try:
            data = client.recv(65_536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        conn.drained += len(data)
        if not data or conn.drained > MAX_DRAINED_BYTES:
            self.poller.unregister(client)
            self.pending_conns.remove(conn)
            self.nr_conns -= 1
            conn.close()


def has_head(conn: TConn) -> bool:
    """Whether a thread can go on with the connection without waiting; also where the client has closed it."""
    if conn.head.is_whole():  # it came with the request before
        return True
    try:
        data = conn.sock.recv(MAX_HEAD_BYTES)
    except BlockingIOError:
        return False
    except OSError:  # the thread gets the same
        return True
    conn.head.data += data
    return not data or conn.head.is_whole()


def address_of(peer: tuple[str, int] | str | bytes) -> str:
    """The address of a client as the log has it; that of a unix socket is empty, and no tuple."""
    text = peer[0] if isinstance(peer, tuple) else ""
    try:
        return client_of(text)
    except ValueError:
        return text


def closing_on_request(application: WSGIApplication) -> WSGIApplication:
    """Closes the connection after a response with `Connection: close`: gunicorn drops that header."""

    def wsgi(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        def start(
            status: str, headers: list[tuple[str, str]], exc_info: ExcInfo | None = None, /
        ) -> Callable[[bytes], object]:
            if ("Connection", "close") in headers:
                start_response.__self__.force_close()  # type: ignore[attr-defined]  # a method of gunicorn's Response
            return start_response(status, headers, exc_info)

        return application(environ, start)

    return wsgi


def error_of(exc: ParseException) -> "ApiError":
    from fitness.api.errors import ApiError  # imports Django, which the parent process never loads

    unknown_coding = isinstance(exc, InvalidHeader) and exc.hdr == "TRANSFER-ENCODING"
    sentence = UNKNOWN_CODING if unknown_coding else SENTENCES.get(type(exc), MALFORMED)
    return ApiError(415 if sentence is UNKNOWN_CODING else 400, sentence)


def error_response(error: "ApiError", request_id: str) -> bytes:
    """The whole response to a request that could not be parsed."""
    from fitness.json import dumps

    status, body = HTTPStatus(error.status), dumps(error.envelope)
    head = [
        f"HTTP/1.1 {int(status)} {status.phrase}",
        "Connection: close",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "Cache-Control: no-store",
        f"X-Request-Id: {request_id}",
    ]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body
