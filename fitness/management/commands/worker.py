from typing import Any

from fitness.management.base import OneLineCommand
from fitness.site.work.worker import CHORES, WORKS, Worker


class Command(OneLineCommand):
    help = (
        "Does the long work of the service, such as imports and exports, until it is ended. Any number may "
        "run, on several machines."
    )

    def handle(self, **options: Any) -> None:
        Worker(WORKS, CHORES).run()
