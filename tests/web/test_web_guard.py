"""The guard of all screens: their limit, the size of a body, and what caches may store."""

import datetime
import http.client
import socket
from uuid import UUID

import pytest
from django.test import Client
from django.urls import reverse

from fitness import urls
from fitness.api import rate_limits
from tests.conftest import client_of, statements

LIMIT = 262_144
ADDRESSES = ["/", "/sign-in", "/sign-up", "/workouts", "/admin/login/", "/healthz", "/no/such/page"]


# --- The limit --------------------------------------------------------------------------------


@pytest.fixture
def low_limit(monkeypatch, time_machine):
    time_machine.move_to("2026-03-02T10:00:00Z", tick=False)
    monkeypatch.setattr(rate_limits, "LIMITS", {**rate_limits.LIMITS, "pages": "3/m"})


def browser(account, address):
    client = Client(REMOTE_ADDR=address)
    client.force_login(account)
    return client


def test_an_address_may_request_600_screens_a_minute(client, db, time_machine):
    time_machine.move_to("2026-03-02T10:00:00Z", tick=False)
    assert [client.get("/no/such/page").status_code for _ in range(601)] == [404] * 600 + [429]


def test_the_error_screen_says_when_to_try_again(client, db, low_limit):
    answer = [client.get("/sign-in") for _ in range(4)][-1]
    assert (answer.status_code, 0 < int(answer.headers["Retry-After"]) <= 60) == (429, True)
    assert f"Try again in {answer.headers['Retry-After']} second" in answer.content.decode()


def test_after_a_minute_screens_open_again(client, db, low_limit, time_machine):
    assert [client.get("/sign-in").status_code for _ in range(4)][-1] == 429
    time_machine.shift(60)
    assert client.get("/sign-in").status_code == 200


@pytest.mark.parametrize("address", ["/", "/admin/login/", "/no/such/page", "/docs"])
def test_every_screen_counts(client, db, low_limit, address):
    assert [client.get(address).status_code for _ in range(4)][-1] == 429


def test_an_account_is_counted_over_all_its_addresses(account, stranger, low_limit):
    places = [f"192.0.2.{number}" for number in range(4)]
    answers = [browser(account, place).get("/goals").status_code for place in places]
    assert answers == [200, 200, 200, 429]
    assert browser(stranger, places[0]).get("/goals").status_code == 200


def test_staff_count_in_the_admin(admin_page, low_limit):
    assert [admin_page.get(reverse("admin:index")).status_code for _ in range(4)] == [200, 200, 200, 429]


def test_a_rejected_request_makes_no_query(page, low_limit):
    for _ in range(3):
        page.get("/goals")
    with statements() as run:
        assert page.get("/goals").status_code == 429
    assert run == []


@pytest.mark.parametrize("address", ["/healthz", "/readyz"])
def test_health_checks_are_not_counted(page, low_limit, address):
    assert {page.get(address).status_code for _ in range(5)} == {200}


def test_counting_the_account_takes_no_query_of_its_own(page, low_limit):
    with statements() as run:
        page.get("/no/such/page")
    assert run == []
    page.get("/docs")  # the first of the day, which stores the session
    with statements() as run:
        page.get("/docs")
    assert len(run) == 2  # its session and its account, which the screen shows


def test_the_api_and_screens_are_counted_separately(api, client, low_limit):
    assert [client.get("/sign-in").status_code for _ in range(4)][-1] == 429
    assert api.get("/workouts").status_code == 200
    assert "pages" not in api.get("/workouts").headers["RateLimit"]


# --- The size of a body ----------------------------------------------------------------------------


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_body_over_256_kb_is_rejected_with_a_screen(client, db, address):
    answer = client.post(address, b"x" * (LIMIT + 1), content_type="application/octet-stream")
    assert answer.status_code == 413
    assert answer.headers["Content-Type"].startswith("text/html")
    assert "up to 256 KB" in answer.content.decode()


def test_a_body_of_256_kb_reaches_its_view(client, db):
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
def test_a_server_rejects_an_upload_of_500_mb_before_it_is_read(server, address, headers, chunk):
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(head(address, "Content-Type: multipart/form-data; boundary=x", *headers))
        connection.sendall(chunk * 4 + chunk[:17])  # one byte more than a body may have
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
        assert answer.status == 403  # the form is read, and its CSRF token is missing


def test_broken_chunks_are_rejected_with_a_screen(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(head("/sign-in", "Transfer-Encoding: chunked") + b"zz\r\nabc\r\n0\r\n\r\n")
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        assert (answer.status, b"</html>" in answer.read()) == (400, True)


# --- What caches may store --------------------------------------------------------------------------


def cache_control(answer):
    return set(answer.headers.get("Cache-Control", "").split(", "))


def test_no_cache_may_store_a_screen_of_somebody_who_is_signed_in(page):
    """Nor a refusal; files that are the same for everybody may be stored."""
    for name, address in screens():
        if name not in ("manifest", "service-worker", "picture"):
            assert {"private", "no-store"} <= cache_control(page.get(address)), name


def test_no_cache_may_store_an_error_of_somebody_who_is_signed_in(page, admin_page):
    assert {"private", "no-store"} <= cache_control(page.get("/no/such/page"))
    assert {"private", "no-store"} <= cache_control(admin_page.get(reverse("admin:index")))


def test_no_cache_may_store_the_response_to_signing_in_or_out(client, account):
    form = {"username": account.email, "password": "correct horse"}
    assert {"private", "no-store"} <= cache_control(client.post(reverse("sign-in"), form))
    assert {"private", "no-store"} <= cache_control(client.post(reverse("sign-out")))


@pytest.mark.parametrize("address", ["/", "/docs", "/no/such/page"])
def test_public_screens_have_no_cache_control_for_visitors(client, db, address):
    assert "Cache-Control" not in client.get(address).headers


def test_the_api_has_a_cache_control_of_its_own(page, account):
    assert client_of(account).get("/me").headers["Cache-Control"] == "no-store"
    assert page.get("/api/v1/openapi.json").headers["Cache-Control"] == "public, max-age=300"


# --- Who may see a screen ---------------------------------------------------------------------------

# Each other screen asks for a sign-in.
PUBLIC = {
    *("home", "docs", "manifest", "service-worker", "offline"),
    *("sign-in", "passkey-options", "sign-up", "reset-password", "set-password", "confirm-email"),
    "open-sign-in-link",  # a link of staff
    *("authorize", "settings"),  # one says what is wrong with the address, one leads to a screen that asks
    "calendar-feed",  # its address is the secret
    "picture",  # of an exercise, as static files
    "train",  # opens without a connection, and then shows what the browser kept
}
PLACES = {"uuid": UUID(int=0), "slug": "plank", "day": datetime.date(2026, 3, 2), "int": 1}
PLACES |= {"string": "any", "path": "any.webp"}


def places_of(screen):
    """Something for each place in the address of a screen."""
    return {
        name: PLACES[type(one).__name__.removesuffix("Converter").lower()]
        for name, one in screen.pattern.converters.items()
    }


def screens():
    """(name, address) of each screen."""
    for screen in urls.web:
        if getattr(screen, "name", None):
            yield screen.name, reverse(screen.name, kwargs=places_of(screen))


PRIVATE = [pytest.param(address, id=name) for name, address in screens() if name not in PUBLIC]


@pytest.mark.parametrize("address", PRIVATE)
def test_a_screen_asks_visitors_for_a_sign_in(client, db, address):
    answers = [client.generic(method, address) for method in ("GET", "POST", "PUT")]
    allowed = [answer for answer in answers if answer.status_code != 405]
    assert allowed
    for answer in allowed:
        is_asked = answer.status_code == 302 and answer.url.startswith(reverse("sign-in"))
        assert is_asked or answer.status_code == 401, answer
