"""What one account notices of the long work of others: the goals of the worker, measured.

Run as `python -m tests.faults.long_work`, on SQLite or on the database that DATABASE_URL names, with one web
process of six threads and a worker. Another account logs and reads workouts meanwhile. Prints for
each case its responses, their times, and the memory of both processes.

Goals: p99 at most 0.25 s, none failed; the web process below 80 MB, the worker below 250 MB; a file of 6,000
rows is stored within 5 s.
"""

import argparse
import datetime
import math
import re
import socket
import statistics
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.faults.rename import OLD, fill, rename, showing, wait_until_none_shows
from tests.faults.service import Service
from tests.faults.test_imports import Importer, history
from tests.faults.traffic import Caller, ShortCaller, log_workout, read_workouts
from tests.server import own_database, wait_until

FILES = 8
LARGE, SMALL = 9_900, 2_000  # workouts of three rows; a file may have 10,000
NOTE = "x" * 570  # in each row: with it a large file has 20 MB
WITHIN = 1800  # seconds


class Bystander(threading.Thread):
    """Another account, which logs and reads workouts."""

    def __init__(self, service):
        super().__init__()
        self.callers = Caller(service, *service.people(1))
        self.responses = []
        self.is_over = threading.Event()

    def run(self):
        while not self.is_over.wait(0.02):
            self.responses += [act(self.callers) for act in (log_workout, read_workouts)]


@contextmanager
def measured(service, name):
    bystander = Bystander(service)
    bystander.start()
    started = time.monotonic()
    try:
        yield
    finally:
        bystander.is_over.set()
        bystander.join()
        seconds = sorted(one.seconds for one in bystander.responses)
        failed = [one.status for one in bystander.responses if not one.succeeded]
        p99 = seconds[math.ceil(0.99 * len(seconds)) - 1]
        print(
            f"{name}: {time.monotonic() - started:.1f} s, {len(seconds)} responses, {len(failed)} failed, "
            f"p50 {statistics.median(seconds) * 1000:.0f} ms, p99 {p99 * 1000:.0f} ms, "
            f"slowest {seconds[-1] * 1000:.0f} ms; web {peak_mb(service.workers)} MB, "
            f"worker {peak_mb([service.worker.pid])} MB",
            flush=True,
        )


def peak_mb(processes):
    statuses = [Path(f"/proc/{pid}/status").read_text() for pid in processes]
    return max(int(re.search(r"VmHWM:\s+(\d+)", status)[1]) for status in statuses) // 1024


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


def a_rename(service):
    staff, _ = fill(service, 1500, 25_000)
    with measured(service, "a rename with 25,000 workouts"):
        rename(service, staff)
        wait_until_none_shows(service, OLD, WITHIN)
    assert not showing(service, OLD)


CASES = {
    "honest": honest_file,
    "one": lambda service: files_of(service, 1),
    "eight": lambda service: files_of(service, FILES),
    "readers": slow_readers,
    "deletions": deletions,
    "rename": a_rename,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", choices=[[], *CASES], help="all unless some are named")
    cases = parser.parse_args().cases or CASES
    print(f"{datetime.datetime.now():%Y-%m-%d %H:%M}", flush=True)
    for name in cases:
        with running_service() as service:
            CASES[name](service)


@contextmanager
def running_service():
    """A service of its own, with one web process and a worker."""
    with tempfile.TemporaryDirectory() as folder, own_database(Path(folder)) as database:
        service = Service(Path(folder), database, WEB_CONCURRENCY="1")
        service.manage("prepare")
        service.start()
        try:
            yield service
        finally:
            service.stop()


if __name__ == "__main__":
    main()
