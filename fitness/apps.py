from django.apps import AppConfig
from django.db.backends.sqlite3.base import DatabaseFeatures  # type: ignore[attr-defined]  # features imports base


class FitnessConfig(AppConfig):
    name = "fitness"
    verbose_name = "Fitness tracking service"

    def ready(self) -> None:
        from fitness import checks  # noqa: F401  (registers the system checks)

        # The limit of SQLite since 3.32 (2020). Django still assumes 999, and would split the insert of a
        # long workout into several.
        DatabaseFeatures.max_query_params = 32_766
