import pytest

from tests.server import running_server


@pytest.fixture(scope="module")
def impatient(tmp_path_factory, prepared):
    """A server that waits one second for a head, two for a part of a body, and three for all of it."""
    options = "--worker-class tests.impatient.ThreadedServer"
    with running_server(tmp_path_factory.mktemp("impatient"), prepared, GUNICORN_CMD_ARGS=options) as server:
        yield server
