from typing import Any

from fitness.management.base import OneLineCommand
from training import catalogue
from training.models import Exercise
from training.models.catalogue_refresh import refresh_from_catalogue


class Command(OneLineCommand):
    help = "Loads or updates the catalogue that the service comes with. Safe to run again."

    def handle(self, *args: Any, **options: Any) -> None:
        changed = Exercise.objects.merge(catalogue.entries())
        Exercise.objects.of_everyone().fold_again()
        self.stdout.write(f"catalogue: {len(changed)} entries added or updated")
        refresh_from_catalogue()
