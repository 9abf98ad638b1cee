"""What one account notices of the long work of others, of uploads and of rules: the goals, measured.

Run as `python -m tests.faults.long_work`, on SQLite or on the database that DATABASE_URL names, with one web
process of six threads and a worker. Another account logs and reads workouts meanwhile. Prints for
each case its responses, their times, and the memory of both processes.

Goals: p99 at most 0.25 s, none failed; the web process below 80 MB, the worker below 250 MB; a file of 6,000
rows is stored within 5 s. Beside eight files of 20 MB a small one has its preview within 10 s, and an alarm
rings within 2 s of its moment; so does a neighbour's beside ten push services that never answer. A step takes
about a second of a core at most, but for those that have much to read.
"""

import argparse
import datetime
import json
import os
import socket
import statistics
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import cycle
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fitness.settings")
django.setup()

from tests.faults import many_rules  # noqa: E402
from tests.faults.neighbour import Neighbour, peak_mb  # noqa: E402
from tests.faults.service import Service  # noqa: E402
from tests.faults.test_imports import Importer, history  # noqa: E402
from tests.faults.traffic import ShortCaller  # noqa: E402
from tests.server import own_database, wait_until  # noqa: E402

FILES = 8
LARGE, SMALL = 9_900, 2_000  # workouts of three rows; a file may have 10,000
NOTE = "x" * 570  # in each row: with it a large file has 20 MB
WITHIN = 1800  # seconds
OBSERVED = 180


@contextmanager
def measured(service, name):
    started = time.monotonic()
    with Neighbour(service) as neighbour:
        yield
    print(
        f"{name}: {time.monotonic() - started:.1f} s; {neighbour}; web {peak_mb(*service.workers)} MB, "
        f"worker {peak_mb(service.worker.pid)} MB",
        flush=True,
    )


def importing(service, person, content):
    """Imports a file; returns the seconds until its preview and until all is stored, or None if refused."""
    importer, started = Importer(service, person), time.monotonic()
    try:
        run = importer.upload(content)
    except AssertionError:  # another file of the account is read
        return None
    importer.wait(run, WITHIN)
    read = time.monotonic() - started
    importer.store(run)
    importer.wait(run, WITHIN)
    return read, time.monotonic() - started


def honest_file(service):
    read, stored = importing(service, *service.people(1), history(SMALL))
    print(f"file of {3 * SMALL:,} rows: preview after {read:.1f} s, stored after {stored:.1f} s", flush=True)


def files_of(service, accounts):
    people = service.people(accounts)
    content = history(LARGE, NOTE)
    with measured(service, f"{FILES} files of {len(content) / 1e6:.0f} MB by {accounts}"):
        with ThreadPoolExecutor(FILES) as pool:
            importers = [
                pool.submit(importing, service, people[number % accounts], content) for number in range(FILES)
            ]
        taken = [one.result() for one in importers if one.result()]
    print(f"  {len(taken)} of {FILES} were taken", flush=True)


def slow_readers(service):
    """Of an export that they take a kilobyte at a time."""
    (person,) = service.people(1)
    importing(service, person, history(LARGE // 3, NOTE))
    browser = Importer(service, person)
    browser.token()
    page = browser.post("/settings/data/export", b"").headers["Location"]
    with measured(service, "an export is made"):
        browser.wait(page, WITHIN)
    with measured(service, f"{FILES} slow readers of an export"), ExitStack() as stack:
        readers = [stack.enter_context(Reader(service, person, f"{page}/file")) for _ in range(FILES)]
        until = time.monotonic() + 20
        while time.monotonic() < until:
            for reader in readers:
                reader.take()
            time.sleep(0.1)
    print(f"  each took {readers[0].taken / 1000:.0f} KB", flush=True)


class Reader(socket.socket):
    def __init__(self, service, person, address):
        super().__init__()
        self.taken = 0
        self.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16_384)
        self.connect(("127.0.0.1", service.port))
        head = f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: session={person.session}\r\n\r\n"
        self.sendall(head.encode())

    def take(self):
        self.taken += len(self.recv(1000))


def deletions(service):
    """Of a plan that 3,000 workouts have followed, and of the account that has them."""
    (person,) = service.people(1)
    caller = ShortCaller(service, person)
    days = [{"weekday": weekday, "label": "Rest", "rest": True} for weekday in range(1, 8)]
    plan = caller.api("POST", "/plans", {"name": "Mine", "days": days}).json
    importing(service, person, history(3000))
    service.manage("shell", "-c", FOLLOW.format(email=person.email, plan=plan["id"]))
    with measured(service, "deletion of a plan with 3,000 workouts"):
        response = caller.api("DELETE", f"/plans/{plan['id']}")
        assert response.status == 204, response
        wait_until(lambda: not tasks(service), WITHIN)
    with measured(service, "deletion of an account with 3,000 workouts"):
        service.manage("shell", "-c", DELETE.format(email=person.email))  # as its page, without its password
        wait_until(lambda: not tasks(service), WITHIN)


FOLLOW = """
from accounts.models import Account
account = Account.objects.get(email="{email}")
account.workouts.update(plan="{plan}", plan_name="Mine")
"""


DELETE = """
from accounts.models import Account
from fitness.site import account_data
account_data.delete(Account.objects.get(email="{email}"))
"""


def tasks(service):
    return int(
        service.manage(
            "shell", "-c", "from accounts.models import Task; print(Task.objects.count())"
        ).stdout.split()[-1]
    )


class Alarmed(Importer):
    """A browser of an account that takes alerts from one host, or several."""

    def __init__(self, service, person, *hosts):
        super().__init__(service, person)
        self.hosts, self.service = hosts, service
        service.manage("shell", "-c", SUBSCRIBE.format(email=person.email, hosts=hosts))
        self.token()

    def rest(self, seconds):
        """Sets the alarm of a rest; returns its moment."""
        headers = {
            "Cookie": f"session={self.person.session}; csrf={self.csrf}",
            "X-CSRFToken": self.csrf,
            "Content-Type": "application/json",
        }
        response = self.send("PUT", "/train/rest-alarm", json.dumps({"seconds": seconds}), headers)
        assert response.status == 204, response
        return time.time() + seconds

    def messages(self):
        """When each message of these hosts was sent."""
        lines = [line for line in self.service.log.splitlines() if line.startswith('{"push": ')]
        return [message["at"] for message in map(json.loads, lines) if message["push"] in self.hosts]

    def late(self):
        """Rests for two seconds; returns how much later it rang."""
        before, due_at = len(self.messages()), self.rest(2)
        wait_until(lambda: len(self.messages()) > before, WITHIN)
        return self.messages()[before] - due_at


SUBSCRIBE = """
from accounts.models import Account
account = Account.objects.get(email="{email}")
for host in {hosts}:
    account.push_subscriptions.create(endpoint=f"https://{{host}}/1", digest=host, p256dh="x", auth="x")
"""


def beside_eight(service):
    """Small files and alarms of other accounts, one after another while eight accounts import 20 MB each."""
    people = service.people(2 * FILES + 1)
    alarmed, large = Alarmed(service, people.pop(), "push.example.org"), history(LARGE, NOTE)
    small, people = cycle(people[:FILES]), people[FILES:]  # an account uploads 20 files an hour
    others = [
        threading.Thread(target=importing, args=[service, person, large], daemon=True) for person in people
    ]
    for other in others:
        other.start()
    previews, late, until = [], [], time.monotonic() + OBSERVED

    def is_over():
        return time.monotonic() > until or not any(other.is_alive() for other in others)

    def ring():
        while not is_over():
            late.append(alarmed.late())
            time.sleep(4)  # an account rings once in five seconds

    ringing = threading.Thread(target=ring)
    ringing.start()
    time.sleep(5)  # until the first are read
    while not is_over():
        started, importer = time.monotonic(), Importer(service, next(small))
        importer.wait(importer.upload(history(20)), WITHIN)
        previews.append(time.monotonic() - started)
        time.sleep(1)
    ringing.join()
    size, megabytes = len(large) / 1e6, peak_mb(service.worker.pid)
    print(f"beside {FILES} files of {size:.0f} MB by {FILES}, {OBSERVED} s at most; worker {megabytes} MB")
    print(f"  a small file has its preview after {span(previews)}")
    print(f"  an alarm rings late by {span(late)}", flush=True)


def span(seconds):
    found = sorted(seconds)
    return (
        f"{found[0]:.1f} to {found[-1]:.1f} s, {statistics.median(found):.1f} at the median of {len(found)}"
    )


def say_steps(service):
    """What the worker has written down of its steps."""
    lines = [line for line in service.log.splitlines() if line.startswith('{"step": ')]
    for name, is_long in (("that has much to read", True), ("of another kind", False)):
        steps = [step for step in map(json.loads, lines) if step["is_long"] == is_long]
        if steps:
            waits = [step["ended"] - step["began"] for step in steps]
            print(f"  a step {name} takes {span(step['cpu'] for step in steps)}, of a core")
            print(f"    and with what it waits for {span(waits)}", flush=True)


def hanging_push_services(service):
    """A neighbour's alarms beside those of an account whose ten push services never answer."""
    loud, neighbour = service.people(2)
    loud = Alarmed(service, loud, *[f"hangs-{number}.example.org" for number in range(10)])
    neighbour = Alarmed(service, neighbour, "push.example.org")
    is_over, late = threading.Event(), []

    def rest_again_and_again():
        while not is_over.wait(1.5):  # until it has rung
            loud.rest(1)

    thread = threading.Thread(target=rest_again_and_again)
    thread.start()
    began = time.time()
    while time.time() < began + 60:
        late.append(neighbour.late())
        time.sleep(4)
    is_over.set()
    thread.join()
    seconds = time.time() - began
    print(f"ten push services never answer: {len(loud.messages())} messages to them in {seconds:.0f} s")
    print(f"  a neighbour's alarm rings late by {span(late)}", flush=True)


CASES = {
    "honest": honest_file,
    "one": lambda service: files_of(service, 1),
    "eight": lambda service: files_of(service, FILES),
    "readers": slow_readers,
    "deletions": deletions,
    "rules": many_rules.cost,
    "beside": beside_eight,
    "push": hanging_push_services,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", choices=[[], *CASES], help="all unless some are named")
    cases = parser.parse_args().cases or CASES
    print(f"{datetime.datetime.now():%Y-%m-%d %H:%M}", flush=True)
    for name in cases:
        with running_service() as service:
            CASES[name](service)
            say_steps(service)


class Watched(Service):
    def start_worker(self):
        self.worker = self.begin([sys.executable, "-m", "tests.faults.watched_worker"])


@contextmanager
def running_service():
    """A service of its own, with one web process and a worker."""
    with tempfile.TemporaryDirectory() as folder, own_database(Path(folder)) as database:
        service = Watched(Path(folder), database, WEB_CONCURRENCY="1")
        service.manage("prepare")
        service.start()
        try:
            yield service
        finally:
            service.stop()


if __name__ == "__main__":
    main()
