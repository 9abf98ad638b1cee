"""The benchmark's database: on the server that DATABASE_URL names, or a SQLite file. Kept between runs."""

import fcntl
import os
import subprocess
import sys
from contextlib import contextmanager
from urllib.parse import urlsplit

import django

from tests.server import ROOT

NAME = "bench_fitness"
UNLIMITED = dict.fromkeys(("RATE_LIMIT_KEY", "RATE_LIMIT_IP", "RATE_LIMIT_PAGES"), "1000000/m")


@contextmanager
def ready():
    """Django on the benchmark's database, for the only benchmark that runs.

    What imports models is imported inside.
    """
    with lock():
        use_own_database()
        django.setup()
        yield


@contextmanager
def lock():
    """Waits until no other benchmark runs: it would distort the figures, and delete the API keys."""
    (ROOT / "var").mkdir(exist_ok=True)
    with open(ROOT / "var" / "bench.lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def use_own_database():
    """Creates and migrates the database if necessary. Sets DATABASE_URL for this process and its children."""
    server = os.environ.get("DATABASE_URL", "")
    if server.startswith("postgres"):
        create_if_missing(server)
        os.environ["DATABASE_URL"] = urlsplit(server)._replace(path=f"/{NAME}").geturl()
    else:
        os.environ["DATABASE_URL"] = f"sqlite:///{ROOT / 'var' / NAME}.sqlite3"
    os.environ["DATA_DIR"] = str(ROOT / "var" / "bench")  # where `prepare` notes the database
    subprocess.run([sys.executable, "manage.py", "prepare"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    os.environ.update(UNLIMITED, DJANGO_SETTINGS_MODULE="tests.benchmarks.settings")


def create_if_missing(server):
    import psycopg

    with psycopg.connect(server, autocommit=True) as admin:
        if not admin.execute("SELECT 1 FROM pg_database WHERE datname = %s", [NAME]).fetchone():
            admin.execute(f"CREATE DATABASE {NAME}")
