"""Ranges of a file, with which a download goes on where it has ended (RFC 9110, section 14)."""

import re

from django.http import HttpRequest

ONE_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})", re.ASCII | re.IGNORECASE)


def asked_range(request: HttpRequest, size: int, etag: str) -> range | None:
    """The bytes that a request asks for; an empty range if the file has none of them.

    None means the whole file: without a range, with several, with one that is malformed, and where the client
    has the beginning of another file.
    """
    if request.method != "GET" or request.headers.get("If-Range", etag) != etag:
        return None
    found = ONE_RANGE.fullmatch(request.headers.get("Range", "").strip())
    if found is None:
        return None
    first, last = (int(digits) if digits else None for digits in found.groups())
    if first is None:
        return None if last is None else range(max(size - last, 0), size)  # the last bytes
    if last is None:
        return range(first, size)
    return range(first, min(last + 1, size)) if first <= last else None
