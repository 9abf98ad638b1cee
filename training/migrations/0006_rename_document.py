from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ("training", "0005_add_folded_names"),
    ]

    operations = [
        migrations.RenameField("workout", "record", "document"),
    ]
