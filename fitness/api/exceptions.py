"""The exceptions of the API that DRF does not have: each declares its status, its code and its message."""

from django.utils.translation import gettext, gettext_noop
from rest_framework.exceptions import APIException, AuthenticationFailed, ValidationError

# Also said by the screens.
STORAGE_FULL = gettext_noop(
    "Your workouts would take more than the %(megabytes)s MB that an account has here. "
    "Delete some, or ask whoever runs this service for more."
)


class InvalidKey(AuthenticationFailed):
    default_code = "invalid_key"
    default_detail = (
        "This request needs a valid API key, as 'Authorization: Bearer <key>' or as 'api-key: <key>'. "
        "Keys are created in the app under Settings, Developer."
    )


class ExpiredKey(AuthenticationFailed):
    default_code = "expired_key"
    default_detail = "This API key has expired. Create a new one in the app under Settings, Developer."


class ExpiredToken(ExpiredKey):
    default_detail = "This access token has expired. Renew it with the refresh token, or connect again."


class PreconditionFailed(APIException):
    status_code = 412
    default_code = "precondition_failed"
    default_detail = (
        "The record has changed since it was read with this If-Match, so nothing was stored. Read it again, "
        "and send the change with its new ETag."
    )


class PayloadTooLarge(APIException):
    status_code = 413
    default_code = "payload_too_large"
    default_detail = "The body is larger than 256 KB (262,144 bytes)."


class RateLimited(APIException):
    """`wait` is the number of seconds until the window of the limit ends."""

    status_code = 429
    default_code = "rate_limited"
    default_detail = "Too many requests in this minute. Wait for 60 seconds, then go on."

    def __init__(self, wait: int) -> None:
        super().__init__()
        self.wait = max(wait, 1)


class BeingRestored(APIException):
    status_code = 503
    default_code = "unavailable"
    default_detail = (
        "Nothing was stored: this account is being restored from an archive, and takes no other record until "
        "that is done. Settings, Data shows how far it is."
    )


class StorageFull(ValidationError):
    """The account would hold more than ACCOUNT_STORAGE_MB."""

    def __init__(self, megabytes: int) -> None:
        self.megabytes = megabytes
        self.message = gettext(STORAGE_FULL) % {"megabytes": f"{megabytes:,}"}
        super().__init__({"body": [self.message]})


class ReusedIdempotencyKey(ValidationError):
    def __init__(self) -> None:
        message = "was sent with another request before. Use a new key for each thing to be done."
        super().__init__({"header": {"Idempotency-Key": [message]}})
