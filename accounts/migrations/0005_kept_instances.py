from django.db import migrations, models

ID_OF_TEXT = {
    "postgresql": "UPDATE accounts_keptanswer SET instance_id = text::json ->> 'id' WHERE text <> ''",
    "sqlite": "UPDATE accounts_keptanswer SET instance_id = json_extract(text, '$.id') WHERE text <> ''",
}


def keep_ids(apps, schema_editor):
    schema_editor.execute(ID_OF_TEXT[schema_editor.connection.vendor])


class Migration(migrations.Migration):
    """Keeps the id of the record that a request made instead of the text of the whole answer."""

    dependencies = [
        ('accounts', '0004_invitation'),
    ]

    operations = [
        migrations.AddField(
            model_name='keptanswer',
            name='instance_id',
            field=models.CharField(default='', max_length=36),
            preserve_default=False,
        ),
        migrations.RunPython(keep_ids, migrations.RunPython.noop),
        migrations.RemoveField(
            model_name='keptanswer',
            name='text',
        ),
        # Backwards, where the text of an answer is needed again, nobody has it: a retry is carried out anew.
        migrations.RunSQL(migrations.RunSQL.noop, "DELETE FROM accounts_keptanswer"),
    ]
