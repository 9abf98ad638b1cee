import django.db.models.deletion
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.db import migrations, models
from django.utils import timezone

ROWS_AT_ONCE = 500


def carry_over(apps, schema_editor):
    """Moves the sessions out of Django's own table, so that nobody has to sign in again."""
    from accounts.sessions import SessionStore

    accounts = apps.get_model("accounts", "Account").objects
    sessions = apps.get_model("accounts", "Session").objects
    copies = []
    current = apps.get_model("sessions", "Session").objects.filter(expire_date__gt=timezone.now())
    for session in current.order_by("pk").iterator(chunk_size=ROWS_AT_ONCE):
        account_id = SessionStore().decode(session.session_data).get(SESSION_KEY)
        copies.append((session, account_id))
        if len(copies) == ROWS_AT_ONCE:
            store(accounts, sessions, copies)
            copies = []
    store(accounts, sessions, copies)
    apps.get_model("sessions", "Session").objects.all().delete()


def store(accounts, sessions, copies):
    existing = set(map(str, accounts.filter(pk__in={pk for _, pk in copies if pk}).values_list("pk", flat=True)))
    sessions.bulk_create(
        sessions.model(
            session_key=session.session_key,
            session_data=session.session_data,
            expire_date=session.expire_date,
            account_id=account_id,
        )
        for session, account_id in copies
        if account_id is None or account_id in existing
    )


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0010_key_day"),
        ("sessions", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Session",
            fields=[
                ("session_key", models.CharField(max_length=40, primary_key=True, serialize=False, verbose_name="session key")),
                ("session_data", models.TextField(verbose_name="session data")),
                ("expire_date", models.DateTimeField(db_index=True, verbose_name="expire date")),
                ("account", models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name="sessions", to=settings.AUTH_USER_MODEL)),
            ],
            options={
                "verbose_name": "session",
                "verbose_name_plural": "sessions",
                "abstract": False,
            },
        ),
        migrations.RunPython(carry_over, migrations.RunPython.noop, elidable=True),
    ]
