"""Connecting a program in a real browser: only a browser enforces `form-action` and keeps or cuts openers."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

from accounts.models import OAuthClient
from tests.accounts.programs import CHALLENGE
from tests.factories import PASSWORD
from tests.screens.all_screens import serious_violations
from tests.screens.browser import DESKTOP, PHONE, SMALL_PHONE, expect, in_browser, overflow

pytestmark = in_browser

OPENER = """<!doctype html><title>Program</title><link rel="icon" href="data:,">
<p id="message">waiting</p><script>
addEventListener("message", (event) => { document.querySelector("#message").textContent = event.data; });
document.addEventListener("click", () => open(location.hash.slice(1), "popup", "popup,width=500,height=700"));
</script>"""
ARRIVED = """<!doctype html><title>Back</title><link rel="icon" href="data:,">
<h1>Back in the program</h1><script>
if (window.opener) window.opener.postMessage("got " + new URLSearchParams(location.search).get("state"), "*");
</script>"""


class Callback(BaseHTTPRequestHandler):
    """What a program serves: its own page, and the address that the browser returns to."""

    def do_GET(self):
        if self.path.startswith("/callback"):
            self.server.arrived.append(dict(parse_qsl(urlsplit(self.path).query)))
        if self.path.startswith("/callback/chain"):
            self.send_response(302)
            self.send_header("Location", "claude://connected")
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write((ARRIVED if self.path.startswith("/callback") else OPENER).encode())

    def log_message(self, *_):
        pass


@contextmanager
def listening():
    with ThreadingHTTPServer(("127.0.0.1", 0), Callback) as server:
        server.arrived = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def program(db):
    with listening() as server:
        yield server


def consent(program, live_server, path="/callback", scope="read write"):
    """The address of the consent page for a program that returns to its own server."""
    address = f"http://127.0.0.1:{program.server_port}{path}"
    client = OAuthClient.objects.create(client_id="program", name="Claude", redirect_uris=[address])
    query = {
        "response_type": "code",
        "client_id": client.client_id,
        "redirect_uri": address,
        "state": "a-state",
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
        "scope": scope,
    }
    return f"{live_server.url}/authorize?{urlencode(query)}"


def give_password(screen):
    screen.get_by_label("Email").fill("lifter@example.org")
    screen.get_by_label("Password").fill(PASSWORD)
    screen.get_by_role("button", name="Sign in", exact=True).click()


def press(screen, button):
    expect(screen.get_by_role("heading", name="Connect “Claude” to your training data?")).to_be_visible()
    screen.get_by_role("button", name=button).click()


def test_connect_arrives_at_the_program(screen, account, program, live_server):
    screen.goto(consent(program, live_server))
    give_password(screen)
    expect(screen.get_by_text("an app on this device")).to_be_visible()
    for viewport in (DESKTOP, PHONE, SMALL_PHONE):
        screen.set_viewport_size(viewport)
        assert overflow(screen) == 0, viewport
    assert serious_violations(screen) == []
    press(screen, "Connect")
    expect(screen.get_by_role("heading", name="Back in the program")).to_be_visible()
    (brought,) = program.arrived
    assert brought["code"].startswith("svcc_")
    assert (brought["state"], brought["iss"]) == ("a-state", live_server.url)


def test_a_chain_that_ends_in_an_app_is_followed(screen, account, program, live_server):
    screen.goto(consent(program, live_server, "/callback/chain"))
    give_password(screen)
    with screen.expect_event("requestfinished", lambda request: "/callback/chain" in request.url):
        press(screen, "Connect")
    assert program.arrived[0]["code"]


def test_a_window_of_the_program_keeps_its_opener(screen, account, program, live_server):
    address = consent(program, live_server)
    screen.goto(f"http://127.0.0.1:{program.server_port}/#{address}")
    with screen.expect_popup() as opened:
        screen.locator("#message").click()
    popup = opened.value
    give_password(popup)
    press(popup, "Connect")
    expect(screen.get_by_text("got a-state")).to_be_visible()
