#!/usr/bin/env python
"""Django's command line for this project."""

import os
import sys

from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.umask(0o077)  # the database, backups and keys are for their owner alone
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fitness.settings")
    execute_from_command_line(sys.argv)
