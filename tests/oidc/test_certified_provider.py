"""Signing in at a certified provider (npm `oidc-provider`), with a real server on both sides."""

import html
import json
import re
import shutil
import subprocess
import urllib.request
from http.cookiejar import CookieJar
from urllib.error import HTTPError
from urllib.parse import urlencode, urljoin

import pytest
from joserfc.jwk import RSAKey

from tests import node
from tests.server import ROOT, Server, free_port, listens, own_database, wait_until

PASSWORD = "correct horse 7"
PEOPLE = {
    "ada": {"email": "ada@example.org", "email_verified": True, "name": "Ada", "groups": ["fitness-admins"]},
    "bob": {"email": "bob@example.org", "email_verified": True, "name": "Bob", "groups": []},
    "eve": {"email": "bob@example.org", "email_verified": True, "name": "Bob", "groups": []},
}


@pytest.fixture(scope="module")
def site(tmp_path_factory, prepared):
    """The service, whose provider is the certified one."""
    modules = node.packages("oidc")
    folder = tmp_path_factory.mktemp("oidc")
    port = free_port()
    with own_database(folder, prepared) as database:
        service = Server(folder, database)
        service.environment |= {
            "PUBLIC_URL": service.url,
            "SIGN_UP": "open",
            "OIDC_ISSUER": f"http://127.0.0.1:{port}",
            "OIDC_CLIENT_ID": "fitness",
            "OIDC_CLIENT_SECRET": "a secret: with/signs",
            "OIDC_NAME": "Authentik",
            "OIDC_STAFF_GROUP": "fitness-admins=Support",
        }
        if not prepared:
            service.manage("prepare")
        provider = started_provider(folder, modules, port, service.url)
        service.start()
        yield service
        service.stop()
        provider.terminate()
        provider.wait(timeout=30)


def started_provider(folder, modules, port, site):
    (folder / "node_modules").symlink_to(modules)
    (folder / "package.json").write_text('{"type": "module"}')
    shutil.copy(ROOT / "tests" / "oidc" / "provider.js", folder)
    keys = [RSAKey.generate_key(2048, {"use": "sig", "alg": "RS256", "kid": "first"}).as_dict(private=True)]
    (folder / "keys.json").write_text(json.dumps({"keys": keys}))
    variables = {"PORT": str(port), "SITE": site, "PEOPLE": json.dumps(PEOPLE), "KEYS": "keys.json"}
    environment = node.environment(**variables)
    with (folder / "provider.log").open("wb") as log:
        process = subprocess.Popen(
            ["node", "provider.js"], cwd=folder, env=environment, stdout=log, stderr=log
        )
    wait_until(lambda: listens(port) or process.poll() is not None, 60)
    assert process.poll() is None, (folder / "provider.log").read_text()
    return process


class Browser:
    """Follows redirects, keeps cookies, and sends the forms of the page that it shows."""

    def __init__(self, site):
        self.site = site
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))

    def open(self, address, form=None):
        data = None if form is None else urlencode(form).encode()
        request = urllib.request.Request(urljoin(self.site, address), data)
        request.add_header("Origin", self.site)
        try:
            response = self.opener.open(request, timeout=60)
        except HTTPError as error:
            response = error
        self.address, self.status, self.page = response.geturl(), response.status, response.read().decode()
        return self

    def send(self, **fields):
        """The form of the page, which has its hidden fields."""
        form = re.search(r"<form([^>]*)>(.*?)</form>", self.form_of_main(), re.S)
        action = re.search(r'action="([^"]*)"', form[1])
        hidden = dict(re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', form[2]))
        address = urljoin(self.address, html.unescape(action[1]) if action else self.address)
        return self.open(address, {**hidden, **fields})

    def form_of_main(self):
        return self.page.rpartition('<main class="main"')[2] or self.page

    def sign_in_at_provider(self, login, address="/sign-in/provider"):
        """Gives a login there, and allows what this service asks for."""
        self.open(address)
        if 'name="login"' in self.page:
            self.send(login=login, password="anything")
        if "/interaction/" in self.address:
            self.send()
        return self

    @property
    def who(self):
        """The email that is signed in, or None."""
        self.open("/settings/account")
        found = re.search(r"<dt>Email</dt><dd>([^<\s]+)", self.page)
        return found and found[1]


@pytest.fixture
def browser(site):
    return Browser(site.url)


def test_somebody_new_signs_up_and_in_again(site, browser):
    browser.sign_in_at_provider("ada", "/sign-in/provider?next=/settings/profile")
    assert browser.address == f"{site.url}/settings/profile"
    assert browser.who == "ada@example.org"
    again = Browser(site.url).sign_in_at_provider("ada")
    assert again.who == "ada@example.org"
    assert again.open("/admin/").status == 200  # by the group, which only the userinfo names


def test_an_account_is_tied_by_its_owner_and_by_nobody_with_the_same_email(site, browser):
    browser.open("/sign-up").send(
        email="bob@example.org", display_name="Bob", password1=PASSWORD, password2=PASSWORD
    )
    assert browser.who == "bob@example.org"
    thief = Browser(site.url).sign_in_at_provider("eve")
    assert "There is an account with bob@example.org." in thief.page
    assert thief.who is None
    owner = Browser(site.url).sign_in_at_provider("bob")
    owner.send(username="bob@example.org", password=PASSWORD)
    assert "Connect Authentik?" in owner.page
    owner.send()
    assert Browser(site.url).sign_in_at_provider("bob").who == "bob@example.org"


def sign_out(browser):
    """Signs out here; shows the page that goes on to the provider."""
    browser.open("/settings/account")
    form = re.search(r'action="/sign-out".*?name="csrfmiddlewaretoken" value="([^"]+)"', browser.page, re.S)
    return browser.open("/sign-out", {"csrfmiddlewaretoken": form[1]})


def go_on(browser):
    address = re.search(r'http-equiv="refresh" content="0; url=([^"]+)"', browser.page)[1]
    return browser.open(html.unescape(address))


def test_signing_out_here_signs_out_there(site, browser):
    browser.sign_in_at_provider("ada")
    go_on(sign_out(browser))
    browser.send(logout="yes")
    assert browser.address == f"{site.url}/sign-in"
    browser.open("/sign-in/provider")
    assert 'name="login"' in browser.page  # nobody is signed in there


def test_signing_out_there_signs_out_here(site, browser):
    """Another browser of the same session at the provider, as a phone is not: a copy of its cookies."""
    browser.sign_in_at_provider("ada")
    elsewhere = Browser(site.url).sign_in_at_provider("ada")
    end = f"{site.environment['OIDC_ISSUER']}/session/end"
    browser.open(end).send(logout="yes")
    assert browser.who is None
    assert elsewhere.who == "ada@example.org"
    assert "it ended 1 sessions" in site.log


def test_a_code_that_came_back_already_signs_nobody_in(site, browser):
    browser.sign_in_at_provider("ada")
    stranger = Browser(site.url)
    stranger.open("/sign-in/provider/return?code=x&state=y")
    assert stranger.status == 403
    assert stranger.who is None
