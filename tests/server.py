"""A real server for tests: gunicorn as a subprocess, on a new database."""

import fcntl
import hashlib
import http.client
import json
import os
import re
import secrets
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlencode, urlsplit
from uuid import uuid4

from fitness.db.citus.base import connected, create_database, drop_database

ROOT = Path(__file__).resolve().parent.parent
APPS = ("fitness", "accounts", "training", "body", "nutrition", "supplements", "mcp_endpoint")
KEPT = ROOT / "var" / "tests" / "prepared"
PATIENCE_SECONDS = 600  # on a slow machine a command takes longer, but must not fail
MAKE_RUN = ["make", "run", "--old-file=.venv/.installed"]  # which installs no packages
IDLE_SECONDS = 3  # of a keep-alive connection: the server closes it after five


def free_port():
    """A port below those of clients: one of them could take the port before the server does."""
    while True:
        port = 20_000 + secrets.randbelow(12_000)
        with socket.socket() as listener, suppress(OSError):
            listener.bind(("127.0.0.1", port))
            return port


def wait_until(condition, within=PATIENCE_SECONDS):
    deadline = time.monotonic() + within
    while not condition():
        assert time.monotonic() < deadline, f"not within {within} s"
        time.sleep(0.05)


def listens(port, host="127.0.0.1"):
    """Whether somebody accepts connections there."""
    with suppress(OSError), socket.create_connection((host, port), timeout=1):
        return True
    return False


@contextmanager
def own_database(folder, template=""):
    """Yields the URL of a new database: on the server or cluster of DATABASE_URL, else SQLite.

    It is empty, or a copy of the database at the URL `template`.
    """
    url = new_database(folder, template)
    try:
        yield url
    finally:
        drop(url)


def new_database(folder, template=""):
    """The URL of a new database. Whoever asks for it drops it."""
    url = urlsplit(os.environ.get("DATABASE_URL", ""))
    name = f"live_{uuid4().hex[:12]}"
    if url.scheme not in ("postgres", "postgresql", "citus"):
        return sqlite_database(folder, template)
    if url.scheme == "citus":
        create_database(address_of(url), name)
    else:
        create_on_server(address_of(url), name, urlsplit(template).path[1:] or "template1")
    return url._replace(path=f"/{name}").geturl()


def sqlite_database(folder, template=""):
    file = folder / "fitness.sqlite3"
    if template:
        shutil.copy(template.removeprefix("sqlite:///"), file)
    return f"sqlite:///{file}"


def drop(url):
    """Drops a database; the file of one on SQLite is left to whoever deletes its folder."""
    parts = urlsplit(url)
    if parts.scheme == "citus":
        drop_database(address_of(parts))
    elif parts.scheme != "sqlite":
        drop_on_server(address_of(parts))


@contextmanager
def prepared_database(folder):
    """Yields the URL of a database as `manage.py prepare` leaves it, to be copied.

    On a cluster, which copies none, it yields "".

    Processes that name the same folder share it: the first one makes it, and the last one drops it.
    """
    if os.environ.get("DATABASE_URL", "").startswith("citus:"):
        yield ""
        return
    made = folder / "url"
    with (folder / "changing").open("w") as changing, (folder / "using").open("w") as using:
        with locked(changing):
            if not made.exists():
                made.write_text(new_prepared_database(folder))
            fcntl.flock(using, fcntl.LOCK_SH)
        yield made.read_text()
        with locked(changing), suppress(BlockingIOError):
            fcntl.flock(using, fcntl.LOCK_EX | fcntl.LOCK_NB)
            drop(made.read_text())
            made.unlink()


def new_prepared_database(folder):
    if not os.environ.get("DATABASE_URL", "").startswith("postgres"):
        with kept_file() as file:
            return sqlite_database(folder, f"sqlite:///{file}")
    url = new_database(folder)
    Server(KEPT, url).manage("prepare")  # there are its static files, which need not be compressed again
    return url


@contextmanager
def kept_file(ending="sqlite3", make=None):
    """Yields a prepared SQLite, or another file that `make(path)` writes, to be copied inside.

    It is kept from run to run while no source changes.
    """
    KEPT.mkdir(parents=True, exist_ok=True)
    with (KEPT / "changing").open("w") as changing, locked(changing):
        file = KEPT / f"{digest_of_sources()}.{ending}"
        if not file.exists():
            for old in KEPT.glob(f"*.{ending}*"):
                old.unlink()
            (make or prepare_sqlite)(file)
        yield file


def prepare_sqlite(file):
    Server(KEPT, sqlite_database(KEPT)).manage("prepare")
    (KEPT / "fitness.sqlite3").rename(file)


def digest_of_sources():
    """A hash over all that may decide what `manage.py prepare` makes: code, catalogue, packages, versions."""
    digest = hashlib.sha256(f"{sys.version} {sqlite3.sqlite_version}".encode())
    files = [ROOT / "manage.py", ROOT / "requirements.txt"]
    files += (file for app in APPS for file in (ROOT / app).rglob("*") if file.suffix in (".py", ".json"))
    for file in sorted(files):
        digest.update(str(file.relative_to(ROOT)).encode() + file.read_bytes())
    return digest.hexdigest()[:16]


@contextmanager
def locked(file):
    fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)


def address_of(url):
    """libpq's parameters of the database at a URL."""
    found = {"host": url.hostname, "port": url.port, "user": url.username, "password": url.password}
    return {name: value for name, value in found.items() if value} | {"dbname": url.path[1:]}


def create_on_server(server, name, template):
    with connected(server) as admin:
        admin.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')


def drop_on_server(address):
    with connected({**address, "dbname": "postgres"}) as admin:
        admin.execute(f'DROP DATABASE "{address["dbname"]}" WITH (FORCE)')


class Server:
    """A gunicorn process with its URL, environment and log, and the commands of manage.py.

    `worker` is its `manage.py worker`, where a test has started one.
    """

    def __init__(self, folder, database, **environment):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log_path = folder / "server.log"
        self.environment = {
            **os.environ,
            "DATA_DIR": str(folder / "data"),
            "DATABASE_URL": database,
            "SECRET_KEY": "a key for tests only",
            "PORT": str(self.port),
            "RATE_LIMIT_KEY": "1000000/m",
            "RATE_LIMIT_IP": "1000000/m",
            "RATE_LIMIT_PAGES": "1000000/m",
            **environment,
        }
        self.command = [sys.executable, "-m", "gunicorn"]
        self.process = self.worker = None

    def manage(self, *arguments, check=True):
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, timeout=PATIENCE_SECONDS
        )
        assert done.returncode == 0 or not check, done.stderr
        return done

    def key(self, email="lifter@example.org", scope="read_write"):
        return self.manage("issue_key", email, "--scope", scope).stdout.strip()

    def start(self):
        self.process = self.begin(self.command)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            with suppress(OSError), urllib.request.urlopen(f"{self.url}/healthz", timeout=2):
                return self
            time.sleep(0.1)
        raise RuntimeError(f"the server did not start: {self.log}")

    def start_worker(self):
        self.worker = self.begin([sys.executable, "manage.py", "worker"])

    def begin(self, command):
        with self.log_path.open("ab") as log:
            return subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=log, stderr=log)

    def stop(self):
        """Ends gunicorn, and the worker if there is one."""
        running = [process for process in (self.process, self.worker) if process]
        for process in running:
            process.terminate()
        for process in running:
            process.wait(timeout=30)

    @property
    def log(self):
        return self.log_path.read_text()

    @property
    def workers(self):
        """The process ids of gunicorn's workers, the web processes."""
        master = self.process.pid
        return [int(pid) for pid in Path(f"/proc/{master}/task/{master}/children").read_text().split()]

    def twin(self, name="twin"):
        """A second process on the same database, not yet started."""
        folder = self.log_path.parent / name
        folder.mkdir()
        return Server(folder, self.environment["DATABASE_URL"])


class KeepAlive(http.client.HTTPConnection):
    """A connection that opens again where the server may have closed it, because it was idle."""

    used_at = 0.0

    def __init__(self, server):
        super().__init__("127.0.0.1", server.port, timeout=60)

    def request(self, *arguments, **options):
        if time.monotonic() - self.used_at > IDLE_SECONDS:
            self.close()
        super().request(*arguments, **options)
        self.used_at = time.monotonic()


class Http:
    """A keep-alive connection for JSON requests with one API key."""

    def __init__(self, server, key):
        self.server = server
        self.connection = KeepAlive(server)
        self.headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def call(self, method, path, body=None):
        """(status, decoded JSON) of one request. The JSON of an empty body is None."""
        data = None if body is None else json.dumps(body)
        self.connection.request(method, f"/api/v1{path}", data, self.headers)
        response = self.connection.getresponse()
        self.response_headers = response.headers
        text = response.read()
        return response.status, json.loads(text) if text else None

    def items(self, path, name, limit=100):
        """All items of a list, page by page."""
        found, cursor = [], ""
        while cursor is not None:
            page = self.call("GET", f"{path}?limit={limit}{cursor}")[1]
            found += page[name]
            cursor = page["next_cursor"] and f"&cursor={page['next_cursor']}"
        return found

    def tag_of(self, path):
        """The ETag of what an address answers."""
        self.call("GET", path)
        return self.response_headers["ETag"]


class Newcomer:
    """A browser that has opened the form to sign up or in. `session` is its cookie once it is signed in."""

    PASSWORD = "blue horse 77"

    def __init__(self, server, address="/sign-up"):
        self.connection = KeepAlive(server)
        self.address = address
        self.connection.request("GET", address)
        response = self.connection.getresponse()
        response.read()
        self.cookie = response.headers["Set-Cookie"].partition(";")[0]

    def sign_up(self, email):
        return self.post({"email": email, "password1": self.PASSWORD, "password2": self.PASSWORD})

    def sign_in(self, email):
        return self.post({"username": email, "password": self.PASSWORD})

    def post(self, fields):
        """The status of the response, or 0 if the connection broke."""
        form = {**fields, "csrfmiddlewaretoken": self.cookie.partition(";")[0].partition("=")[2]}
        headers = {"Cookie": self.cookie, "Content-Type": "application/x-www-form-urlencoded"}
        try:
            self.connection.request("POST", self.address, urlencode(form), headers)
            response = self.connection.getresponse()
            response.read()
        except (OSError, http.client.HTTPException):
            self.connection.close()
            return 0
        signed_in = re.search(r"\bsession=(\w+)", str(response.headers))
        self.session = signed_in and signed_in[1]
        return response.status


@contextmanager
def running_server(folder, template="", **environment):
    """A server on a copy of a prepared database, or else on a new one that it prepares."""
    with own_database(folder, template) as database:
        server = Server(folder, database, **environment)
        if not template:
            server.manage("prepare")
        server.start()
        try:
            yield server
        finally:
            server.stop()
