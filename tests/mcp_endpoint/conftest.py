"""A client of the tools that speaks bare JSON-RPC, and both eras of the protocol on top of it."""

import json
import subprocess
from contextlib import ExitStack
from functools import cache

import pytest
from django.test import Client

from tests.conftest import client_of

MODERN = "2026-07-28"
PREFIX = "io.modelcontextprotocol/"


class ToolClient:
    """Calls /mcp as one key would."""

    def __init__(self, key=None):
        self.key = key
        self.client = Client(raise_request_exception=False)

    def post(self, body, path="/mcp", content_type="application/json", **headers):
        """Sends a body as it is (bytes) or as JSON. Headers are named with _ for -."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.key:
            headers.setdefault("Authorization", f"Bearer {self.key}")
        return self.client.generic("POST", path, data, content_type=content_type, headers=headers)

    def legacy(self, method, params=None, version="2025-11-25", **headers):
        return self.post(request(method, params), MCP_Protocol_Version=version, **headers)

    def modern(self, method, params=None, **headers):
        """A well-formed request of 2026-07-28; headers that are given replace its own."""
        params = {"_meta": meta(), **(params or {})}
        routing = {"MCP_Protocol_Version": MODERN, "Mcp_Method": method}
        if method in ("tools/call", "prompts/get"):
            routing["Mcp_Name"] = params.get("name", "")
        return self.post(request(method, params), **routing | headers)

    def call(self, tool, arguments=None):
        """The result of a tool call in bare JSON-RPC."""
        response = self.post(request("tools/call", {"name": tool, "arguments": arguments or {}}))
        assert response.status_code == 200, response.content
        return response.json()["result"]

    def get(self, tool, **arguments):
        """The data of a call that succeeds: its structured result without the notices."""
        result = self.call(tool, arguments)
        assert not result["isError"], result
        return {name: value for name, value in result["structuredContent"].items() if name != "notices"}

    def notices(self, tool, **arguments):
        """The notices of a call that succeeds; none where the structured result has no such member."""
        result = self.call(tool, arguments)
        assert not result["isError"], result
        return result["structuredContent"].get("notices", [])

    def refused(self, tool, arguments=None):
        """(the sentence, the envelope's error) of a call that fails."""
        result = self.call(tool, arguments)
        assert result["isError"], result
        assert "structuredContent" not in result
        sentence, envelope = (block["text"] for block in result["content"])
        return sentence, json.loads(envelope)["error"]


def request(method, params=None, **fields):
    message = {"jsonrpc": "2.0", "id": 1, "method": method}
    if params is not None:
        message["params"] = params
    return message | fields


def meta(version=MODERN, capabilities=None, **more):
    keys = {f"{PREFIX}protocolVersion": version, f"{PREFIX}clientCapabilities": capabilities or {}}
    return keys | more


def paths(error):
    """The places that an envelope's error names."""
    return {problem["path"] for problem in error["details"]}


@pytest.fixture
def tools(api):
    """The account's client, with a key that may read and write."""
    return ToolClient(api.key)


@pytest.fixture
def reading_tools(reader):
    return ToolClient(reader.key)


@pytest.fixture
def correcting_tools(account):
    """The account's client, with a key that may also correct and delete."""
    return ToolClient(account.issue_key("assistant", "read_write", "never", may_correct=True)[0])


@pytest.fixture
def stranger_tools(stranger):
    return ToolClient(client_of(stranger).key)


@pytest.fixture
def nobodys_tools(db):
    return ToolClient()


class Program:
    """A running script that carries out tasks: to import the client takes longer than a task."""

    def __init__(self, python, script, log):
        self.log = log
        with log.open("w") as errors:
            self.process = subprocess.Popen(
                [python, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
            )

    def carry_out(self, task):
        print(json.dumps(task), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        assert line, self.log.read_text()
        done = json.loads(line)
        assert "error" not in done, done["error"]
        return done


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    """A function that returns the one program of an interpreter and a script."""
    folder = tmp_path_factory.mktemp("programs")
    with ExitStack() as stack:

        @cache
        def start(python, script):
            started = Program(python, script, folder / f"{script.stem}-{python.parent.parent.name}.log")
            stack.enter_context(started.process)
            return started

        yield start
