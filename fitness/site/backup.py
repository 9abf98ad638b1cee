"""Backups: the database of the service in one file, which SQLite and PostgreSQL both can restore.

A backup is gzip-compressed UTF-8 text with one JSON document on each line:

    {"archive": "fitness", "format": 1, "made_at": "…", "migrations": [["accounts", "0001_initial"], …]}
    {"model": "accounts.account", "columns": ["id", "email", …], "rows": 2}
    ["0198…", "me@example.org", …]
    ["0198…", "you@example.org", …]
    {"model": "accounts.apikey", "columns": […], "rows": 0}
    …
    {"rows": 2}

The first line names the migrations that were applied to the database. They define its models and columns. The
line of a model is followed by as many rows as its "rows". The last line holds the number of all rows: a file
without it was cut off. Numbers, booleans, nulls and JSON columns are JSON; UUIDs and datetimes (UTC, to the
microsecond) are strings, bytes are base64.

The models are those of the applied migrations, not those of the code. A database that is not migrated yet can
be backed up, and a backup of an older version is restored as it was and then migrated like any database.
"""

import datetime
import json
import uuid
import zlib
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from gzip import BadGzipFile, GzipFile
from itertools import islice
from typing import Any, BinaryIO, NamedTuple

from django.apps.registry import Apps
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Field, Model, Q
from django.utils import timezone

from fitness.db import applied
from fitness.db.applied import Migration
from fitness.db.tables import models_with_tables

NAME = "fitness"
FORMAT = 1
# After a restore people sign in again, and programs ask again whom they were just connecting.
EXCLUDED_MODELS = {"sessions.Session", "accounts.Session", "accounts.AuthorizationCode"}
ROWS_AT_ONCE = 200
ROWS_READ_AT_ONCE = 50  # those of files have up to half a megabyte each
MAX_LINE_BYTES = 2 * 2**20  # a workout of 10,000 sets has 1 MB, and 2 MB of JSON take 100 MB in memory


class BackupError(CommandError):
    """The database cannot be backed up, or the file cannot be restored. The message is one line."""


class DamagedBackup(BackupError):
    def __init__(self, problem: object) -> None:
        super().__init__(f"it is damaged or was cut off: {problem}")


def write(file: BinaryIO) -> int:
    """Writes a backup of the database to a binary file; returns the number of its rows.

    All rows are of the same point in time, and no writer waits. Raises BackupError for a database without
    tables, CommandError for one of another version.
    """
    with snapshot(), GzipFile(filename="", mode="wb", fileobj=file, compresslevel=6) as archive:
        migrations = sorted(applied.of_database())
        if not migrations:
            raise BackupError("the database has no tables, so there is nothing to back up.")
        made_at = timezone.now().isoformat()
        write_line(archive, {"archive": NAME, "format": FORMAT, "made_at": made_at, "migrations": migrations})
        models = models_with_tables(MigrationLoader(connection).project_state(migrations).apps)
        count = sum(
            write_table(archive, model) for model in models if model._meta.label not in EXCLUDED_MODELS
        )
        write_line(archive, {"rows": count})
    return count


@contextmanager
def snapshot() -> Iterator[None]:
    """A transaction in which all reads see the state of the first read. Writers go on, on both databases."""
    begin = {
        "postgresql": "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        "sqlite": "BEGIN DEFERRED",  # atomic() would take the write lock
    }
    with connection.cursor() as cursor:
        cursor.execute(begin[connection.vendor])
        try:
            yield
        finally:
            cursor.execute("ROLLBACK")


def write_table(archive: GzipFile, model: type[Model]) -> int:
    rows = model._base_manager.order_by("pk")
    columns = [field.attname for field in model._meta.concrete_fields]
    count = rows.count()
    write_line(archive, {"model": model._meta.label_lower, "columns": columns, "rows": count})
    for row in rows.values_list(*columns).iterator(chunk_size=ROWS_READ_AT_ONCE):
        write_line(archive, row)
    return count


def write_line(archive: GzipFile, document: object) -> None:
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), default=to_text)
    line = text.encode() + b"\n"
    if len(line) > MAX_LINE_BYTES:  # an error now is better than one when the backup is needed
        raise BackupError(
            f"a row is longer than {MAX_LINE_BYTES:,} bytes, which restore refuses: {text[:80]}"
        )
    archive.write(line)


def to_text(value: object) -> str:
    """The text of a value that JSON has no type for; `to_python` of the value's field parses it."""
    if isinstance(value, bytes | memoryview):
        return b64encode(value).decode()
    if isinstance(value, datetime.date | datetime.time | uuid.UUID):
        return str(value)
    raise TypeError(f"backups have no form for {type(value)}")


class Restored(NamedTuple):
    """The numbers of what was restored."""

    rows: int
    staff: int  # accounts that may open the admin


def restore(file: BinaryIO, with_staff: bool = False) -> Restored:
    """Replaces the contents of the database by those of the backup in a binary file.

    Rows that exist without accounts (the catalogue, sessions of visitors) are deleted. A backup of an older
    version, from the last before 1.0.0 on, is migrated to this one. Raises BackupError for a database with
    accounts, for a backup with staff unless `with_staff`, and for a file that is not a whole backup;
    CommandError for one of another version; DatabaseError if the database rejects a row. After an error
    the database is as it was.
    """
    documents = DocumentReader(file)
    migrations = read_migrations(documents)
    # Rows may come before the rows that they refer to, so references are checked at the end.
    with connection.constraint_checks_disabled(), transaction.atomic():
        try:
            models = {model._meta.label_lower: model for model in empty_tables(migrations)}
            accounts = models[settings.AUTH_USER_MODEL.lower()]
        except (LookupError, ValueError) as error:
            raise DamagedBackup(f"some migrations are missing ({error!r}).") from None
        defer_checks()
        count = load(documents, models)
        staff = count_staff(accounts)
        if staff and not with_staff:
            raise BackupError(
                f"it holds staff ({staff}), who can open everybody's records. "
                "If you trust where it comes from, add --with-staff."
            )
        check_references()
        continue_numbering(list(models.values()))
        call_command("migrate", verbosity=0)
    return Restored(count, staff)


class DocumentReader:
    """Iterates over the documents of a backup. Raises DamagedBackup if the file ends too soon.

    At most MAX_LINE_BYTES of a line are decompressed: 3 MB of a file can hold 3 GB.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.lines = GzipFile(fileobj=file)
        self.line_bytes = 0  # the size of the last document

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        try:
            line = self.lines.readline(MAX_LINE_BYTES + 1)
            self.line_bytes = len(line)
            if self.line_bytes > MAX_LINE_BYTES:
                raise DamagedBackup(f"a line has more than {MAX_LINE_BYTES:,} bytes.")
            if line:
                return json.loads(line)
        except (BadGzipFile, EOFError, zlib.error, ValueError, RecursionError) as error:
            raise DamagedBackup(error) from None
        raise StopIteration


def count_staff(accounts: type[Model]) -> int:
    return accounts._base_manager.filter(Q(is_staff=True) | Q(is_superuser=True)).count()


def read_migrations(documents: DocumentReader) -> set[Migration]:
    """Reads the first line; returns the migrations that it names."""
    try:
        first = next(documents)
        if first["archive"] != NAME:
            raise KeyError
        is_newer, migrations = first["format"] > FORMAT, {(app, name) for app, name in first["migrations"]}
        if not all(isinstance(part, str) for migration in migrations for part in migration):
            raise TypeError
    except (DamagedBackup, StopIteration, LookupError, TypeError, ValueError):
        raise BackupError("it is not a backup of this service.") from None
    if is_newer:
        raise BackupError("it is of a newer version of the service.")
    return applied.of_this_version(migrations, "it")


def empty_tables(migrations: set[Migration]) -> list[type[Model]]:
    """Leaves the tables of these migrations, without rows; returns their models.

    Where they are those of the database, its rows are deleted. To make all tables anew takes three seconds.
    Raises BackupError if there is an account.
    """
    present = applied.of_database()
    models = models_with_tables(MigrationLoader(connection).project_state(sorted(present)).apps)
    for model in models:
        if model._meta.label == settings.AUTH_USER_MODEL and lock_and_check_for_rows(model):
            raise BackupError("the database has accounts; a backup is only restored into one without.")
    if present == migrations and not settings.CITUS:  # a cluster places tables that are filled
        tables = [model._meta.db_table for model in models]
        connection.ops.execute_sql_flush(connection.ops.sql_flush(no_style(), tables))
        return models
    drop_tables(models)
    return models_with_tables(migrate_to(migrations))


def drop_tables(models: list[type[Model]]) -> None:
    names = [model._meta.db_table for model in models]
    if MigrationRecorder(connection).has_table():
        names.append(MigrationRecorder.Migration._meta.db_table)
    with connection.schema_editor() as editor:
        for name in names:
            editor.execute(editor.sql_delete_table % {"table": editor.quote_name(name)})


def lock_and_check_for_rows(model: type[Model]) -> bool:
    """Whether the table has rows. No other transaction writes to it before this one ends."""
    if connection.vendor == "postgresql":  # a transaction on SQLite is the only writer anyway
        with connection.cursor() as cursor:
            cursor.execute(f"LOCK TABLE {connection.ops.quote_name(model._meta.db_table)}")
    return model._base_manager.exists()


def migrate_to(migrations: set[Migration]) -> Apps:
    """Applies these migrations to an empty database; returns the models of that state."""
    executor = MigrationExecutor(connection)
    full_plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    plan = [(step, backwards) for step, backwards in full_plan if (step.app_label, step.name) in migrations]
    return executor.migrate(None, plan=plan).apps


def load(documents: DocumentReader, models: dict[str, type[Model]]) -> int:
    """Stores the rows of a backup; returns their number."""
    count = 0
    for document in documents:
        try:
            if "model" not in document:
                break
            count += load_table(models[document["model"]], document, documents)
        except (LookupError, TypeError, ValueError, ArithmeticError, ValidationError) as error:
            raise DamagedBackup(f"a line is not what it should be ({error!r}).") from None
    else:
        raise DamagedBackup("its last line is missing.")
    if document != {"rows": count} or any(True for _ in documents):
        raise DamagedBackup(f"its last line does not follow after {count} rows.")
    return count


def load_table(model: type[Model], heading: dict[str, Any], documents: DocumentReader) -> int:
    fields_by_column = {field.attname: field for field in model._meta.concrete_fields}
    fields = [fields_by_column[column] for column in heading["columns"]]
    count, batch, batch_bytes = 0, [], 0
    for row in islice(documents, heading["rows"]):
        batch.append(build_instance(model, fields, row))
        batch_bytes += documents.line_bytes
        if len(batch) == ROWS_AT_ONCE or batch_bytes >= MAX_LINE_BYTES:
            model._base_manager.bulk_create(batch)
            count, batch, batch_bytes = count + len(batch), [], 0
    model._base_manager.bulk_create(batch)
    return count + len(batch)


def build_instance(model: type[Model], fields: "list[Field[Any, Any]]", row: list[Any]) -> Model:
    return model(**{field.attname: field.to_python(value) for field, value in zip(fields, row, strict=True)})


def defer_checks() -> None:
    """A migration that adds a foreign key has PostgreSQL check it at once, until the transaction ends."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")


def check_references() -> None:
    """Raises IntegrityError for a foreign key without its row.

    All deferred checks are made here, because PostgreSQL alters no table while some are pending.
    """
    connection.check_constraints()
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def continue_numbering(models: list[type[Model]]) -> None:
    """Sets PostgreSQL's sequences behind the ids of the restored rows. SQLite needs no such step."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)
