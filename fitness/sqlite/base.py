from django.db.backends.sqlite3 import base


class DatabaseFeatures(base.DatabaseFeatures):  # type: ignore[name-defined,misc]  # the stubs lack the import
    # The limit of SQLite since 3.32 (2020). Django still assumes 999, and would split the insert of a long
    # workout into several.
    max_query_params = 32_766


class DatabaseWrapper(base.DatabaseWrapper):
    features_class = DatabaseFeatures

    def _start_transaction_under_autocommit(self) -> None:
        """Begins a transaction, and closes the cursor also where that fails, as Django does not.

        The exception of a failure is in a reference cycle with its traceback, and so with the cursor. Python
        frees these later, in any thread: resetting the cursor's statement there would wait until the
        connection that it belongs to is idle, which takes 20 seconds while that waits for a lock.
        """
        with self.cursor() as cursor:
            cursor.execute(f"BEGIN {self.transaction_mode}")  # type: ignore[attr-defined]  # not in the stubs
