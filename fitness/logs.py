"""Filters of the log: the request id goes into every line, API keys and tokens into none.

Each line passes the filters of LOGGING (settings) in this order:

1. RequestFields adds the id of the request, and takes the request itself away.
2. BriefTracebacks keeps one traceback a minute of each kind. Example: the database is down for 1,000 requests
   -> 1,000 lines, one traceback.
3. RedactKeys replaces API keys and tokens, also in arguments and tracebacks.
   Example: `KeyError: 'svc_4f...'` -> `KeyError: 'svc_[redacted]'`.

`note` adds fields to the one line that fitness.middleware.RequestLog writes about each request.
"""

import logging
import re
import time
from collections.abc import Hashable
from contextvars import ContextVar
from types import TracebackType

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
client_address: ContextVar[str | None] = ContextVar("client_address", default=None)

noted: ContextVar[dict[str, str] | None] = ContextVar("noted", default=None)

KEY = re.compile(r"svc[acfr]?_[A-Za-z0-9]{4,}")  # or a token of OAuth or of a calendar
CLIENTS_TEXTS = ("method", "path", "place")  # fields that a client may have written a key into


def note(**fields: str) -> None:
    """Adds fields to the log line of the request that is being served; outside of one nothing happens."""
    if (so_far := noted.get()) is not None:
        so_far.update(fields)


quiet_until: dict[Hashable, float] = {}


def is_first_in(seconds: float, kind: Hashable) -> bool:
    """Whether this process has seen nothing of this kind for so many seconds."""
    now = time.monotonic()
    if now < quiet_until.get(kind, 0):
        return False
    quiet_until[kind] = now + seconds
    return True


class RequestFields(logging.Filter):
    """Adds the id of the request that a line belongs to, in place of the request that Django attaches.

    Its text would have the query: tokens of links, and what people search for.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        record.__dict__.pop("request", None)
        if request_id.get():
            record.request_id = request_id.get()
        return True


class BriefTracebacks(logging.Filter):
    """Keeps one traceback a minute of each kind of error: a thousand failing requests have the same one."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info and record.exc_info[0] and not is_first_in(60, kind_of(record.exc_info)):
            record.exc_info, record.exc_text = None, None
        return True


def kind_of(
    exc_info: tuple[type[BaseException] | None, BaseException | None, TracebackType | None],
) -> Hashable:
    """The class of an exception, and the line that raised it."""
    exc_class, _, traceback = exc_info
    while traceback and traceback.tb_next:
        traceback = traceback.tb_next
    return exc_class, traceback and (traceback.tb_frame.f_code.co_filename, traceback.tb_lineno)


class WithoutUnavailable(logging.Filter):
    """Drops Django's own line about a 503: the database error and the request are logged already."""

    def filter(self, record: logging.LogRecord) -> bool:
        return getattr(record, "status_code", None) != 503


class OnceAMinute(logging.Filter):
    """Keeps one line a minute of a logger, without its traceback: strangers cause as many as they like.

    A second `django.setup()` adds a second filter, which must not drop what the first one keeps.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        record.exc_info = None
        kept = record.__dict__
        if "_is_first" not in kept:
            kept["_is_first"] = is_first_in(60, record.name)
        return bool(kept["_is_first"])


class RedactKeys(logging.Filter):
    """Replaces whatever looks like an API key or a token, also in arguments and tracebacks."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = KEY.sub("svc_[redacted]", record.getMessage()), ()
        for name in CLIENTS_TEXTS:
            if name in record.__dict__:
                record.__dict__[name] = KEY.sub("svc_[redacted]", record.__dict__[name])
        if record.exc_info:
            text = record.exc_text or logging.Formatter().formatException(record.exc_info)
            record.exc_info, record.exc_text = None, None
            record.traceback = KEY.sub("svc_[redacted]", text)
        return True


class RedactedText(logging.Formatter):
    """Formats gunicorn's own lines, which quote requests that it cannot parse."""

    def format(self, record: logging.LogRecord) -> str:
        return KEY.sub("svc_[redacted]", super().format(record))
