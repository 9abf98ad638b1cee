"""The service with some large answers besides, for tests/operations/test_slow_readers.py.

The query names their size and reader. `/answers/closed` returns, for each time that an answer was closed,
its reader, and whether a thread of the pool did it.
"""

import json
import threading
from io import BytesIO
from urllib.parse import parse_qs

from fitness.wsgi import application as service
from tests.bodies import PIECE, body

closed = []


class Answer:
    reader = ""

    def close(self):
        closed.append((self.reader, threading.current_thread() is not threading.main_thread()))


class Pieces(Answer):
    """An answer in pieces."""

    def __init__(self, size, *, fails=False):
        self.left, self.fails = size, fails

    def __iter__(self):
        while self.left:
            piece = PIECE[: self.left]
            self.left -= len(piece)
            yield piece
        if self.fails:
            raise RuntimeError("broken on purpose")


class Whole(Answer):
    """An answer in one piece."""

    def __init__(self, size):
        self.body = body(size)

    def __iter__(self):
        yield self.body


class File(Answer):
    def __init__(self, size):
        self.read = BytesIO(body(size)).read


def application(environ, start_response):
    if not environ["PATH_INFO"].startswith("/answers/"):
        return service(environ, start_response)
    kind = environ["PATH_INFO"].removeprefix("/answers/")
    query = parse_qs(environ["QUERY_STRING"])
    size = int(query.get("size", ["0"])[0])
    has_length = kind in ("plain", "announced", "file")
    headers = [("Content-Length", str(size))] if has_length else []
    start_response("304 Not Modified" if kind == "unchanged" else "200 OK", headers)
    match kind:
        case "closed":
            return [json.dumps(closed).encode()]
        case "plain":
            answer = Whole(size)
        case "file":
            answer = File(size)
        case _:
            answer = Pieces(size, fails=kind == "broken")
    answer.reader = query["reader"][0]
    return environ["wsgi.file_wrapper"](answer, 4096) if kind == "file" else answer
