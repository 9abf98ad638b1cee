import datetime
import time

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from accounts.audit import AuditEvent
from accounts.purge import delete_in_batches
from fitness.management.base import OneLineCommand

PAUSE_SECONDS = 0.1  # in which the writers of the service proceed


class Command(OneLineCommand):
    help = "Deletes the events of the audit trail that are older, a few at a time, while the service runs."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--days", type=int, default=400)

    def handle(self, days: int, **options: object) -> None:
        if days < 1:
            raise CommandError("--days must be at least 1.")
        try:
            begin = timezone.now() - datetime.timedelta(days=days)
        except OverflowError:
            raise CommandError("--days reaches before the first year.") from None
        count = 0
        for deleted in delete_in_batches(AuditEvent.objects.filter(at__lt=begin)):
            count += deleted
            time.sleep(PAUSE_SECONDS)
        self.stdout.write(f"{count} events older than {days} days are deleted")
