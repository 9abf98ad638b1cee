from django.db import migrations


def ask_for_tasks(apps, schema_editor):
    """Workouts of plans that a process had begun to delete are detached by a worker."""
    Task = apps.get_model("accounts", "Task")
    for plan in apps.get_model("training", "Plan")._base_manager.exclude(deleted_at=None):
        Task.objects.create(account_id=plan.account_id, kind="plan deletion", subject=str(plan.pk))


class Migration(migrations.Migration):

    dependencies = [
        ("accounts", "0020_tasks"),
        ("training", "0013_drop_training_month"),
    ]

    operations = [
        migrations.RunPython(ask_for_tasks, migrations.RunPython.noop),
    ]
