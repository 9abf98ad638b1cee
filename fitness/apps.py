from django.apps import AppConfig
from django.contrib.admin.apps import SimpleAdminConfig


class FitnessConfig(AppConfig):
    name = "fitness"
    verbose_name = "Fitness tracking service"

    def ready(self) -> None:
        from fitness import checks  # noqa: F401  (registers the system checks)


class StaffAdminConfig(SimpleAdminConfig):
    """Without the pages of the apps, which commands and workers do not need: fitness/urls.py loads them.

    So Django looks for their mistakes where the URLs are loaded: `test_checks.py` does it.
    """

    default_site = "accounts.admin_site.StaffSite"
