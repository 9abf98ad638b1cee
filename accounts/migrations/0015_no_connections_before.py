from django.db import migrations


def delete_connections(apps, schema_editor):
    """The version before knows keys with a digest alone.

    A migration of its own: PostgreSQL alters no table in the transaction that deleted its rows.
    """
    apps.get_model("accounts", "ApiKey").objects.filter(client__isnull=False).delete()


class Migration(migrations.Migration):
    dependencies = [("accounts", "0014_oauth")]

    operations = [migrations.RunPython(migrations.RunPython.noop, delete_connections)]
