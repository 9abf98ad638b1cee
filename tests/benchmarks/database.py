"""The database of the benchmark: its own, beside the one that DATABASE_URL names, kept between runs."""

import fcntl
import os
import subprocess
import sys
from contextlib import contextmanager
from urllib.parse import urlsplit

from tests.server import ROOT

NAME = "bench_fitness"
UNLIMITED = dict.fromkeys(("RATE_LIMIT_KEY", "RATE_LIMIT_IP", "RATE_LIMIT_PAGES"), "1000000/m")


@contextmanager
def turn():
    """Waits until no other benchmark runs: it would disturb the figures, and end the keys."""
    (ROOT / "var").mkdir(exist_ok=True)
    with open(ROOT / "var" / "bench.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def use_own_database():
    """Points this process and its children to it, made and migrated where it is not yet."""
    server = os.environ.get("DATABASE_URL", "")
    if server.startswith("postgres"):
        create(server)
        os.environ["DATABASE_URL"] = urlsplit(server)._replace(path=f"/{NAME}").geturl()
    else:
        os.environ["DATABASE_URL"] = f"sqlite:///{ROOT / 'var' / NAME}.sqlite3"
    subprocess.run([sys.executable, "manage.py", "prepare"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    os.environ.update(UNLIMITED, DJANGO_SETTINGS_MODULE="tests.benchmarks.settings")


def create(server):
    import psycopg

    with psycopg.connect(server, autocommit=True) as admin:
        if not admin.execute("SELECT 1 FROM pg_database WHERE datname = %s", [NAME]).fetchone():
            admin.execute(f"CREATE DATABASE {NAME}")
