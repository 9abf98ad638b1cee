"""A household whose proxy signs people in: nginx asks another service who is there, such as Authelia."""

import re
from contextlib import contextmanager

from tests.proxy import Proxy
from tests.server import ROOT, free_port, running_server

DOCUMENT = ROOT / "docs" / "sign-in.md"

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


@contextmanager
def running_house(folder, prepared):
    """The address of the proxy."""
    auth = free_port()
    settings = {
        "AUTH_HEADER": "Remote-Email",
        "AUTH_PROXIES": "127.0.0.1",
        "AUTH_LOGOUT_URL": f"http://127.0.0.1:{auth}/logout",
        "SIGN_UP": "open",
    }
    with running_server(folder, prepared, **settings) as server, House(folder, server, auth) as proxy:
        yield f"http://127.0.0.1:{proxy.port}"
