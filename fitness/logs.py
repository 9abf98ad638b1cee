"""What every log line carries, and what none may hold."""

import logging
import re
from contextvars import ContextVar

request_id = ContextVar("request_id", default=None)
client_address = ContextVar("client_address", default=None)

KEY = re.compile(r"svc_[A-Za-z0-9]{4,}")


class RequestFields(logging.Filter):
    """Adds the id of the request that a line belongs to."""

    def filter(self, record):
        if request_id.get():
            record.request_id = request_id.get()
        return True


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
