"""The system check of what is stored; those of settings are in fitness/checks.py."""

from collections.abc import Collection, Sequence
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Tags, Warning, register
from django.db import Error

from accounts.factors.models import Authenticator
from accounts.sessions import Session


@register("fitness", Tags.database)
def secret_key(
    app_configs: Sequence[AppConfig] | None, databases: Collection[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """Finds a SECRET_KEY that is not the one with which something stored was signed.

    The newest of each kind says it, so the warning ends with the first sign-in by the new key, and
    where there are authenticator apps with the first one that is set up by it.
    """
    if not databases:
        return []
    try:
        session = Session.objects.exclude(signed_in_at=None).order_by("-signed_in_at").first()
        app = Authenticator.objects.order_by("-created_at").first()
        if (session is None or session.is_readable()) and (app is None or app.is_readable()):
            return []
    except Error:  # of a database that is not prepared, or does not answer
        return []
    return [
        Warning(
            "SECRET_KEY is another one than before: everybody signs in again, codes of authenticator apps are"
            " refused, alerts must be turned on again, and links that were mailed do not work.",
            hint="If that was not meant, put the one before in SECRET_KEY_FALLBACKS, or in its place.",
            id="fitness.W008",
        )
    ]
