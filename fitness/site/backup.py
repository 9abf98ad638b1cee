"""The whole service in one file: to keep elsewhere, and to move from SQLite to PostgreSQL or back.

An archive is gzip-compressed UTF-8 text with one JSON document on each line:

    {"archive": "fitness", "format": 1, "made_at": "…", "migrations": [["accounts", "0001_initial"], …]}
    {"model": "accounts.account", "columns": ["id", "email", …], "rows": 2}
    ["0198…", "me@example.org", …]
    ["0198…", "you@example.org", …]
    {"model": "accounts.apikey", "columns": […], "rows": 0}
    …
    {"rows": 2}

The first line names the migrations that the database had; they fix which models there are and what columns
these have. Each model's line is followed by as many rows as it says. The last line counts the rows of all
models: a file without it was cut off. Numbers, booleans, nulls and JSON columns stand as they are, UUIDs and
moments (UTC, to the microsecond) as text.

Models are those of the migrations, never those of today's code. So a database that still waits for `migrate`
can be archived, and an archive of an older version is restored as it was and then migrated like any database.
"""

import datetime
import json
import uuid
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from gzip import BadGzipFile, GzipFile
from itertools import islice
from typing import Any, BinaryIO, NamedTuple

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Model, Q
from django.utils import timezone

NAME = "fitness"
FORMAT = 1
LEFT_OUT = {"sessions.Session"}  # whoever is signed in signs in again
ROWS_AT_ONCE = 200
MAX_LINE_BYTES = 2 * 2**20  # bytes; a workout of 10,000 sets has 1 MB, and of 2 MB JSON makes 100 in memory


class Refused(Exception):
    """There is nothing to archive, or no way to restore; the message is one line for people."""


class Damaged(Refused):
    def __init__(self, what):
        super().__init__(f"it is damaged or was cut off: {what}")


# --- Writing ------------------------------------------------------------------------------------


def write(file):
    """Writes an archive of the database to a binary file; returns how many rows it holds.

    It shows one moment, whatever is written meanwhile, and keeps no writer waiting. Raises Refused for a
    database without tables, or with tables of a newer version.
    """
    with snapshot(), GzipFile(filename="", mode="wb", fileobj=file, compresslevel=6) as archive:
        loader = MigrationLoader(connection)
        migrations = known(loader, loader.applied_migrations, "the database")
        if not migrations:
            raise Refused("the database has no tables, so there is nothing to back up.")
        made_at = timezone.now().isoformat()
        put(archive, {"archive": NAME, "format": FORMAT, "made_at": made_at, "migrations": migrations})
        models = tables(loader.project_state(migrations).apps)
        count = sum(put_table(archive, model) for model in models if model._meta.label not in LEFT_OUT)
        put(archive, {"rows": count})
    return count


@contextmanager
def snapshot():
    """Everything read inside is as it was at the first read. On neither database does it hold up writers."""
    begin = {
        "postgresql": "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        "sqlite": "BEGIN DEFERRED",  # atomic() would begin as a writer
    }
    with connection.cursor() as cursor:
        cursor.execute(begin[connection.vendor])
        try:
            yield
        finally:
            cursor.execute("ROLLBACK")


def put_table(archive, model):
    rows = model._base_manager.order_by("pk")
    columns = [field.attname for field in model._meta.concrete_fields]
    count = rows.count()
    put(archive, {"model": model._meta.label_lower, "columns": columns, "rows": count})
    for row in rows.values_list(*columns).iterator(chunk_size=ROWS_AT_ONCE):
        put(archive, row)
    return count


def put(archive, document):
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), default=text_of)
    line = text.encode() + b"\n"
    if len(line) > MAX_LINE_BYTES:  # better now than when the backup is needed
        raise Refused(f"a row is longer than {MAX_LINE_BYTES:,} bytes, which restore refuses: {text[:80]}")
    archive.write(line)


def text_of(value):
    """The text that the `to_python` of the value's field reads."""
    if isinstance(value, datetime.date | datetime.time | uuid.UUID):
        return str(value)
    raise TypeError(f"archives have no form for {type(value)}")


# --- Restoring ----------------------------------------------------------------------------------


class Restored(NamedTuple):
    rows: int
    staff: int  # accounts that may open the admin


def restore(file: BinaryIO, with_staff: bool = False) -> Restored:
    """Makes the database equal to the archive in a binary file; returns how much that holds.

    The database may be empty, or hold what `prepare` and visitors make, which goes. An archive of an older
    version ends up migrated to this one. Raises Refused for a database with accounts, for an archive of a
    newer version, for one with staff unless `with_staff`, and for a file that is no whole archive;
    DatabaseError where the database will not have a row. Whatever is raised, the database is as it was.
    """
    documents = Documents(file)
    migrations = migrations_of(documents)
    # Rows come in no particular order, so references are checked when all are there.
    with connection.constraint_checks_disabled(), transaction.atomic():
        drop_tables()
        models = {model._meta.label_lower: model for model in tables(migrated_to(migrations))}
        count = load(documents, models)
        staff = staff_among(models[settings.AUTH_USER_MODEL.lower()])
        if staff and not with_staff:
            raise Refused(
                f"it holds staff ({staff}), who can open everybody's records. "
                "If you trust where it comes from, add --with-staff."
            )
        check_references()
        continue_numbering(models.values())
        call_command("migrate", verbosity=0)
    return Restored(count, staff)


class Documents:
    """The documents of an archive, one after another; raises Damaged where they end too soon.

    No line is unpacked further than LONGEST_LINE: 3 MB of an archive may stand for 3 GB.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.lines = GzipFile(fileobj=file)
        self.line_bytes = 0  # of the document that came last

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        try:
            line = self.lines.readline(MAX_LINE_BYTES + 1)
            self.line_bytes = len(line)
            if self.line_bytes > MAX_LINE_BYTES:
                raise Damaged(f"a line has more than {MAX_LINE_BYTES:,} bytes.")
            if line:
                return json.loads(line)
        except (BadGzipFile, EOFError, zlib.error, ValueError, RecursionError) as error:
            raise Damaged(error) from None
        raise StopIteration


def staff_among(accounts: type[Model]) -> int:
    return accounts._base_manager.filter(Q(is_staff=True) | Q(is_superuser=True)).count()


def migrations_of(documents):
    """Reads the first line; returns the migrations of the archive as {(app, name)}."""
    try:
        first = next(documents)
        if first["archive"] != NAME:
            raise KeyError
        is_newer, migrations = first["format"] > FORMAT, {(app, name) for app, name in first["migrations"]}
    except (Damaged, StopIteration, LookupError, TypeError, ValueError):
        raise Refused("it is not an archive of this service.") from None
    if is_newer:
        raise Refused("it is of a newer version of the service.")
    known(MigrationLoader(None), migrations, "it")
    return migrations


def known(loader, migrations, whose):
    """The migrations, sorted; raises Refused if this version lacks one of them."""
    if unknown := sorted(set(migrations) - set(loader.disk_migrations)):
        raise Refused(f"{whose} is of a newer version of the service, with migration {'.'.join(unknown[0])}.")
    return sorted(migrations)


def tables(apps):
    """The models of some state of the migrations that have a table, also those between two others."""
    models = apps.get_models(include_auto_created=True)
    return [model for model in models if model._meta.managed and not model._meta.proxy]


def drop_tables():
    """Drops the service's tables. Raises Refused, before it does, where they hold an account."""
    loader = MigrationLoader(connection)
    models = tables(loader.project_state(known(loader, loader.applied_migrations, "the database")).apps)
    for model in models:
        if model._meta.label == settings.AUTH_USER_MODEL and has_rows_for_good(model):
            raise Refused("the database has accounts; an archive is only restored into one without.")
    names = [model._meta.db_table for model in models]
    if MigrationRecorder(connection).has_table():
        names.append(MigrationRecorder.Migration._meta.db_table)
    with connection.schema_editor() as editor:
        for name in names:
            editor.execute(editor.sql_delete_table % {"table": editor.quote_name(name)})


def has_rows_for_good(model):
    """Whether the table has rows, and nobody changes that before this transaction ends."""
    if connection.vendor == "postgresql":  # a transaction on SQLite is the only writer anyway
        with connection.cursor() as cursor:
            cursor.execute(f"LOCK TABLE {connection.ops.quote_name(model._meta.db_table)}")
    return model._base_manager.exists()


def migrated_to(migrations):
    """Brings an empty database to these migrations; returns the models that it has then."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    wanted = [(step, backwards) for step, backwards in plan if (step.app_label, step.name) in migrations]
    return executor.migrate(None, plan=wanted).apps


def load(documents, models):
    """Stores the rows of an archive; returns how many."""
    count = 0
    for document in documents:
        try:
            if "model" not in document:
                break
            count += load_table(models[document["model"]], document, documents)
        except (LookupError, TypeError, ValueError, ValidationError) as error:
            raise Damaged(f"a line is not what it should be ({error!r}).") from None
    else:
        raise Damaged("its last line is missing.")
    if document != {"rows": count} or any(True for _ in documents):
        raise Damaged(f"its last line does not follow after {count} rows.")
    return count


def load_table(model: type[Model], heading: dict[str, Any], documents: Documents) -> int:
    of_column = {field.attname: field for field in model._meta.concrete_fields}
    fields = [of_column[column] for column in heading["columns"]]
    count, some, size = 0, [], 0
    for row in islice(documents, heading["rows"]):
        some.append(record(model, fields, row))
        size += documents.line_bytes
        if len(some) == ROWS_AT_ONCE or size >= MAX_LINE_BYTES:
            model._base_manager.bulk_create(some)
            count, some, size = count + len(some), [], 0
    model._base_manager.bulk_create(some)
    return count + len(some)


def record(model, fields, row):
    return model(**{field.attname: field.to_python(value) for field, value in zip(fields, row, strict=True)})


def check_references():
    """Refuses references to nothing, and leaves no check for later: PostgreSQL alters no table before it."""
    connection.check_constraints()
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def continue_numbering(models):
    """Lets PostgreSQL number new rows after those that came with their numbers; SQLite does."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)
