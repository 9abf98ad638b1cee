"""The exchange of codes and refresh tokens for tokens (RFC 6749, 4.1.3 and 6).

| Text | Lives | |
|---|---|---|
| code, `svcc_` | 60 seconds | works once; a second use ends the connection that it has made |
| access token, `svca_` | 24 hours | opens /mcp; checked in the database at each call |
| refresh token, `svcr_` | 90 days | buys a new pair, and for a day after that further ones |

Several windows of one program share a connection and renew with the same token, all of them within the day
that an access token lives; answers get lost, too. So a refresh token that was used before opens a further
**window**: a pair beside those that are in use, at most MAX_WINDOWS of a connection. Its owner sees them in
the settings, with times and addresses, and may notice there a copy that is used within that day. A later use
ends the connection, because nobody knows which of its two users is the program (RFC 9700, 4.14.2).

Every exchange locks the account: of two at once the second sees what the first has done.
"""

import datetime
import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.http import urlsafe_base64_encode

from accounts import audit, keys
from accounts.models import MAX_ACTIVE_CONNECTIONS, Account, ApiKey
from accounts.oauth.errors import OAuthError
from accounts.oauth.metadata import OFFLINE, is_same_resource
from accounts.oauth.models import (
    MAX_CLIENT_ADDRESS,
    REFRESH_LIFETIME,
    AuthorizationCode,
    OAuthClient,
    OAuthToken,
)
from accounts.oauth.redirects import host_of
from fitness.api.exceptions import ExpiredToken
from fitness.logs import client_address

CODE_LIFETIME = datetime.timedelta(seconds=60)
ACCESS_LIFETIME = datetime.timedelta(hours=24)
CLOCK_TOLERANCE = datetime.timedelta(minutes=1)  # by which clocks of several machines may differ
RENEWALS_AN_HOUR = 30  # of a connection
MAX_WINDOWS = 5  # of a connection
WINDOWS_IN_USE = f"The connection has {MAX_WINDOWS} windows: one that is closed gives way after a day."

VERIFIER = re.compile(r"[A-Za-z0-9\-._~]{43,128}")  # RFC 7636, 4.1
SCOPE_TEXTS = {ApiKey.Scope.READ: "read", ApiKey.Scope.READ_WRITE: "read write"}

Row = TypeVar("Row", AuthorizationCode, OAuthToken)


def look_up(text: str) -> ApiKey | None:
    """The connection of the access token with this text, with its account; ended ones are returned, too.

    Raises ExpiredToken.
    """
    found = ApiKey.of_token(text)
    tokens = OAuthToken.objects.filter(digest=keys.digest(text), kind=OAuthToken.Kind.ACCESS)
    if not found and tokens.exists():
        raise ExpiredToken()
    return found


def exchange(data: Mapping[str, str], resource: str) -> dict[str, Any]:
    """The response to a request for tokens of the resource (RFC 6749, 5.1). Raises OAuthError."""
    if not is_same_resource(data.get("resource") or resource, resource):
        raise OAuthError("invalid_target", f"Access is given to {resource} alone.")
    grant_type = given(data, "grant_type")
    if grant_type not in GRANTS:
        raise OAuthError("unsupported_grant_type", f"grant_type must be {' or '.join(GRANTS)}.")
    client = OAuthClient.objects.look_up(data.get("client_id", ""))
    if client is None:
        raise OAuthError(
            "invalid_client", "client_id is missing or not registered here: register again.", 401
        )
    return GRANTS[grant_type](data, client)


def given(data: Mapping[str, str], name: str) -> str:
    if not data.get(name):
        raise OAuthError("invalid_request", f"{name} is missing.")
    return data[name]


def exchange_code(data: Mapping[str, str], client: OAuthClient) -> dict[str, Any]:
    text = given(data, "code")
    with transaction.atomic():
        code = locked(AuthorizationCode.objects.filter(digest=keys.digest(text), client=client))
        if code is None:
            raise OAuthError("invalid_grant", "The code is unknown, or is one of another client.")
        if code.connection is None:
            check_exchange(code, data)
            return issue(connect(code), generation=1)
        code.connection.revoke()
    # Only now, as the transaction has to keep that the connection is revoked.
    raise OAuthError("invalid_grant", "The code was used before. What it had opened is closed: ask again.")


def check_exchange(code: AuthorizationCode, data: Mapping[str, str]) -> None:
    """Raises OAuthError for what is wrong with the exchange of a code that was not used yet."""
    verifier, redirect_uri = given(data, "code_verifier"), data.get("redirect_uri")
    may_be_left_out = redirect_uri is None and not code.names_redirect_uri
    if code.expires_at <= timezone.now():
        raise OAuthError("invalid_grant", "The code has expired: ask the person again.")
    if redirect_uri != code.redirect_uri and not may_be_left_out:
        raise OAuthError("invalid_grant", "redirect_uri is not that of the request which the code is for.")
    if not verifies(verifier, code.code_challenge):
        raise OAuthError("invalid_grant", "code_verifier does not belong to the code.")
    if has_all_connections(code.account, code.client):
        raise OAuthError("invalid_grant", f"The account has {MAX_ACTIVE_CONNECTIONS} connections already.")


def connect(code: AuthorizationCode) -> ApiKey:
    """Makes the connection. That of a program that registered replaces the one it had; a document may be one
    of several devices.
    """
    if not code.client.has_document:
        for earlier in code.account.api_keys.filter(client=code.client, revoked_at=None):
            earlier.revoke()
    made = code.account.connect(
        code.client,
        code.scope,
        code.expires,
        host_of(code.redirect_uri),
        may_correct=code.may_correct,
    )
    code.connection = made
    code.save(update_fields=["connection"])
    return made


def has_all_connections(account: Account, client: OAuthClient) -> bool:
    """Whether the account has as many connections to other programs as it may have."""
    return account.api_keys.connections().active().exclude(client=client).count() >= MAX_ACTIVE_CONNECTIONS


def refresh(data: Mapping[str, str], client: OAuthClient) -> dict[str, Any]:
    text = given(data, "refresh_token")
    tokens = OAuthToken.objects.filter(
        digest=keys.digest(text), kind=OAuthToken.Kind.REFRESH, connection__client=client
    )
    with transaction.atomic():
        token = locked(tokens.select_related("connection"))
        if token is None or token.expires_at <= timezone.now() or not token.connection.is_active:
            refusal = "The refresh token is unknown or has ended: ask the person to connect again."
        elif set(data.get("scope", "").split()) - {*SCOPE_TEXTS[scope_of(token.connection)].split(), OFFLINE}:
            raise OAuthError("invalid_scope", "The connection does not have all of these rights.")
        elif token.used_at and timezone.now() - token.used_at > ACCESS_LIFETIME:
            token.connection.revoke()
            audit.log_event(audit.Event.TOKEN_REUSED, token.account, key=token.connection.hint)
            refusal = "The refresh token was used before. Its connection has ended: ask the person again."
        elif is_too_often(token.connection):
            wait = {"Retry-After": "3600"}
            raise OAuthError("slow_down", "These tokens are renewed too often: they last a day.", 429, wait)
        elif token.used_at:
            return open_window(token)
        else:
            OAuthToken.objects.filter(pk=token.pk).update(used_at=timezone.now())
            return issue(token.connection, token.generation + 1)
    raise OAuthError("invalid_grant", refusal)


GRANTS: Mapping[str, Callable[[Mapping[str, str], OAuthClient], dict[str, Any]]] = {
    "authorization_code": exchange_code,
    "refresh_token": refresh,
}


def locked(rows: "QuerySet[Row]") -> "Row | None":
    """The row, read after its account was locked; None if there is none, or the account is closed."""
    rows = rows.select_related("account")
    if (row := rows.first()) is None:
        return None
    try:
        row.account.lock()
    except Account.DoesNotExist:
        return None
    return rows.filter(account__is_active=True).first()


def verifies(verifier: str, challenge: str) -> bool:
    """Whether the challenge was made of the verifier, by S256 (RFC 7636, 4.6)."""
    if not VERIFIER.fullmatch(verifier):
        return False
    return constant_time_compare(challenge_of(verifier), challenge)


def challenge_of(verifier: str) -> str:
    return urlsafe_base64_encode(hashlib.sha256(verifier.encode()).digest())


def open_window(token: OAuthToken) -> dict[str, Any]:
    """Makes a further pair for a refresh token that was used before. Raises OAuthError, which ends nothing.

    Those that have not renewed for as long as an access token lives give way: of a lost answer, for example.
    """
    windows = list(token.connection.tokens.windows())
    left = [one for one in windows if timezone.now() - one.renewed_at > ACCESS_LIFETIME]
    giving_way = left[: max(len(windows) - MAX_WINDOWS + 1, 0)]
    number = len(windows) - len(giving_way) + 1
    if number > MAX_WINDOWS:
        raise OAuthError("invalid_grant", WINDOWS_IN_USE)
    OAuthToken.objects.filter(pk__in=[one.pk for one in giving_way]).delete()
    detail = f"{number} window{'' if number == 1 else 's'}"
    audit.log_event(audit.Event.WINDOW_OPENED, token.account, key=token.connection.hint, detail=detail)
    return issue(token.connection, token.generation + 1)


def is_too_often(connection: ApiKey) -> bool:
    """Whether there were many renewals in the last hour. Those of a clock that ran ahead are not counted."""
    until = timezone.now() + REFRESH_LIFETIME
    newest = connection.tokens.filter(
        kind=OAuthToken.Kind.REFRESH,
        generation__gt=1,
        expires_at__gt=until - datetime.timedelta(hours=1),
        expires_at__lte=until + CLOCK_TOLERANCE,
    )
    return newest.count() >= RENEWALS_AN_HOUR


def scope_of(connection: ApiKey) -> ApiKey.Scope:
    return ApiKey.Scope(connection.scope)


def issue(connection: ApiKey, generation: int) -> dict[str, Any]:
    """Makes a pair of tokens. Returns the response that has their texts, which are stored nowhere."""
    now = timezone.now()
    access, refresh = keys.generate(keys.ACCESS_PREFIX), keys.generate(keys.REFRESH_PREFIX)
    access_ends = min(now + ACCESS_LIFETIME, connection.expires_at or now + ACCESS_LIFETIME)
    connection.tokens.bulk_create(
        OAuthToken(
            kind=kind,
            digest=keys.digest(text),
            account_id=connection.account_id,
            connection=connection,
            expires_at=ends,
            generation=generation,
            address=(client_address.get() or "")[:MAX_CLIENT_ADDRESS],
        )
        for kind, text, ends in [
            (OAuthToken.Kind.ACCESS, access, access_ends),
            (OAuthToken.Kind.REFRESH, refresh, now + REFRESH_LIFETIME),
        ]
    )
    return {
        "access_token": access,
        "token_type": "Bearer",
        "expires_in": int((access_ends - now).total_seconds()),
        "refresh_token": refresh,
        "scope": SCOPE_TEXTS[scope_of(connection)],
    }


def revoke(data: Mapping[str, str]) -> None:
    """Ends the connection of a token, for the client that has it (RFC 7009). Others change nothing."""
    if not data.get("client_id"):
        raise OAuthError("invalid_client", "client_id is missing.", 401)
    client = OAuthClient.objects.look_up(data["client_id"])
    tokens = OAuthToken.objects.filter(digest=keys.digest(given(data, "token"))).select_related("connection")
    if client and (token := tokens.filter(connection__client=client).first()):
        token.connection.revoke()


def new_code(account: Account, **facts: Any) -> str:
    """Makes a code that `exchange` takes. Returns its text, which is stored nowhere."""
    text = keys.generate(keys.CODE_PREFIX)
    AuthorizationCode.objects.create(
        account=account, digest=keys.digest(text), expires_at=timezone.now() + CODE_LIFETIME, **facts
    )
    return text
