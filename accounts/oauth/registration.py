"""Registration: a program says what it is called and where a browser may return to (RFC 7591).

Nobody vouches for any of it. The consent page shows the name as the program's own claim, beside the host that
the browser returns to.
"""

import secrets
from collections.abc import Mapping
from typing import Any

from accounts.oauth.errors import OAuthError
from accounts.oauth.models import MAX_NAME, OAuthClient
from accounts.oauth.redirects import host_of, is_acceptable

MAX_BODY_BYTES = 16_384
MAX_REDIRECT_URIS = 10
QUOTATION_MARKS = '"“”„«»'


def register(claimed: Mapping[str, Any]) -> OAuthClient:
    """Stores a client for what a program claims of itself. Raises OAuthError."""
    redirect_uris = acceptable_redirect_uris(claimed.get("redirect_uris"))
    name = claimed_name(claimed.get("client_name"), redirect_uris)
    OAuthClient.objects.delete_never_used()
    return OAuthClient.objects.create(
        client_id=secrets.token_urlsafe(24), name=name, redirect_uris=redirect_uris
    )


def acceptable_redirect_uris(claimed: object) -> list[str]:
    """Those of the claimed addresses that are acceptable: some programs name more than they need.

    Raises OAuthError if none is.
    """
    if not isinstance(claimed, list) or not 1 <= len(claimed) <= MAX_REDIRECT_URIS:
        raise OAuthError(
            "invalid_redirect_uri", f"redirect_uris must be a list of 1 to {MAX_REDIRECT_URIS} addresses."
        )
    acceptable = list(dict.fromkeys(one for one in claimed if is_acceptable(one)))
    if not acceptable:
        raise OAuthError(
            "invalid_redirect_uri",
            "No address of redirect_uris is acceptable: use https, or http on localhost or 127.0.0.1; "
            "without a fragment and without a user.",
        )
    return acceptable


def claimed_name(claimed: object, redirect_uris: list[str]) -> str:
    """The name of the program on one line; the host of its first address if it claims none.

    Without quotation marks, with which it could end the one that the consent page puts it in.
    """
    if claimed is not None and (not isinstance(claimed, str) or len(claimed) > MAX_NAME):
        raise OAuthError("invalid_client_metadata", f"client_name must be at most {MAX_NAME} characters.")
    readable = "".join(one for one in claimed or "" if one.isprintable() and one not in QUOTATION_MARKS)
    return readable.strip() or host_of(redirect_uris[0])[:MAX_NAME]


def document(client: OAuthClient) -> dict[str, Any]:
    """What the service has registered. Clients are public, whatever they asked for: there is no secret."""
    return {
        "client_id": client.client_id,
        "client_id_issued_at": int(client.created_at.timestamp()),
        "client_name": client.name,
        "redirect_uris": client.redirect_uris,
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    }
