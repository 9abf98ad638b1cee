"""Requests to other servers, each within a time that bounds all of its steps.

To addresses that strangers have named: to public ones alone. Every address that a name resolves to must be
public, and the connection goes to one that was looked at, so that the name cannot resolve to another one in
between. Example: intranet.example.org resolves to 10.0.0.7 -> NotPublic, nothing is asked.
"""

import http.client
import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import SplitResult

from fitness.addresses import is_number

PORT = 443
PUBLIC_IPV6 = ipaddress.ip_network("2000::/3")  # what is given out to networks (RFC 4291, 2.4)

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class NotPublic(Exception):
    """The name resolves to an address that is not public, or to none."""


def may_be_named(parts: SplitResult) -> bool:
    """Whether a stranger may name this address: https, of a name, at the port of `connection_to`."""
    host = parts.hostname
    is_named = host is not None and host != "" and not is_number(host)
    return is_named and parts.scheme == "https" and parts.port in (None, PORT) and "@" not in parts.netloc


@contextmanager
def connection_to(host: str, seconds: float) -> "Iterator[BoundedConnection]":
    """A connection to port 443 of a host, which is aborted when the time is over.

    Each step has a time limit of its own; this ends them all, but for the resolution of the name. Raises
    NotPublic; what is done inside raises OSError and HTTPException.
    """
    connection = BoundedConnection(host, PORT, seconds, address=public_address_of(host))
    with ended_after(seconds, connection):
        yield connection


@contextmanager
def ended_after(seconds: float, connection: "BoundedConnection") -> Iterator[None]:
    end = threading.Timer(seconds, connection.abort)
    end.daemon = True
    end.start()
    try:
        yield
    finally:
        end.cancel()
        connection.close()


class BoundedConnection(http.client.HTTPConnection):
    """A connection that `abort` ends at whatever step it is; with TLS unless it is to this machine."""

    def __init__(
        self, host: str, port: int, seconds: float, *, has_tls: bool = True, address: str = ""
    ) -> None:
        super().__init__(host, port, timeout=seconds)
        self.default_port = http.client.HTTPS_PORT if has_tls else http.client.HTTP_PORT
        self.has_tls = has_tls
        self.address = address or host  # to connect to; the host is the name that is presented there
        self.opened: socket.socket | None = None  # http.client forgets its own while it reads
        self.is_aborted = False

    def connect(self) -> None:
        self.sock = self.opened = socket.create_connection((self.address, self.port), timeout=self.timeout)
        if self.is_aborted:
            raise TimeoutError
        if self.has_tls:
            self.sock = self.opened = ssl.create_default_context().wrap_socket(
                self.sock, server_hostname=self.host, do_handshake_on_connect=False
            )
            self.sock.do_handshake()

    def abort(self) -> None:
        self.is_aborted = True
        if self.opened:
            with suppress(OSError):
                self.opened.shutdown(socket.SHUT_RDWR)


def public_address_of(host: str) -> str:
    """An address of the host. Raises NotPublic unless all of them are public."""
    found = {ipaddress.ip_address(str(info[4][0])) for info in resolve(host)}
    if not found or not all(map(is_public, found)):
        raise NotPublic(host)
    return str(min(found, key=lambda address: (address.version, int(address))))


def resolve(host: str) -> list[Any]:
    return socket.getaddrinfo(host, PORT, type=socket.SOCK_STREAM)


def is_public(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.sixtofour or (address.teredo or (None, None))[1]
        if address not in PUBLIC_IPV6 or (inner and not is_public(inner)):
            return False
    return address.is_global and not address.is_multicast
