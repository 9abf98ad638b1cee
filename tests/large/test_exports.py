"""The export of a long history, made by a worker while others write."""

import io
import zipfile
from contextlib import contextmanager

from accounts.models.stored_file import Parts
from fitness.site.data import exports, preparing
from tests.faults.neighbour import peak_mb
from tests.server import wait_until

GROWTH_MB = 25  # of the worker's memory at most, whatever it makes: less than the file holds


@contextmanager
def worker_of(service):
    service.start_worker()
    try:
        yield service.worker.pid
    finally:
        service.worker.terminate()
        service.worker.wait(timeout=30)


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
    with zipfile.ZipFile(io.BufferedReader(Parts(file))) as archive:
        assert archive.testzip() is None
        size_mb = sum(info.file_size for info in archive.infolist()) / 1e6
    record_property(f"an export of {size_mb:.0f} MB", f"{grown:.0f} MB of memory, limit {GROWTH_MB} MB")
    assert grown < GROWTH_MB
    preparing.remove(file)
