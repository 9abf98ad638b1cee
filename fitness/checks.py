"""System checks that find the usual mistakes of an installation.

`manage.py check --deploy` shows them among Django's own, and the start of the server logs them. Example:
WEB_CONCURRENCY=3 without REDIS_URL -> fitness.W001.
"""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Warning, register, run_checks

from fitness.addresses import is_local

log = logging.getLogger("fitness.checks")

# Django's own checks that matter for every installation; its others only for a published one.
DJANGO_CHECKS = ("security.W009", "security.W018")


@register("fitness", deploy=True)
def installation(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    public = urlsplit(settings.PUBLIC_URL)
    findings = [
        (
            settings.WEB_CONCURRENCY > 1 and not settings.REDIS_URL,
            "W001",
            "WEB_CONCURRENCY is over 1, but the processes have no shared counters.",
            "Set REDIS_URL, or each process counts the rate limits for itself.",
        ),
        (
            public.scheme == "https" and not settings.TRUSTED_PROXIES,
            "W002",
            "PUBLIC_URL is https, but no proxy is trusted to say so.",
            "Set TRUSTED_PROXIES=1, or all clients count as one address, and their requests as http.",
        ),
        (
            settings.TRUSTED_PROXIES and not public.scheme,
            "W003",
            "TRUSTED_PROXIES is set without a PUBLIC_URL.",
            "Without a proxy in front, set it to 0: clients can claim any address. With one, set PUBLIC_URL.",
        ),
        (
            public.scheme == "http" and not is_local(public.hostname),
            "W004",
            "PUBLIC_URL is http: passwords and API keys travel in the clear, and assistants cannot connect.",
            "Put TLS in front and set PUBLIC_URL to the https address.",
        ),
        (
            not (Path(settings.STATIC_ROOT) / "staticfiles.json").exists(),
            "W005",
            "The static files are not collected: pages come without style.",
            "Run manage.py prepare before the server, and after each update.",
        ),
        (
            settings.SENDS_MAIL and not settings.PUBLIC_URL,
            "W006",
            "EMAIL_URL is set without a PUBLIC_URL: links in mails lead to this machine's own address.",
            "Set PUBLIC_URL to the address that people open.",
        ),
        (
            settings.AUTH_HEADER and not settings.AUTH_LOGOUT_URL,
            "W007",
            "AUTH_HEADER is set without AUTH_LOGOUT_URL: who signs out is signed in again by the next page.",
            "Set AUTH_LOGOUT_URL to the address at which the proxy signs people out.",
        ),
    ]
    return [
        Warning(message, hint=hint, id=f"fitness.{number}")
        for found, number, message, hint in findings
        if found
    ]


def log_warnings() -> None:
    """Logs a line for each finding, for the person who starts the server."""
    tags = ["fitness", "security"]
    for found in run_checks(tags=tags, include_deployment_checks=True, databases=["default"]):
        if found.id and (found.id.startswith("fitness.") or found.id in DJANGO_CHECKS):
            log.warning("%s: %s %s", found.id, found.msg, found.hint or "")
