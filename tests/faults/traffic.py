"""Clients that continue after every failure, and keep every response."""

import http.client
import json
import random
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass

from tests.conftest import a_set, a_workout

BROKEN = (OSError, http.client.HTTPException)
PATIENCE_SECONDS = 20  # what a client waits for an answer, even of a machine that is slow and busy


@dataclass(frozen=True)
class Response:
    """One HTTP response. Status 0 means that the connection broke before a response arrived."""

    method: str
    address: str
    status: int
    text: bytes
    headers: dict
    sent_at: float
    seconds: float

    def __repr__(self):
        return f"<{self.status} {self.method} {self.address} after {self.seconds:.2f} s: {self.text[:300]}>"

    @property
    def json(self):
        return json.loads(self.text) if self.text else None

    @property
    def succeeded(self):
        """Whether the status is 2xx or a redirect, and no tool reported an error."""
        return self.status in (200, 201, 204, 302) and self.tool_error is None

    @property
    def tool_error(self):
        """The error code in the second content block of a failed tool call, else None."""
        if self.address != "/mcp" or self.status != 200 or not self.json["result"]["isError"]:
            return None
        return json.loads(self.json["result"]["content"][1]["text"])["error"]["code"]

    @property
    def tool_result(self):
        return self.json["result"]["structuredContent"]

    @property
    def is_unavailable(self):
        """Whether this is a proper error response: 503 with Retry-After, and the error envelope or HTML."""
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
    """One person's keep-alive connection, for API requests and browser requests. Reconnects after a break."""

    def __init__(self, service, person, timeout=60):
        self.connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=timeout)
        self.person = person
        self.api_headers = {"Authorization": f"Bearer {person.key}", "Content-Type": "application/json"}

    def api(self, method, path, body=None, headers=None):
        data = None if body is None else json.dumps(body)
        return self.send(method, f"/api/v1{path}", data, {**self.api_headers, **(headers or {})})

    def items(self, path, name):
        """All items of a list, page by page."""
        found, cursor = [], ""
        while cursor is not None:
            page = self.api("GET", f"{path}?limit=100{cursor}").json
            found += page[name]
            cursor = page["next_cursor"] and f"&cursor={page['next_cursor']}"
        return found

    def tool(self, name, arguments):
        call = {"name": name, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        return self.send("POST", "/mcp", json.dumps(message), self.api_headers)

    def open_screen(self, address):
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
        return Response(method, address, status, text, received, sent_at, time.perf_counter() - started)


class ShortCaller(Caller):
    """Makes a new connection for each request.

    nginx closes the idle connections of clients when it reloads, and a request sent at that moment is lost.
    """

    def send(self, method, address, data, headers):
        return super().send(method, address, data, {**headers, "Connection": "close"})


def synced(caller, since=None):
    """{id: workout} of a client that reads the event feed from `since` on, page by page."""
    held, cursor = {}, None
    while True:
        query = f"cursor={cursor}" if cursor else "limit=100"
        page = caller.api("GET", f"/workouts/events?{query}{f'&since={since}' if since else ''}").json
        held |= {event["workout"]["id"]: event["workout"] for event in page["events"]}
        cursor = page["next_cursor"]
        if cursor is None:
            return held


def stored_workouts(caller):
    """{id: workout} of all workouts."""
    return {workout["id"]: workout for workout in caller.items("/workouts", "workouts")}


def read_workouts(caller):
    return caller.api("GET", "/workouts?limit=5")


def log_workout(caller):
    return caller.api("POST", "/workouts", a_workout(a_set(), title="under load"))


def log_by_tool(caller):
    return caller.tool("log_weight", {"weight_kg": 80})


def read_by_tool(caller):
    return caller.tool("list_workouts", {"limit": 5})


def set_nutrition(caller):
    totals = {"calories": 2000, "protein_g": 150, "carbs_g": 200, "fat_g": 70}
    return caller.api("PUT", "/nutrition/2026-03-02", totals)


def read_personal_records(caller):
    return caller.api("GET", "/stats/records")


def open_home(caller):
    return caller.open_screen("/")


def open_workouts(caller):
    return caller.open_screen("/workouts")


READS = [read_workouts, read_by_tool, read_personal_records, open_home, open_workouts]
WRITES = [log_workout, log_by_tool, set_nutrition]


class Clients:
    """Clients that send requests at once, by `request`, until the `with` block ends."""

    def __init__(self, clients):
        self.stop = threading.Event()
        self.threads = [threading.Thread(target=self.go, args=[client]) for client in clients]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *error):
        self.stop.set()
        for thread in self.threads:
            thread.join()

    def go(self, client):
        while not self.stop.is_set():
            self.request(client)

    def request(self, client):
        raise NotImplementedError


class Traffic(Clients):
    """Several clients that send a mixture of requests, and their responses."""

    def __init__(
        self, service, people, acts=(*READS, *WRITES), clients=4, pause_seconds=0.1, caller_class=Caller
    ):
        super().__init__([caller_class(service, people[number % len(people)]) for number in range(clients)])
        self.service, self.responses, self.acts, self.pause_seconds = service, [], acts, pause_seconds

    def request(self, caller):
        self.responses.append(random.choice(self.acts)(caller))
        time.sleep(self.pause_seconds)

    def after(self, timestamp):
        return [response for response in self.responses if response.sent_at >= timestamp]

    def wait_for_success(self, after, every=None, within=60):
        """Seconds from `after` until every address in `every` (default: all so far) has succeeded again."""
        every = set(every or {response.address for response in self.responses})
        deadline = time.time() + within
        while time.time() < deadline:
            successes = [response for response in self.after(after) if response.succeeded]
            if every <= {response.address for response in successes}:
                first = {
                    address: min(a.sent_at for a in successes if a.address == address) for address in every
                }
                return max(first.values()) - after
            time.sleep(0.1)
        raise AssertionError(f"no recovery within {within} s: {self.after(after)[-3:]}")

    @property
    def failed(self):
        return [response for response in self.responses if not response.succeeded]

    def check(self):
        """Fails unless every response is a success or a proper 503, and no connection broke."""
        wrong = [response for response in self.failed if not response.is_unavailable]
        unhandled = [line for line in self.service.log.splitlines() if "unhandled exception" in line]
        assert not wrong, (wrong[:3], unhandled[-3:])

    def __str__(self):
        slowest = max(response.seconds for response in self.responses)
        return f"{len(self.responses)} responses, {len(self.failed)} of them 503, slowest {slowest:.2f} s"


@contextmanager
def traffic(service, people, **options):
    with Traffic(service, people, **options) as load:
        yield load
    load.check()
    print(load)
