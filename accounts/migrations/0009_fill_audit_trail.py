from django.db import migrations, models

ACCOUNTS_AT_ONCE = 500


def fill_email(apps, schema_editor):
    """Events get the email of their account, ACCOUNTS_AT_ONCE accounts at a time."""
    accounts = apps.get_model("accounts", "Account").objects.order_by("pk")
    events = apps.get_model("accounts", "AuditEvent").objects
    email = accounts.filter(pk=models.OuterRef("account")).order_by().values("email")
    rest = accounts
    while ids := list(rest.values_list("pk", flat=True)[:ACCOUNTS_AT_ONCE]):
        events.filter(account__in=ids).update(email=models.Subquery(email))
        rest = accounts.filter(pk__gt=ids[-1])


class Migration(migrations.Migration):
    """Apart from 0008, whose locks on the keys end with its transaction: filling takes seconds."""

    dependencies = [
        ("accounts", "0008_audit_trail"),
    ]

    operations = [
        migrations.RunPython(fill_email, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name="auditevent",
            index=models.Index(fields=["event", "-at", "-id"], name="audit_of_event"),
        ),
        migrations.AddIndex(
            model_name="auditevent",
            index=models.Index(fields=["address", "-at", "-id"], name="audit_of_address"),
        ),
        migrations.AddIndex(
            model_name="auditevent",
            index=models.Index(
                fields=["key_hint", "-at", "-id"],
                name="audit_of_key",
                opclasses=["varchar_pattern_ops", "timestamptz_ops", "uuid_ops"],
            ),
        ),
        migrations.AddIndex(
            model_name="auditevent",
            index=models.Index(
                fields=["email", "-at", "-id"],
                name="audit_of_email",
                opclasses=["varchar_pattern_ops", "timestamptz_ops", "uuid_ops"],
            ),
        ),
    ]
