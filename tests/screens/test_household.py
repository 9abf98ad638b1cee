"""A household whose proxy signs people in: nginx asks another service who is there, such as Authelia."""

import shutil

import pytest
from django.core.management import call_command

from tests.conftest import path_of
from tests.proxy import Proxy
from tests.screens.browser import PHONE, expect, in_browser, overflow, violations
from tests.server import free_port, running_server

pytestmark = [
    *in_browser,
    pytest.mark.skipif(not shutil.which("nginx"), reason="needs nginx"),
]

# A cookie says who is signed in at the proxy. Authelia's place is taken by the second server.
NGINX = """
error_log {folder}/nginx.log;
pid {folder}/nginx.pid;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    server {{
        listen 127.0.0.1:{port};
        location / {{
            auth_request /authz;
            auth_request_set $email $upstream_http_remote_email;
            proxy_set_header Remote-Email $email;
            proxy_set_header Host $http_host;
            proxy_pass http://127.0.0.1:{web};
        }}
        location = /authz {{
            internal;
            proxy_pass http://127.0.0.1:{auth};
            proxy_pass_request_body off;
            proxy_set_header Content-Length "";
        }}
    }}
    server {{
        listen 127.0.0.1:{auth};
        location = /authz {{
            if ($cookie_proxy = "") {{ return 401; }}
            add_header Remote-Email $cookie_proxy;
            return 204;
        }}
        location = /logout {{
            default_type text/plain;
            add_header Set-Cookie "proxy=; Max-Age=0; Path=/";
            return 200 "Signed out of the house.";
        }}
    }}
}}
"""


class House(Proxy):
    def __init__(self, folder, server, auth):
        super().__init__(folder, [server.port])
        self.auth = auth

    def configure(self, down=()):
        (web,) = self.processes
        text = NGINX.format(folder=self.folder, port=self.port, auth=self.auth, web=web)
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


def test_who_is_signed_in_at_the_proxy_trains_and_signs_out_there(chromium, house):
    context = chromium.new_context(base_url=house, viewport=PHONE)
    page = context.new_page()

    def arrive(person):
        context.add_cookies([{"name": "proxy", "value": f"{person}@example.org", "url": house}])
        page.goto("/settings/profile")

    assert page.goto("/").status == 401  # the proxy's own answer
    arrive("ada")
    page.get_by_label("Name").fill("Ada")
    page.get_by_role("button", name="Save").first.click()
    expect(page.get_by_text("Your profile is saved.")).to_be_visible()
    arrive("bob")
    expect(page.get_by_label("Name")).to_have_value("")
    arrive("ada")
    expect(page.get_by_label("Name")).to_have_value("Ada")
    page.goto("/train")
    expect(page.get_by_text("Saved")).to_be_visible()
    page.goto("/")
    page.get_by_label("Account menu").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("Signed out of the house.")).to_be_visible()
    assert page.goto(f"{house}/").status == 401
    context.close()


def test_a_link_of_staff_looks_right(screen, account, capsys):
    call_command("sign_in_link", account.email)
    link = path_of(capsys.readouterr().out.strip())
    screen.goto(link)
    screen.set_viewport_size(PHONE)
    assert (overflow(screen), violations(screen)) == (0, [])
    screen.get_by_role("button", name="Sign in").click()
    expect(screen.get_by_role("heading", level=1)).to_be_visible()
