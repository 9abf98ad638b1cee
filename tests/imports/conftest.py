import pytest

from fitness.api import rate_limits


@pytest.fixture
def autumn(time_machine):
    """A day after those of the sample files, whenever the tests run."""
    time_machine.move_to("2026-11-01T12:00:00Z")


@pytest.fixture
def unlimited(monkeypatch):
    """For tests that send more than a key or an address may."""
    monkeypatch.setattr(rate_limits, "LIMITS", dict.fromkeys(rate_limits.LIMITS, "1000000/m"))
