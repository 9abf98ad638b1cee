"""The export of a phone with years of heart rates, read by a worker while nobody else is kept waiting."""

import zipfile
from zoneinfo import ZoneInfo

from accounts.imports.kinds import Answers
from accounts.imports.models import ImportRun
from fitness.site.data import importing
from tests.faults.neighbour import peak_mb
from tests.imports.health_files import HEAD, TAIL, record
from tests.large.test_exports import worker_of
from tests.server import wait_until

SIZE_MB = 200
GROWTH_MB = 25


DAYS = [record("BodyMass", "80", "kg", f"2025-02-{day:02} 07:00:00 +0100") for day in range(1, 29)]


def read(account, path, size_mb):
    """Has a worker read an export with an export.xml of this size."""
    beat = record("HeartRate", "60", "count/min", "2025-10-20 07:12:33 +0200").encode()
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("apple_health_export/export.xml", "w") as member,
    ):
        member.write("".join([HEAD, *DAYS]).encode())
        for _ in range(size_mb):
            member.write(beat * (1_000_000 // len(beat)))
        member.write(TAIL.encode())
    with path.open("rb") as file:
        answers = Answers(ZoneInfo("UTC"), "kg")
        run = importing.upload(account, file, path.name, answers, path.stat().st_size)

    def is_read():
        run.refresh_from_db()
        assert run.state in (ImportRun.State.EXAMINING, ImportRun.State.READ), run.problem
        return run.state == ImportRun.State.READ

    wait_until(is_read, within=600)
    assert run.items.count() == len(DAYS)
    run.remove()


def test_the_worker_reads_a_large_export_in_bounded_memory(service, population, tmp_path, record_property):
    account, path = population.small, tmp_path / "export.zip"
    with worker_of(service) as worker:
        read(account, path, 2)
        before = peak_mb(worker)
        read(account, path, SIZE_MB)
        grown = peak_mb(worker) - before
    record_property(f"an export.xml of {SIZE_MB} MB", f"{grown:.0f} MB of memory, limit {GROWTH_MB} MB")
    assert grown < GROWTH_MB
