"""Clients known by the address of their own document: what is asked for, from whom, and what is refused."""

import datetime
import ipaddress
import json
import socket
import time

import pytest
import time_machine
from django.core.cache import caches
from django.utils import timezone

from accounts.models import OAuthClient
from accounts.oauth import client_documents
from fitness import outbound
from tests.accounts.hosts import HOST, Handler, serving
from tests.accounts.programs import CALLBACK, Program
from tests.html import text

pytestmark = pytest.mark.machine_clock  # by which TLS judges certificates

ADDRESS = f"https://{HOST}/oauth/client.json"
DOCUMENT = {"client_id": ADDRESS, "client_name": "Claude", "redirect_uris": [CALLBACK]}


@pytest.fixture(autouse=True)
def documents_are_on(site, settings, db):
    settings.OAUTH_CLIENT_DOCUMENTS = True
    caches["default"].clear()


class Documents(Handler):
    def do_GET(self):
        self.server.asked.append((self.path, self.headers["Host"]))
        self.server.answer(self)


def answers(document, status=200, content_type="application/json", **headers):
    """A function that answers a request with a document, or with bytes."""

    def answer(handler):
        body = document if isinstance(document, bytes) else json.dumps(document).encode()
        handler.send_response(status)
        handler.send_header("Content-Type", content_type)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def drips(handler):
    for _ in range(200):
        handler.wfile.write(b"H")
        time.sleep(0.1)


def drips_behind_the_head(handler):
    """http.client forgets its socket where the connection is to be closed."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n")
    drips(handler)


@pytest.fixture
def host(certificate, monkeypatch):
    """The host of the document. Its name leads to this machine, as if that were public."""
    with serving(certificate, Documents) as server:
        server.answer = answers(DOCUMENT)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        monkeypatch.setattr(outbound, "PORT", server.server_port)
        monkeypatch.setattr(outbound, "public_address_of", lambda host: "127.0.0.1")
        yield server


def ask(page, address=ADDRESS, **changes):
    """(status, text) of the page that the program's request leads to."""
    program = Program.__new__(Program)
    program.client_id, program.redirect_uri = address, CALLBACK
    response = page.get(program.address(**changes))
    return response.status_code, text(response)


def test_the_metadata_tells_that_documents_are_read(client):
    found = client.get("/.well-known/oauth-authorization-server").json()
    assert found["client_id_metadata_document_supported"] is True


def test_a_document_introduces_a_program(page, host):
    status, shown = ask(page)
    assert status == 200
    assert f"<h1>Connect {HOST}, “<bdi>Claude</bdi>”, to your training data?</h1>" in shown
    assert host.asked == [("/oauth/client.json", f"{HOST}:{host.server_port}")]
    assert ask(page)[0] == 200
    assert len(host.asked) == 1  # it is kept


def test_the_whole_way(page, host):
    program = Program.__new__(Program)
    program.client, program.client_id, program.redirect_uri = page, ADDRESS, CALLBACK
    assert program.connect(page)["scope"] == "read write"


@pytest.mark.parametrize(
    ("cache_control", "seconds"),
    [("", 300), ("max-age=60", 300), ("public, max-age=3600", 3600), ("max-age=99999999", 86_400)],
)
def test_it_is_kept_as_long_as_it_says_within_limits(page, host, cache_control, seconds):
    host.answer = answers(DOCUMENT, Cache_Control=cache_control)
    ask(page)
    left = OAuthClient.objects.get().document_expires_at - timezone.now()
    assert seconds - 30 < left.total_seconds() <= seconds


def test_an_old_copy_serves_while_the_host_fails(page, host):
    ask(page)
    host.answer = answers(b"down", 500)
    for days, expected in ((6, 200), (8, 400)):
        OAuthClient.objects.update(document_expires_at=timezone.now() - datetime.timedelta(days=days))
        caches["default"].clear()
        assert ask(page)[0] == expected


@pytest.mark.parametrize(
    "document",
    [
        {**DOCUMENT, "token_endpoint_auth_method": "none"},
        {
            **DOCUMENT,
            "token_endpoint_auth_method": "private_key_jwt",
            "token_endpoint_auth_methods_supported": ["private_key_jwt", "none"],
        },
        {**DOCUMENT, "client_name": None},
        {**DOCUMENT, "redirect_uris": ["claude://x", CALLBACK]},
    ],
)
def test_documents_that_are_accepted(page, host, document):
    host.answer = answers(document)
    assert ask(page)[0] == 200


@pytest.mark.parametrize(
    "answer",
    [
        answers({**DOCUMENT, "client_id": f"{ADDRESS}/"}),
        answers({**DOCUMENT, "client_secret": "x"}),
        answers({**DOCUMENT, "client_secret_expires_at": 0}),
        answers({**DOCUMENT, "token_endpoint_auth_method": "private_key_jwt"}),
        answers(
            {**DOCUMENT, "token_endpoint_auth_methods_supported": "none", "token_endpoint_auth_method": 1}
        ),
        answers({**DOCUMENT, "redirect_uris": []}),
        answers({**DOCUMENT, "redirect_uris": ["http://example.org/"]}),
        answers({**DOCUMENT, "client_name": "x" * 101}),
        answers([DOCUMENT]),
        answers(b"{"),
        answers(b'"' + b"x" * 9_000 + b'"'),
        answers(b"<!doctype html>", content_type="text/html"),
        answers(DOCUMENT, 404),
        answers(b"", 302, Location=ADDRESS),
        lambda handler: handler.wfile.write(b"nonsense"),
    ],
)
def test_documents_that_are_refused(page, host, answer):
    host.answer = answer
    assert_refused(*ask(page))


def assert_refused(status, shown):
    assert status == 400
    assert "This cannot be connected" in shown
    assert not OAuthClient.objects.exists()


@pytest.mark.parametrize("answer", [drips, drips_behind_the_head])
def test_a_document_that_drips_is_not_waited_for(page, host, answer, monkeypatch):
    monkeypatch.setattr(client_documents, "SECONDS", 0.5)
    host.answer = answer
    status, shown = ask(page)
    assert_refused(status, shown)
    assert "takes too long" in shown or "cannot be read at the moment" in shown


def test_slow_hosts_hold_no_thread(page, host, monkeypatch):
    """Both threads are free again soon after the time limit, although the host goes on."""
    monkeypatch.setattr(client_documents, "SECONDS", 0.5)
    host.answer = drips_behind_the_head
    with monkeypatch.context() as patch:
        patch.setattr(client_documents, "SECONDS", 0.5)
        for number in range(2):
            ask(page, f"https://{HOST}/{number}.json")
    host.answer = answers(DOCUMENT)
    assert client_documents.fetchers.submit(client_documents.fetch, ADDRESS).result(10)


def test_a_failure_is_remembered_for_a_minute(page, host):
    host.answer = answers(b"", 500)
    assert ask(page)[0] == ask(page)[0] == 400
    assert len(host.asked) == 1


def test_a_failure_by_a_clock_that_was_a_day_ahead_is_forgotten(page, host):
    host.answer = answers(b"", 500)
    with time_machine.travel(datetime.timedelta(days=1)):
        assert ask(page)[0] == 400
    host.answer = answers(DOCUMENT)
    assert ask(page)[0] == 200


def test_an_address_asks_for_ten_an_hour(page, host):
    for number in range(12):
        ask(page, f"https://{HOST}/{number}.json")
    assert len(host.asked) == 10


@pytest.mark.parametrize(
    "address",
    [
        f"http://{HOST}/client.json",
        f"https://{HOST}",
        f"https://{HOST}/",
        f"https://{HOST}:8443/client.json",
        f"https://user@{HOST}/client.json",
        f"https://{HOST}/client.json?x=1",
        f"https://{HOST}/client.json#x",
        f"https://{HOST}/a/../client.json",
        f"https://{HOST}/a/%2e%2e/client.json",
        "https://127.0.0.1/client.json",
        "https://[::1]/client.json",
        f"https://{HOST}/{'x' * 500}",
    ],
)
def test_addresses_that_are_not_asked(page, host, address):
    assert ask(page, address)[0] == 400
    assert host.asked == []


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["10.0.0.7"],
        ["192.168.1.5"],
        ["169.254.169.254"],
        ["100.64.0.1"],
        ["0.0.0.0"],
        ["224.0.0.1"],
        ["93.184.215.14", "10.0.0.7"],  # a public one beside it makes it no better
        ["::1"],
        ["fe80::1"],
        ["fd00::1"],
        ["::ffff:10.0.0.7"],
        ["2002:0a00:0007::1"],
        ["64:ff9b::10.0.0.7"],
        ["fec0::1"],
        ["::127.0.0.1"],
        ["4000::1"],
        ["2001:0:53aa:64c:0:fbfe:f5ff:fff8"],  # Teredo of 10.0.0.7
        [],
    ],
)
def test_a_name_that_leads_to_a_private_address_is_not_asked(page, monkeypatch, addresses):
    def resolve(host):
        return [(0, 0, 0, "", (address, 443)) for address in addresses]

    def connect(*_, **__):
        raise AssertionError("it connects")

    monkeypatch.setattr(outbound, "resolve", resolve)
    monkeypatch.setattr(socket, "create_connection", connect)
    status, shown = ask(page)
    assert (status, "is not at a public address" in shown) == (400, True)


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:2800:21f:cb07::1"])
def test_public_addresses(address):
    assert outbound.is_public(ipaddress.ip_address(address))


def test_a_name_that_is_not_on_the_certificate_is_refused(page, host):
    address = "https://other.example.org/client.json"
    assert ask(page, address)[0] == 400
    assert host.asked == []
