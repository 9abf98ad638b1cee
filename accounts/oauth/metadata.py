"""What programs read first: where the service is, and where it gives access (RFC 9728 and RFC 8414).

All addresses are of one origin, PUBLIC_URL; without it that of a request from this machine. OAuth is off
where that is neither https nor this machine: codes and tokens would cross a network in the open.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
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


def protected_resource(request: HttpRequest) -> Mapping[str, Any]:
    return {
        "resource": resource(request),
        "authorization_servers": [site_address(request)],
        "scopes_supported": SCOPES,
        "bearer_methods_supported": ["header"],
        "resource_name": settings.SPECTACULAR_SETTINGS["TITLE"],
        "resource_documentation": f"{site_address(request)}/docs",
    }


def authorization_server(request: HttpRequest) -> Mapping[str, Any]:
    address = site_address(request)
    known: dict[str, Any] = {
        "issuer": address,
        "authorization_endpoint": f"{address}/authorize",
        "token_endpoint": f"{address}/token",
        "registration_endpoint": f"{address}/register",
        "revocation_endpoint": f"{address}/revoke",
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "authorization_response_iss_parameter_supported": True,
        "scopes_supported": [*SCOPES, OFFLINE],
        "service_documentation": f"{address}/docs",
    }
    if settings.OAUTH_CLIENT_DOCUMENTS:
        known["client_id_metadata_document_supported"] = True
    return known
