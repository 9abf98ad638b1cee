from django.apps import AppConfig


class FitnessConfig(AppConfig):
    name = "fitness"
    verbose_name = "Fitness tracking service"

    def ready(self):
        from fitness import checks  # noqa: F401  (registers the system checks)
