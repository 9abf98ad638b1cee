"""The head of a request, read piece by piece, and the answers to requests that do not reach Django."""

import re
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

from gunicorn.http.errors import (
    ExpectationFailed,
    InvalidHeader,
    LimitRequestHeaders,
    LimitRequestLine,
    ParseException,
    UnsupportedTransferCoding,
)
from gunicorn.workers.gthread import TConn

from fitness.addresses import UPLOAD_PATH

if TYPE_CHECKING:
    from fitness.api.errors import ApiError

MAX_LINE_BYTES = 8_190  # limit_request_line and limit_request_field_size in gunicorn.conf.py
MAX_HEAD_BYTES = 65_536

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


TOO_MANY_UPLOADS = "Others are sending files at the moment, and more wait already. Retry shortly."

POST = re.compile(rb"(?:\r\n)?POST (?:https?://[^/?# ]*)?([^?# ]*)")


class TooManyUploads(Exception):
    """So many files are being sent, or wait, that another one would wait for too long."""


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


def is_upload(head: bytes | bytearray) -> bool:
    """Whether it is the head of a request with a file to import."""
    post = POST.match(head)
    return post is not None and unquote_to_bytes(post[1]) == UPLOAD_PATH.encode()


def error_of(exc: ParseException | TooManyUploads) -> "ApiError":
    from fitness.api.errors import ApiError  # imports Django, which the parent process never loads

    if isinstance(exc, TooManyUploads):
        return ApiError(503, TOO_MANY_UPLOADS)
    unknown_coding = isinstance(exc, InvalidHeader) and exc.hdr == "TRANSFER-ENCODING"
    sentence = UNKNOWN_CODING if unknown_coding else SENTENCES.get(type(exc), MALFORMED)
    return ApiError(415 if sentence is UNKNOWN_CODING else 400, sentence)


def error_response(error: "ApiError", request_id: str) -> bytes:
    """The whole response to a request that does not reach Django."""
    from fitness.json import dumps

    status, body = HTTPStatus(error.status), dumps(error.envelope)
    head = [
        f"HTTP/1.1 {int(status)} {status.phrase}",
        "Connection: close",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "Cache-Control: no-store",
        f"X-Request-Id: {request_id}",
        *(f"{name}: {value}" for name, value in error.headers.items()),
    ]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body
