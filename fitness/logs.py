"""What every log line carries, and what none may hold."""

import logging
import re
import time
from collections.abc import Hashable
from contextvars import ContextVar

request_id = ContextVar("request_id", default=None)
client_address = ContextVar("client_address", default=None)

KEY = re.compile(r"svc_[A-Za-z0-9]{4,}")


quiet_until: dict[Hashable, float] = {}


def is_first_in(seconds: float, kind: Hashable) -> bool:
    """Whether nothing of this kind came up in this process for so many seconds."""
    now = time.monotonic()
    if now < quiet_until.get(kind, 0):
        return False
    quiet_until[kind] = now + seconds
    return True


class RequestFields(logging.Filter):
    """Adds the id of the request that a line belongs to."""

    def filter(self, record):
        if request_id.get():
            record.request_id = request_id.get()
        return True


class BriefTracebacks(logging.Filter):
    """Keeps one traceback a minute of each kind of fault: each of a thousand refusals would bring its own."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info and record.exc_info[0] and not is_first_in(60, kind_of(record.exc_info)):
            record.exc_info, record.exc_text = None, None
        return True


def kind_of(exc_info: tuple) -> Hashable:
    """The class of an exception, and the line that raised it."""
    exc_class, _, traceback = exc_info
    while traceback and traceback.tb_next:
        traceback = traceback.tb_next
    return exc_class, traceback and (traceback.tb_frame.f_code.co_filename, traceback.tb_lineno)


class WithoutUnavailable(logging.Filter):
    """Drops Django's own line about a 503: the fault and the request have theirs."""

    def filter(self, record: logging.LogRecord) -> bool:
        return getattr(record, "status_code", None) != 503


class RedactKeys(logging.Filter):
    """Blots out whatever looks like an API key, also in arguments and tracebacks."""

    def filter(self, record):
        record.msg, record.args = KEY.sub("svc_[redacted]", record.getMessage()), ()
        if record.exc_info:
            text = record.exc_text or logging.Formatter().formatException(record.exc_info)
            record.exc_info, record.exc_text = None, None
            record.traceback = KEY.sub("svc_[redacted]", text)
        return True


class RedactedText(logging.Formatter):
    """Plain lines of the server itself, which quotes requests that it cannot read."""

    def format(self, record):
        return KEY.sub("svc_[redacted]", super().format(record))
