from typing import Any

from django.db.models import Model

from accounts.models import AccountState
from fitness.management.base import OneLineCommand
from training.models import Plan, Routine, Workout
from training.models.catalogue_refresh import refresh_from_catalogue
from training.models.workout_corrections import refresh_documents


class Command(OneLineCommand):
    help = (
        "Renders what clients read of workouts, routines and plans again, from their rows and the catalogue, "
        "and counts again what each account stores. Safe to run at any time; a workout that reads "
        "differently then counts as changed."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        self.report(Workout, refresh_documents(Workout.objects.all()))
        self.report(Routine, Routine.objects.refresh_documents())
        self.report(Plan, Plan.objects.refresh_documents())
        refresh_from_catalogue()
        counted = Workout.objects.count_for(AccountState.objects.all())
        self.stdout.write(f"accounts: {counted} changed")

    def report(self, model: type[Model], changed: int) -> None:
        self.stdout.write(f"{model._meta.verbose_name_plural}: {changed} changed")
