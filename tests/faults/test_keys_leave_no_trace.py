"""Promise: an API key is shown once and never stored or logged, however it is used afterwards.

So is the address of a calendar. Nobody is shown the codes and tokens of a connected program.
"""

import http.client
import json
import re
from urllib.parse import urlencode

from tests.accounts.programs import CALLBACK, CHALLENGE, VERIFIER
from tests.faults.traffic import READS, WRITES, Caller

SCREENS = [
    "/",
    "/workouts",
    "/settings/developer",
    "/settings/data/calendar",
    "/settings/profile",
    "/settings/account",
    "/docs",
]


class Browser:
    """A signed-in browser that can send forms."""

    def __init__(self, service, person):
        self.service, self.session = service, person.session

    def send(self, method, address, fields=None, token="x" * 32):
        connection = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=30)
        headers = {"Cookie": f"session={self.session}; csrf={token}"}
        body = None
        if fields is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            body = urlencode({**fields, "csrfmiddlewaretoken": token})
        connection.request(method, address, body, headers)
        response = connection.getresponse()
        return response.status, response.headers.get("Location", "") + response.read().decode()

    def create_key(self, number):
        newest = re.search(r'name="newest_key" value="(\d+)"', self.send("GET", "/settings/developer")[1])[1]
        form = {"name": f"key {number}", "scope": "read_write", "expires": "never", "newest_key": newest}
        status, text = self.send("POST", "/settings/developer", form)
        assert status == 200
        return re.search(r"svc_[A-Za-z0-9_-]{20,}", text)[0]

    def make_calendar(self):
        """The token in the address of a calendar, which is made and read."""
        text = self.send("POST", "/settings/data/calendar", {})[1]
        token = re.search(r"svcf_[A-Za-z0-9]{40}", text)[0]
        assert self.send("GET", f"/calendar/{token}.ics")[0] == 200
        return token

    def connect(self):
        """The code and the tokens of a program that the person connects, and with which it renews them."""
        claims = json.dumps({"client_name": "Claude", "redirect_uris": [CALLBACK]})
        client_id = self.post("/register", claims, "application/json")["client_id"]
        query = urlencode(
            {
                "response_type": "code",
                "client_id": client_id,
                "redirect_uri": CALLBACK,
                "code_challenge": CHALLENGE,
                "code_challenge_method": "S256",
            }
        )
        chosen = {"scope": "read", "expires": "1y", "decision": "connect"}
        location = self.send("POST", f"/authorize?{query}", chosen)[1]
        code = re.search(r"svcc_\w+", location)[0]
        exchange = {"code": code, "redirect_uri": CALLBACK, "code_verifier": VERIFIER}
        tokens = self.grant("authorization_code", client_id, **exchange)
        renewed = self.grant("refresh_token", client_id, refresh_token=tokens["refresh_token"])
        return [code, *(one[kind] for one in (tokens, renewed) for kind in ("access_token", "refresh_token"))]

    def grant(self, grant_type, client_id, **facts):
        form = urlencode({"grant_type": grant_type, "client_id": client_id, **facts})
        return self.post("/token", form, "application/x-www-form-urlencoded")

    def post(self, path, body, content_type):
        """The JSON that a program gets, which has no cookie."""
        connection = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=30)
        connection.request("POST", path, body, {"Content-Type": content_type})
        return json.loads(connection.getresponse().read())


def misuse(service, key):
    """Sends a key in every wrong place of a request, except in values that are stored."""
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=30)
    bearer = {"Authorization": f"Bearer {key}"}
    as_json = {**bearer, "Content-Type": "application/json"}
    requests = [
        ("GET", f"/api/v1/workouts?key={key}", None, {}),
        ("GET", f"/api/v1/{key}", None, {}),
        ("GET", f"/{key}", None, {}),
        ("GET", f"/calendar/{key}.ics?{key}", None, {}),
        ("GET", f"/api/v1/workouts/{key}", None, bearer),
        ("GET", f"/api/v1/workouts?cursor={key}&since={key}", None, bearer),
        ("GET", "/api/v1/workouts", None, {"Authorization": f"Basic {key}"}),
        ("GET", "/api/v1/workouts", None, {"api-key": key, "Authorization": "Bearer svc_other"}),
        ("GET", "/api/v1/workouts", None, {"Cookie": f"session={key}"}),
        ("GET", "/api/v1/workouts", None, {**bearer, "Host": key}),
        ("GET", "/api/v1/workouts", None, {**bearer, "User-Agent": key, "Referer": key, "Origin": key}),
        ("POST", "/api/v1/workouts", f'{{"{key}": "{key}"}}', as_json),
        ("POST", "/api/v1/workouts", f'{{"title": "{key}"', as_json),
        ("PUT", f"/api/v1/nutrition/{key}", "{}", as_json),
        ("POST", "/mcp", f'{{"jsonrpc": "2.0", "id": "{key}", "method": "{key}"}}', as_json),
        ("POST", "/sign-in", f"username={key}&password={key}", {}),
        (key, "/api/v1/workouts", None, bearer),
    ]
    for request in requests:
        connection.request(*request)
        connection.getresponse().read()


def stored_bytes(service):
    """The content of the database: the bytes of SQLite's files, or of a PostgreSQL dump."""
    url = service.environment["DATABASE_URL"]
    if url.startswith("sqlite"):
        files = service.sqlite_path.parent.glob(f"{service.sqlite_path.name}*")
        return b"".join(file.read_bytes() for file in files)
    return service.cluster.output("pg_dump", "--inserts", url)


def test_no_issued_key_is_found_anywhere(service):
    person = service.people(1)[0]
    browser = Browser(service, person)
    created = [browser.create_key(number) for number in range(3)]
    issued = [person.key, *created, service.key("somebody@example.org"), *browser.connect()]
    issued.append(browser.make_calendar())
    assert len(set(issued)) == 11
    for act in [*READS, *WRITES]:
        assert act(Caller(service, person)).succeeded
    for key in issued:
        misuse(service, key)
    screens = [browser.send("GET", address) for address in SCREENS]
    assert {status for status, _ in screens} == {200}
    places = {
        "database": stored_bytes(service),
        "log": service.log.encode(),
        "screens": "".join(text for _, text in screens).encode(),
    }
    assert all(len(place) > 1000 for place in places.values())
    found = [
        (name, line[:300])
        for name, place in places.items()
        for line in place.splitlines()
        if any(key.partition("_")[2].encode() in line for key in issued)
    ]
    assert found == []
