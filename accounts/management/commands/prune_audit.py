import datetime

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from accounts.audit import AuditEvent
from accounts.tasks import delete_in_batches
from fitness.management.base import OneLineCommand


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
        count = delete_in_batches(AuditEvent.objects.filter(at__lt=begin))
        self.stdout.write(f"{count} events older than {days} days are deleted")
