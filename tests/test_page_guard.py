"""What holds for every page, whichever it is: its limit, the size of its body, and what caches may keep."""

import http.client
import socket

import pytest
from django.test import Client
from django.urls import reverse

from fitness.api import rate_limits
from tests.conftest import client_of, statements

LIMIT = 262_144
ADDRESSES = ["/", "/sign-in", "/sign-up", "/workouts", "/admin/login/", "/healthz", "/no/such/page"]


# --- How many pages --------------------------------------------------------------------------------


@pytest.fixture
def few_pages(monkeypatch, time_machine):
    time_machine.move_to("2026-03-02T10:00:00Z", tick=False)
    monkeypatch.setattr(rate_limits, "LIMITS", {**rate_limits.LIMITS, "pages": "3/m"})


def browser(account, address):
    client = Client(REMOTE_ADDR=address)
    client.force_login(account)
    return client


def test_600_pages_a_minute_are_open_to_an_address(client, db):
    assert [client.get("/no/such/page").status_code for _ in range(601)] == [404] * 600 + [429]


def test_one_page_too_many_is_a_page_that_says_what_to_do(client, db, few_pages):
    answer = [client.get("/sign-in") for _ in range(4)][-1]
    assert (answer.status_code, 0 < int(answer.headers["Retry-After"]) <= 60) == (429, True)
    assert f"Try again in {answer.headers['Retry-After']} second" in answer.content.decode()


def test_after_a_minute_pages_open_again(client, db, few_pages, time_machine):
    assert [client.get("/sign-in").status_code for _ in range(4)][-1] == 429
    time_machine.shift(60)
    assert client.get("/sign-in").status_code == 200


@pytest.mark.parametrize("address", ["/", "/admin/login/", "/no/such/page", "/docs"])
def test_every_page_counts(client, db, few_pages, address):
    assert [client.get(address).status_code for _ in range(4)][-1] == 429


def test_an_account_counts_wherever_it_signs_in(account, stranger, few_pages):
    places = [f"192.0.2.{number}" for number in range(4)]
    answers = [browser(account, place).get("/goals").status_code for place in places]
    assert answers == [200, 200, 200, 429]
    assert browser(stranger, places[0]).get("/goals").status_code == 200


def test_staff_count_in_the_admin(admin_page, few_pages):
    assert [admin_page.get(reverse("admin:index")).status_code for _ in range(4)] == [200, 200, 200, 429]


def test_a_refused_page_asks_no_database(page, few_pages):
    for _ in range(3):
        page.get("/goals")
    with statements() as run:
        assert page.get("/goals").status_code == 429
    assert run == []


@pytest.mark.parametrize("address", ["/healthz", "/readyz"])
def test_watching_the_service_is_not_counted(page, few_pages, address):
    assert {page.get(address).status_code for _ in range(5)} == {200}


def test_counting_the_account_costs_no_statement(page, few_pages):
    with statements() as run:
        page.get("/no/such/page")
    assert run == []
    with statements() as run:
        page.get("/docs")
    assert len(run) == 2  # its session and its account, which the page shows


def test_the_api_and_pages_count_apart(api, client, few_pages):
    assert [client.get("/sign-in").status_code for _ in range(4)][-1] == 429
    assert api.get("/workouts").status_code == 200
    assert "pages" not in api.get("/workouts").headers["RateLimit"]


# --- The size of a body ----------------------------------------------------------------------------


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_body_over_256_kb_is_refused_with_a_page(client, db, address):
    answer = client.post(address, b"x" * (LIMIT + 1), content_type="application/octet-stream")
    assert answer.status_code == 413
    assert answer.headers["Content-Type"].startswith("text/html")
    assert "up to 256 KB" in answer.content.decode()


def test_a_body_of_256_kb_reaches_its_page(client, db):
    answer = client.post("/sign-in", b"x" * LIMIT, content_type="application/octet-stream")
    assert answer.status_code == 200


def head(address, *headers):
    return "\r\n".join([f"POST {address} HTTP/1.1", "Host: 127.0.0.1", *headers, "", ""]).encode()


FRAMINGS = {
    "with its length": (["Content-Length: 500000000"], b""),
    "in chunks": (["Transfer-Encoding: chunked"], b"10000\r\n" + b"x" * 65_536 + b"\r\n"),
}


@pytest.mark.parametrize(("headers", "chunk"), FRAMINGS.values(), ids=FRAMINGS.keys())
@pytest.mark.parametrize("address", ["/sign-in", "/admin/login/", "/no/such/page"])
def test_a_server_refuses_an_upload_of_500_mb_before_it_has_it(server, address, headers, chunk):
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(head(address, "Content-Type: multipart/form-data; boundary=x", *headers))
        connection.sendall(chunk * 4 + chunk[:17])  # one byte of content more than a page takes
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        assert answer.status == 413


def test_a_server_reads_a_form_that_comes_in_chunks(server):
    fields = b"username=lifter%40example.org&password=wrong"
    body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(fields), fields)
    headers = ["Content-Type: application/x-www-form-urlencoded", "Transfer-Encoding: chunked"]
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(head("/sign-in", *headers, "Cookie: csrf=x") + body)
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        assert answer.status == 403  # its CSRF token is missing, and it is read to find that out


def test_broken_chunks_are_refused_with_a_page(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(head("/sign-in", "Transfer-Encoding: chunked") + b"zz\r\nabc\r\n0\r\n\r\n")
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        assert (answer.status, b"</html>" in answer.read()) == (400, True)


# --- What caches may keep --------------------------------------------------------------------------

PRIVATE = ["home", "workouts", "exercises", "log-workout", "body", "nutrition", "supplements", "goals"]
PRIVATE += ["profile", "account", "developer", "docs", "export", "settings"]


def kept(answer):
    return set(answer.headers.get("Cache-Control", "").split(", "))


@pytest.mark.parametrize("name", PRIVATE)
def test_no_cache_keeps_a_page_of_somebody_who_is_signed_in(page, name):
    assert {"private", "no-store"} <= kept(page.get(reverse(name)))


def test_no_cache_keeps_a_refusal_of_somebody_who_is_signed_in(page, admin_page):
    assert {"private", "no-store"} <= kept(page.get("/no/such/page"))
    assert {"private", "no-store"} <= kept(admin_page.get(reverse("admin:index")))


def test_signing_in_and_out_is_kept_by_no_cache(client, account):
    form = {"username": account.email, "password": "correct horse"}
    assert {"private", "no-store"} <= kept(client.post(reverse("sign-in"), form))
    assert {"private", "no-store"} <= kept(client.post(reverse("sign-out")))


@pytest.mark.parametrize("address", ["/", "/docs", "/no/such/page"])
def test_public_pages_stay_as_they_are_for_visitors(client, db, address):
    assert "Cache-Control" not in client.get(address).headers


def test_the_api_keeps_its_own_words_for_caches(page, account):
    assert client_of(account).get("/me").headers["Cache-Control"] == "no-store"
    assert page.get("/api/v1/openapi.json").headers["Cache-Control"] == "public, max-age=300"
