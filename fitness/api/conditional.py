"""Conditional requests (RFC 9110, section 13): what a client has is not sent again nor overwritten unseen.

1. A GET of a `versioned` operation. Example: GET /workouts -> 200 with `ETag: W/"5f1c..."`.
2. The same again with that tag. Example: `If-None-Match: W/"5f1c..."` -> 304 without a body, as long as no
   workout of the account has changed. The list is not read.
3. A write that names it. Example: PUT with `If-Match: W/"90ab..."` -> 412 if the workout has changed since.

Tags are weak because proxies that compress answers weaken strong ones, or change them. For the same reason
If-Match compares weakly as well: what a tag stands for here is the record, not its bytes.
"""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any
from uuid import UUID

from django.conf import settings
from drf_spectacular.utils import OpenApiParameter

IF_NONE_MATCH = "If-None-Match"
IF_MATCH = "If-Match"

# A client may keep the answer, must ask each time whether it still holds, and has another for each key.
CACHING = {"Cache-Control": "private, no-cache", "Vary": "Authorization, Api-Key"}


def digest_of_release() -> bytes:
    """A digest of the code that makes answers, and of the secret that signs the cursors in them."""
    digest = blake2b(settings.SECRET_KEY.encode())
    for path in sorted(settings.BASE_DIR.glob("*/api/**/*.py")):
        digest.update(path.read_bytes())
    return digest.digest()


RELEASE = digest_of_release()
STORED = b""  # in the place of RELEASE, where the version is the answer itself, which is stored

READ_PARAMETER = OpenApiParameter(
    IF_NONE_MATCH,
    str,
    "header",
    description="The `ETag` of an earlier answer: while that is still right, a 304 without a body comes.",
)
WRITE_PARAMETER = OpenApiParameter(
    IF_MATCH,
    str,
    "header",
    description="The `ETag` that the record was read with: where it has changed since, nothing is stored.",
)
ETAG_HEADER: dict[str, Any] = {
    "schema": {"type": "string"},
    "description": "The version of this answer, for `If-None-Match`. An empty list may have none.",
}


def entity_tag(address: str, account_id: UUID, version: str, made_by: bytes) -> str:
    """The ETag of what an address, with its query, answers an account at a version of its records.

    `made_by` is RELEASE or STORED.
    """
    named = f"{address} {account_id} {version}".encode()
    return f'W/"{blake2b(named, digest_size=12, key=made_by).hexdigest()}"'


def has_tag(header: str, tag: str) -> bool:
    """Whether a header lists the tag, or is `*`: any version."""
    return is_any(header) or tag.removeprefix("W/") in opaque_tags(header)


def is_any(header: str) -> bool:
    """Whether a header lists `*`."""
    return "*" in opaque_tags(header)


def opaque_tags(header: str) -> list[str]:
    return [one.strip().removeprefix("W/") for one in header.split(",")]


def headers(tag: str) -> Mapping[str, str]:
    """The headers of an answer with this tag."""
    return {"ETag": tag, **CACHING}
