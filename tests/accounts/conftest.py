import pytest
from django.core import mail

from tests.accounts.hosts import certificate_and_key
from tests.accounts.programs import SITE, Program
from tests.conftest import link_in


@pytest.fixture
def mails(sends_mail):
    """What was mailed, oldest first: (to, subject)."""
    return lambda: [(*message.to, message.subject) for message in mail.outbox]


@pytest.fixture
def newest_link(sends_mail):
    return lambda: link_in(mail.outbox[-1])


@pytest.fixture
def site(settings):
    """The service has an address, at which OAuth is on."""
    settings.PUBLIC_URL = SITE


@pytest.fixture
def program(site, db):
    return Program()


@pytest.fixture
def tokens(program, page):
    return program.connect(page)


@pytest.fixture
def clock(time_machine):
    time_machine.move_to("2026-03-02T10:00:00Z", tick=False)
    return time_machine


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A file with a certificate of HOST, and its key."""
    path = tmp_path_factory.mktemp("certificate") / "both.pem"
    path.write_bytes(certificate_and_key())
    return path
