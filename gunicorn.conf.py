"""gunicorn's settings: one process with threads, or WEB_CONCURRENCY of them."""

import gc
import os
import shutil
import sys
import tempfile
import threading
from typing import Any

from fitness import environment

environment.load()
os.environ.setdefault("STATEMENT_TIMEOUT", "10")  # seconds; for requests alone: commands may take longer

from fitness import logs, network, settings  # noqa: E402  (they read the environment)

os.umask(0o077)  # files that SQLite creates are readable by their owner alone

DEMO = ".venv/bin/python manage.py seed_demo"
address = settings.PUBLIC_URL or f"http://localhost:{settings.PORT}"  # where browsers offer passkeys

wsgi_app = "fitness.wsgi"
bind = f"[{settings.BIND}]:{settings.PORT}" if ":" in settings.BIND else f"{settings.BIND}:{settings.PORT}"
workers = settings.WEB_CONCURRENCY
worker_class = "gthread"
threads = 6  # fewer take less CPU, but leave none for others while a database does not respond
timeout = 60
graceful_timeout = 30
keepalive = 5
forwarded_allow_ips = ""  # TRUSTED_PROXIES decides which proxies are believed, not gunicorn
limit_request_line = limit_request_field_size = 8190  # bytes; also without a proxy in front
control_socket_disable = True
loglevel = "warning"

if workers > 1:  # their counts are added up from files in this folder; see fitness/metrics.py
    # Not a TemporaryDirectory: every process that ends would delete it.
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = tempfile.mkdtemp(prefix="fitness-metrics-")


def post_worker_init(worker: Any) -> None:
    """Begins to serve, and to store what is counted. The first worker logs the mistakes of the installation.

    What the application is made of stays: a garbage collection that looked through it would stop all threads
    for 0.1 s.
    """
    gc.collect()
    gc.freeze()
    from accounts.unstored import store_each_minute

    threading.Thread(target=store_each_minute, daemon=True).start()
    if worker.age == 1:
        from django.db import connections

        from fitness import checks

        checks.log_warnings()
        connections.close_all()  # that of this thread, in which no request runs


def worker_exit(server: Any, worker: Any) -> None:
    """Stores what the process has counted of the use of keys and sessions."""
    from accounts.unstored import store_uses

    store_uses()


def child_exit(server: Any, worker: Any) -> None:
    """Takes the gauges of a process that has ended out of the sums."""
    if workers > 1:
        from prometheus_client.multiprocess import mark_process_dead

        mark_process_dead(worker.pid)


def on_exit(server: Any) -> None:
    if workers > 1:
        shutil.rmtree(os.environ["PROMETHEUS_MULTIPROC_DIR"], ignore_errors=True)


def on_starting(server: Any) -> None:
    for handler in server.log.error_log.handlers:
        handler.setFormatter(logs.RedactedText(server.log.error_fmt, server.log.datefmt))
    if server.cfg.bind == [bind] and not network.is_free_within(5, settings.BIND, settings.PORT):
        sys.exit(f"PORT: {bind} is in use. End what listens there, or set PORT to another.")
    environment.note_database(settings.DATA_DIR, settings.database)
    environment.note_address(settings.DATA_DIR, address)


def when_ready(server: Any) -> None:
    print(f"Serving on {address}  (API: {address}/docs, stop with Ctrl+C)", flush=True)
    others = network.address_for_others(settings.BIND, settings.PORT)
    if others and not settings.PUBLIC_URL:
        print(f"Other machines are refused. Set PUBLIC_URL to the address they use: {others}", flush=True)
    elif not others and not settings.TRUSTED_PROXIES:
        print("For this machine alone. For others put a proxy in front: docs/install.md", flush=True)
    elif not settings.TRUSTED_PROXIES:
        print("Slow clients hold it up without a proxy in front: docs/install.md", flush=True)
    if not settings.PUBLIC_URL and settings.SIGN_UP == "open":
        first = environment.noted_first_link(settings.DATA_DIR)
        print(
            f"Open {first or address} and sign up. Then, to look around, in a second shell: {DEMO}",
            flush=True,
        )
