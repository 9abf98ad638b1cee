import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from fitness.management.base import OneLineCommand
from training.catalogue.importing import BadFile, Result, compare, entries_of, fold_in, summary
from training.models.catalogue_refresh import refresh_from_catalogue

STDIN = Path("-")


class Command(OneLineCommand):
    help = (
        "Adds or updates catalogue entries from a JSON array in the layout of free-exercise-db. "
        "What the catalogue has under another name, or staff have edited, stays as it is."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the file, perhaps compressed by gzip; - for stdin")
        parser.add_argument(
            "--dry-run", action="store_true", help="tell what would change, and store nothing"
        )

    def handle(self, *args: Any, file: Path, dry_run: bool, verbosity: int, **options: Any) -> None:
        try:
            content = sys.stdin.buffer.read() if file == STDIN else file.read_bytes()
            entries = entries_of(content, "standard input" if file == STDIN else str(file))
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}") from None
        except BadFile as error:
            raise CommandError(str(error)) from None
        if dry_run:
            self.report(compare(entries), ("added", "updated", "skipped"), verbosity)
            self.stdout.write("Nothing is stored: this was a dry run.")
            return
        results = fold_in(entries)
        refresh_from_catalogue()
        self.report(results, ("skipped",), verbosity)

    def report(self, results: Sequence[Result], outcomes: Sequence[str], verbosity: int) -> None:
        """Writes the counts, and a line for each entry with one of these outcomes."""
        self.stdout.write(summary(results))
        for result in results:
            if result.outcome in outcomes or (result.outcome == "matched" and verbosity > 1):
                self.stdout.write(result.line)
