import pytest

from tests.conftest import freshly_signed_in
from tests.factories import AccountFactory


@pytest.fixture
def autumn(time_machine):
    """A day after those of the sample files, whenever the tests run."""
    time_machine.move_to("2026-11-01T12:00:00Z")


@pytest.fixture
def newcomer(db):
    return AccountFactory(email="newcomer@example.org", display_name="")


@pytest.fixture
def newcomer_page(newcomer):
    return freshly_signed_in(newcomer)
