#!/usr/bin/env python
"""Django's command line for this project."""

import os
import sys

from django.core.management import execute_from_command_line
from django.db import OperationalError, ProgrammingError

from fitness import __version__, environment


def main(arguments: list[str]) -> None:
    """Runs a command. A database that does not answer, or is not prepared, is one line."""
    environment.is_for_person = arguments[1:2] != ["worker"]
    if arguments[1:] in (["--version"], ["version"]):
        print(__version__)
        return
    try:
        execute_from_command_line(arguments)
    except (OperationalError, ProgrammingError) as error:
        from fitness.management.base import database_fault

        if "--traceback" in arguments or not (line := database_fault(error)):
            raise
        sys.exit(line)


if __name__ == "__main__":
    os.umask(0o077)  # the database, backups and keys are for their owner alone
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fitness.settings")
    main(sys.argv)
