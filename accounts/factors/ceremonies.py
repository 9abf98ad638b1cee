"""Registering passkeys and signing in with them (WebAuthn Level 3), by py_webauthn.

Views import this module when they need it: with py_webauthn a process takes 14 MB more, which one that
serves the API alone never needs. That is why django-otp-webauthn is not used: its models import py_webauthn.

Every passkey must be discoverable and verify its user, when it is registered and whenever it is used: each
can then sign in by itself. The handle of an account, which a passkey returns, is the account's id.
"""

from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings
from django.utils import timezone
from webauthn import (
    generate_authentication_options,
    generate_registration_options,
    options_to_json,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers import (
    base64url_to_bytes,
    bytes_to_base64url,
    parse_authentication_credential_json,
    parse_registration_credential_json,
)
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    AuthenticatorTransport,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from accounts.factors.models import Passkey

if TYPE_CHECKING:
    from accounts.models import Account

TIMEOUT_MILLISECONDS = 5 * 60 * 1000
VERIFIED = UserVerificationRequirement.REQUIRED
# What a malformed credential raises, besides the library's own.
MALFORMED = (WebAuthnException, ValueError, TypeError, LookupError, AttributeError, RecursionError)
MAX_ID_BYTES = 1023  # of a credential, by WebAuthn


class Refused(Exception):
    """The answer of the passkey does not prove what it should."""


def registration_options(account: "Account", challenge: bytes) -> str:
    """JSON for `navigator.credentials.create()`."""
    options = generate_registration_options(
        rp_id=rp_id(),
        rp_name=settings.SERVICE_NAME,
        user_id=account.pk.bytes,
        user_name=account.email,
        user_display_name=account.display_name or account.email,
        challenge=challenge,
        timeout=TIMEOUT_MILLISECONDS,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED, user_verification=VERIFIED
        ),
        exclude_credentials=descriptors(account),
    )
    return options_to_json(options)


def sign_in_options(account: "Account | None", challenge: bytes) -> str:
    """JSON for `navigator.credentials.get()`: with a passkey of the account, or with any."""
    options = generate_authentication_options(
        rp_id=rp_id(),
        challenge=challenge,
        timeout=TIMEOUT_MILLISECONDS,
        allow_credentials=descriptors(account) if account else None,
        user_verification=VERIFIED,
    )
    return options_to_json(options)


def registered(account: "Account", name: str, credential: str, challenge: bytes) -> Passkey:
    """The new passkey, not yet stored. Raises Refused."""
    try:
        parsed = parse_registration_credential_json(credential)
        verified = verify_registration_response(
            credential=parsed,
            expected_challenge=challenge,
            expected_rp_id=rp_id(),
            expected_origin=settings.PASSKEY_ORIGIN,
            require_user_verification=True,
        )
    except MALFORMED as error:
        raise Refused(str(error)) from error
    if len(verified.credential_id) > MAX_ID_BYTES:
        raise Refused("its id is too long")
    credential_id = bytes_to_base64url(verified.credential_id)
    if account.passkeys.filter(credential_id=credential_id).exists():
        raise Refused("it was added already")
    return Passkey(
        account=account,
        name=name,
        credential_id=credential_id,
        public_key=bytes_to_base64url(verified.credential_public_key),
        transports=[transport.value for transport in parsed.response.transports or []],
        sign_count=verified.sign_count,
        created_at=timezone.now(),
    )


def owner(credential: str) -> UUID:
    """The id of the account that a passkey claims to be of. Raises Refused."""
    try:
        return UUID(bytes=parse_authentication_credential_json(credential).response.user_handle)
    except MALFORMED as error:
        raise Refused(str(error)) from error


def used(account: "Account", credential: str, challenge: bytes) -> Passkey:
    """The passkey of the account that answered the challenge; its use is stored. Raises Refused."""
    try:
        parsed = parse_authentication_credential_json(credential)
        passkey = account.passkeys.get(credential_id=bytes_to_base64url(parsed.raw_id))
        verified = verify_authentication_response(
            credential=parsed,
            expected_challenge=challenge,
            expected_rp_id=rp_id(),
            expected_origin=settings.PASSKEY_ORIGIN,
            credential_public_key=base64url_to_bytes(passkey.public_key),
            credential_current_sign_count=passkey.sign_count,
            require_user_verification=True,
        )
    except (Passkey.DoesNotExist, *MALFORMED) as error:
        raise Refused(str(error)) from error
    if not passkey.store_use(verified.new_sign_count):
        raise Refused("another use of it came first")
    return passkey


def descriptors(account: "Account") -> list[PublicKeyCredentialDescriptor]:
    known = {transport.value for transport in AuthenticatorTransport}  # browsers may name newer ones
    return [
        PublicKeyCredentialDescriptor(
            id=base64url_to_bytes(passkey.credential_id),
            transports=[AuthenticatorTransport(name) for name in passkey.transports if name in known],
        )
        for passkey in account.passkeys.all()
    ]


def rp_id() -> str:
    return urlsplit(settings.PASSKEY_ORIGIN).hostname or ""
