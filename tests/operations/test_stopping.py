"""A process that stops: who comes later is refused at once, so that a proxy can ask another one."""

import socket

from tests.server import listens, running_server, wait_until


def test_new_connections_are_refused_while_a_request_is_still_answered(tmp_path, prepared):
    with running_server(tmp_path, prepared, WEB_CONCURRENCY="2") as server:
        connection = socket.create_connection(("127.0.0.1", server.port), timeout=30)
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n")  # the rest follows below
        server.process.terminate()
        wait_until(lambda: not listens(server.port))
        assert server.process.poll() is None
        connection.sendall(b"\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 200 OK")
