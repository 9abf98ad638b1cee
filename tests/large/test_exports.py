"""The export of a long history, made by a worker while others write."""

import io
import re
import subprocess
import sys
import zipfile
from contextlib import contextmanager
from pathlib import Path

from fitness.site.data import exports, preparing
from tests.server import ROOT, wait_until

GROWTH_MB = 25  # of the worker's memory at most, whatever it makes: less than the file holds


@contextmanager
def worker_of(service):
    command = [sys.executable, "manage.py", "worker"]
    process = subprocess.Popen(command, cwd=ROOT, env=service.environment, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(timeout=30)


def peak_mb(process):
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1000


def made(account, form, bystander):
    """A file of the account, whose worker is not the only one who writes."""
    file = preparing.prepare(account, form, exports.Choices(preparing.zone_of(""), "kg"))

    def is_whole():
        bystander.weight_logs.create(weight_kg=80)
        file.refresh_from_db()
        assert not file.problem
        return file.is_whole

    wait_until(is_whole, within=120)
    return file


def test_the_worker_makes_a_long_export_in_bounded_memory(service, population, record_property):
    with worker_of(service) as worker:
        made(population.small, "everything", population.longest)
        before = peak_mb(worker)
        file = made(population.longest, "everything", population.small)
        grown = peak_mb(worker) - before
    with zipfile.ZipFile(io.BytesIO(file.read())) as archive:
        assert archive.testzip() is None
        size_mb = sum(info.file_size for info in archive.infolist()) / 1e6
    record_property(f"an export of {size_mb:.0f} MB", f"{grown:.0f} MB of memory, limit {GROWTH_MB} MB")
    assert grown < GROWTH_MB
    preparing.remove(file)
