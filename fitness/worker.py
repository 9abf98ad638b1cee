"""gunicorn's threaded worker, with this service's answers to what gunicorn itself cannot read."""

import logging
import selectors
import socket
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from http import HTTPStatus
from typing import Any

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

log = logging.getLogger("fitness.requests")

MAX_DRAINED_BYTES = 1_000_000

TRANSFER_ENCODING = "Send the body with a Content-Length, or in no other Transfer-Encoding than chunked."
SENTENCES = {
    LimitRequestLine: "The request line is longer than 8,190 bytes. Send less in the query.",
    LimitRequestHeaders: "The headers are too large: there may be 100 of at most 8,190 bytes each.",
    ExpectationFailed: "The only expectation that is understood is 100-continue.",
    UnsupportedTransferCoding: TRANSFER_ENCODING,
}
MALFORMED = "The request is not well-formed HTTP: check its request line, its headers and its length."


class Worker(ThreadWorker):
    def load_wsgi(self) -> None:
        super().load_wsgi()
        self.wsgi = closing_on_request(self.wsgi)

    def is_parent_alive(self) -> bool:
        """Ends connections after their next answer once the parent was killed, as after SIGTERM.

        gunicorn would keep them open, and with them the port, for the whole graceful_timeout.
        """
        if super().is_parent_alive():
            return True
        self.alive = False
        return False

    def handle_error(self, req: Any, client: socket.socket, addr: tuple, exc: Exception) -> None:
        """Answers a request that gunicorn cannot read in the API's envelope; the connection closes then."""
        if not isinstance(exc, ParseException):
            super().handle_error(req, client, addr, exc)
            return
        request_id = uuid7().hex
        answer = refusal_of_parser(exc, request_id)
        log.info("- - %s", answer.split(b" ", 2)[1].decode(), extra={"request_id": request_id})
        try:
            write_nonblock(client, answer)
        except OSError as error:
            self.log.debug("Failed to send the refusal: %s", error)

    def finish_request(self, conn: TConn, fs: Future) -> None:
        """Waits for the end of a closed connection in the poller.

        gunicorn waits up to two seconds for each client, and answers nobody meanwhile.
        """
        if fs.cancelled() or fs.exception() or fs.result() is not False:
            super().finish_request(conn, fs)
            return
        try:
            conn.sock.shutdown(socket.SHUT_WR)
            conn.sock.setblocking(False)
        except OSError:  # the client was quicker
            self.nr_conns -= 1
            conn.close()
            return
        conn.drained = 0
        conn.timeout = time.monotonic() + self.cfg.keepalive
        self.pending_conns.append(conn)  # murder_pending closes those that run out of time
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self.drain, conn))

    def drain(self, conn: TConn, client: socket.socket) -> None:
        """Drops what a client still sends: closing before it is read could take the answer from it."""
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


def closing_on_request(application: Callable) -> Callable:
    """Lets `Connection: close` of an answer close the connection: gunicorn drops that header."""

    def wsgi(environ: dict, start_response: Callable) -> Any:
        def start(status: str, headers: list, exc_info: Any = None) -> Callable:
            if ("Connection", "close") in headers:
                start_response.__self__.force_close()
            return start_response(status, headers, exc_info)

        return application(environ, start)

    return wsgi


def refusal_of_parser(exc: ParseException, request_id: str) -> bytes:
    """The whole answer to a request that could not be parsed."""
    from fitness.api.errors import ApiError  # needs Django, which the parent process never loads
    from fitness.api.renderers import dumps

    unknown_coding = isinstance(exc, InvalidHeader) and exc.hdr == "TRANSFER-ENCODING"
    sentence = TRANSFER_ENCODING if unknown_coding else SENTENCES.get(type(exc), MALFORMED)
    status = HTTPStatus(415 if sentence is TRANSFER_ENCODING else 400)
    body = dumps(ApiError(int(status), sentence).envelope)
    head = [
        f"HTTP/1.1 {int(status)} {status.phrase}",
        "Connection: close",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "Cache-Control: no-store",
        f"X-Request-Id: {request_id}",
    ]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body
