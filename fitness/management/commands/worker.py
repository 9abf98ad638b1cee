import argparse
from typing import Any

from django.core.management.base import CommandParser

from fitness.management.base import OneLineCommand
from fitness.site.work.chores import chores
from fitness.site.work.kinds import WORKS
from fitness.site.work.worker import Worker


class Command(OneLineCommand):
    help = (
        "Does the long work of the service, such as imports and exports, until it is ended. Any number may "
        "run, on several machines; gunicorn starts one unless WORKER=none."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        # Of gunicorn, which starts the worker: where it is killed, the worker ends as well.
        parser.add_argument("--parent", type=int, help=argparse.SUPPRESS)

    def handle(self, *, parent: int | None, **options: Any) -> None:
        Worker(WORKS, chores(), parent).run()
