import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import Error, OperationalError

from fitness import environment


class OneLineCommand(BaseCommand):
    """A command that reports wrong arguments like any other error: in one line, with exit code 1.

    Django's checks of the code, which load every page, are left to the linters: they took a second of CPU.
    """

    requires_system_checks = ()

    def create_parser(self, *args: Any, **kwargs: Any) -> CommandParser:
        def error(message: str) -> NoReturn:
            sys.exit(f"CommandError: {message}")

        parser = super().create_parser(*args, **kwargs)
        parser.error = error  # type: ignore[method-assign]  # argparse prints the usage and exits with 2
        return parser


@contextmanager
def file_errors(file: Path, undone: str) -> Iterator[None]:
    """Ends a command with one line about its file, such as `FILE was not written: …` for `undone`."""
    try:
        yield
    except OSError as error:
        raise CommandError(f"{file}: {error.strerror}") from None
    except (CommandError, Error) as error:
        raise CommandError(f"{file} {undone}: {one_line(error)}") from None


def one_line(error: Exception) -> str:
    """The first line of an error's message: databases add lines with details."""
    return str(error).partition("\n")[0]


MISSING = ("42P01", "42703")  # a table, a column


def database_fault(error: Exception) -> str:
    """The line for a database that fails, or is not prepared, with the way out; "" for other errors."""
    if getattr(error.__cause__, "sqlstate", None) in MISSING or str(error).startswith("no such "):
        return "The database is not prepared for this version: run manage.py prepare, as `make run` does."
    if not isinstance(error, OperationalError):
        return ""
    name = environment.name_of(settings.DATABASES["default"])
    ways_out = "Start it or set DATABASE_URL; docs/operations.md has what else may help."
    return f"The database {name} fails: {one_line(error)}. {ways_out}"
