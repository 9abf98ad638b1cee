"""Requests to the provider: whatever it does, a page waits 5 seconds at most, and two pages at once.

A third page is told at once that the provider does not answer: all threads of the process would wait
otherwise, those of other people's requests as well. Threads of this module do the waiting, because nothing
else bounds the resolution of a name.
"""

import http.client
import json
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar
from urllib.parse import urlencode, urlsplit

from fitness.outbound import BoundedConnection, ended_after

SECONDS = 5.0
AT_ONCE = 2
MAX_BYTES = 262_144
JSON = {"Accept": "application/json"}

Result = TypeVar("Result")

waiting = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="provider")
free = threading.BoundedSemaphore(AT_ONCE)


class ProviderError(Exception):
    """The provider signs nobody in: what it sent is wrong, or it cannot be asked. The text is for the log."""

    def __init__(self, reason: str, *, is_down: bool = False) -> None:
        # The provider or a browser wrote a part of it, and no row of the audit trail takes a NUL.
        super().__init__("".join(filter(str.isprintable, reason)))
        self.is_down = is_down  # so that the same may work in a moment


class Conversation:
    """Some requests that end together. They follow no redirects, and read JSON of a bounded size."""

    def __init__(self) -> None:
        self.ends_at = time.monotonic() + SECONDS

    def get(self, address: str, headers: Mapping[str, str] = {}) -> dict[str, Any]:
        status, answer = self.ask("GET", address, None, {**JSON, **headers})
        if status != 200:
            raise ProviderError(f"GET {address}: it answered {status}", is_down=status >= 500)
        return answer

    def post(
        self, address: str, form: Mapping[str, str], headers: Mapping[str, str]
    ) -> tuple[int, dict[str, Any]]:
        """The status, which is not that of a failure of the provider, and the answer."""
        content_type = {"Content-Type": "application/x-www-form-urlencoded"}
        return self.ask("POST", address, urlencode(form), {**JSON, **content_type, **headers})

    def ask(
        self, method: str, address: str, body: str | None, headers: Mapping[str, str]
    ) -> tuple[int, dict[str, Any]]:
        try:
            status, text = self.answered(method, address, body, headers)
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise ProviderError(f"{method} {address}: {described(error)}", is_down=True) from error
        if len(text) > MAX_BYTES:
            raise ProviderError(f"{method} {address}: the answer is over {MAX_BYTES} bytes")
        if status >= 500 or 300 <= status < 400:
            raise ProviderError(f"{method} {address}: it answered {status}", is_down=status >= 500)
        return status, document(text, f"{method} {address}", status)

    def answered(
        self, method: str, address: str, body: str | None, headers: Mapping[str, str]
    ) -> tuple[int, bytes]:
        parts = urlsplit(address)
        has_tls = parts.scheme == "https"
        port = parts.port or (http.client.HTTPS_PORT if has_tls else http.client.HTTP_PORT)
        seconds = max(self.ends_at - time.monotonic(), 0.01)
        connection = BoundedConnection(parts.hostname or "", port, seconds, has_tls=has_tls)
        with ended_after(seconds, connection):
            target = parts.path + (f"?{parts.query}" if parts.query else "")
            connection.request(method, target or "/", body, dict(headers))
            response = connection.getresponse()
            text = response.read(MAX_BYTES + 1)
        if connection.is_aborted:
            raise TimeoutError
        return response.status, text


def described(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def document(text: bytes, place: str, status: int) -> dict[str, Any]:
    """The JSON object of an answer; of a refusal that is no JSON an empty one."""
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        answer = None
    if isinstance(answer, dict):
        return answer
    if status >= 400:
        return {}
    raise ProviderError(f"{place}: the answer is no JSON object")


class NotInMemory(Exception):
    """The provider would have to be asked."""


class Memory(Conversation):
    """For a work that needs what this process has read already, and nothing else."""

    def ask(
        self, method: str, address: str, body: str | None, headers: Mapping[str, str]
    ) -> tuple[int, dict[str, Any]]:
        raise NotInMemory


def in_time(work: Callable[[Conversation], Result]) -> Result:
    """What a work with the provider returns. Raises ProviderError, also where it takes too long."""
    if not free.acquire(blocking=False):
        raise ProviderError(f"{AT_ONCE} sign-ins wait for the provider already", is_down=True)
    conversation = Conversation()

    def done() -> Result:
        try:
            return work(conversation)
        finally:
            free.release()

    try:
        return waiting.submit(done).result(SECONDS)
    except TimeoutError as error:
        raise ProviderError(f"the provider took over {SECONDS:g} seconds", is_down=True) from error
