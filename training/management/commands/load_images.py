from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.template.defaultfilters import pluralize

from fitness.management.base import OneLineCommand
from training.pictures.index import folder
from training.pictures.loading import MAX_TOTAL, Report, load

MB = 1_000_000


class Command(OneLineCommand):
    help = (
        "Loads pictures of exercises from a folder in the layout of free-exercise-db, resized, in the place "
        "of all that were loaded before. Names each file that it leaves out."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="with exercises/Barbell_Squat/0.jpg")

    def handle(self, *args: Any, **options: Any) -> None:
        source: Path = options["folder"]
        try:
            report = load(source)
        except OSError as error:
            raise CommandError(f"{error.filename or source}: {error.strerror}") from None
        self.tell(report)
        if not report.count:
            raise CommandError(f"{source} has no picture to load. What was loaded before is still there.")

    def tell(self, report: Report) -> None:
        for path, reason in report.left_out:
            self.stdout.write(f"left out {path}: {reason}")
        exercises = len(report.pictures)
        self.stdout.write(
            f"in {folder()}: {report.count} picture{pluralize(report.count)} of "
            f"{exercises} exercise{pluralize(exercises)}, "
            f"{report.size / MB:.1f} of {MAX_TOTAL / MB:.0f} MB; {len(report.left_out)} left out"
        )
