"""A service for fault tests: no other test uses its processes, its PostgreSQL or its Redis."""

import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import psycopg
import redis

from tests.server import Server, free_port, listens, wait_until

ROOT_USER = os.geteuid() == 0
BATCH = 20

MAKE_PEOPLE = """
import json
import time
from django.test import Client
from accounts.models import Account
for number in range({count}):
    account = Account.objects.create_user(f"{name}{{number}}@example.org")
    key, _ = account.issue_key("faults", "read_write", "never")
    supplement = account.supplements.create(name="Creatine", dosage="5 g", time="08:00")
    browser = Client()
    browser.force_login(account)
    session = browser.session
    session["password_given_at"] = time.time()  # as accounts/web/fresh.py notes it
    session.save()
    session = browser.cookies["session"].value
    print(json.dumps([account.email, key, session, str(supplement.pk)]))
"""


@dataclass(frozen=True)
class Person:
    """An account: an API key, and the session cookie of a browser that is signed in."""

    email: str
    key: str
    session: str
    supplement_id: str


class Service(Server):
    """A server and its worker. Where the worker is killed, it is started again, as systemd and compose do.

    `newcomers` are accounts that no test has used yet; `started_at` is in seconds since 1970.
    """

    def __init__(self, *arguments, **environment):
        super().__init__(*arguments, **environment)
        self.newcomers = []

    def start(self):
        super().start()
        if self.worker is None or self.worker.poll() is not None:
            self.start_worker()
        self.started_at = time.time()
        return self

    def people(self, count):
        """New accounts without data. Created in batches, because the command takes seconds to start."""
        if len(self.newcomers) < count:
            script = MAKE_PEOPLE.format(count=BATCH, name=uuid4().hex[:8])
            lines = self.manage("shell", "--no-imports", "-c", script).stdout.splitlines()
            self.newcomers = [Person(*json.loads(line)) for line in lines]
        return [self.newcomers.pop() for _ in range(count)]

    def kill_worker(self):
        """Kills one of gunicorn's workers: a web process."""
        with suppress(ProcessLookupError, IndexError):
            os.kill(random.choice(self.workers), signal.SIGKILL)

    def kill_and_restart_worker(self):
        self.worker.kill()
        self.worker.wait()
        self.start_worker()

    def kill_and_restart(self):
        self.kill()
        self.start()

    def kill(self):
        """Kills the master first, so that it can neither replace its children nor signal them."""
        for pid in [self.process.pid, *self.workers, self.worker.pid]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        self.worker.wait()

    @property
    def sqlite_path(self):
        return Path(self.environment["DATABASE_URL"].removeprefix("sqlite:///"))

    def sqlite(self, sql, *values):
        """Runs a statement on the service's file from this process, and returns the rows."""
        with closing(sqlite3.connect(self.sqlite_path, isolation_level=None)) as connection:
            return connection.execute(sql, values).fetchall()

    @property
    def resident_kb(self):
        """The resident memory of all workers (VmRSS) in kB."""
        statuses = [Path(f"/proc/{pid}/status").read_text() for pid in self.workers]
        return sum(int(re.search(r"VmRSS:\s+(\d+)", status)[1]) for status in statuses)


class PostgresCluster:
    """A small PostgreSQL for this test session, with at most 40 connections."""

    SETTINGS = {
        "listen_addresses": "127.0.0.1",
        "shared_buffers": "16MB",
        "max_connections": "40",
        "fsync": "off",  # a killed process loses nothing by that; a machine would
    }

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="faults-postgres-"))
        self.port = free_port()
        self.url = f"postgres://postgres@127.0.0.1:{self.port}/postgres"
        if ROOT_USER:  # PostgreSQL does not run as root
            shutil.chown(self.folder, "postgres", "postgres")
        self.run("initdb", "-D", self.folder / "data", "-A", "trust", "-U", "postgres", "--no-sync")
        settings = {**self.SETTINGS, "port": self.port, "unix_socket_directories": self.folder}
        with (self.folder / "data" / "postgresql.conf").open("a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
        self.start()

    @staticmethod
    def programs():
        """The folder of the newest PostgreSQL's programs, or None where none is installed."""
        folders = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: path.parts[-3])
        found = folders[-1] if folders else shutil.which("initdb")
        return Path(found).parent if found else None

    def run(self, program, *arguments):
        as_owner = ["runuser", "-u", "postgres", "--"] if ROOT_USER else []
        command = [*as_owner, self.programs() / program, *arguments]
        subprocess.run(command, check=True, cwd="/", stdout=subprocess.DEVNULL, timeout=60)

    def output(self, program, *arguments, **options):
        """What a client of the server prints, as bytes."""
        command = [self.programs() / program, *arguments]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, **options).stdout

    def control(self, *arguments):
        self.run("pg_ctl", "-D", self.folder / "data", "-l", self.folder / "log", "-s", "-w", *arguments)

    def start(self):
        self.control("start")

    def stop(self, mode="fast"):
        self.control("stop", "-m", mode)

    def crash_and_restart(self):
        """Stops in immediate mode, which ends every process without cleaning up; the start recovers."""
        self.stop("immediate")
        self.start()

    @contextmanager
    def frozen(self):
        """Suspends all its processes. The kernel still accepts connections and data for them."""
        master = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{master}/task/{master}/children").read_text().split()
        pids = [master, *map(int, children)]
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

    def remove(self):
        with suppress(subprocess.CalledProcessError):
            self.stop("immediate")
        shutil.rmtree(self.folder)

    def connect(self, name="postgres"):
        return psycopg.connect(self.url_of(name), autocommit=True)

    def url_of(self, name):
        return self.url.removesuffix("postgres") + name

    def create(self, name, template="template1"):
        with self.connect() as admin:
            admin.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        return self.url_of(name)

    def drop(self, name):
        with self.connect() as admin:
            admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


class VanishingLink:
    """An address in another network namespace, with a relay to a PostgreSQL, until the link is cut.

    Then packets get no response at all, not even a reset, as from a machine that lost power.
    """

    def __init__(self, cluster):
        self.name = f"faults{os.getpid()}"
        self.port = cluster.port
        self.here, self.there = "198.18.53.1", "198.18.53.2"
        socket_path = cluster.folder / f".s.PGSQL.{cluster.port}"
        self.ip("netns", "add", self.name)
        self.ip("link", "add", self.name, "type", "veth", "peer", "name", "eth0", "netns", self.name)
        self.ip("address", "add", f"{self.here}/30", "dev", self.name)
        self.ip("link", "set", self.name, "up")
        self.ip("-n", self.name, "address", "add", f"{self.there}/30", "dev", "eth0")
        self.ip("-n", self.name, "link", "set", "eth0", "up")
        relay = ["socat", f"TCP-LISTEN:{self.port},fork,reuseaddr", f"UNIX-CONNECT:{socket_path}"]
        self.relay = subprocess.Popen(["ip", "netns", "exec", self.name, *relay], start_new_session=True)
        wait_until(lambda: listens(self.port, self.there))

    @staticmethod
    def is_possible():
        return ROOT_USER and shutil.which("ip") is not None and shutil.which("socat") is not None

    @staticmethod
    def ip(*arguments):
        subprocess.run(["ip", *arguments], check=True, capture_output=True)

    def url_of(self, name):
        return f"postgres://postgres@{self.there}:{self.port}/{name}"

    def cut(self):
        """Drops all packets. The route remains, so sending raises no error."""
        self.ip("-n", self.name, "link", "set", "eth0", "down")

    def mend(self):
        self.ip("-n", self.name, "link", "set", "eth0", "up")

    def remove(self):
        os.killpg(self.relay.pid, signal.SIGKILL)
        self.relay.wait()
        self.ip("netns", "delete", self.name)


class RedisServer:
    """A Redis for one test module, without persistence."""

    def __init__(self):
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.client = redis.Redis.from_url(self.url)
        self.start()

    def start(self):
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", ""]
        self.process = subprocess.Popen(command, cwd="/", stdout=subprocess.DEVNULL)
        wait_until(lambda: listens(self.port))

    def kill(self):
        self.process.kill()
        self.process.wait()

    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)

    def fill(self):
        """Makes Redis reject every command that needs memory."""
        self.client.config_set("maxmemory-policy", "noeviction")
        self.client.config_set("maxmemory", 1)

    def empty(self):
        self.client.config_set("maxmemory", 0)
