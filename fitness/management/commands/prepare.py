from django.core.management import call_command
from django.core.management.base import BaseCommand


class Command(BaseCommand):
    help = "Brings database, catalogue and static files up to date. Safe to run again at any time."

    def handle(self, **options):
        call_command("migrate", verbosity=0)
        call_command("load_catalogue")
        call_command("collectstatic", interactive=False, verbosity=0)
