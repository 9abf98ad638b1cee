from typing import Any

from django.core.management.base import BaseCommand

from accounts.models import AccountState
from training.models import Plan, Routine, Workout
from training.models.following import follow_catalogue


class Command(BaseCommand):
    help = (
        "Renders what clients read of workouts, routines and plans again, from their rows and the catalogue, "
        "and counts again what each account stores. Safe to run at any time; a workout that reads "
        "differently then counts as changed."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        Plan.objects.finish_deletions()
        for model in (Workout, Routine, Plan):
            changed = model.objects.refresh_documents()
            self.stdout.write(f"{model._meta.verbose_name_plural}: {changed} changed")
        follow_catalogue()
        counted = Workout.objects.count_for(AccountState.objects.all())
        self.stdout.write(f"accounts: {counted} changed")
