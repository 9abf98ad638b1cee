"""Sends requests at fixed times, and writes what is answered."""

import hashlib
import io
import json
import zipfile
from collections import Counter
from html.parser import HTMLParser

from django.core import mail
from django.test import Client

from tests.corpus.place import MOMENT, SECOND, Chance

PROMISED = (
    *("Content-Type", "Content-Disposition", "Content-Range", "Cache-Control", "ETag", "Vary", "Allow"),
    *("Location", "Retry-After", "WWW-Authenticate", "RateLimit-Policy", "Idempotent-Replayed"),
    *("Content-Security-Policy", "Access-Control-Allow-Origin", "Content-Language", "Last-Modified"),
    *("X-Frame-Options", "Referrer-Policy"),
)
SECONDS_OF_A_SECTION = 2_400
JSON = "application/json"


class Recorder:
    """Each section begins at a time of its own, whatever was before, and each request is a second later."""

    def __init__(self, file, clock, names):
        self.file, self.clock, self.names, self.chance = file, clock, names, Chance()
        self.sections, self.counted, self.mails = 0, Counter(), 0

    def begin(self, section):
        self.section = section
        self.clock.move_to(MOMENT + SECOND * SECONDS_OF_A_SECTION * self.sections, tick=False)
        self.sections += 1
        self.chance.begin(section)

    def send(self, who, client, method, path, body=None, headers=None, *, type=JSON, label="", at_once=False):
        """The answer. `label` tells requests to one address apart; one `at_once` is of the second before."""
        if not at_once:
            self.clock.shift(SECOND)
        name = self.name_of(f"{who} {method} {path} {label}")
        self.chance.begin(name)
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        response = client.generic(method, path, data, content_type=type, headers=headers or {})
        self.write(name, method, path, data, headers, response)
        return response

    def name_of(self, text):
        name = f"{self.section}: {self.names.in_text(text, self.section)}".strip()
        name = name if len(name) <= 200 else f"{name[:190]}…{hashlib.sha256(name.encode()).hexdigest()[:6]}"
        self.counted[name] += 1
        return f"{name} #{self.counted[name]}" if self.counted[name] > 1 else name

    def write(self, name, method, path, data, headers, response):
        def named(text):
            return self.names.in_text(text, name)

        sent = {
            "method": method,
            "path": named(path),
            "headers": {key: named(text) for key, text in (headers or {}).items()},
        }
        if data:
            sent["body"] = named(data[:2_000].decode(errors="replace"))
        if etag := response.headers.get("ETag"):
            self.names.name_of(etag.removeprefix("W/").strip('"'), "version", name)
        shown = {key: named(response.headers[key]) for key in PROMISED if key in response.headers}
        if policy := shown.get("Content-Security-Policy"):  # its parts are in no order
            shown["Content-Security-Policy"] = "; ".join(sorted(policy.split("; ")))
        line = {"name": name, "sent": sent, "status": response.status_code, "headers": shown}
        line["body"] = named(text_of(response))
        outbox = getattr(mail, "outbox", [])
        if new := outbox[self.mails :]:
            texts = (f"To: {', '.join(one.to)}\nSubject: {one.subject}\n{one.body}" for one in new)
            line["mails"] = list(map(named, texts))
            self.mails = len(outbox)
        self.file.write(json.dumps(line, ensure_ascii=False) + "\n")


def text_of(response):
    """The body as text; of a ZIP what is in it, of other files that are no text a digest."""
    content = b"".join(response.streaming_content) if response.streaming else response.content
    if content.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return "\n".join(
                f"== {name}\n{archive.read(name).decode(errors='replace')}" for name in archive.namelist()
            )
    try:
        return content.decode()
    except UnicodeDecodeError:
        return f"{len(content)} bytes: {hashlib.sha256(content).hexdigest()[:12]}"


class Caller:
    """A program with a key, or with none."""

    def __init__(self, recorder, who, key=None):
        self.recorder, self.who, self.key = recorder, who, key
        self.client = Client(SERVER_NAME="127.0.0.1", raise_request_exception=False)

    def call(self, method, path, body=None, headers=None, **options):
        headers = {**({"Authorization": f"Bearer {self.key}"} if self.key else {}), **(headers or {})}
        return self.recorder.send(self.who, self.client, method, path, body, headers, **options)

    def api(self, method, path, body=None, headers=None, **options):
        return self.call(method, f"/api/v1{path}", body, headers, **options)

    def get(self, path, **options):
        return self.api("GET", path, **options)

    def made(self, path, body, method="POST"):
        """What a write that succeeds answers."""
        response = self.api(method, path, body)
        assert response.status_code in (200, 201), response.content
        return response.json()


class Browser:
    """A person's browser."""

    PASSWORD = "blue horse 77"

    def __init__(self, recorder, who, language="en"):
        self.recorder, self.who = recorder, who
        self.client = Client(
            SERVER_NAME="127.0.0.1", raise_request_exception=False, headers={"Accept-Language": language}
        )

    def get(self, path, headers=None, **options):
        return self.recorder.send(self.who, self.client, "GET", path, headers=headers, **options)

    def post(self, path, fields=(), **options):
        from django.utils.http import urlencode

        body, form = urlencode(fields, doseq=True).encode(), "application/x-www-form-urlencoded"
        return self.recorder.send(self.who, self.client, "POST", path, body, type=form, **options)

    def submit(self, page, address=None, /, label="", **changes):
        """Sends the form of a page, that with the address where it has several; None leaves a field out."""
        forms = Forms(self.client.get(page).content.decode()).found
        action, fields = next(form for form in forms if form[0] == address)
        sent = {key: value for key, value in {**fields, **changes}.items() if value is not None}
        return self.post(action or page, sent, label=label)

    def sign_in(self, email, password=PASSWORD):
        return self.post("/sign-in", {"username": email, "password": password})

    def sign_up(self, email):
        return self.post("/sign-up", {"email": email, "password1": self.PASSWORD, "password2": self.PASSWORD})


class Forms(HTMLParser):
    """The (address, {field: value}) of the forms that POST, as a browser would send them unchanged."""

    def __init__(self, html):
        super().__init__()
        self.found, self.fields, self.name = [], {}, None
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        name, value = given.get("name"), given.get("value") or ""
        if tag == "form":
            self.fields = {}
            if given.get("method") == "post":
                self.found.append((given.get("action"), self.fields))
        elif tag == "input" and name:
            kind, is_checked = given.get("type"), "checked" in given
            if kind == "checkbox" and is_checked:
                self.fields[name] = value or "on"
            elif kind not in ("checkbox", "submit", "file") and (kind != "radio" or is_checked):
                self.fields[name] = value
        elif tag in ("select", "textarea") and name:
            self.name = name
            self.fields.setdefault(name, "")
        elif tag == "option" and self.name and "selected" in given:
            self.fields[self.name] = value

    def handle_data(self, data):
        if self.name and self.lasttag == "textarea":
            self.fields[self.name] += data.removeprefix("\n")

    def handle_endtag(self, tag):
        if tag in ("select", "textarea"):
            self.name = None
