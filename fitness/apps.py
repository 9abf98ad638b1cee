from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class FitnessConfig(AppConfig):
    name = "fitness"
    verbose_name = "Fitness tracking service"

    def ready(self) -> None:
        from fitness import checks  # noqa: F401  (registers the system checks)


class StaffAdminConfig(AdminConfig):
    default_site = "accounts.admin_site.StaffSite"
