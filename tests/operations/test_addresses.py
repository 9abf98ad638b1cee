"""The address that the service accepts, and its messages at start and at other addresses."""

import functools
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from urllib.parse import urlsplit

import pytest

from fitness import network
from tests.server import ROOT, Server, free_port


def startup_output(tmp_path, pattern, **environment):
    """The output of a starting server, as soon as it contains the pattern."""
    server = Server(tmp_path, f"sqlite:///{tmp_path}/fitness.sqlite3", **environment)
    with (tmp_path / "out").open("w") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "gunicorn"], cwd=ROOT, env=server.environment, stdout=out, stderr=out
        )
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not re.search(pattern, (tmp_path / "out").read_text()):
            time.sleep(0.1)
        return (tmp_path / "out").read_text()
    finally:
        process.terminate()
        process.wait(timeout=60)


def test_binding_to_all_interfaces_prints_which_public_url_to_set(tmp_path):
    output = startup_output(tmp_path, "PUBLIC_URL", BIND="0.0.0.0", PUBLIC_URL="")
    address = urlsplit(re.search(r"Set PUBLIC_URL to the address they use: (\S+)", output)[1])
    assert address.scheme == "http"
    assert not re.match(r"0\.|127\.", address.hostname)


@pytest.mark.parametrize(
    ("environment", "line"),
    [
        (
            {"BIND": "127.0.0.1", "PUBLIC_URL": ""},
            "For this machine alone. For others put a proxy in front: docs/install.md",
        ),
        (
            {"BIND": "0.0.0.0", "PUBLIC_URL": "http://192.0.2.5:8000"},
            "Slow clients hold it up without a proxy in front: docs/install.md",
        ),
        ({"PUBLIC_URL": "https://fitness.example.org", "TRUSTED_PROXIES": "1"}, None),
    ],
    ids=str,
)
def test_other_starts_say_for_whom_it_serves_and_mention_no_public_url(tmp_path, environment, line):
    output = startup_output(tmp_path, line or "Serving on", **environment)
    assert "Serving on" in output
    assert "PUBLIC_URL" not in output
    assert [one for one in output.splitlines() if "docs/install.md" in one] == [line] * bool(line)


FIRST_STEPS = "Then, to look around, in a second shell: .venv/bin/python manage.py seed_demo"


def test_a_start_ends_with_what_to_do_next_and_notes_its_address(tmp_path):
    output = startup_output(tmp_path, "look around", PUBLIC_URL="", PORT=str(port := free_port()))
    assert output.splitlines()[-1] == f"Open http://localhost:{port} and sign up. {FIRST_STEPS}"
    assert (tmp_path / "data" / "address").read_text() == f"http://localhost:{port}\n"


def test_a_published_service_notes_its_address_and_needs_no_first_steps(tmp_path):
    output = startup_output(
        tmp_path, "Serving on", PUBLIC_URL="https://fitness.example.org", TRUSTED_PROXIES="1"
    )
    assert "seed_demo" not in output
    assert (tmp_path / "data" / "address").read_text() == "https://fitness.example.org\n"


def test_a_port_in_use_is_one_line(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        server = Server(tmp_path, f"sqlite:///{tmp_path}/fitness.sqlite3", PORT=str(port))
        done = subprocess.run(
            server.command, cwd=ROOT, env=server.environment, capture_output=True, text=True
        )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"PORT: 127.0.0.1:{port} is in use. End what listens there, or set PORT to another.\n"
    )


def test_a_start_waits_for_a_port_that_processes_before_it_give_up(monkeypatch):
    """Those of a parent that was killed notice it within some seconds."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setattr(network.time, "sleep", lambda seconds: seconds and taken.close())
        assert network.is_free_within(1, *taken.getsockname())


STUB = "#!/bin/sh\nmkdir -p .venv/bin; for name in python pip honcho; do cp /bin/true .venv/bin/$name; done\n"


def test_make_run_says_what_it_is_doing(tmp_path):
    """With a Python that does nothing. A make that another started would also say which folder it enters."""
    (tmp_path / "docs" / "operations").mkdir(parents=True)
    for name in ("Makefile", "docs/operations/serve"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "requirements.txt").write_text("one==1.0 \\\n    --hash=sha256:00\ntwo==2.0\n")
    (tmp_path / "stub").write_text(STUB)
    (tmp_path / "stub").chmod(0o700)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    run = functools.partial(subprocess.run, cwd=tmp_path, env=environment, capture_output=True, text=True)
    runs = [run(["make", "run", "PYTHON=./stub"]) for _ in range(2)]
    assert [run.stderr for run in runs] == ["", ""]
    preparing = "Preparing the database and the pages"
    first = ["Making the environment in .venv", "Installing 2 packages: about a minute, this time alone"]
    assert [run.stdout.splitlines() for run in runs] == [[*first, preparing], [preparing]]


@pytest.mark.parametrize(
    ("bind", "address"),
    [
        ("127.0.0.1", None),
        ("::1", None),
        ("192.0.2.5", "http://192.0.2.5:8000"),
        ("2001:db8::5", "http://[2001:db8::5]:8000"),
    ],
)
def test_the_address_for_other_machines_is_the_one_that_is_bound(bind, address):
    assert network.address_for_others(bind, 8000) == address


def test_without_a_network_the_host_name_is_used(monkeypatch):
    def unreachable(self, address):
        raise OSError("Network is unreachable")

    class Socket(network.socket.socket):
        connect = unreachable

    monkeypatch.setattr(network.socket, "socket", Socket)
    monkeypatch.setattr(network.socket, "gethostname", lambda: "nas")
    assert network.address_for_others("0.0.0.0", 8000) == "http://nas:8000"


def test_a_screen_at_a_wrong_address_shows_the_right_one_and_the_setting(client, db, settings):
    settings.PORT = 9000
    response = client.get("/", headers={"Host": "192.0.2.5:9000"})
    text = response.content.decode()
    assert response.status_code == 400
    assert "It answers at http://localhost:9000 alone" in text
    assert "set PUBLIC_URL" in text


@pytest.mark.parametrize("path", ["/api/v1/me", "/mcp"])
def test_an_api_request_to_a_wrong_address_gets_the_error_envelope(api, settings, path):
    settings.PUBLIC_URL = "https://fitness.example.org"
    response = api.client.get(path, headers={"Host": "192.0.2.5"})
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (400, "invalid_request")
    assert "answers at https://fitness.example.org alone" in error["message"]
    assert "PUBLIC_URL" in error["message"]
