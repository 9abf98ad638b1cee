"""A program that connects by OAuth, and the person whom it asks."""

import base64
import hashlib
import json
from urllib.parse import parse_qsl, urlencode, urlsplit

from django.test import Client

from tests.mcp_endpoint.conftest import ToolClient, request

SITE = "https://fit.example.org"
RESOURCE = f"{SITE}/mcp"
CALLBACK = "https://claude.ai/api/mcp/auth_callback"
VERIFIER = "a-verifier-of-at-least-forty-three-characters"
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()


def query_of(response):
    """(address without its query, its parameters) of a redirect."""
    assert response.status_code == 302, response.content
    parts = urlsplit(response["Location"])
    return parts._replace(query="").geturl(), dict(parse_qsl(parts.query, keep_blank_values=True))


class Program:
    """Registers itself, and sends what programs send. `None` leaves a parameter out."""

    def __init__(self, *redirect_uris, **claimed):
        self.client = Client(raise_request_exception=False)
        self.redirect_uri = redirect_uris[0] if redirect_uris else CALLBACK
        response = self.register(redirect_uris=list(redirect_uris) or [CALLBACK], **claimed)
        assert response.status_code == 201, response.content
        self.client_id = response.json()["client_id"]

    def register(self, **claimed):
        body = json.dumps({"client_name": "Claude", **claimed})
        return self.client.post("/register", body, content_type="application/json")

    def address(self, **changes):
        """Where it sends the browser; a list is several parameters of one name."""
        parameters = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "state": "a state",
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
            "resource": RESOURCE,
            "scope": "read write",
            **changes,
        }
        pairs = [
            (name, value)
            for name, values in parameters.items()
            for value in (values if isinstance(values, list) else [values])
            if value is not None
        ]
        return f"/authorize?{urlencode(pairs)}"

    def ask(self, page, *, scope="read_write", expires="1y", decision="connect", may_correct=None, **changes):
        """Sends the browser, in which the person decides. Returns what the browser brings back."""
        chosen = {"scope": scope, "expires": expires, "decision": decision}
        if may_correct:
            chosen["may_correct"] = may_correct
        return query_of(page.post(self.address(**changes), chosen))[1]

    def token(self, **parameters):
        sent = {"client_id": self.client_id, "resource": RESOURCE, **parameters}
        return self.client.post(
            "/token",
            urlencode({name: value for name, value in sent.items() if value is not None}),
            content_type="application/x-www-form-urlencoded",
        )

    def exchange(self, code, **changes):
        facts = {"redirect_uri": self.redirect_uri, "code_verifier": VERIFIER}
        return self.token(**{"grant_type": "authorization_code", "code": code, **facts, **changes})

    def refresh(self, token, **changes):
        return self.token(**{"grant_type": "refresh_token", "refresh_token": token, **changes})

    def revoke(self, **parameters):
        return self.client.post(
            "/revoke", urlencode(parameters), content_type="application/x-www-form-urlencoded"
        )

    def connect(self, page, **choices):
        """The tokens that it gets if the person allows it."""
        response = self.exchange(self.ask(page, **choices)["code"])
        assert response.status_code == 200, response.content
        return response.json()


def status(token):
    """That of a call of the tools with an access token, or with a key."""
    return ToolClient(token).post(request("ping")).status_code


def refusal(response):
    """(status, error) of an answer of /token, /register or /revoke."""
    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["Cache-Control"] == "no-store"
    assert set(response.json()) == {"error", "error_description"}
    return response.status_code, response.json()["error"]
