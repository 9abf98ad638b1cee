from uuid import UUID

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser

from accounts.imports.models import ImportItem, ImportRun
from fitness.management.base import OneLineCommand
from fitness.site.data import importing, steps


class Command(OneLineCommand):
    help = "Takes an import back, but for what somebody has changed since."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("id", help="of the import, as import_data prints it")

    def handle(self, id: str, **options: object) -> None:
        run = run_of(id)
        try:
            importing.begin_undoing(run)
        except importing.Busy as error:
            is_restored = run.is_archive and run.state == ImportRun.State.DONE
            text = (
                "a restored archive is not taken back" if is_restored else "nothing of this import is stored"
            )
            raise CommandError(text) from error
        steps.go_on_to_the_end(run)
        undone, kept = (
            run.items.with_state(state).count() for state in (ImportItem.State.UNDONE, ImportItem.State.KEPT)
        )
        self.stdout.write(f"{undone} records removed, {kept} kept because they were changed since")


def run_of(text: str) -> ImportRun:
    try:
        return ImportRun.objects.select_related("account").get(pk=UUID(text))
    except (ValueError, ValidationError, ImportRun.DoesNotExist) as error:
        raise CommandError(f"there is no import {text}") from error
