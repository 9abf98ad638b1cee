"""A provider of the suite: right unless a test says otherwise. It can send what no real one does."""

import base64
import hashlib
import hmac
import json
import secrets
import threading
import time
from contextlib import contextmanager, suppress
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlencode, urlsplit

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from joserfc.jwk import ECKey, RSAKey

CLIENT_ID, CLIENT_SECRET = "fitness", "a secret: with/signs"
CLIENT_AND_SECRET = "fitness:a+secret%3A+with%2Fsigns"  # as RFC 6749 writes them into the header
LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout"


@cache
def key_named(kid, kind="RSA"):
    if kind == "EC":
        return ECKey.generate_key("P-256", {"kid": kid, "use": "sig", "alg": "ES256"})
    return RSAKey.generate_key(2048, {"kid": kid, "use": "sig", "alg": "RS256"})


class Fake:
    """`claims` replace those of each ID token, None takes one away. `answers` replace what paths answer."""

    def __init__(self, server):
        self.server = server
        self.issuer = f"http://127.0.0.1:{server.server_port}"
        self.metadata = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            "end_session_endpoint": f"{self.issuer}/end",
            "scopes_supported": ["openid", "email", "profile", "groups"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        }
        self.keys = [key_named("first")]
        self.signs_with, self.header = self.keys[0], {"alg": "RS256", "kid": "first"}
        self.person = {"sub": "248289761001", "email": "lifter@example.org", "name": "Lifter"}
        self.claims, self.userinfo, self.answers = {}, {}, {}
        self.codes, self.asked, self.ended = {}, [], 0

    # --- What a browser does there ---

    def let_in(self, address):
        """Signs the person in who comes with an authorization request. Returns the query of the answer."""
        query = dict(parse_qsl(urlsplit(address).query))
        code = secrets.token_urlsafe()
        self.codes[code] = query
        return {"code": code, "state": query["state"]}

    # --- What the service asks ---

    def answer(self, method, path, headers, body):
        self.asked.append((method, path))
        if path in self.answers:
            return self.answers[path]
        pages = {"/.well-known/openid-configuration": self.metadata, "/keys": self.listed_keys()}
        if path in pages:
            return 200, pages[path]
        if path == "/userinfo":
            return 200, {"sub": self.person["sub"], **self.userinfo}
        return self.exchange(headers, body) if path == "/token" else (404, {})

    def listed_keys(self):
        return {"keys": [{"kty": "oct", "k": "AAAA"}, *(key.as_dict(private=False) for key in self.keys)]}

    def exchange(self, headers, body):
        form = dict(parse_qsl(body))
        asked = self.codes.pop(form.get("code"), None)
        given = base64.b64decode(headers.get("Authorization", "").removeprefix("Basic ")).decode()
        is_client = given == CLIENT_AND_SECRET or form.get("client_secret") == CLIENT_SECRET
        if not is_client:
            return 401, {"error": "invalid_client"}
        challenge = half(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if asked is None or asked["code_challenge"] != challenge:
            return 400, {"error": "invalid_grant"}
        token = self.id_token(nonce=asked["nonce"])
        return 200, {"id_token": token, "access_token": "an-access-token", "token_type": "Bearer"}

    # --- What it signs ---

    def id_token(self, **claims):
        now = int(time.time())
        times = {"iat": now, "exp": now + 300}
        return self.signed(
            {"iss": self.issuer, "aud": CLIENT_ID, **times, **self.person, **claims, **self.claims}
        )

    def logout_token(self, **claims):
        now = int(time.time())
        whole = {
            "iss": self.issuer,
            "aud": CLIENT_ID,
            "iat": now,
            "exp": now + 120,
            "jti": secrets.token_urlsafe(),
            "sub": self.person["sub"],
            "events": {LOGOUT_EVENT: {}},
        }
        return self.signed({**whole, **claims})

    def signed(self, claims):
        """By hand, as a library refuses to make what this service has to refuse."""
        kept = {name: value for name, value in claims.items() if value is not None}
        head, body = (half(json.dumps(part).encode()) for part in (self.header, kept))
        return f"{head}.{body}.{half(self.signature(f'{head}.{body}'.encode()))}"

    def signature(self, data):
        key, algorithm = self.signs_with, self.header["alg"]
        if algorithm == "none":
            return b""
        if algorithm == "HS256":
            return hmac.digest(b"fitness", data, "sha256")
        if isinstance(key, ECKey):
            r, s = decode_dss_signature(key.private_key.sign(data, ec.ECDSA(hashes.SHA256())))
            return r.to_bytes(32, "big") + s.to_bytes(32, "big")
        by = hashes.SHA512() if algorithm == "RS512" else hashes.SHA256()
        return key.private_key.sign(data, padding.PKCS1v15(), by)


def half(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        fake, path = self.server.fake, urlsplit(self.path).path
        if path == "/authorize":
            back = dict(parse_qsl(urlsplit(self.path).query))["redirect_uri"]
            return self.go_to(f"{back}?{urlencode(fake.let_in(self.path))}")
        if path == "/end":
            fake.ended += 1
            query = dict(parse_qsl(urlsplit(self.path).query))
            return self.go_to(f"{query['post_logout_redirect_uri']}?{urlencode({'state': query['state']})}")
        return self.respond("")

    def do_POST(self):
        self.respond(self.rfile.read(int(self.headers.get("Content-Length", 0))).decode())

    def respond(self, body):
        answer = self.server.fake.answer(self.command, urlsplit(self.path).path, self.headers, body)
        if callable(answer):
            answer(self)
        else:
            self.send(*answer)

    def send(self, status, document):
        data = document if isinstance(document, bytes) else json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def go_to(self, address):
        self.send_response(302)
        self.send_header("Location", address)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass

    def handle(self):
        with suppress(OSError):  # the service did not wait
            super().handle()


class Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False


@contextmanager
def running():
    with Server(("127.0.0.1", 0), Handler) as server:
        server.fake = Fake(server)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield server.fake
        server.shutdown()
