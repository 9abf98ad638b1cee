from typing import Any

from django.db.backends.postgresql import creation

from fitness.db.citus.databases import Address, create_database, drop_database
from fitness.db.citus.distribute import distribute


class DatabaseCreation(creation.DatabaseCreation):
    """Test databases."""

    @property
    def address(self) -> Address:
        settings = self.connection.settings_dict
        names = {"host": "HOST", "port": "PORT", "user": "USER", "password": "PASSWORD", "dbname": "NAME"}
        return {name: settings[key] for name, key in names.items() if settings[key]}

    def _execute_create_test_db(self, cursor: Any, parameters: dict[str, str], *_: Any) -> None:
        create_database(self.address, parameters["dbname"].strip('"'))

    def create_test_db(self, *args: Any, **options: Any) -> str:
        name = super().create_test_db(*args, **options)
        distribute()
        return name

    def _destroy_test_db(self, test_database_name: str, verbosity: int) -> None:
        drop_database({**self.address, "dbname": test_database_name})
