import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("accounts", "0005_kept_instances"),
    ]

    operations = [
        migrations.RenameModel("KeptAnswer", "IdempotentRequest"),
        migrations.AlterField(
            "idempotentrequest",
            "api_key",
            models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="idempotent_requests",
                to="accounts.apikey",
            ),
        ),
        migrations.RenameIndex("idempotentrequest", "idempotent_request_age", old_name="kept_answer_age"),
        migrations.RemoveConstraint("idempotentrequest", "kept_answer_once"),
        migrations.AddConstraint(
            "idempotentrequest",
            models.UniqueConstraint(
                fields=("api_key", "idempotency_key"), name="idempotent_request_once"
            ),
        ),
    ]
