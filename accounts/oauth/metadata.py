"""Where the service is, and where it gives access.

All addresses are of one origin, PUBLIC_URL; without it that of a request from this machine. OAuth is off
where that is neither https nor this machine: codes and tokens would cross a network in the open.
"""

from urllib.parse import urlsplit

from django.http import HttpRequest

from accounts.oauth.redirects import LOOPBACK
from fitness.addresses import site_address, split

SCOPES = ("read", "write")
# Asked for by programs that want to renew their tokens (OpenID Connect Core, 11). Each gets what renews them.
OFFLINE = "offline_access"
RESOURCE_METADATA_PATH = "/.well-known/oauth-protected-resource/mcp"


def resource(request: HttpRequest) -> str:
    """What tokens are for: the tool endpoint."""
    return f"{site_address(request)}/mcp"


def is_same_resource(asked: str, resource: str) -> bool:
    """A slash at the end, and the case of scheme and host, make no difference."""
    parts = split(asked.removesuffix("/"))
    if parts is None:
        return False
    return parts._replace(netloc=parts.netloc.lower()).geturl() == resource.lower()


def is_on(request: HttpRequest) -> bool:
    return is_safe(site_address(request))


def is_safe(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme == "https" or parts.hostname in LOOPBACK


def challenge(request: HttpRequest, **fields: str) -> str:
    """A WWW-Authenticate header of /mcp (RFC 6750, 3). Where OAuth is on, it names the metadata as well."""
    if is_on(request):
        fields["resource_metadata"] = f"{site_address(request)}{RESOURCE_METADATA_PATH}"
    return ", ".join(['Bearer realm="api"', *(f'{name}="{text}"' for name, text in fields.items())])
