from django.apps import AppConfig
from django.contrib.admin.apps import SimpleAdminConfig
from django.core.cache import close_caches
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, reset_queries


class FitnessConfig(AppConfig):
    name = "fitness"
    verbose_name = "Fitness tracking service"

    def ready(self) -> None:
        from fitness import checks  # noqa: F401  (registers the system checks)

        # What Django does with each request in vain: no cache holds anything of one, statements are kept with
        # DEBUG alone, and the end of what ran before has looked at the connection.
        request_finished.disconnect(close_caches)
        request_started.disconnect(reset_queries)
        request_started.disconnect(close_old_connections)


class StaffAdminConfig(SimpleAdminConfig):
    """Without the pages of the apps, which commands and workers do not need: fitness/urls.py loads them."""

    default_site = "accounts.admin_site.StaffSite"
