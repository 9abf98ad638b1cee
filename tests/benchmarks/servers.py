"""Ways to serve, in turns: CPU a request, requests a second and the slowest, of the first way and of others.

A way is a text: variables of the environment, then the command if it is not gunicorn, with `{port}` in it. An
empty text is the service as it is. By wrk (Debian: apt-get install wrk):

    python -m tests.benchmarks.servers PREPARED_STATEMENTS=false ""
    python -m tests.benchmarks.servers "GUNICORN_CMD_ARGS='--threads 8'" ""
    python -m tests.benchmarks.servers "" ".other/bin/python -m gunicorn"
    python -m tests.benchmarks.servers "" ".other/bin/python -m granian --interface wsgi --port {port}
        --blocking-threads 4 fitness.wsgi:application"
"""

import argparse
import os
import shlex
import statistics
import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.benchmarks import database, load
from tests.server import Server

parser = argparse.ArgumentParser(
    prog="python -m tests.benchmarks.servers", description=__doc__.split("\n")[0]
)
parser.add_argument("ways", nargs="+")
parser.add_argument("--connections", type=int, default=8)
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--seconds", type=int, default=3)


@contextmanager
def serving(number, way):
    """Yields a server that is started this way. Its connections to PostgreSQL have a name of their own."""
    words = shlex.split(way)
    variables = dict(word.split("=", 1) for word in words if "=" in word)
    command = [word for word in words if "=" not in word]
    with tempfile.TemporaryDirectory() as folder:
        address = os.environ["DATABASE_URL"]
        server = Server(Path(folder), address, PGAPPNAME=f"way_{number}", **variables)
        if command:
            server.command = [word.format(port=server.port) for word in command]
        server.start()
        try:
            yield server
        finally:
            server.stop()


def processes(server, number):
    """The ids of the server's processes and of its PostgreSQL backends."""
    pids = [server.process.pid]
    for pid in pids:  # grows with the children
        pids += map(int, proc(pid, "task", pid, "children").read_text().split())
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pid FROM pg_stat_activity WHERE application_name = %s", [f"way_{number}"])
            pids += [pid for (pid,) in cursor.fetchall()]
    return pids


def measure(server, number, call, options):
    """(CPU ms a request, the Throughput) of one run."""
    pids = processes(server, number)
    before = sum(map(on_cpu_seconds, pids))
    result = load.throughput(server, call, options.connections, options.seconds)
    cpu_seconds = sum(map(on_cpu_seconds, pids)) - before
    return cpu_seconds * 1000 / (result.a_second * options.seconds), result


def report(name, way, runs, first):
    ratio = statistics.median(cpu / base for (cpu, _), (base, _) in zip(runs, first, strict=True))
    a_second, p50, p99 = (
        statistics.median(getattr(result, figure) for _, result in runs)
        for figure in ("a_second", "p50_ms", "p99_ms")
    )
    cpu_ms, failed = statistics.median(cpu for cpu, _ in runs), sum(result.failed for _, result in runs)
    print(
        f"{name}: CPU × {ratio:.2f} ({cpu_ms:.2f} ms), {a_second:.0f} a second, p50 {p50:.1f} ms, "
        f"p99 {p99:.1f} ms, {failed} failed  [{way or 'as it is'}]"
    )


def compare(athlete, options):
    with ExitStack() as stack:
        servers = [stack.enter_context(serving(number, way)) for number, way in enumerate(options.ways)]
        for name, calls in loads(athlete).items():
            runs = [[] for _ in servers]
            for round_number in range(options.rounds + 1):
                for number, server in enumerate(servers):
                    result = measure(server, number, calls["service"], options)
                    if round_number:  # the first one warms up
                        runs[number].append(result)
            for way, own in zip(options.ways, runs, strict=True):
                report(name, way, own, runs[0])


if __name__ == "__main__":
    with database.ready():
        from django.db import connection

        from tests.benchmarks import data
        from tests.benchmarks.calls import Athlete
        from tests.benchmarks.rows import loads
        from tests.benchmarks.targets import on_cpu_seconds, proc

        athlete = Athlete(data.accounts()[1])
        try:
            compare(athlete, parser.parse_args())
        finally:
            athlete.delete_added()
