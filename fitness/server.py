"""gunicorn's threaded worker. Slow readers hold no thread, and errors of its own are in the API's envelope.

A request, step by step:

1. The poller, in the main loop, reads the head. A client that sent half of one is closed after HEAD_SECONDS.
2. A file to import waits until few others are read (`take_turn`).
3. A thread reads the body, within BODY_SECONDS, calls Django and sends the response (`go_on`). Nearly always
   the client takes all of it at once, and the connection is free for its next request.
4. Otherwise the poller sends the rest as the client takes it (`park`), and a thread makes the next part of a
   response in pieces when the one before is taken. A client that takes nothing for SEND_SECONDS is closed.

A request that never reaches Django, step by step:

1. `Head` or gunicorn's parser raises. Example: a request line of 9,000 bytes -> LimitRequestLine.
2. `handle_error` logs a line, and writes the whole response: 400 (or 415) in the envelope, Connection: close.
3. `close_when_drained` waits in the poller until the client closes its side, instead of in a thread.
"""

import logging
import math
import selectors
import socket
import struct
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, thread
from contextlib import suppress
from datetime import datetime
from functools import partial
from types import FrameType, TracebackType
from typing import Any, TypeAlias
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from gunicorn.http import wsgi
from gunicorn.http.errors import ParseException
from gunicorn.http.message import Request
from gunicorn.util import write_nonblock
from gunicorn.workers.gthread import TConn, ThreadWorker
from uuid_utils.compat import uuid7

from fitness.addresses import client_of
from fitness.frames import give_room
from fitness.heads import Head, TooManyUploads, error_of, error_response, has_head, is_upload
from fitness.sockets import TimedUnreader, Unsent

ExcInfo: TypeAlias = tuple[type[BaseException], BaseException, TracebackType] | tuple[None, None, None]

log = logging.getLogger("fitness.requests")

HEAD_SECONDS = 10
PAUSE_SECONDS = 10  # between two parts of a body
BODY_SECONDS = 120  # for all of it
SEND_SECONDS = 30  # in which a client must take something of its response
PIECE_BYTES = 262_144  # made of a response before it is sent
RETRY_SECONDS = 60  # of repeated work that failed
MAX_PARKED_BYTES = 64_000_000
MAX_DRAINED_BYTES = 1_000_000
MAX_DRAINED_OF_UPLOAD = 21_000_000  # all of a file, so that its browser gets the refusal
MAX_UPLOADS = 2  # in threads at once
MAX_WAITING_UPLOADS = 16


class ThreadedServer(ThreadWorker):  # type: ignore[misc]  # gunicorn is untyped
    wsgi: WSGIApplication
    head_seconds = HEAD_SECONDS
    pause_seconds = PAUSE_SECONDS
    body_seconds = BODY_SECONDS
    send_seconds = SEND_SECONDS
    max_parked_bytes = MAX_PARKED_BYTES
    due_at: dict[Callable[[], float], float]  # repeated work, and when it is due

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        # Connections whose clients have not taken all of an answer, with the time at which they are closed.
        # The one that has waited longest is first.
        self.parked: dict[TConn, float] = {}
        self.uploading: set[TConn] = set()
        self.waiting_uploads: deque[TConn] = deque()

    def load_wsgi(self) -> None:
        super().load_wsgi()
        self.wsgi = closing_on_request(self.wsgi)
        from fitness.wsgi import repeated  # imports Django, which the parent process never loads

        self.due_at = dict.fromkeys(repeated, time.monotonic())

    def init_process(self) -> None:
        give_room(thread._worker)  # the first frame of each thread of the pool
        super().init_process()

    def handle_quit(self, sig: int, frame: FrameType | None) -> None:
        """Ends at once, as with Ctrl+C.

        gunicorn's first waits for a lock of the pool. Where the signal interrupted the code that holds it,
        the process was killed only after graceful_timeout.
        """
        super(ThreadWorker, self).handle_quit(sig, frame)

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
        if not conn.initialized:
            conn.init()
            conn.parser.unreader = TimedUnreader(conn.sock, self.pause_seconds)
        conn.unsent = Unsent(conn.sock)
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
        if is_upload(conn.head.data):
            self.take_turn(conn)
        else:
            self.begin(conn)

    def take_turn(self, conn: TConn) -> None:
        """Gives a file to import a thread once few others have one. Until then nobody reads it."""
        if len(self.uploading) < MAX_UPLOADS:
            self.uploading.add(conn)
            self.begin(conn)
        elif len(self.waiting_uploads) < MAX_WAITING_UPLOADS:
            self.waiting_uploads.append(conn)
        else:
            self.refuse(conn, TooManyUploads())

    def end_turn(self, conn: TConn) -> None:
        if conn in self.uploading:
            self.uploading.remove(conn)
            if self.waiting_uploads:
                self.take_turn(self.waiting_uploads.popleft())

    def begin(self, conn: TConn) -> None:
        conn.parser.unreader.unread(bytes(conn.head.data))
        conn.parser.unreader.ends_at = time.monotonic() + self.body_seconds
        self.run_in_thread(self.handle, conn)

    def run_in_thread(self, work: Callable[[TConn], bool], conn: TConn) -> None:
        self.tpool.submit(work, conn).add_done_callback(
            lambda done: self.method_queue.defer(self.finish_request, conn, done)
        )

    def handle_request(self, req: Request, conn: TConn) -> bool:
        conn.reusable = True
        conn.answer = self.answer(req, conn)
        return self.go_on(conn)

    def go_on(self, conn: TConn) -> bool:
        """Makes and sends an answer as long as the client takes it. Runs in a thread of the pool.

        Returns whether the connection can be used again, once all of it is sent.
        """
        answer, conn.answer = conn.answer, None
        try:
            for is_whole in answer:
                if not (conn.unsent.send() or is_whole):
                    conn.answer = answer  # goes on when the client has taken this
                    return bool(conn.reusable)
            conn.unsent.send()  # what was made before an error
        except BaseException:
            answer.close()
            conn.unsent.clear()
            raise
        return bool(conn.reusable)

    def answer(self, req: Request, conn: TConn) -> Generator[bool]:
        """Makes the response to a request, as gunicorn's handle_request does, a piece at a time.

        Yields when there is something to send: False while more follows, True at the end. The rest may
        be made in another thread. To close the generator closes the response.
        """
        started = datetime.now()
        response, environ = wsgi.create(req, conn.sock, conn.client, conn.server, self.cfg)
        response.sock = conn.unsent
        environ["wsgi.multithread"] = True
        if self.is_last(conn):
            response.force_close()
        try:
            pieces = self.wsgi(environ, response.start_response)
            if isinstance(pieces, wsgi.FileWrapper):
                pieces.blksize = PIECE_BYTES  # Django reads 4 KB at once
            try:
                for piece in pieces:
                    response.write(piece)
                    if conn.unsent.size >= PIECE_BYTES:
                        yield False
                response.close()
                yield True
            finally:
                self.log.access(response, req, environ, datetime.now() - started)
                if hasattr(pieces, "close"):
                    pieces.close()
        except Exception:
            if not response.headers_sent:
                raise  # gunicorn answers
            self.log.exception("Error handling request")
            conn.reusable = False
        if response.should_close():
            conn.reusable = False

    def is_last(self, conn: TConn) -> bool:
        """Whether the connection is closed after this request; counts it."""
        self.nr += 1
        if self.nr >= self.max_requests:
            self.alive = False
        return not self.alive or not self.cfg.keepalive or len(self.keepalived_conns) >= self.max_keepalived

    def refuse(self, conn: TConn, refusal: ParseException | TooManyUploads) -> None:
        try:
            self.handle_error(None, conn.sock, conn.client, refusal)
        except Exception:  # it would end the poller, and with it the worker
            self.log.exception("a refusal was not sent")
        self.close_when_drained(conn)

    def handle_error(self, req: Any, client: socket.socket, addr: Any, exc: Exception) -> None:
        """Writes the API's error envelope for a request that does not reach Django."""
        if not isinstance(exc, ParseException | TooManyUploads):
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
        """Called in the main loop when a thread has done what it could for a connection."""
        self.end_turn(conn)
        if fs.cancelled() or fs.exception():
            super().finish_request(conn, fs)
        elif conn.unsent.size:
            conn.reusable = fs.result()
            self.park(conn)
        elif fs.result() is not False:
            super().finish_request(conn, fs)
        else:
            self.close_when_drained(conn)

    def park(self, conn: TConn) -> None:
        """Waits in the poller until the client takes more of the answer."""
        self.give_time(conn)
        self.poller.register(conn.sock, selectors.EVENT_WRITE, partial(self.on_writable, conn))
        while len(self.parked) > 1 and sum(one.unsent.size for one in self.parked) > self.max_parked_bytes:
            self.give_up(next(iter(self.parked)))

    def on_writable(self, conn: TConn, client: socket.socket) -> None:
        if conn not in self.parked:  # given up for another one, after the poller has reported it
            return
        taken = conn.unsent.taken
        try:
            is_sent = conn.unsent.send()
        except OSError:  # the client is gone
            self.give_up(conn)
            return
        if is_sent:
            self.unpark(conn)
            self.go_on_or_finish(conn)
        elif conn.unsent.taken > taken:
            self.give_time(conn)

    def give_time(self, conn: TConn) -> None:
        conn.unsent.has_moved()
        self.parked.pop(conn, None)
        self.parked[conn] = time.monotonic() + self.send_seconds  # the last one

    def unpark(self, conn: TConn) -> None:
        del self.parked[conn]
        self.poller.unregister(conn.sock)

    def go_on_or_finish(self, conn: TConn) -> None:
        if conn.answer:
            self.run_in_thread(self.go_on, conn)
        else:
            finished: Future[bool] = Future()
            finished.set_result(conn.reusable)
            self.finish_request(conn, finished)

    def check(self, conn: TConn) -> None:
        """Closes a connection whose time is over, unless its client takes something, if slowly."""
        if conn.unsent.has_moved():
            self.give_time(conn)
        else:
            self.give_up(conn)

    def give_up(self, conn: TConn) -> None:
        """Closes the connection of a client that does not take its answer."""
        self.unpark(conn)
        self.nr_conns -= 1
        with suppress(OSError):  # what the kernel holds for the client is dropped as well
            conn.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        conn.close()
        if conn.answer:
            self.tpool.submit(self.close_answer, conn.answer)

    def close_answer(self, answer: Generator[bool]) -> None:
        try:
            answer.close()
        except Exception:
            self.log.exception("Error closing a response")

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        """One turn of gunicorn's main loop, at least once a second."""
        super().wait_for_and_dispatch_events(timeout)
        now = time.monotonic()
        while self.parked and next(iter(self.parked.values())) <= now:
            self.check(next(iter(self.parked)))
        for work, due_at in self.due_at.items():
            if due_at <= now:
                self.due_at[work] = math.inf  # until it has ended
                self.tpool.submit(self.repeat, work)

    def repeat(self, work: Callable[[], float]) -> None:
        """Runs repeated work in a thread. What it raises is logged, and it is tried again in a minute."""
        from django.db import close_old_connections

        from fitness.db.faults import DATABASE_FAULTS, discard_connection

        seconds: float = RETRY_SECONDS
        try:
            seconds = work()
        except Exception as error:
            self.log.exception("%s failed and is tried again: %s", work.__name__, error)
            if isinstance(error, DATABASE_FAULTS):
                discard_connection(error)
        finally:
            close_old_connections()  # as after a request
            self.due_at[work] = time.monotonic() + seconds

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
        most = MAX_DRAINED_OF_UPLOAD if is_upload(conn.head.data) else MAX_DRAINED_BYTES
        if not data or conn.drained > most:
            self.poller.unregister(client)
            self.pending_conns.remove(conn)
            self.nr_conns -= 1
            conn.close()


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
