"""System checks that name the usual mistakes of an installation."""

from django.conf import settings
from django.core.checks import Warning, register


@register
def several_processes_share_counters(app_configs, **kwargs):
    if settings.WEB_CONCURRENCY > 1 and not settings.REDIS_URL:
        return [
            Warning(
                "WEB_CONCURRENCY is over 1, but the processes have no shared counters.",
                hint="Set REDIS_URL, or each process counts the rate limits for itself.",
                id="fitness.W001",
            )
        ]
    return []
