"""Clients that go on whatever happens, and keep every answer."""

import http.client
import json
import random
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass

from tests.conftest import a_set, a_workout

BROKEN = (OSError, http.client.HTTPException)


@dataclass(frozen=True)
class Answer:
    """What came back, or status 0 where the connection broke."""

    address: str
    status: int
    text: bytes
    headers: dict
    sent_at: float
    seconds: float

    def __repr__(self):
        return f"<{self.status} {self.address} after {self.seconds:.2f} s: {self.text[:300]}>"

    @property
    def json(self):
        return json.loads(self.text) if self.text else None

    @property
    def succeeded(self):
        """2xx, a page that leads on, or a tool that did what it should."""
        return self.status in (200, 201, 204, 302) and self.tool_error is None

    @property
    def tool_error(self):
        """The code of a failed tool call; the envelope stands in its second block."""
        if self.address != "/mcp" or self.status != 200 or not self.json["result"]["isError"]:
            return None
        return json.loads(self.json["result"]["content"][1]["text"])["error"]["code"]

    @property
    def tool_result(self):
        return self.json["result"]["structuredContent"]

    @property
    def tells_unavailable(self):
        """A fault as every interface must tell it: 503 with Retry-After, and its envelope or page."""
        if self.tool_error:
            return self.tool_error == "unavailable"
        if self.status != 503 or not self.headers.get("Retry-After"):
            return False
        if self.address.startswith("/api/"):
            return self.json["error"]["code"] == "unavailable"
        if self.address == "/mcp":
            return self.json["error"]["data"]["code"] == "unavailable"
        return b"</html>" in self.text


class Caller:
    """One person's connection, as a program and as a browser. It is opened again after each break."""

    def __init__(self, service, person, timeout=60):
        self.connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=timeout)
        self.person = person
        self.program = {"Authorization": f"Bearer {person.key}", "Content-Type": "application/json"}

    def api(self, method, path, body=None):
        data = None if body is None else json.dumps(body)
        return self.send(method, f"/api/v1{path}", data, self.program)

    def tool(self, name, arguments):
        call = {"name": name, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        return self.send("POST", "/mcp", json.dumps(message), self.program)

    def page(self, address):
        return self.send("GET", address, None, {"Cookie": f"session={self.person.session}"})

    def send(self, method, address, data, headers):
        sent_at, started = time.time(), time.perf_counter()
        try:
            self.connection.request(method, address, data, headers)
            response = self.connection.getresponse()
            status, text, received = response.status, response.read(), dict(response.headers)
        except BROKEN as error:
            self.connection.close()
            status, text, received = 0, repr(error).encode(), {}
        return Answer(address, status, text, received, sent_at, time.perf_counter() - started)


def read_workouts(caller):
    return caller.api("GET", "/workouts?limit=5")


def log_workout(caller):
    return caller.api("POST", "/workouts", a_workout(a_set(), title="in the storm"))


def log_by_tool(caller):
    return caller.tool("log_weight", {"weight_kg": 80})


def read_by_tool(caller):
    return caller.tool("list_workouts", {"limit": 5})


def set_nutrition(caller):
    totals = {"calories": 2000, "protein_g": 150, "carbs_g": 200, "fat_g": 70}
    return caller.api("PUT", "/nutrition/2026-03-02", totals)


def read_records(caller):
    return caller.api("GET", "/stats/records")


def open_home(caller):
    return caller.page("/")


def open_workouts(caller):
    return caller.page("/workouts")


READS = [read_workouts, read_by_tool, read_records, open_home, open_workouts]
WRITES = [log_workout, log_by_tool, set_nutrition]


class Traffic:
    """The answers to a mixture of requests from several clients at once."""

    def __init__(self, service, people, acts=(*READS, *WRITES), clients=4, pause_seconds=0.03):
        self.answers = []
        self.stop = threading.Event()
        self.threads = [
            threading.Thread(
                target=self.go, args=(Caller(service, people[n % len(people)]), acts, pause_seconds)
            )
            for n in range(clients)
        ]

    def go(self, caller, acts, pause_seconds):
        while not self.stop.is_set():
            self.answers.append(random.choice(acts)(caller))
            time.sleep(pause_seconds)

    def after(self, moment):
        return [answer for answer in self.answers if answer.sent_at >= moment]

    def wait_for_success(self, after, every=None, within=10):
        """Seconds from `after` until each kind of request (`every` addresses) has succeeded again."""
        every = set(every or {answer.address for answer in self.answers})
        deadline = time.time() + within
        while time.time() < deadline:
            well = [answer for answer in self.after(after) if answer.succeeded]
            if every <= {answer.address for answer in well}:
                first = {address: min(a.sent_at for a in well if a.address == address) for address in every}
                return max(first.values()) - after
            time.sleep(0.1)
        raise AssertionError(f"no recovery within {within} s: {self.after(after)[-3:]}")

    @property
    def refused(self):
        return [answer for answer in self.answers if not answer.succeeded]

    def check(self):
        """Every answer is a success, or the fault told as it must be; no connection broke."""
        wrong = [answer for answer in self.refused if not answer.tells_unavailable]
        assert not wrong, wrong[:3]

    def __str__(self):
        slowest = max(answer.seconds for answer in self.answers)
        return f"{len(self.answers)} answers, {len(self.refused)} of them 503, slowest {slowest:.2f} s"


@contextmanager
def traffic(service, people, **options):
    one = Traffic(service, people, **options)
    for thread in one.threads:
        thread.start()
    try:
        yield one
    finally:
        one.stop.set()
        for thread in one.threads:
            thread.join()
    one.check()
    print(one)
