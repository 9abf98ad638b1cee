"""The official Python client connects by OAuth from nothing, in both of its major versions and both eras."""

import shutil
import sys
from pathlib import Path

import pytest

from tests.mcp_endpoint.test_official_clients import CLIENTS, NAMES, first_python  # noqa: F401  (a fixture)
from tests.proxy import Proxy
from tests.server import running_server

SCRIPT = Path(__file__).with_name("official_oauth_client.py")
PASSWORD = "blue horse 77"
SIGN_UP = "from accounts.models import Account; Account.objects.create_user({email!r}, {password!r})"
PROFILE = ["get_profile", {}]
LOG = ["log_weight", {"weight_kg": 80.5}]


def carry_out(server, address, program, mode, email, steps):
    """What the program writes of the steps, for a new account of the server."""
    server.manage("shell", "-v", "0", "-c", SIGN_UP.format(email=email, password=PASSWORD))
    task = {"url": f"{address}/mcp", "mode": mode, "email": email, "password": PASSWORD, "steps": steps}
    return program.carry_out(task)


@pytest.fixture(params=CLIENTS, ids=NAMES)
def connect(request, server, program):
    """Lets one of the clients carry out steps."""
    which, mode, version = request.param
    python = request.getfixturevalue("first_python") if which == "first" else Path(sys.executable)
    email = f"oauth-{which}-{mode}@example.org".lower()

    def connect(*steps):
        done = carry_out(server, server.url, program(python, SCRIPT), mode, email, steps)
        assert {step["version"] for step in done} == {version}
        return done

    connect.steps_up = which == "second" and mode != "legacy"
    return connect


def test_it_connects_renews_and_gets_more_rights(connect):
    """Discovery, registration, consent and code; the tokens kept; a silent renewal; from read to write."""
    first, kept, renewed, more = connect(
        {"choose": "read", "calls": [PROFILE]},
        {"choose": None, "calls": [PROFILE]},
        {"choose": None, "age": 10, "calls": [PROFILE]},
        {"choose": "read_write", "calls": [LOG]},
    )
    assert [len(step["opened"]) for step in (first, kept, renewed)] == [1, 0, 0]
    assert first["tokens"]["scope"] == "read"
    assert first["tokens"] == kept["tokens"]
    assert renewed["tokens"]["refresh_token"] != first["tokens"]["refresh_token"]
    assert not any(step["results"][0]["isError"] for step in (first, kept, renewed))
    if connect.steps_up:  # the 403 of this era; the one before answers 200 with an error
        assert len(more["opened"]) == 1
        assert more["tokens"]["scope"] == "read write"
        assert more["results"][0]["structuredContent"]["weight_kg"] == 80.5
    else:
        assert "may only read" in more["results"][0]["content"][0]["text"]


@pytest.mark.skipif(not shutil.which("nginx"), reason="needs nginx")
def test_behind_a_proxy_everything_is_at_the_public_address(tmp_path_factory, prepared, program):
    folder = tmp_path_factory.mktemp("proxy")
    proxy = Proxy(folder, [])
    address = f"http://localhost:{proxy.port}"
    settings = {"PUBLIC_URL": address, "TRUSTED_PROXIES": "1", "SIGN_UP": "open"}
    with running_server(tmp_path_factory.mktemp("server"), prepared, **settings) as server:
        proxy.processes = [server.port]
        with proxy:
            steps = [{"choose": "read", "calls": [PROFILE]}]
            client = program(Path(sys.executable), SCRIPT)
            (done,) = carry_out(server, address, client, "auto", "proxy@example.org", steps)
    assert done["opened"][0].startswith(f"{address}/authorize?")
    assert not done["results"][0]["isError"]
