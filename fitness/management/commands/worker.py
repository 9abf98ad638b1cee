from typing import Any

from django.core.management.base import BaseCommand

from fitness.site.work.chores import chores
from fitness.site.work.kinds import WORKS
from fitness.site.work.worker import Worker


class Command(BaseCommand):
    help = (
        "Does the long work of the service, such as imports and exports, until it is ended. Any number may "
        "run, on several machines; gunicorn starts one unless WORKER=none."
    )

    def handle(self, **options: Any) -> None:
        Worker(WORKS, chores()).run()
