"""The addresses of this machine, for gunicorn's parent process, which loads no Django."""

import ipaddress
import socket


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
