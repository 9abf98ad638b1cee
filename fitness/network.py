"""What gunicorn's parent process asks about the network; it loads no Django."""

import ipaddress
import socket


def address_for_others(bind: str, port: int) -> str | None:
    """An address at which other machines reach a service that listens on `bind`; None where they do not."""
    bound = ipaddress.ip_address(bind)
    if bound.is_loopback:
        return None
    host = own_ip() if bound.is_unspecified else bind
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def own_ip() -> str:
    """The IP address that others see of this machine; its name where there is no network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # nobody's (RFC 5737), and sent nothing: it only picks a route
        except OSError:
            return socket.gethostname()
        return probe.getsockname()[0]
