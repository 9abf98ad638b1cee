"""A real server for tests: gunicorn as a subprocess, on a new database."""

import http.client
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlencode, urlsplit
from uuid import uuid4

ROOT = Path(__file__).resolve().parent.parent
IDLE_SECONDS = 3  # of a keep-alive connection: the server closes it after five


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextmanager
def own_database(folder):
    """Yields the URL of a new, empty database: on the PostgreSQL of DATABASE_URL, else SQLite."""
    url = os.environ.get("DATABASE_URL", "")
    if not url.startswith("postgres"):
        yield f"sqlite:///{folder / 'fitness.sqlite3'}"
        return
    import psycopg

    name = f"live_{uuid4().hex[:12]}"
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute(f'CREATE DATABASE "{name}"')
        try:
            yield urlsplit(url)._replace(path=f"/{name}").geturl()
        finally:
            admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


class Server:
    """A gunicorn process with its URL, environment and log, and the commands of manage.py."""

    def __init__(self, folder, database, **environment):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log_path = folder / "server.log"
        self.environment = {
            **os.environ,
            "DATABASE_URL": database,
            "SECRET_KEY": "a key for tests only",
            "PORT": str(self.port),
            "RATE_LIMIT_KEY": "1000000/m",
            "RATE_LIMIT_IP": "1000000/m",
            "RATE_LIMIT_PAGES": "1000000/m",
            **environment,
        }
        self.process = None

    def manage(self, *arguments, check=True):
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(
            command, cwd=ROOT, env=self.environment, check=check, capture_output=True, text=True, timeout=120
        )

    def key(self, email="lifter@example.org", scope="read_write"):
        return self.manage("issue_key", email, "--scope", scope).stdout.strip()

    def start(self):
        with self.log_path.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "gunicorn"], cwd=ROOT, env=self.environment, stdout=log, stderr=log
            )
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and self.process.poll() is None:
            with suppress(OSError), urllib.request.urlopen(f"{self.url}/healthz", timeout=2):
                return self
            time.sleep(0.1)
        raise RuntimeError(f"the server did not start: {self.log}")

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=30)

    @property
    def log(self):
        return self.log_path.read_text()

    def twin(self, name="twin"):
        """A second process on the same database, not yet started."""
        folder = self.log_path.parent / name
        folder.mkdir()
        return Server(folder, self.environment["DATABASE_URL"])


class Http:
    """A keep-alive connection for JSON requests with one API key."""

    def __init__(self, server, key):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        self.headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        self.used_at = 0.0

    def call(self, method, path, body=None):
        """(status, decoded JSON) of one request. The JSON of an empty body is None."""
        if time.monotonic() - self.used_at > IDLE_SECONDS:
            self.connection.close()
        data = None if body is None else json.dumps(body)
        self.connection.request(method, f"/api/v1{path}", data, self.headers)
        self.used_at = time.monotonic()
        response = self.connection.getresponse()
        text = response.read()
        return response.status, json.loads(text) if text else None


class Newcomer:
    """A browser that has opened the sign-up form at an address."""

    PASSWORD = "blue horse 77"

    def __init__(self, server, address="/sign-up"):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        self.address = address
        self.connection.request("GET", address)
        response = self.connection.getresponse()
        response.read()
        self.cookie = response.headers["Set-Cookie"].partition(";")[0]

    def sign_up(self, email):
        """The status of the response, or 0 if the connection broke."""
        form = {"email": email, "password1": self.PASSWORD, "password2": self.PASSWORD}
        form["csrfmiddlewaretoken"] = self.cookie.partition("=")[2]
        headers = {"Cookie": self.cookie, "Content-Type": "application/x-www-form-urlencoded"}
        try:
            self.connection.request("POST", self.address, urlencode(form), headers)
            response = self.connection.getresponse()
            response.read()
        except (OSError, http.client.HTTPException):
            self.connection.close()
            return 0
        return response.status


@contextmanager
def running_server(folder, **environment):
    with own_database(folder) as database:
        server = Server(folder, database, **environment)
        server.manage("migrate", "--verbosity", "0")
        server.manage("load_catalogue")
        server.start()
        try:
            yield server
        finally:
            server.stop()
