"""What a process loads and which addresses it has, by its settings. A start takes seconds: there are two."""

import json
import os
import subprocess
import sys

from tests.server import ROOT

FACTS = """
import json, sys
import fitness.wsgi
from django.conf import settings
from django.urls import get_resolver, reverse
reverse("home")
print(json.dumps({
    "loaded": [*sys.modules],
    "addresses": [name for name in get_resolver().reverse_dict if isinstance(name, str)],
    "signs out to": settings.LOGOUT_REDIRECT_URL,
    "forms lead to": [*settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]["form-action"]],
}))
"""
FEW_PAGES_NEED = {"webauthn", "cryptography", "segno", "cbor2", "OpenSSL", "icalendar", "joserfc"}
BY_CHOICE = {"accounts.oidc", "accounts.web.oidc", "accounts.web.header_sign_in"}
LOGOUT = "https://auth.example.org/logout"


def started(**environment):
    """The facts of a new process that serves with these settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OIDC_")}
    done = subprocess.run(
        [sys.executable, "-c", FACTS],
        cwd=ROOT,
        env={**kept, "SECRET_KEY": "a key for tests only", **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return json.loads(done.stdout)


def test_a_process_loads_no_more_than_each_page_needs():
    """What few pages need takes 20 MB, which a process that serves the API alone never needs."""
    facts = started()
    assert "accounts.web.factors.views" in facts["loaded"]
    assert not (FEW_PAGES_NEED | BY_CHOICE) & set(facts["loaded"])
    assert "passkey" in facts["addresses"]
    assert (facts["signs out to"], facts["forms lead to"]) == ("sign-in", ["'self'"])


def test_with_a_provider_and_a_proxy_it_loads_these_and_what_they_need_at_the_first_sign_in():
    facts = started(
        PUBLIC_URL="http://fitness.lan",
        OIDC_ISSUER="https://auth.example.org",
        OIDC_CLIENT_ID="fitness",
        AUTH_HEADER="Remote-Email",
        AUTH_PROXIES="10.0.0.2",
        AUTH_LOGOUT_URL=f"{LOGOUT}?x=1",
    )
    assert (FEW_PAGES_NEED | BY_CHOICE) & set(facts["loaded"]) == BY_CHOICE
    assert "passkey" not in facts["addresses"]  # browsers offer none over http
    assert (facts["signs out to"], facts["forms lead to"]) == (f"{LOGOUT}?x=1", ["'self'", LOGOUT])
