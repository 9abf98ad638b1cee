"""The addresses of this machine, for gunicorn's parent process, which loads no Django."""

import errno
import ipaddress
import os
import socket
import time


def address_for_others(bind: str, port: int) -> str | None:
    """A URL at which other machines reach a service that listens on `bind`; None where none can."""
    bound = ipaddress.ip_address(bind)
    if bound.is_loopback:
        return None
    host = own_ip() if bound.is_unspecified else bind
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def own_ip() -> str:
    """The IP address from which this machine would send to others; its name where there is no network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(
                ("192.0.2.1", 9)
            )  # reserved (RFC 5737); UDP sends nothing here, it only picks a route
        except OSError:
            return socket.gethostname()
        return str(probe.getsockname()[0])


def is_free_within(seconds: int, bind: str, port: int) -> bool:
    """Whether nobody listens at the address, or ceases to: processes whose parent was killed need a moment.

    Also where this process has got its sockets from another one, which still listens.
    """
    if os.environ.get("GUNICORN_PID") or os.environ.get("LISTEN_PID"):
        return True
    for attempt in range(seconds + 1):
        time.sleep(min(attempt, 1))
        with socket.socket(socket.AF_INET6 if ":" in bind else socket.AF_INET) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((bind, port))
            except OSError as error:  # of another kind: gunicorn says which
                if error.errno == errno.EADDRINUSE:
                    continue
        return True
    return False
