import sys

from django.core.management.base import BaseCommand


class OneLineCommand(BaseCommand):
    """A command that answers bad arguments as it answers bad input: one line, exit code 1."""

    def create_parser(self, *args, **kwargs):
        parser = super().create_parser(*args, **kwargs)
        parser.error = lambda message: sys.exit(f"CommandError: {message}")
        return parser


def one_line(error):
    """What an error says, without the lines in which a database gives details."""
    return str(error).partition("\n")[0]
