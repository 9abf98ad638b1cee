"""A household whose proxy signs people in: nginx asks another service who is there, such as Authelia."""

import re
import shutil
from urllib.request import HTTPErrorProcessor, Request, build_opener

import pytest
from django.core.management import call_command

from tests.conftest import path_of
from tests.proxy import Proxy
from tests.screens.browser import PHONE, expect, in_browser, overflow, violations
from tests.server import ROOT, free_port, running_server, wait_until

pytestmark = [
    *in_browser,
    pytest.mark.skipif(not shutil.which("nginx"), reason="needs nginx"),
]

DOCUMENT = ROOT / "docs" / "operations" / "sign-in-header.md"

# In the place of Authelia: a cookie says who is signed in.
AROUND = """
error_log {folder}/nginx.log;
pid {folder}/nginx.pid;
events {{}}
http {{
    access_log {folder}/access.log;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    default_type text/plain;
    {site}
    server {{
        listen 127.0.0.1:{auth};
        location = /authz {{
            add_header Location http://127.0.0.1:{auth}/portal always;
            add_header Remote-Email $cookie_proxy;
            if ($cookie_proxy = "") {{ return 401; }}
            return 204;
        }}
        location = /portal {{ return 200 "Sign in to the house."; }}
        location = /logout {{
            add_header Set-Cookie "proxy=; Max-Age=0; Path=/";
            return 200 "Signed out of the house.";
        }}
    }}
}}
"""


class House(Proxy):
    """nginx with the example of the document, adapted to the addresses of a test."""

    def __init__(self, folder, server, auth):
        super().__init__(folder, [server.port])
        self.auth = auth

    def configure(self, down=()):
        (web,) = self.processes
        (site,) = re.findall(r"```nginx\n(.*?)```", DOCUMENT.read_text(), re.S)
        changes = {
            "listen 443 ssl;": f"listen 127.0.0.1:{self.port};",
            "server_name fitness.example.org;": "",
            "127.0.0.1:9091/api/authz/auth-request": f"127.0.0.1:{self.auth}/authz",
            "127.0.0.1:8000": f"127.0.0.1:{web}",
        }
        for of_example, of_test in changes.items():
            assert of_example in site
            site = site.replace(of_example, of_test)
        text = AROUND.format(folder=self.folder, auth=self.auth, site=site)
        (self.folder / "nginx.conf").write_text(text)


@pytest.fixture
def house(tmp_path, prepared):
    """The address of the proxy."""
    auth = free_port()
    settings = {
        "AUTH_HEADER": "Remote-Email",
        "AUTH_PROXIES": "127.0.0.1",
        "AUTH_LOGOUT_URL": f"http://127.0.0.1:{auth}/logout",
        "SIGN_UP": "open",
    }
    with running_server(tmp_path, prepared, **settings) as server, House(tmp_path, server, auth) as proxy:
        yield f"http://127.0.0.1:{proxy.port}"


@pytest.fixture
def at_home(chromium, house):
    """A page of a browser that knows the proxy."""
    context = chromium.new_context(base_url=house, viewport=PHONE)
    yield context.new_page()
    context.close()


def arrive(page, person, address="/settings/profile"):
    """Somebody signs in at the proxy, and opens a page."""
    page.goto("/offline")
    page.context.add_cookies([{"name": "proxy", "value": f"{person}@example.org", "url": page.url}])
    page.goto(address)


def test_who_is_signed_in_at_the_proxy_signs_out_there(at_home):
    at_home.goto("/")
    expect(at_home.get_by_text("Sign in to the house.")).to_be_visible()
    arrive(at_home, "ada")
    at_home.get_by_label("Name").fill("Ada")
    at_home.get_by_role("button", name="Save").first.click()
    expect(at_home.get_by_text("Your profile is saved.")).to_be_visible()
    arrive(at_home, "bob")
    expect(at_home.get_by_label("Name")).to_have_value("")
    arrive(at_home, "ada")
    expect(at_home.get_by_label("Name")).to_have_value("Ada")
    at_home.get_by_label("Account menu").click()
    at_home.get_by_role("button", name="Sign out").click()
    expect(at_home.get_by_text("Signed out of the house.")).to_be_visible()
    at_home.goto("/settings/profile")
    expect(at_home.get_by_text("Sign in to the house.")).to_be_visible()


def test_train_opens_before_any_other_page(at_home):
    """Nobody is asked for at its own address, but where it reads the workout."""
    arrive(at_home, "ada", "/train")
    expect(at_home.get_by_text("Saved")).to_be_visible()
    at_home.get_by_role("link", name="Choose what to train").click()
    expect(at_home.get_by_label("Account menu")).to_be_visible()


@pytest.mark.parametrize("path", ["/train/draft", "/train", "/settings/profile", "/api/v1/me", "/offline"])
def test_what_a_browser_sends_in_the_header_is_taken_away(house, path):
    request = Request(f"{house}{path}", headers={"Remote-Email": "ada@example.org"})
    answer = build_opener(ErrorsAreAnswers).open(request)
    assert "session" not in str(answer.headers.get_all("Set-Cookie"))
    assert answer.status in (200, 302, 401)


def test_programs_reach_the_pictures_that_the_api_names(house):
    answer = build_opener(ErrorsAreAnswers).open(f"{house}/images/none.webp")
    assert (answer.status, answer.read()) == (404, b"There is no such picture.")


def test_no_log_holds_the_address_of_a_calendar(house, tmp_path):
    for path in ("/calendar/secret.ics", "/healthz"):
        build_opener(ErrorsAreAnswers).open(f"{house}{path}").read()
    log = tmp_path / "access.log"
    wait_until(lambda: "/healthz" in log.read_text(), within=10)  # it follows the answer
    assert "secret" not in log.read_text()


class ErrorsAreAnswers(HTTPErrorProcessor):
    def http_response(self, request, response):
        return response


def test_a_link_of_staff_looks_right(screen, account, capsys):
    call_command("sign_in_link", account.email)
    link = path_of(capsys.readouterr().out.strip())
    screen.goto(link)
    screen.set_viewport_size(PHONE)
    assert (overflow(screen), violations(screen)) == (0, [])
    screen.get_by_role("button", name="Sign in").click()
    expect(screen.get_by_role("heading", level=1)).to_be_visible()
