"""The worker that gunicorn starts beside its web processes, and what becomes of it when one of them ends."""

import os
import signal
import socket
import sys
import time
from pathlib import Path

import pytest

from tests.server import Server, children_of, is_worker, listens, own_database, running_server, wait_until

SECONDS = 60  # on a busy machine


@pytest.fixture
def served(tmp_path, prepared):
    with running_server(tmp_path, prepared, WORKER="beside") as server:
        wait_until(lambda: server.worker)
        yield server


def runs(pid):
    """Whether a process is there, and not a zombie that nobody has waited for."""
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


def all_end(*pids):
    wait_until(lambda: not any(map(runs, pids)), SECONDS)


def test_it_is_replaced_where_it_dies_and_by_a_reload(served):
    (web,), first = served.workers, served.worker
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: served.worker not in (None, first), SECONDS)
    assert served.workers == [web]
    assert "The worker has ended, and another one starts in 2 s." in served.log

    second = served.worker
    served.process.send_signal(signal.SIGHUP)
    wait_until(lambda: served.worker not in (None, second) and web not in served.workers, SECONDS)
    assert served.log.count("The worker has ended") == 1  # a reload makes no pause


def test_it_has_the_timeouts_of_commands_and_no_share_in_the_counts_and_ends_with_gunicorn(served):
    variables = dict(
        one.split("=", 1) for one in Path(f"/proc/{served.worker}/environ").read_text().split("\0") if one
    )
    assert not {"STATEMENT_TIMEOUT", "PROMETHEUS_MULTIPROC_DIR"} & variables.keys()

    pids = [*served.workers, served.worker]
    served.process.terminate()
    assert served.process.wait(SECONDS) == 0
    all_end(*pids)
    assert "Traceback" not in served.log


def test_it_ends_while_a_request_is_still_answered(served):
    worker = served.worker
    with socket.create_connection(("127.0.0.1", served.port), timeout=30) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n")  # the rest follows below
        served.process.terminate()
        all_end(worker)
        assert served.process.poll() is None
        connection.sendall(b"\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 200 OK")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGQUIT])
def test_it_ends_at_once_with_ctrl_c(served, number):
    worker = served.worker
    served.process.send_signal(number)
    assert served.process.wait(SECONDS) == 0
    all_end(worker)
    assert "Traceback" not in served.log


def test_all_end_where_the_parent_is_killed(served):
    pids = [*served.workers, served.worker]
    served.process.kill()
    all_end(*pids)
    assert not listens(served.port)


def test_a_gunicorn_that_takes_over_has_its_own(tmp_path, prepared):
    """USR2 starts a second gunicorn, a child of the first one."""
    with own_database(tmp_path, prepared) as database:
        server = Server(tmp_path, database, WORKER="beside")
        server.command = [Path(sys.executable).parent / "gunicorn"]  # starts itself again, unlike `-m`
        if not prepared:
            server.manage("prepare")
        server.start()
        wait_until(lambda: server.worker, SECONDS)
        worker, web = server.worker, server.workers
        server.process.send_signal(signal.SIGUSR2)
        wait_until(lambda: len(server.workers) == 2, SECONDS)
        (successor,) = {*server.workers} - {*web}
        wait_until(lambda: any(map(is_worker, children_of(successor))), SECONDS)
        theirs = children_of(successor)
        server.stop()
        all_end(worker)
        assert all(map(runs, theirs))
        os.kill(successor, signal.SIGTERM)
        all_end(successor, *theirs)


def test_there_is_none_where_it_is_a_service_of_its_own(tmp_path, prepared):
    with running_server(tmp_path, prepared, WORKER="none") as server:
        time.sleep(2)
        assert (server.worker, len(server.workers)) == (None, 1)
