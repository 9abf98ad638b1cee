"""The proxy of compose.yaml in front of two real processes: the same nginx.conf, at other addresses.

SLOW_CLIENTS=300 tries more of those than a test needs.
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

from fitness.api.errors import api_error
from fitness.api.exceptions import PayloadTooLarge
from mcp_endpoint.views import protocol_error
from tests.conftest import a_set, a_workout
from tests.server import ROOT, Server, free_port, own_database

pytestmark = pytest.mark.skipif(not shutil.which("nginx"), reason="needs nginx")

SITE = "fitness.example.org"
SLOW_CLIENTS = int(os.environ.get("SLOW_CLIENTS", 60))
ALL = 1_000_000  # requests a minute that the servers of tests allow


def rendered(folder, port, processes, more=""):
    """The nginx.conf of the project, with the addresses and folders of a test."""
    text = (ROOT / "nginx.conf").read_text()
    changes = [
        (r"/tmp/", f"{folder}/"),
        (r"/dev/stdout", f"{folder}/own.log"),
        (r"listen 8080;", f"listen 127.0.0.1:{port}; {more}"),
        (r"server web:8000 resolve (.*);", " ".join(rf"server 127.0.0.1:{web} \1;" for web in processes)),
        (r"resolver .*;", ""),
    ]
    for pattern, here in changes:
        text, found = re.subn(pattern, here, text)
        assert found, pattern
    return text


@contextmanager
def running_proxy(folder, processes, more=""):
    """Serves on the port that it yields."""
    port = free_port()
    (folder / "nginx.conf").write_text(rendered(folder, port, processes, more))
    directives = "daemon off;" + (" user root;" if os.geteuid() == 0 else "")
    with (folder / "errors.log").open("w") as errors:
        nginx = subprocess.Popen(
            ["nginx", "-p", folder, "-c", folder / "nginx.conf", "-g", directives], stderr=errors
        )
    try:
        wait_until_it_listens(port)
        yield port
    finally:
        nginx.terminate()
        nginx.wait(timeout=20)


def wait_until_it_listens(port):
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.05)
    raise RuntimeError("nginx did not start: see its errors.log")


@pytest.fixture(scope="module")
def processes(tmp_path_factory):
    """Two processes of a published service that share a database."""
    with own_database(tmp_path_factory.mktemp("database")) as database:
        pair = [
            Server(
                tmp_path_factory.mktemp("web"), database, PUBLIC_URL=f"https://{SITE}", TRUSTED_PROXIES="1"
            )
            for _ in range(2)
        ]
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


class Answer:
    def __init__(self, response):
        self.status, self.headers, self.text = response.status, response.headers, response.read().decode()

    @property
    def code(self):
        return json.loads(self.text)["error"]["code"]


def call(port, path, body=None, *, method=None, headers=None, source="127.0.0.1", key="", tls=None):
    """An answer, on a connection of its own that comes from the address `source`."""
    if tls:
        connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=30, context=tls)
    else:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30, source_address=(source, 0))
    headers = {"Host": SITE, **({"Authorization": f"Bearer {key}"} if key else {}), **(headers or {})}
    if body is not None:
        headers["Content-Type"] = "application/json"
    connection.request(method or ("GET" if body is None else "POST"), path, body, headers)
    answer = Answer(connection.getresponse())
    connection.close()
    return answer


def left(answer):
    """How many requests the client's address has left in this minute."""
    return int(re.search(r'"address";r=(\d+)', answer.headers["RateLimit"]).group(1))


def padded(size):
    return json.dumps(a_workout(a_set())).encode().ljust(size)


# --- What passes through ---------------------------------------------------------------------------


def test_requests_are_spread_over_the_processes(proxy, processes):
    ids = [call(proxy, "/healthz").headers["X-Request-Id"] for _ in range(20)]
    served = [sum(one in process.log for one in ids) for process in processes]
    assert sum(served) == 20
    assert min(served) >= 5


def test_each_client_counts_for_itself_and_an_invented_address_changes_nothing(proxy):
    busy, quiet = (f"127.{random.randrange(1, 255)}.{random.randrange(255)}.{end}" for end in (2, 3))
    for number in range(40):
        headers = {"X-Forwarded-For": f"203.0.113.{number}", "X-Forwarded-Ssl": "on"}
        answer = call(proxy, "/api/v1/me", source=busy, headers=headers)
        assert answer.status == 401
    assert left(answer) <= ALL - 15  # 40, where the two processes share their counters
    assert left(call(proxy, "/api/v1/me", source=quiet)) == ALL - 1


def test_pages_ask_for_https_and_the_api_never_redirects(proxy, key):
    answer = call(proxy, "/sign-in?next=/docs")
    assert (answer.status, answer.headers["Location"]) == (301, f"https://{SITE}/sign-in?next=/docs")
    for path, status in [("/api/v1/me", 200), ("/mcp", 405), ("/healthz", 200), ("/readyz", 200)]:
        assert call(proxy, path, key=key).status == status


def test_a_terminator_in_front_says_that_the_client_came_over_https(proxy):
    answer = call(proxy, "/sign-in", headers={"X-Forwarded-Proto": "https"})
    assert answer.status == 200
    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
    assert "__Host-csrf=" in answer.headers["Set-Cookie"]


def test_certificates_in_the_proxy_say_it_too(processes, tmp_path):
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
        for invented in [{}, {"X-Forwarded-Proto": "http"}]:
            assert call(secure, "/sign-in", tls=trusting, headers=invented).status == 200


@pytest.mark.parametrize("chunked", [True, False])
def test_the_size_limit_is_exact_and_told_in_the_services_words(proxy, key, chunked):
    for size, status in [(262_144, 201), (262_145, 413), (2_000_000, 413)]:
        body = padded(size)
        answer = call(proxy, "/api/v1/workouts", iter([body]) if chunked else body, key=key)
        assert answer.status == status
    assert json.loads(answer.text) == api_error(PayloadTooLarge()).envelope
    assert answer.headers["Content-Type"] == "application/json"


def test_a_tool_call_that_is_too_large_is_refused_as_the_tools_refuse(proxy, key):
    answer = call(proxy, "/mcp", padded(262_145), key=key)
    refusal = protocol_error(PayloadTooLarge()).reply()
    assert (answer.status, json.loads(answer.text)) == (refusal.status, refusal.body)


def test_a_form_may_be_as_large_as_a_body(proxy):
    form = "password=" + "x" * 260_000
    answer = call(proxy, "/sign-in", form, headers={"X-Forwarded-Proto": "https"})
    assert (answer.status, "This form has expired" in answer.text) == (403, True)


@pytest.mark.parametrize("length", [10_000, 16_000])
def test_a_request_line_that_is_too_long_is_refused_by_the_service(proxy, key, length):
    answer = call(proxy, f"/api/v1/workouts?cursor={'A' * length}", key=key)
    assert answer.status == 400
    assert "8,190 bytes" in json.loads(answer.text)["error"]["message"]


@pytest.mark.parametrize("path", ["/api/v1//workouts", "/api/v1/workouts/%ff", "/api/..;/x"])
def test_odd_paths_reach_the_api_as_they_are(proxy, key, path):
    answer = call(proxy, path, key=key)
    assert (answer.status, answer.code) == (404, "not_found")


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        (f"/api/v1/workouts?cursor={'A' * 40_000}", {}),
        ("/api/v1/workouts", {"X-Long": "A" * 40_000}),
        ("/api/v1/workouts/%00", {}),
        ("/api/v1/workouts", {"Content-Length": "none"}),
    ],
)
def test_what_the_proxy_cannot_read_it_refuses_in_the_envelope(proxy, path, headers):
    answer = call(proxy, path, headers=headers)
    assert (answer.status, answer.code) == (400, "invalid_request")
    assert answer.headers["X-Request-Id"]


# --- Less on the wire ------------------------------------------------------------------------------


GZIP = {"Accept-Encoding": "gzip", "X-Forwarded-Proto": "https"}


def raw(port, path, headers, key=""):
    """The headers and the bytes of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path, headers={"Host": SITE, "Authorization": f"Bearer {key}", **headers})
    response = connection.getresponse()
    return response.headers, response.read()


@pytest.mark.parametrize(
    ("path", "times"), [("/api/v1/exercises?limit=100", 4), ("/api/v1/openapi.json", 8), ("/docs", 2)]
)
def test_what_is_large_is_compressed(proxy, key, path, times):
    _, plain = raw(proxy, path, {"X-Forwarded-Proto": "https"}, key)
    headers, small = raw(proxy, path, GZIP, key)
    assert headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in headers["Vary"]
    assert len(small) < len(plain) / times
    assert gzip.decompress(small) == plain


def test_what_the_service_compressed_is_not_compressed_again(proxy):
    _, page = raw(proxy, "/docs", GZIP)
    (style,) = re.findall(rb'href="(/static/fitness\.\w+\.css)"', gzip.decompress(page))
    headers, small = raw(proxy, style.decode(), GZIP)
    assert headers["Content-Encoding"] == "gzip"
    assert not gzip.decompress(small).startswith(b"\x1f\x8b")


def test_a_page_that_shows_a_secret_passes_uncompressed(tmp_path):
    """A stand-in sends the header of a page with a new key; see fitness/compression.py."""
    body = b"secret " * 1000
    answer = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: identity\r\n"
        b"Content-Length: %d\r\nConnection: close\r\n\r\n%b" % (len(body), body)
    )
    with processes_that_answer(answer) as ports, running_proxy(tmp_path, ports) as proxy:
        headers, received = raw(proxy, "/settings/developer", GZIP)
    assert (headers["Content-Encoding"], received) == ("identity", body)


# --- Processes that come and go --------------------------------------------------------------------


def test_a_killed_process_brings_readers_no_fault(proxy, processes, key):
    """At worst, an answer that was on its way breaks off, which clients take for what it is."""
    done = threading.Event()

    def read():
        statuses = []
        while not done.is_set():
            try:
                statuses.append(call(proxy, "/api/v1/workouts?limit=5", key=key).status)
            except http.client.IncompleteRead:
                statuses.append("broken off")
        return statuses

    with ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(read) for _ in range(4)]
        time.sleep(1)
        with killed(processes[:1]):
            time.sleep(2)
        done.set()
    statuses = Counter(status for reader in readers for status in reader.result())
    assert statuses.pop("broken off", 0) <= len(readers)
    assert set(statuses) == {200}


@contextmanager
def killed(processes):
    """The processes are gone for a while, without a word: gunicorn's masters and their workers."""
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


def test_a_process_that_comes_back_is_asked_at_once(tmp_path):
    """As in a quick rolling restart: the other one goes as soon as this one is back."""
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
    ports = [free_port(), free_port()]
    with running_proxy(tmp_path, ports) as proxy:
        for _ in range(3):
            for port in ports:
                with processes_that_answer(answer, ports=[port]):
                    assert {call(proxy, "/healthz").status for _ in range(20)} == {200}


def test_without_any_process_each_client_hears_it_in_its_own_language(proxy, processes, key):
    with killed(processes):
        for _ in range(8):
            api = call(proxy, "/api/v1/workouts", key=key)
            assert (api.status, api.code, api.headers["Retry-After"]) == (503, "unavailable", "5")
        written = call(proxy, "/api/v1/workouts", padded(1000), key=key)
        tools = call(proxy, "/mcp", b"{}", key=key)
        page = call(proxy, "/")
    assert (written.status, written.code) == (503, "unavailable")
    assert api.headers["Content-Type"] == tools.headers["Content-Type"] == "application/json"
    error = json.loads(tools.text)["error"]
    assert (tools.status, error["code"], error["data"]) == (503, -32603, {"code": "unavailable"})
    assert (page.status, page.headers["Content-Type"]) == (503, "text/html; charset=utf-8")
    assert "<h1>" in page.text
    deadline = time.monotonic() + 5
    while call(proxy, "/api/v1/workouts", key=key).status != 200:
        assert time.monotonic() < deadline


def processes_that_die_of_a_request(requests):
    """Two addresses where each request is read, noted and left without an answer."""
    return processes_that_answer(b"", requests)


@contextmanager
def processes_that_answer(answer, requests=None, ports=(0, 0)):
    """Addresses where each request is read, noted and answered with these bytes."""
    requests = [] if requests is None else requests
    listeners = [socket.create_server(("127.0.0.1", port)) for port in ports]

    def serve(listener):
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection:
                    requests.append(connection.recv(65_536).split(b" ")[0].decode())
                    connection.sendall(answer)

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


@pytest.mark.parametrize(("method", "asked"), [("POST", 1), ("PATCH", 1), ("GET", 2)])
def test_only_what_is_safe_to_repeat_is_sent_to_a_second_process(tmp_path, method, asked):
    requests = []
    with processes_that_die_of_a_request(requests) as ports, running_proxy(tmp_path, ports) as proxy:
        body = None if method == "GET" else b"{}"
        answer = call(proxy, "/api/v1/workouts", body, method=method)
    assert (answer.status, answer.code) == (503, "unavailable")
    assert requests == [method] * asked
    own = json.loads((tmp_path / "own.log").read_text())
    assert own["message"] == f"{method} /api/v1/workouts 503"
    assert own["request_id"] == answer.headers["X-Request-Id"]


# --- Clients that ask for much at once -------------------------------------------------------------


def begun(port, source, size=200_000, headers=""):
    """A connection whose request has been read but for its body."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=30, source_address=(source, 0))
    head = f"POST /api/v1/workouts HTTP/1.1\r\nHost: {SITE}\r\n{headers}Content-Length: {size}\r\n\r\n"
    connection.sendall(head.encode() + b" ")
    return connection


@pytest.mark.parametrize("headers", ["", "X-Forwarded-For: 198.51.100.1, 203.0.113.7\r\n"])
def test_an_address_may_have_so_many_requests_at_once(proxy, key, headers):
    with ExitStack() as open_requests:
        for _ in range(64):
            open_requests.enter_context(begun(proxy, "127.9.9.9", headers=headers))
        name, _, value = headers.strip().partition(": ")
        same = {name: value.replace("198.51.100.1", "192.0.2.1")} if headers else {}
        deadline = time.monotonic() + 10
        refused = call(proxy, "/api/v1/me", source="127.9.9.9", key=key, headers=same)
        while refused.status == 200 and time.monotonic() < deadline:
            refused = call(proxy, "/api/v1/me", source="127.9.9.9", key=key, headers=same)
        assert (refused.status, refused.code, refused.headers["Retry-After"]) == (429, "rate_limited", "60")
        assert call(proxy, "/api/v1/me", source="127.9.9.10", key=key).status == 200
        other = {"X-Forwarded-For": "203.0.113.8"}
        assert call(proxy, "/api/v1/me", source="127.9.9.9", key=key, headers=other).status == 200


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to mount a small disk")
def test_a_full_disk_of_the_proxy_is_told_in_the_envelope(processes, key, tmp_path):
    folder = tmp_path / "proxy"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder]).returncode:
        pytest.skip("may not mount a disk here")
    try:
        with running_proxy(folder, [process.port for process in processes]) as port:
            assert call(port, "/api/v1/workouts", padded(200_000), key=key).status == 201
            fill(folder / "ballast")
            refused = call(port, "/api/v1/workouts", padded(200_000), key=key)
            assert (refused.status, refused.code) == (503, "unavailable")
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


def test_slow_clients_leave_the_others_fast(proxy, key):
    body = padded(2000)
    head = (
        f"POST /api/v1/workouts HTTP/1.1\r\nHost: {SITE}\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    ).encode()
    writers = [
        socket.create_connection(
            ("127.0.0.1", proxy), timeout=60, source_address=(f"127.0.1.{index % 100 + 1}", 0)
        )
        for index in range(SLOW_CLIENTS)
    ]
    # Half of them are slow from their first line on, the others from their body on.
    sent = [len(head) if index % 2 else 10 for index in range(SLOW_CLIENTS)]
    for writer, size in zip(writers, sent, strict=True):
        writer.sendall(head[:size])
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
            for index, writer in enumerate(writers):
                writer.sendall((head + body)[sent[index] : sent[index] + 5])
                sent[index] += 5
            time.sleep(0.25)
        done.set()
        for reader in readers:
            reader.result()
    for writer, size in zip(writers, sent, strict=True):
        writer.sendall((head + body)[size:])
    late = {http_status(writer) for writer in writers}
    p99 = statistics.quantiles(milliseconds, n=100)[98]
    print(f"{SLOW_CLIENTS} slow clients: {len(milliseconds)} other requests, p99 {p99:.0f} ms")
    assert (statuses, late) == ({200}, {201})
    assert p99 < 2000


def test_a_reader_on_a_slow_line_gets_a_large_answer_whole(tmp_path):
    """It takes nothing for 20 seconds, which is what large buffers on the way look like from here."""
    body = b"x" * 20_000_000
    head = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
    with processes_that_answer(head % len(body) + body) as ports, running_proxy(tmp_path, ports) as proxy:  # noqa: SIM117
        with socket.create_connection(("127.0.0.1", proxy), timeout=60) as reader:
            reader.sendall(f"GET /x HTTP/1.1\r\nHost: {SITE}\r\nConnection: close\r\n\r\n".encode())
            time.sleep(20)
            received = 0
            while piece := reader.recv(1_000_000):
                received += len(piece)
    assert received > len(body)


def http_status(connection):
    response = http.client.HTTPResponse(connection)
    response.begin()
    connection.close()
    return response.status
