"""A throw-away database of this checkout, and the clock of the recording."""

import logging
import os
import random
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import django
import psycopg
import time_machine
from psycopg import sql

ROOT = Path(__file__).resolve().parents[2]
MOMENT = datetime.fromisoformat("2026-11-18T12:00:00+00:00")  # a Wednesday, far from any change of clocks
SECOND = timedelta(seconds=1)
OTHERS = (
    *("REDIS_URL", "PUBLIC_URL", "AUTH_HEADER", "OIDC_ISSUER"),
    *("SIGN_UP", "METRICS_TOKEN", "RATE_LIMIT_KEY"),
)
PATIENCE_SECONDS = 60


@contextmanager
def new_database(folder):
    """Yields the URL of an empty database: on the server that DATABASE_URL names, else SQLite."""
    url = urlsplit(os.environ.get("DATABASE_URL", ""))
    if not url.scheme.startswith("postgres"):
        yield f"sqlite:///{folder}/corpus.sqlite3"
        return
    name = f"corpus_{uuid4().hex[:12]}"
    server = url._replace(scheme="postgresql", path="/postgres").geturl()
    on_server(server, sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    try:
        yield url._replace(path=f"/{name}").geturl()
    finally:
        on_server(server, sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def on_server(server, statement):
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(statement)


class Chance:
    """Random bytes that are the same in each recording, so that codes, names of fields and pictures are."""

    def __init__(self):
        self.begin("")
        os.urandom = random._urandom = lambda size: self.bytes.randbytes(size)  # `secrets` uses the latter

    def begin(self, text):
        self.bytes = random.Random(text)


@contextmanager
def prepared():
    """Sets Django up on a new database, as `manage.py prepare` leaves it; yields the clock."""
    with tempfile.TemporaryDirectory() as folder, new_database(Path(folder)) as url:
        for name in OTHERS:
            os.environ.pop(name, None)
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "fitness.settings",
            "DATABASE_URL": url,
            "DATA_DIR": folder,
            "SECRET_KEY": "a key of the corpus alone",
            "EMAIL_URL": "memory:",
            "EMAIL_FROM": "fit@example.org",
            "LOG_LEVEL": "ERROR",
        }
        django.setup()
        logging.disable()
        with time_machine.travel(MOMENT, tick=False) as clock:
            manage("prepare")
            yield clock


def manage(*arguments):
    """What a command of manage.py prints on stdout."""
    from django.core.management import call_command

    printed = StringIO()
    with redirect_stdout(printed), redirect_stderr(StringIO()):
        call_command(*arguments)
    return printed.getvalue().strip()


def work_until(condition):
    """Has a worker at work, in a process of its own that has the time of this one's clock."""
    program = (
        "import sys, time_machine, django; from django.core.management import call_command\n"
        "with time_machine.travel(sys.argv[1], tick=False): django.setup(); call_command('worker')"
    )
    moment = datetime.now(MOMENT.tzinfo).isoformat()
    worker = subprocess.Popen([sys.executable, "-c", program, moment], cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        for _ in range(PATIENCE_SECONDS * 5):
            if condition():
                return
            time.sleep(0.2)
        raise RuntimeError("the worker has not done its work")
    finally:
        worker.terminate()
        worker.wait()
