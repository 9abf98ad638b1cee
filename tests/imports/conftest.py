import pytest


@pytest.fixture
def autumn(time_machine):
    """A day after those of the sample files, whenever the tests run."""
    time_machine.move_to("2026-11-01T12:00:00Z")
