"""What the processes of a small service take: CPU of `prepare`, and memory at rest."""

import re
import resource
import time
from pathlib import Path

from tests.server import Server, sqlite_database

REST_SECONDS = 5


def small_service(folder):
    return Server(folder, sqlite_database(folder), REDIS_URL="", DJANGO_SETTINGS_MODULE="fitness.settings")


def prepare_seconds(folder):
    """CPU seconds of `prepare` on an empty SQLite, whose static files are there, and again."""
    service = small_service(folder)
    service.manage("prepare", "--static-only")
    seconds = []
    for _ in range(2):
        before = cpu_of_children()
        service.manage("prepare")
        seconds.append(cpu_of_children() - before)
    return seconds


def cpu_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def memory_mb(folder):
    """Of gunicorn, its process and a worker: pages that several share count once."""
    service = small_service(folder)
    service.manage("prepare")
    service.start().start_worker()
    try:
        time.sleep(REST_SECONDS)
        pids = [service.process.pid, *service.workers, service.worker.pid]
        texts = [Path(f"/proc/{pid}/smaps_rollup").read_text() for pid in pids]
    finally:
        service.stop()
    return sum(int(re.search(r"^Pss: +(\d+)", text, re.M)[1]) for text in texts) * 1024 / 1e6
