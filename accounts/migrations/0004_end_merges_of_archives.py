from django.db import migrations
from django.db.models import F
from django.db.models.functions import Greatest
from django.utils import timezone

UNREADABLE = "An archive is restored as a whole now, into an account without records. Choose it again."

ITEM_BYTES = 500  # that an item counts without its payload


def end_merges(apps, schema_editor):
    """Ends imports of archives that were merged into accounts: what they have stored stays, the rest goes."""
    runs = apps.get_model("accounts", "ImportRun").objects.filter(source="account")
    runs.filter(state__in=["examining", "read"]).update(state="unreadable", problem=UNREADABLE)
    for run in runs.filter(state__in=["storing", "undoing"]):
        items = apps.get_model("accounts", "ImportItem").objects.filter(account=run.account_id, run=run.pk)
        items.exclude(payload="").update(payload="")
        before, run.stored_bytes = run.stored_bytes, ITEM_BYTES * items.count()
        run.state, run.finished_at = "done", timezone.now()
        run.save()
        state = apps.get_model("accounts", "AccountState").objects.filter(account=run.account_id)
        state.update(file_bytes=Greatest(F("file_bytes") - before + run.stored_bytes, 0))


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_account_is_being_restored"),
    ]

    operations = [
        migrations.RunPython(end_merges, migrations.RunPython.noop),
    ]
