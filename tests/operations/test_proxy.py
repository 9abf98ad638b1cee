"""The proxy of compose.postgres.yaml in front of two real processes: nginx.conf with local addresses.

SLOW_CLIENTS=300 runs the test of slow clients with more of them than usual.
"""

import gzip
import http.client
import json
import os
import random
import re
import shutil
import socket
import ssl
import statistics
import subprocess
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress

import pytest
from django.http import HttpRequest
from gunicorn.workers.gthread import STOP_KEEPALIVE_LINGER

from fitness.api.errors import api_error
from fitness.api.exceptions import PayloadTooLarge
from mcp_endpoint.views import protocol_error
from tests.conftest import a_set, a_workout
from tests.proxy import Proxy
from tests.server import ROOT, Server, free_port, own_database, wait_until

pytestmark = [
    pytest.mark.skipif(not shutil.which("nginx"), reason="needs nginx"),
    pytest.mark.xdist_group("proxy"),  # one service for all
]

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
SITE = "fitness.example.org"
SLOW_CLIENTS = int(os.environ.get("SLOW_CLIENTS", 60))
UNLIMITED = 1_000_000  # requests a minute: the rate limits of servers in tests


@contextmanager
def running_proxy(folder, processes, more=""):
    """Runs nginx. Yields its port."""
    with Proxy(folder, processes, more) as proxy:
        yield proxy.port


@pytest.fixture(scope="module")
def processes(tmp_path_factory, prepared):
    """Two processes of a service with a PUBLIC_URL, on one database."""
    with own_database(tmp_path_factory.mktemp("database"), prepared) as database:
        pair = [
            Server(
                tmp_path_factory.mktemp("web"), database, PUBLIC_URL=f"https://{SITE}", TRUSTED_PROXIES="1"
            )
            for _ in range(2)
        ]
        if not prepared:
            pair[0].manage("prepare")
        for process in pair:
            process.start()
        try:
            yield pair
        finally:
            for process in pair:
                process.stop()


@pytest.fixture(scope="module")
def key(processes):
    return processes[0].key()


@pytest.fixture(scope="module")
def proxy(processes, tmp_path_factory):
    with running_proxy(tmp_path_factory.mktemp("proxy"), [process.port for process in processes]) as port:
        yield port


class Response:
    def __init__(self, response):
        self.status, self.headers, self.text = response.status, response.headers, response.read().decode()

    @property
    def code(self):
        return json.loads(self.text)["error"]["code"]


def call(port, path, body=None, *, method=None, headers=None, source="127.0.0.1", key="", tls=None):
    """Sends one request on a new connection from the address `source`. Returns the Response."""
    if tls:
        connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=30, context=tls)
    else:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30, source_address=(source, 0))
    headers = {"Host": SITE, **({"Authorization": f"Bearer {key}"} if key else {}), **(headers or {})}
    if body is not None:
        headers["Content-Type"] = "application/json"
    connection.request(method or ("GET" if body is None else "POST"), path, body, headers)
    response = Response(connection.getresponse())
    connection.close()
    return response


def requests_left(response):
    """How many requests the rate limit still allows the client's address in this minute."""
    return int(re.search(r'"address";r=(\d+)', response.headers["RateLimit"]).group(1))


def padded(size):
    return json.dumps(a_workout(a_set())).encode().ljust(size)


# --- Forwarding ------------------------------------------------------------------------------------


def test_requests_are_distributed_over_the_processes(proxy, processes):
    ids = [call(proxy, "/api/v1/me").headers["X-Request-Id"] for _ in range(20)]
    served = [sum(one in process.log for one in ids) for process in processes]
    assert sum(served) == 20
    assert min(served) >= 5


def test_each_client_address_has_its_own_count_and_a_forged_one_is_ignored(proxy):
    busy, quiet = (f"127.{random.randrange(1, 255)}.{random.randrange(255)}.{end}" for end in (2, 3))
    for number in range(40):
        headers = {"X-Forwarded-For": f"203.0.113.{number}", "X-Forwarded-Ssl": "on"}
        response = call(proxy, "/api/v1/me", source=busy, headers=headers)
        assert response.status == 401
    assert requests_left(response) <= UNLIMITED - 15  # 40, if the two processes share their counters
    assert requests_left(call(proxy, "/api/v1/me", source=quiet)) == UNLIMITED - 1


def test_screens_redirect_to_https_and_the_api_does_not(proxy, key):
    response = call(proxy, "/sign-in?next=/docs")
    assert (response.status, response.headers["Location"]) == (301, f"https://{SITE}/sign-in?next=/docs")
    for path, status in [("/api/v1/me", 200), ("/mcp", 405), ("/healthz", 200), ("/readyz", 200)]:
        assert call(proxy, path, key=key).status == status


def test_the_protocol_header_of_a_tls_terminator_in_front_is_trusted(proxy):
    response = call(proxy, "/sign-in", headers={"X-Forwarded-Proto": "https"})
    assert response.status == 200
    assert response.headers["Strict-Transport-Security"] == "max-age=31536000"
    assert "__Host-csrf=" in response.headers["Set-Cookie"]


def test_a_proxy_with_certificates_reports_https_whatever_the_header_says(processes, tmp_path):
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-nodes", "-subj", f"/CN={SITE}"),
            *("-newkey", "rsa:2048", "-keyout", tmp_path / "key.pem", "-out", tmp_path / "cert.pem"),
        ],
        check=True,
        capture_output=True,
    )
    secure = free_port()
    directives = (
        f"listen 127.0.0.1:{secure} ssl; "
        f"ssl_certificate {tmp_path}/cert.pem; ssl_certificate_key {tmp_path}/key.pem;"
    )
    trusting = ssl.create_default_context(cafile=tmp_path / "cert.pem")
    trusting.check_hostname = False
    with running_proxy(tmp_path, [process.port for process in processes], directives):
        for forged in [{}, {"X-Forwarded-Proto": "http"}]:
            assert call(secure, "/sign-in", tls=trusting, headers=forged).status == 200


@pytest.mark.parametrize("chunked", [True, False])
def test_the_size_limit_is_exact_and_has_the_services_error_envelope(proxy, key, chunked):
    for size, status in [(262_144, 201), (262_145, 413), (2_000_000, 413)]:
        body = padded(size)
        response = call(proxy, "/api/v1/workouts", iter([body]) if chunked else body, key=key)
        assert response.status == status
    assert json.loads(response.text) == api_error(PayloadTooLarge()).envelope
    assert response.headers["Content-Type"] == "application/json"


def test_a_tool_call_that_is_too_large_gets_the_tools_error_response(proxy, key):
    response = call(proxy, "/mcp", padded(262_145), key=key)
    expected = protocol_error(HttpRequest(), PayloadTooLarge()).reply()
    assert (response.status, json.loads(response.text)) == (expected.status, expected.body)


def test_the_size_limit_of_a_form_is_that_of_an_api_request(proxy):
    form = "password=" + "x" * 260_000
    response = call(proxy, "/sign-in", form, headers={"X-Forwarded-Proto": "https"})
    assert (response.status, "This form has expired" in response.text) == (403, True)


@pytest.mark.parametrize("path", ["/api/v1//workouts", "/api/v1/workouts/%ff", "/api/..;/x"])
def test_odd_paths_are_forwarded_unchanged(proxy, key, path):
    response = call(proxy, path, key=key)
    assert (response.status, response.code) == (404, "not_found")


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        (f"/api/v1/workouts?cursor={'A' * 8_200}", {}),
        ("/api/v1/workouts", {"X-Long": "A" * 40_000}),
        ("/api/v1/workouts/%00", {}),
        ("/api/v1/workouts", {"Content-Length": "none"}),
    ],
)
def test_the_proxy_rejects_malformed_requests_with_the_error_envelope(proxy, path, headers):
    response = call(proxy, path, headers=headers)
    assert (response.status, response.code) == (400, "invalid_request")
    assert response.headers["X-Request-Id"]


# --- Compression -----------------------------------------------------------------------------------


GZIP = {"Accept-Encoding": "gzip", "X-Forwarded-Proto": "https"}


def raw(port, path, headers, key=""):
    """The headers and the raw bytes of a response."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path, headers={"Host": SITE, "Authorization": f"Bearer {key}", **headers})
    response = connection.getresponse()
    return response.headers, response.read()


@pytest.mark.parametrize(
    ("path", "ratio"), [("/api/v1/exercises?limit=100", 4), ("/api/v1/openapi.json", 8), ("/docs", 2)]
)
def test_large_responses_are_compressed(proxy, key, path, ratio):
    _, uncompressed = raw(proxy, path, {"X-Forwarded-Proto": "https"}, key)
    headers, compressed = raw(proxy, path, GZIP, key)
    assert headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in headers["Vary"]
    assert len(compressed) < len(uncompressed) / ratio
    assert gzip.decompress(compressed) == uncompressed


def test_an_answer_that_was_compressed_keeps_its_tag(proxy, key):
    tls = {"X-Forwarded-Proto": "https"}
    body = json.dumps(a_workout(*[a_set()] * 50)).encode()
    assert call(proxy, "/api/v1/workouts", body, headers=tls, key=key).status == 201
    headers, _ = raw(proxy, "/api/v1/workouts", GZIP, key)
    assert headers["Content-Encoding"] == "gzip"
    again, content = raw(proxy, "/api/v1/workouts", {**GZIP, "If-None-Match": headers["ETag"]}, key)
    assert (again["ETag"], content) == (headers["ETag"], b"")


def test_compressed_responses_of_the_service_are_not_compressed_again(proxy):
    _, html = raw(proxy, "/docs", GZIP)
    (style,) = re.findall(rb'href="(/static/fitness\.\w+\.css)"', gzip.decompress(html))
    headers, compressed = raw(proxy, style.decode(), GZIP)
    assert headers["Content-Encoding"] == "gzip"
    assert not gzip.decompress(compressed).startswith(b"\x1f\x8b")


def test_the_service_worker_is_asked_for_again_and_the_files_that_it_keeps_are_not(proxy):
    tls = {"X-Forwarded-Proto": "https"}
    headers, script = raw(proxy, "/service-worker.js", tls)
    assert (headers["Cache-Control"], "ETag" in headers) == ("no-cache", True)
    for path in json.loads(re.match(rb"const SHELL = (.*);", script)[1])["files"]:
        headers, _ = raw(proxy, path, tls)
        assert "immutable" in headers["Cache-Control"], path


def test_a_screen_with_a_secret_is_not_compressed(tmp_path):
    """A fake process sends the headers of the screen with a new key; see fitness/web/compression.py."""
    body = b"secret " * 1000
    payload = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: identity\r\n"
        b"Content-Length: %d\r\nConnection: close\r\n\r\n%b" % (len(body), body)
    )
    with processes_that_send(payload) as ports, running_proxy(tmp_path, ports) as proxy:
        headers, received = raw(proxy, "/settings/developer", GZIP)
    assert (headers["Content-Encoding"], received) == ("identity", body)


# --- Processes that stop and start -----------------------------------------------------------------


def test_readers_see_no_error_when_a_process_is_killed(proxy, processes, key):
    """At worst a response in transit is cut off, which clients detect as an incomplete read."""
    done = threading.Event()

    def read():
        statuses = []
        while not done.is_set():
            try:
                statuses.append(call(proxy, "/api/v1/workouts?limit=5", key=key).status)
            except http.client.IncompleteRead:
                statuses.append("cut off")
        return statuses

    with ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(read) for _ in range(4)]
        time.sleep(1)
        with killed(processes[:1]):
            time.sleep(2)
        done.set()
    statuses = Counter(status for reader in readers for status in reader.result())
    assert statuses.pop("cut off", 0) <= len(readers)
    assert set(statuses) == {200}


@contextmanager
def killed(processes):
    """Kills the processes, gunicorn's masters and their workers, and starts them again at the end."""
    for process in processes:
        children = subprocess.run(["pgrep", "-P", str(process.process.pid)], capture_output=True, text=True)
        for pid in [process.process.pid, *map(int, children.stdout.split())]:
            os.kill(pid, 9)
        process.process.wait()
    try:
        yield
    finally:
        for process in processes:
            process.start()


def test_a_restarted_process_gets_requests_at_once(tmp_path):
    """As in a quick rolling restart, where one process stops as soon as the other one has started."""
    ports = [free_port(), free_port()]
    with running_proxy(tmp_path, ports) as proxy:
        for _ in range(3):
            for port in ports:
                with processes_that_send(OK, ports=[port]):
                    assert {call(proxy, "/healthz").status for _ in range(20)} == {200}


def test_a_machine_that_vanished_costs_time_but_no_request(tmp_path):
    """No packet comes back, as from one without power. Nothing was sent, so a POST goes to the other one."""
    with vanished_process() as gone, processes_that_send(OK, ports=[0]) as (port,):  # noqa: SIM117
        with running_proxy(tmp_path, [gone, port]) as proxy:
            assert {call(proxy, "/api/v1/workouts", b"{}").status for _ in range(4)} == {200}


@contextmanager
def vanished_process():
    """Yields a port where a connection is neither accepted nor refused: its queue is full."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener, ExitStack() as stack:
        for _ in range(3):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        yield listener.getsockname()[1]


def test_an_idle_connection_is_dropped_before_a_stopping_process_closes_it():
    """Otherwise a POST could be sent on a connection that is being closed, and a POST is never sent again."""
    (seconds,) = re.findall(r"\n        keepalive_timeout (\d+)s;", (ROOT / "nginx.conf").read_text())
    assert int(seconds) < STOP_KEEPALIVE_LINGER


def test_without_any_process_each_client_gets_503_in_its_own_format(proxy, processes, key):
    with killed(processes):
        for _ in range(8):
            api = call(proxy, "/api/v1/workouts", key=key)
            assert (api.status, api.code, api.headers["Retry-After"]) == (503, "unavailable", "5")
        written = call(proxy, "/api/v1/workouts", padded(1000), key=key)
        tools = call(proxy, "/mcp", b"{}", key=key)
        screen = call(proxy, "/")
    assert (written.status, written.code) == (503, "unavailable")
    assert api.headers["Content-Type"] == tools.headers["Content-Type"] == "application/json"
    error = json.loads(tools.text)["error"]
    assert (tools.status, error["code"], error["data"]) == (503, -32603, {"code": "unavailable"})
    assert (screen.status, screen.headers["Content-Type"]) == (503, "text/html; charset=utf-8")
    assert "<h1>" in screen.text
    wait_until(lambda: call(proxy, "/api/v1/workouts", key=key).status == 200)


def processes_that_close_each_connection(requests):
    """Two fake processes that add the method of each request to `requests` and close the connection."""
    return processes_that_send(b"", requests)


@contextmanager
def processes_that_send(payload, requests=None, ports=(0, 0)):
    """Fake processes that add the method of each request to `requests` and send `payload`. Yields ports."""
    requests = [] if requests is None else requests
    listeners = [socket.create_server(("127.0.0.1", port)) for port in ports]

    def serve(listener):
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection:
                    requests.append(connection.recv(65_536).split(b" ")[0].decode())
                    connection.sendall(payload)

    threads = [threading.Thread(target=serve, args=[listener]) for listener in listeners]
    for thread in threads:
        thread.start()
    try:
        yield [listener.getsockname()[1] for listener in listeners]
    finally:
        for listener, thread in zip(listeners, threads, strict=True):
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()
            thread.join()


@pytest.mark.parametrize(("method", "attempts"), [("POST", 1), ("PATCH", 1), ("GET", 2)])
def test_only_safe_requests_are_sent_to_a_second_process(tmp_path, method, attempts):
    requests = []
    with processes_that_close_each_connection(requests) as ports, running_proxy(tmp_path, ports) as proxy:
        body = None if method == "GET" else b"{}"
        response = call(proxy, "/api/v1/workouts", body, method=method)
    assert (response.status, response.code) == (503, "unavailable")
    assert requests == [method] * attempts
    own = json.loads((tmp_path / "own.log").read_text())
    assert own["message"] == f"{method} /api/v1/workouts 503"
    assert own["request_id"] == response.headers["X-Request-Id"]


# --- Clients with many requests at once ------------------------------------------------------------


def open_request(port, source, size=200_000, headers=""):
    """A connection on which the head of a request was sent, and the first byte of its body."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=30, source_address=(source, 0))
    head = f"POST /api/v1/workouts HTTP/1.1\r\nHost: {SITE}\r\n{headers}Content-Length: {size}\r\n\r\n"
    connection.sendall(head.encode() + b" ")
    return connection


@pytest.mark.parametrize("headers", ["", "X-Forwarded-For: 198.51.100.1, 203.0.113.7\r\n"])
def test_an_address_may_have_64_requests_at_once(proxy, key, headers):
    name, _, value = headers.strip().partition(": ")
    same = {name: value.replace("198.51.100.1", "192.0.2.1")} if headers else {}
    other = {"X-Forwarded-For": "203.0.113.8"}
    for _ in range(20):  # nginx counts a request once it has read its head, which may be after the 65th
        with ExitStack() as open_requests:
            for _ in range(64):
                open_requests.enter_context(open_request(proxy, "127.9.9.9", headers=headers))
            time.sleep(0.1)
            response = call(proxy, "/api/v1/me", source="127.9.9.9", key=key, headers=same)
            of_another = [
                call(proxy, "/api/v1/me", source="127.9.9.10", key=key).status,
                call(proxy, "/api/v1/me", source="127.9.9.9", key=key, headers=other).status,
            ]
        if response.status != 200:
            break
    assert (response.status, response.code) == (429, "rate_limited")
    assert response.headers["Retry-After"] == "60"
    assert of_another == [200, 200]


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to mount a small disk")
def test_a_full_disk_of_the_proxy_gets_the_error_envelope(processes, key, tmp_path):
    folder = tmp_path / "proxy"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder]).returncode:
        pytest.skip("may not mount a disk here")
    try:
        with running_proxy(folder, [process.port for process in processes]) as port:
            assert call(port, "/api/v1/workouts", padded(200_000), key=key).status == 201
            fill(folder / "ballast")
            response = call(port, "/api/v1/workouts", padded(200_000), key=key)
            assert (response.status, response.code) == (503, "unavailable")
            assert call(port, "/api/v1/workouts", padded(2_000), key=key).status == 201
            (folder / "ballast").unlink()
            assert call(port, "/api/v1/workouts", padded(200_000), key=key).status == 201
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def fill(ballast):
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4096))


# --- Slow clients ----------------------------------------------------------------------------------


class SlowWriters:
    """Connections that send 5 bytes at a time: half of them from the first line on, half from the body on."""

    def __init__(self, port, key):
        body = padded(2000)
        head = (
            f"POST /api/v1/workouts HTTP/1.1\r\nHost: {SITE}\r\nAuthorization: Bearer {key}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        ).encode()
        self.request = head + body
        self.sent = [len(head) if index % 2 else 10 for index in range(SLOW_CLIENTS)]
        self.connections = [
            socket.create_connection(
                ("127.0.0.1", port), timeout=60, source_address=(f"127.0.1.{index % 100 + 1}", 0)
            )
            for index in range(SLOW_CLIENTS)
        ]
        for connection, size in zip(self.connections, self.sent, strict=True):
            connection.sendall(self.request[:size])

    def send_some(self):
        for index, connection in enumerate(self.connections):
            connection.sendall(self.request[self.sent[index] : self.sent[index] + 5])
            self.sent[index] += 5

    def finish(self):
        """Sends the rest of the requests. Returns the statuses of the responses."""
        for connection, size in zip(self.connections, self.sent, strict=True):
            connection.sendall(self.request[size:])
        return {http_status(connection) for connection in self.connections}


def test_slow_clients_do_not_slow_down_others(proxy, key):
    writers = SlowWriters(proxy, key)
    milliseconds, statuses, done = [], set(), threading.Event()

    def read():
        while not done.is_set():
            started = time.perf_counter()
            statuses.add(call(proxy, "/api/v1/workouts?limit=5", key=key).status)
            milliseconds.append((time.perf_counter() - started) * 1000)
            time.sleep(0.02)

    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(read) for _ in range(2)]
        for _ in range(20):
            writers.send_some()
            time.sleep(0.25)
        done.set()
        for reader in readers:
            reader.result()
    written = writers.finish()
    p99 = statistics.quantiles(milliseconds, n=100)[98]
    print(f"{SLOW_CLIENTS} slow clients: {len(milliseconds)} other requests, p99 {p99:.0f} ms")
    assert (statuses, written) == ({200}, {201})
    assert p99 < 2000


def test_a_client_on_a_slow_line_gets_a_large_response_completely(tmp_path):
    """It reads nothing for 20 seconds: to the proxy, large buffers on the way look the same."""
    body = b"x" * 20_000_000
    head = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
    with processes_that_send(head % len(body) + body) as ports, running_proxy(tmp_path, ports) as proxy:  # noqa: SIM117
        with socket.create_connection(("127.0.0.1", proxy), timeout=60) as reader:
            reader.sendall(f"GET /x HTTP/1.1\r\nHost: {SITE}\r\nConnection: close\r\n\r\n".encode())
            time.sleep(20)
            received = 0
            while piece := reader.recv(1_000_000):
                received += len(piece)
    assert received > len(body)


def test_a_large_answer_is_taken_from_the_process_before_its_client_reads(tmp_path):
    """The process, which has one request at a time, is free for the second one."""
    body = b"x" * 150_000_000
    head = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
    with (
        processes_that_send(head % len(body) + body, ports=[0]) as ports,
        running_proxy(tmp_path, ports) as proxy,
        ExitStack() as stack,
    ):
        for _ in range(2):
            reader = stack.enter_context(socket.create_connection(("127.0.0.1", proxy), timeout=60))
            reader.sendall(f"GET /x HTTP/1.1\r\nHost: {SITE}\r\nConnection: close\r\n\r\n".encode())
            assert reader.recv(1) == b"H"


def http_status(connection):
    response = http.client.HTTPResponse(connection)
    response.begin()
    connection.close()
    return response.status
