"""The targets of calls, and the CPU time that the calls take there."""

import gc
import http.client
import io
import os
import time
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import connection

from tests.benchmarks.floor.lean import PREFIX, Lean
from tests.server import Server


class InProcess:
    """The WSGI applications in this process, called directly, without a server or a test client."""

    def __init__(self):
        self.service = get_wsgi_application()
        self.lean = Lean()
        gc.collect()
        gc.freeze()  # as gunicorn.conf.py does

    def send(self, call):
        """(status, body) of the response."""
        environ = {**call.environ, "wsgi.input": io.BytesIO(call.body)}
        application = self.lean if call.path.startswith(PREFIX) else self.service
        response = application(environ, lambda status, headers: None)
        body = b"".join(response)
        response.close()
        return response.status_code, body

    def cpu_seconds(self):
        return time.process_time()


class Gunicorn:
    """The only worker of a new gunicorn, over one keep-alive connection."""

    def __init__(self, server):
        self.server = server
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port)
        self.worker = server_worker(server.process.pid)

    def send(self, call):
        """(status, body) of the response."""
        try:
            return self.exchange(call)
        except ConnectionError:  # gunicorn closes a connection after some idle seconds
            self.connection.close()
            return self.exchange(call)

    def exchange(self, call):
        self.connection.request(call.method, call.path, call.body or None, call.headers)
        response = self.connection.getresponse()
        return response.status, response.read()

    def cpu_seconds(self):
        return on_cpu_seconds(self.worker)

    def memory_mb(self):
        """The resident memory of the worker (RSS), in MB of a million bytes."""
        pages = int(proc(self.worker, "statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


@contextmanager
def gunicorn(command=None):
    """Runs a gunicorn with the service and the floor, on the database of this process.

    `command` is one that starts it.
    """
    server = Server(settings.DATA_DIR, os.environ["DATABASE_URL"])
    server.command = command or server.command
    server.start()
    try:
        yield Gunicorn(server)
    finally:
        server.stop()


def server_worker(master):
    """The process id of the only worker of a gunicorn."""
    (worker,) = proc(master, "task", master, "children").read_text().split()
    return int(worker)


def backends():
    """The process ids of all PostgreSQL backends of this database; none on SQLite.

    Without those of autovacuum, which come and go.
    """
    if connection.vendor == "sqlite":
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pid FROM pg_stat_activity"
            " WHERE datname = current_database() AND backend_type = 'client backend'"
        )
        return [pid for (pid,) in cursor.fetchall()]


def on_cpu_seconds(pid):
    """CPU seconds of all threads of a process so far."""
    threads = proc(pid, "task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9


def proc(pid, *names):
    return Path("/proc").joinpath(str(pid), *map(str, names))
