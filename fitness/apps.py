from django.apps import AppConfig
from django.contrib.admin.apps import SimpleAdminConfig
from django.core.cache import close_caches
from django.core.signals import request_finished, request_started
from django.db import reset_queries


class FitnessConfig(AppConfig):
    name = "fitness"
    verbose_name = "Fitness tracking service"

    def ready(self) -> None:
        from fitness import checks  # noqa: F401  (registers the system checks)

        # What Django does with each request in vain: no cache holds anything of one, and statements are kept
        # with DEBUG alone.
        request_finished.disconnect(close_caches)
        request_started.disconnect(reset_queries)


class StaffAdminConfig(SimpleAdminConfig):
    """Without the pages of the apps, which commands and workers do not need: fitness/urls.py loads them.

    So Django looks for their mistakes where the URLs are loaded: `test_checks.py` does it.
    """

    default_site = "accounts.admin_site.StaffSite"
