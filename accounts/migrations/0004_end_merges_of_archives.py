from django.db import migrations
from django.utils import timezone

UNREADABLE = "An archive is restored as a whole now, into an account without records. Choose it again."


def end_merges(apps, schema_editor):
    """Ends imports of archives that were merged into accounts: what they have stored stays."""
    runs = apps.get_model("accounts", "ImportRun").objects.filter(source="account")
    runs.filter(state__in=["examining", "read"]).update(state="unreadable", problem=UNREADABLE)
    runs.filter(state__in=["storing", "undoing"]).update(state="done", finished_at=timezone.now())


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_account_is_being_restored"),
    ]

    operations = [
        migrations.RunPython(end_merges, migrations.RunPython.noop),
    ]
