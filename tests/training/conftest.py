import pytest

from fitness.api import rate_limits


@pytest.fixture
def unlimited(monkeypatch):
    """For tests that send more than a key or an address may."""
    monkeypatch.setattr(rate_limits, "LIMITS", dict.fromkeys(rate_limits.LIMITS, "1000000/m"))
