from django.db import migrations


def ask_for_tasks(apps, schema_editor):
    """What is half stored goes on by a worker. A file that was being read has to be chosen again."""
    ImportRun = apps.get_model("accounts", "ImportRun")
    Task = apps.get_model("accounts", "Task")
    for run in ImportRun.objects.filter(state="examining"):
        for model in ("ImportItem", "ImportFinding"):
            apps.get_model("accounts", model).objects.filter(account_id=run.account_id, run_id=run.pk).delete()
        ImportRun.objects.filter(account_id=run.account_id, pk=run.pk).delete()
    for run in ImportRun.objects.filter(state__in=["storing", "undoing"]):
        Task.objects.create(account_id=run.account_id, kind="import", subject=str(run.pk))


class Migration(migrations.Migration):

    dependencies = [
        ("accounts", "0020_tasks"),
    ]

    operations = [
        migrations.RunPython(ask_for_tasks, migrations.RunPython.noop),
    ]
