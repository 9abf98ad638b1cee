import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

FILL_STATE = """
INSERT INTO accounts_accountstate (account_id, last_change, workout_count, stored_bytes, last_login)
SELECT id, last_change, workout_count, stored_bytes, last_login FROM accounts_account
"""

EMPTY_STATE = """
UPDATE accounts_account SET (last_change, workout_count, stored_bytes, last_login) = (
    SELECT last_change, workout_count, stored_bytes, last_login FROM accounts_accountstate
    WHERE account_id = accounts_account.id
) WHERE EXISTS (SELECT 1 FROM accounts_accountstate WHERE account_id = accounts_account.id)
"""

FILL_KEY_USES = """
INSERT INTO accounts_keyuse (account_id, api_key_id, last_used_at)
SELECT account_id, id, last_used_at FROM accounts_apikey WHERE last_used_at IS NOT NULL
"""

EMPTY_KEY_USES = """
UPDATE accounts_apikey SET last_used_at = (
    SELECT last_used_at FROM accounts_keyuse WHERE api_key_id = accounts_apikey.id
)
"""

FILL_ACCOUNT = """
UPDATE accounts_idempotentrequest SET account_id = (
    SELECT account_id FROM accounts_apikey WHERE id = accounts_idempotentrequest.api_key_id
)
"""


def account_of_request(**options):
    return models.ForeignKey(
        on_delete=django.db.models.deletion.CASCADE,
        related_name="idempotent_requests",
        to=settings.AUTH_USER_MODEL,
        **options,
    )


class Migration(migrations.Migration):
    """What each request writes of an account and of a key moves to tables of its own."""

    dependencies = [
        ("accounts", "0006_idempotent_requests"),
        ("training", "0006_rename_document"),  # 0004 fills the columns that leave the account here
    ]

    operations = [
        migrations.CreateModel(
            name="AccountState",
            fields=[
                (
                    "account",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="state",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("last_change", models.BigIntegerField(default=0, editable=False)),
                ("workout_count", models.IntegerField(db_default=0, editable=False)),
                ("stored_bytes", models.BigIntegerField(db_default=0, editable=False)),
                ("last_login", models.DateTimeField(editable=False, null=True)),
            ],
            options={"abstract": False},
        ),
        migrations.RunSQL(FILL_STATE, EMPTY_STATE),
        migrations.RemoveField("account", "last_change"),
        migrations.RemoveField("account", "last_login"),
        migrations.RemoveField("account", "stored_bytes"),
        migrations.RemoveField("account", "workout_count"),
        migrations.CreateModel(
            name="KeyUse",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("last_used_at", models.DateTimeField()),
                (
                    "account",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="key_uses",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "api_key",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        related_query_name="uses",
                        to="accounts.apikey",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("account", "api_key"), name="one_use_of_key")
                ],
            },
        ),
        migrations.RunSQL(FILL_KEY_USES, EMPTY_KEY_USES),
        migrations.RemoveField("apikey", "last_used_at"),
        migrations.AddField("idempotentrequest", "account", account_of_request(null=True)),
        migrations.RunSQL(FILL_ACCOUNT, migrations.RunSQL.noop),
        migrations.AlterField("idempotentrequest", "account", account_of_request()),
        migrations.AlterField(
            "idempotentrequest",
            "api_key",
            models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="accounts.apikey",
            ),
        ),
    ]
