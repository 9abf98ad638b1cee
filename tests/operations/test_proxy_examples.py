"""docs/operations/nginx-site.conf and Caddyfile, in front of a service on one machine."""

import http.client
import json
import os
import re
import shutil
import socket
import subprocess
from contextlib import ExitStack, contextmanager, suppress

import pytest

from fitness.addresses import LARGE_UPLOAD_PATH, UPLOAD_PATH
from fitness.api.errors import api_error
from fitness.api.exceptions import PayloadTooLarge
from tests.conftest import a_set, a_workout
from tests.server import ROOT, free_port, listens, running_server, wait_until

SITE = "fitness.example.org"
EXAMPLES = ROOT / "docs" / "operations"

pytestmark = pytest.mark.xdist_group("examples of proxies")  # one service for all


@pytest.fixture(scope="module")
def service(tmp_path_factory, prepared):
    folder = tmp_path_factory.mktemp("service")
    with running_server(folder, prepared, PUBLIC_URL=f"https://{SITE}", TRUSTED_PROXIES="1") as server:
        server.api_key = server.key()
        yield server


@contextmanager
def nginx(folder, service, plain_port=0):
    """Yields the port that is 443, without TLS: the certificates are the operator's. `plain_port` is 80."""
    port, site = free_port(), (EXAMPLES / "nginx-site.conf").read_text()
    site = changed(site, r"listen 80;", f"listen 127.0.0.1:{plain_port or free_port()};")
    site = changed(site, r"listen 443 ssl;", f"listen 127.0.0.1:{port};")
    site = changed(site, r"ssl_certificate.*;\n", "")
    site = changed(site, r"127\.0\.0\.1:8000", f"127.0.0.1:{service.port}")
    kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    paths = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in kinds)
    (folder / "nginx.conf").write_text(
        f"pid {folder}/pid; error_log {folder}/log; events {{}}\nhttp {{ access_log off;\n{paths}{site} }}\n"
    )
    directives = "daemon off;" + (" user root;" if os.geteuid() == 0 else "")
    with running(["nginx", "-p", folder, "-c", folder / "nginx.conf", "-g", directives], port):
        yield port


@contextmanager
def caddy(folder, service):
    port, site = free_port(), (EXAMPLES / "Caddyfile").read_text()
    site = changed(site, r"(?m)^(?=\{\$PUBLIC_URL)", "{\nadmin off\n}\n")
    if subprocess.run(["caddy", "version"], capture_output=True, text=True).stdout.startswith("2.6.2"):
        # Debian 12
        site = changed(site, r"\trequest_buffers (.*)", r"buffer_requests\nmax_buffer_size \1")
        site = changed(site, r"\tresponse_buffers .*", "buffer_responses")
    (folder / "Caddyfile").write_text(site)
    command = ["caddy", "run", "--adapter", "caddyfile", "--config", folder / "Caddyfile"]
    addresses = {"PUBLIC_URL": f"http://{SITE}:{port}", "SERVICE": f"127.0.0.1:{service.port}"}
    with running(command, port, **addresses):
        yield port


def changed(text, pattern, replacement):
    text, count = re.subn(pattern, replacement, text)
    assert count, pattern
    return text


@contextmanager
def running(command, port, **environment):
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, env={**os.environ, **environment})
    try:
        wait_until(lambda: listens(port))
        yield
    finally:
        process.terminate()
        process.wait(timeout=20)


def send(port, method, path, body=None, **headers):
    """(status, text) of a request. A body of pieces is sent in chunks, without its length."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    with suppress(BrokenPipeError):  # a refusal may come before all is sent, which nobody reads then
        connection.request(method, path, body, {"Host": SITE, **headers})
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, text


@pytest.fixture(scope="module", params=[nginx, caddy], ids=["nginx", "caddy"])
def proxy(request, service, tmp_path_factory):
    if not shutil.which(request.param.__name__):
        pytest.skip(f"needs {request.param.__name__}")
    with request.param(tmp_path_factory.mktemp("proxy"), service) as port:
        yield port


@pytest.mark.parametrize("in_chunks", [False, True])
@pytest.mark.parametrize(("size", "status"), [(262_144, 201), (262_145, 413), (3_000_000, 413)])
def test_bodies_are_limited(proxy, service, size, status, in_chunks):
    body = json.dumps(a_workout(a_set())).encode().ljust(size)
    headers = {"Authorization": f"Bearer {service.api_key}", "Content-Type": "application/json"}
    got, text = send(proxy, "POST", "/api/v1/workouts", iter([body]) if in_chunks else body, **headers)
    assert got == status
    if size == 262_145:
        assert json.loads(text) == api_error(PayloadTooLarge()).envelope


@pytest.mark.parametrize(("size", "passes"), [(20_000_000, True), (23_000_000, False)])
def test_a_file_to_import_may_be_larger(proxy, size, passes):
    """The service leads those that it gets to https, and drains what it does not read."""
    for _ in range(4):  # each of nginx's could meet a closed connection
        status, _ = send(proxy, "POST", UPLOAD_PATH, b"x" * size, Cookie="session=unknown")
        assert (status in (301, 308)) if passes else (status == 413), status


def test_the_export_of_a_health_app_may_be_larger_still(proxy):
    status, _ = send(proxy, "POST", LARGE_UPLOAD_PATH, b"x" * 20_000_000, Cookie="session=unknown")
    assert status in (301, 308)
    with socket.create_connection(("127.0.0.1", proxy), timeout=30) as client:
        head = f"POST {LARGE_UPLOAD_PATH} HTTP/1.1\r\nHost: {SITE}\r\nContent-Length: 530000000\r\n\r\n"
        client.sendall(head.encode())
        assert client.recv(1000).startswith(b"HTTP/1.1 413")


HALF_A_HEAD = f"POST /api/v1/workouts HTTP/1.1\r\nHost: {SITE}\r\nAccept"


def test_slow_clients_hold_no_thread(proxy, service):
    """Nor those who read nothing of an answer. There are more of each than threads."""
    headers = {"Authorization": f"Bearer {service.api_key}", "Content-Type": "application/json"}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    half_a_body = f"{HALF_A_HEAD}: */*\r\n{lines}Content-Length: 9000\r\n\r\n{'{' * 4000}"
    answer = f"GET /api/v1/openapi.json HTTP/1.1\r\nHost: {SITE}\r\n\r\n"
    with ExitStack() as stack:
        for sent in (HALF_A_HEAD, half_a_body, answer):
            for _ in range(8):
                client = stack.enter_context(socket.socket())
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                client.connect(("127.0.0.1", proxy))
                client.sendall(sent.encode())
        assert [send(proxy, "GET", "/api/v1/me", **headers)[0] for _ in range(8)] == [200] * 8


def test_pages_are_redirected_to_https(proxy):
    assert send(proxy, "GET", "/sign-in")[0] in (301, 308)


@pytest.fixture(scope="module")
def port_80(service, tmp_path_factory):
    """Port 80 of nginx."""
    if not shutil.which("nginx"):
        pytest.skip("needs nginx")
    port = free_port()
    with nginx(tmp_path_factory.mktemp("proxy"), service, port):
        yield port


@pytest.mark.parametrize(
    "path", ["/api/v1/me", "/mcp", "/mcp/", "/token", "/register", "/revoke", "/calendar/x.ics"]
)
def test_without_tls_nginx_takes_no_keys(port_80, service, path):
    for method in ("GET", "POST"):
        status, text = send(port_80, method, path, Authorization=f"Bearer {service.api_key}")
        assert (status, json.loads(text)["error"]["code"]) == (403, "https_required")


@pytest.mark.parametrize("path", ["/", "/sign-in?next=/workouts", "/.well-known/oauth-authorization-server"])
def test_without_tls_pages_lead_to_https(port_80, path):
    connection = http.client.HTTPConnection("127.0.0.1", port_80, timeout=30)
    connection.request("GET", path, headers={"Host": SITE})
    response = connection.getresponse()
    assert (response.status, response.headers["Location"]) == (308, f"https://{SITE}{path}")


@pytest.mark.skipif(not shutil.which("nginx"), reason="needs nginx")
def test_the_proxy_of_compose_says_which_nginx_it_needs(tmp_path):
    text = (ROOT / "nginx.conf").read_text()
    needed = re.search(r"needs nginx ([\d.]+) or newer", text)[1]
    printed = subprocess.run(["nginx", "-v"], capture_output=True, text=True).stderr
    is_new_enough = version_of(printed) >= version_of(needed)
    (tmp_path / "nginx.conf").write_text(text.replace("server web:8000", "server localhost:8000"))
    tried = subprocess.run(["nginx", "-t", "-c", tmp_path / "nginx.conf"], capture_output=True, text=True)
    assert ('invalid parameter "resolve"' in tried.stderr) is not is_new_enough
    image = re.search(r"nginx:([\d.]+)", (ROOT / "compose.postgres.yaml").read_text())[1]
    assert version_of(image) >= version_of(needed)


def version_of(text):
    return [int(part) for part in re.search(r"\d+(\.\d+)+", text)[0].split(".")]


def test_the_limits_are_those_of_the_service():
    """Also where neither proxy is installed to try them."""
    assert "client_max_body_size 256k;" in (EXAMPLES / "nginx-site.conf").read_text()
    assert "client_max_body_size 256k;" in (ROOT / "nginx.conf").read_text()
    assert re.search(r"request_body @other \{\s+max_size 1MB\s+\}", (EXAMPLES / "Caddyfile").read_text())
    for name in (EXAMPLES / "nginx-site.conf", ROOT / "nginx.conf"):
        assert re.search(rf"location = {UPLOAD_PATH} \{{[^}}]*client_max_body_size 21m;", name.read_text())
        assert re.search(rf"location = {UPLOAD_PATH} \{{[^}}]*limit_conn \w+ 4;", name.read_text())
        large = re.search(rf"location = {LARGE_UPLOAD_PATH} \{{([^}}]*)\}}", name.read_text())[1]
        assert "client_max_body_size 501m;" in large
        assert "proxy_request_buffering off;" in large
        assert re.search(r"limit_conn \w+ 1;", large)
        assert re.search(r"proxy_max_temp_file_size (256|1024)m;", name.read_text())
        assert "proxy_buffering off" not in name.read_text()
    assert re.search(r"request_body @upload \{\s+max_size 21MB\s+\}", (EXAMPLES / "Caddyfile").read_text())
    assert re.search(r"request_body @export \{\s+max_size 501MB\s+\}", (EXAMPLES / "Caddyfile").read_text())


def test_no_example_caches():
    """Browsers find an update by /service-worker.js, and the pages of signed-in people belong in no cache."""
    for path in (EXAMPLES / "nginx-site.conf", EXAMPLES / "Caddyfile", ROOT / "nginx.conf"):
        assert not re.search(r"proxy_cache|expires|[Cc]ache-Control (?!no-store always)", path.read_text()), (
            path
        )
