import sys
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandParser


class OneLineCommand(BaseCommand):
    """A command that reports wrong arguments like any other error: in one line, with exit code 1."""

    def create_parser(self, *args: Any, **kwargs: Any) -> CommandParser:
        def error(message: str) -> NoReturn:
            sys.exit(f"CommandError: {message}")

        parser = super().create_parser(*args, **kwargs)
        parser.error = error  # type: ignore[method-assign]  # argparse prints the usage and exits with 2
        return parser


def one_line(error: Exception) -> str:
    """The first line of an error's message: databases add lines with details."""
    return str(error).partition("\n")[0]
