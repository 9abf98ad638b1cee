"""The address of the service."""

from django.conf import settings


def public_address() -> str:
    """The address that people and clients use, without a slash at its end."""
    return settings.PUBLIC_URL or f"http://127.0.0.1:{settings.PORT}"
