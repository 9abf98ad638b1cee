import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from django.core.management.base import CommandError, CommandParser

from accounts.imports.kinds import Answers
from accounts.imports.models import ImportRun
from accounts.management.base import AccountCommand
from accounts.models import Account
from fitness.imports.messages import Unreadable
from fitness.site.data import importing, reports, steps
from fitness.site.data.reading import Options
from fitness.site.data.registry import ALL_FORMATS
from fitness.web.local_time import known_zone
from training.models import Exercise, ExerciseName


class Command(AccountCommand):
    help = "Imports a file of another app, or an archive, into an account, and prints what became of it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="a CSV file, a ZIP of them, a health export, or an archive")
        parser.add_argument("--account", required=True, metavar="EMAIL")
        parser.add_argument("--format", choices=[*(one.name for one in ALL_FORMATS), "account"])
        parser.add_argument(
            "--timezone", default="UTC", help="of times without an offset, e.g. Europe/Berlin"
        )
        parser.add_argument("--unit", choices=["kg", "lb"], help="of weights without one")
        parser.add_argument("--month-first", action="store_true", help="04/05 is 5 April")
        parser.add_argument("--names", type=Path, help='JSON: {"name in the file": "exercise-id" or ""}')
        parser.add_argument("--dry-run", action="store_true", help="store nothing")
        parser.add_argument("--json", action="store_true", help="print the report as JSON")

    def handle(self, **options: Any) -> None:
        account = self.find(options["account"])
        answers = answers_of(account, options)
        chosen = read_names(account, options["names"]) if options["names"] else {}
        run = self.received(account, answers, options)
        with names_chosen(run, chosen, for_now=options["dry_run"]):
            if chosen:
                importing.change_answers(run, answers)
                steps.go_on_to_the_end(run)
            if not options["dry_run"]:
                self.store(run)
            self.print_report(run, options)
        if options["dry_run"]:
            run.remove()

    def received(self, account: Account, answers: Answers, options: dict[str, Any]) -> ImportRun:
        path = Path(options["file"])
        reading = Options(format=options["format"], max_rows=None, max_records=None)
        try:
            with path.open("rb") as file:
                return steps.receive(account, file, path.name, answers, reading)
        except (OSError, Unreadable, importing.Busy) as error:
            raise CommandError(f"{path.name}: {getattr(error, 'strerror', None) or error}") from error

    def store(self, run: ImportRun) -> None:
        try:
            importing.begin_storing(run)
        except (Unreadable, importing.Busy) as error:
            raise CommandError(str(error)) from error
        steps.go_on_to_the_end(run)
        if run.problem:
            undo = f"`manage.py undo_import {run.pk}` takes back what is stored."
            raise CommandError(f"{run.problem} {undo}")

    def print_report(self, run: ImportRun, options: dict[str, Any]) -> None:
        report = reports.whole(run)
        if options["dry_run"]:
            report["id"] = None
        if options["json"]:
            self.stdout.write(json.dumps(report, ensure_ascii=False))
        else:
            self.stdout.writelines(reports.lines(report))


@contextmanager
def names_chosen(run: ImportRun, chosen: dict[str, str], *, for_now: bool) -> Iterator[None]:
    """Chooses what names mean; `for_now`, the choices from before are there again afterwards."""
    names = run.account.exercise_names.filter(source=run.source, name__in=chosen)
    before = {one.name: one.exercise_id or one.fate for one in names}
    ExerciseName.objects.choose(run.account, run.source, chosen)
    try:
        yield
    finally:
        if for_now:
            names.exclude(name__in=before).delete()
            ExerciseName.objects.choose(run.account, run.source, before)


def answers_of(account: Account, options: dict[str, Any]) -> Answers:
    zone = known_zone(options["timezone"])
    if not zone:
        raise CommandError(f"{options['timezone']} is no time zone; one is Europe/Berlin")
    return Answers(ZoneInfo(zone), options["unit"] or account.units, not options["month_first"])


def read_names(account: Account, path: Path) -> dict[str, str]:
    """What a file says about names: the fate `leave_out` for an empty text, else the id of an exercise."""
    try:
        names = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise CommandError(f"{path.name} cannot be read: {error}") from error
    if not isinstance(names, dict) or not all(isinstance(value, str) for value in names.values()):
        raise CommandError(f'{path.name} must be an object of texts: {{"name in the file": "exercise-id"}}')
    seen = Exercise.objects.seen_by(account)
    unknown = {pk for pk in names.values() if pk} - set(seen.values_list("pk", flat=True))
    if unknown:
        raise CommandError(f"{path.name} names exercises that do not exist: {', '.join(sorted(unknown))}")
    return {name: pk or ExerciseName.Fate.LEAVE_OUT.value for name, pk in names.items()}
