import accounts.models.account
import django.core.validators
import django.db.models.deletion
import django.utils.timezone
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("accounts", "0001_initial"),
        ("accounts", "0002_kept_answers"),
        ("accounts", "0003_storage_counters"),
        ("accounts", "0004_invitation"),
        ("accounts", "0005_kept_instances"),
        ("accounts", "0006_idempotent_requests"),
        ("accounts", "0007_account_state"),
        ("accounts", "0008_audit_trail"),
        ("accounts", "0009_fill_audit_trail"),
        ("accounts", "0010_key_day"),
        ("accounts", "0011_session"),
        ("accounts", "0012_mail_and_browsers"),
        ("accounts", "0013_second_factor"),
        ("accounts", "0014_oauth"),
        ("accounts", "0015_no_connections_before"),
        ("accounts", "0016_account_time_zone"),
        ("accounts", "0017_imports"),
        ("accounts", "0018_sums_of_months"),
        ("accounts", "0019_drop_summed_until"),
        ("accounts", "0020_tasks"),
        ("accounts", "0021_tasks_of_imports"),
        ("accounts", "0022_account_deleted_at"),
        ("accounts", "0023_task_ended_by_staff"),
        ("accounts", "0024_exports_as_files"),
        ("accounts", "0025_corrections"),
        ("accounts", "0026_calendar_feed"),
        ("accounts", "0027_push"),
        ("accounts", "0028_header_and_sign_in_link"),
        ("accounts", "0029_provider_tie"),
        ("accounts", "0030_language"),
        ("accounts", "0031_account_is_unclaimed"),
        ("accounts", "0032_push_refused"),
        ("accounts", "0033_token_address"),
    ]

    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.CreateModel(
            name="Account",
            fields=[
                ("password", models.CharField(max_length=128, verbose_name="password")),
                (
                    "is_superuser",
                    models.BooleanField(
                        default=False,
                        help_text="Designates that this user has all permissions without explicitly assigning them.",
                        verbose_name="superuser status",
                    ),
                ),
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "email",
                    models.EmailField(
                        error_messages={"unique": "There is an account with this email."},
                        max_length=254,
                        unique=True,
                        validators=[accounts.models.account.has_domain],
                    ),
                ),
                ("display_name", models.CharField(blank=True, max_length=200)),
                (
                    "height_cm",
                    models.FloatField(
                        blank=True,
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(30),
                            django.core.validators.MaxValueValidator(300),
                        ],
                    ),
                ),
                ("birth_date", models.DateField(blank=True, null=True)),
                (
                    "gender",
                    models.CharField(
                        blank=True,
                        choices=[("male", "Male"), ("female", "Female"), ("other", "Other")],
                        max_length=10,
                        null=True,
                    ),
                ),
                (
                    "goal",
                    models.CharField(
                        choices=[
                            ("cut", "Cut"),
                            ("recomp", "Recomp"),
                            ("bulk", "Bulk"),
                            ("maintain", "Maintain"),
                        ],
                        default="maintain",
                        max_length=10,
                    ),
                ),
                (
                    "units",
                    models.CharField(
                        choices=[("kg", "Kilograms (kg)"), ("lb", "Pounds (lb)")], default="kg", max_length=2
                    ),
                ),
                ("time_zone", models.CharField(blank=True, db_default="", default="", max_length=64)),
                ("language", models.CharField(blank=True, db_default="", default="", max_length=7)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("email_confirmed_at", models.DateTimeField(editable=False, null=True)),
                ("is_active", models.BooleanField(default=True)),
                ("is_staff", models.BooleanField(default=False)),
                ("is_unclaimed", models.BooleanField(db_default=False, default=False, editable=False)),
                ("is_demo", models.BooleanField(default=False, editable=False)),
                ("deleted_at", models.DateTimeField(editable=False, null=True)),
                (
                    "groups",
                    models.ManyToManyField(
                        blank=True,
                        help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.group",
                        verbose_name="groups",
                    ),
                ),
                (
                    "user_permissions",
                    models.ManyToManyField(
                        blank=True,
                        help_text="Specific permissions for this user.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.permission",
                        verbose_name="user permissions",
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="OAuthClient",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("client_id", models.CharField(max_length=500, unique=True)),
                ("name", models.CharField(max_length=100)),
                ("redirect_uris", models.JSONField()),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("document_expires_at", models.DateTimeField(null=True)),
            ],
            options={
                "verbose_name": "OAuth client",
                "ordering": ["-created_at", "-id"],
            },
        ),
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
                ("file_bytes", models.BigIntegerField(db_default=0, editable=False)),
                ("last_login", models.DateTimeField(editable=False, null=True)),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="Authenticator",
            fields=[
                (
                    "throttling_failure_timestamp",
                    models.DateTimeField(
                        blank=True,
                        default=None,
                        help_text="A timestamp of the last failed verification attempt. Null if last attempt succeeded.",
                        null=True,
                    ),
                ),
                (
                    "throttling_failure_count",
                    models.PositiveIntegerField(default=0, help_text="Number of successive failed attempts."),
                ),
                (
                    "last_used_at",
                    models.DateTimeField(
                        blank=True, help_text="The most recent date and time this device was used.", null=True
                    ),
                ),
                (
                    "account",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="authenticator",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("sealed_secret", models.CharField(max_length=200)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("last_step", models.BigIntegerField()),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="CalendarFeed",
            fields=[
                (
                    "account",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="calendar_feed",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
        migrations.CreateModel(
            name="ProviderTie",
            fields=[
                (
                    "account",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="provider_tie",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("issuer", models.TextField()),
                ("subject", models.CharField(max_length=255)),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("rights", models.JSONField(default=list)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("last_used_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
        migrations.CreateModel(
            name="ApiKey",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                (
                    "scope",
                    models.CharField(
                        choices=[("read", "Read only"), ("read_write", "Read and write")],
                        default="read",
                        max_length=10,
                    ),
                ),
                (
                    "may_correct",
                    models.BooleanField(
                        db_default=False, default=False, verbose_name="may also correct and delete"
                    ),
                ),
                ("hint", models.CharField(editable=False, max_length=64)),
                ("digest", models.CharField(editable=False, max_length=64, null=True, unique=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("expires_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("issued_by_staff", models.BooleanField(db_default=False, default=False, editable=False)),
                (
                    "account",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="api_keys",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "client",
                    models.ForeignKey(
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="connections",
                        to="accounts.oauthclient",
                    ),
                ),
            ],
            options={
                "verbose_name": "API key",
                "ordering": ["-created_at", "-id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("may_correct", False), ("scope", "read_write"), _connector="OR"),
                        name="correcting_key_may_write",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ImportRun",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("source", models.CharField(max_length=20)),
                ("file_name", models.CharField(max_length=200)),
                ("sha256", models.CharField(max_length=64)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("examining", "Being read"),
                            ("unreadable", "Not readable"),
                            ("read", "Not imported yet"),
                            ("storing", "Under way"),
                            ("done", "Imported"),
                            ("undoing", "Being taken back"),
                            ("undone", "Taken back"),
                        ],
                        default="examining",
                        max_length=10,
                    ),
                ),
                ("time_zone", models.CharField(max_length=64)),
                ("unit", models.CharField(max_length=2)),
                ("day_first", models.BooleanField(default=True)),
                ("report", models.JSONField(default=dict)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("examined", models.PositiveIntegerField(db_default=0, default=0)),
                ("stored_bytes", models.BigIntegerField(db_default=0, default=0)),
                ("problem", models.CharField(db_default="", default="", max_length=500)),
                ("finished_at", models.DateTimeField(null=True)),
                ("undoes_changes", models.BooleanField(default=False)),
                (
                    "account",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="import_runs",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["account", "-created_at"], name="imports_newest")],
            },
        ),
        migrations.CreateModel(
            name="ImportItem",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveIntegerField()),
                ("kind", models.CharField(max_length=20)),
                ("key", models.CharField(max_length=300)),
                ("label", models.CharField(max_length=300)),
                ("digest", models.CharField(blank=True, max_length=64)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("new", "New"),
                            ("there", "There"),
                            ("differs", "Differs"),
                            ("refused", "Refused"),
                            ("stored", "Stored"),
                            ("undone", "Undone"),
                            ("kept", "Kept"),
                        ],
                        default="new",
                        max_length=10,
                    ),
                ),
                ("first_line", models.PositiveIntegerField()),
                ("last_line", models.PositiveIntegerField()),
                ("payload", models.TextField(blank=True)),
                ("text", models.CharField(blank=True, max_length=300)),
                ("record_id", models.CharField(blank=True, max_length=40)),
                ("fingerprint", models.CharField(blank=True, max_length=64)),
                (
                    "account",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="import_items",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="accounts.importrun",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["account", "run", "state", "position"], name="import_items_next"),
                    models.Index(fields=["account", "kind", "key"], name="import_items_by_key"),
                    models.Index(fields=["account", "run", "digest"], name="import_items_by_digest"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("account", "run", "position"), name="one_import_item")
                ],
            },
        ),
        migrations.CreateModel(
            name="ImportFinding",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("line", models.PositiveIntegerField()),
                ("column", models.CharField(max_length=100)),
                ("value", models.CharField(blank=True, max_length=100)),
                (
                    "code",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("date", "date"),
                            ("weight", "weight"),
                            ("reps", "reps"),
                            ("number", "number"),
                            ("empty", "empty"),
                            ("exercise", "exercise"),
                            ("columns", "columns"),
                            ("too_many", "too_many"),
                        ],
                        max_length=10,
                    ),
                ),
                ("text", models.CharField(max_length=300)),
                ("of_answers", models.BooleanField()),
                (
                    "account",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="import_findings",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="accounts.importrun",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["account", "run", "line"], name="import_findings_by_line")],
            },
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "email",
                    models.EmailField(
                        blank=True,
                        help_text="Leave it empty for a link that serves any address.",
                        max_length=254,
                    ),
                ),
                ("digest", models.CharField(editable=False, max_length=64, unique=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("expires_at", models.DateTimeField(editable=False)),
                ("withdrawn_at", models.DateTimeField(editable=False, null=True)),
                ("used_at", models.DateTimeField(editable=False, null=True)),
                (
                    "invited_by",
                    models.ForeignKey(
                        help_text="Empty for one that manage.py invite made.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="invitations",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "used_by",
                    models.ForeignKey(
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="KeyDay",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("day", models.DateField()),
                ("requests", models.IntegerField()),
                ("writes", models.IntegerField()),
                ("refusals", models.IntegerField()),
                (
                    "account",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="key_days",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "api_key",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        related_query_name="days",
                        to="accounts.apikey",
                    ),
                ),
            ],
            options={
                "ordering": ["-day", "-requests"],
                "indexes": [models.Index(fields=["-day", "-requests"], name="key_days_by_requests")],
                "constraints": [
                    models.UniqueConstraint(fields=("account", "day", "api_key"), name="one_day_of_key")
                ],
            },
        ),
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
        migrations.CreateModel(
            name="AuthorizationCode",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("redirect_uri", models.CharField(max_length=500)),
                ("names_redirect_uri", models.BooleanField()),
                ("code_challenge", models.CharField(max_length=43)),
                ("scope", models.CharField(max_length=10)),
                ("may_correct", models.BooleanField(db_default=False, default=False)),
                ("expires", models.CharField(max_length=10)),
                ("expires_at", models.DateTimeField()),
                (
                    "account",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="authorization_codes",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "connection",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="codes",
                        to="accounts.apikey",
                    ),
                ),
                (
                    "client",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="codes",
                        to="accounts.oauthclient",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="OAuthToken",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(choices=[("access", "Access"), ("refresh", "Refresh")], max_length=10),
                ),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("expires_at", models.DateTimeField()),
                ("generation", models.IntegerField()),
                ("used_at", models.DateTimeField(null=True)),
                ("address", models.CharField(db_default="", default="", max_length=64)),
                (
                    "account",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="oauth_tokens",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "connection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tokens",
                        to="accounts.apikey",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Passkey",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("name", models.CharField(max_length=100)),
                ("credential_id", models.CharField(max_length=1400)),
                ("public_key", models.TextField()),
                ("transports", models.JSONField(default=list)),
                ("sign_count", models.BigIntegerField()),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("last_used_at", models.DateTimeField(null=True)),
                (
                    "account",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="passkeys",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["created_at", "id"],
                "constraints": [
                    models.UniqueConstraint(fields=("account", "credential_id"), name="passkey_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="PushSubscription",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("endpoint", models.CharField(max_length=1000)),
                ("digest", models.CharField(max_length=64)),
                ("p256dh", models.CharField(max_length=90)),
                ("auth", models.CharField(max_length=30)),
                ("name", models.CharField(max_length=300)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("refused_at", models.DateTimeField(null=True)),
                (
                    "account",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="push_subscriptions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("account", "digest"), name="one_push_subscription")
                ],
            },
        ),
        migrations.CreateModel(
            name="RecoveryCode",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("digest", models.CharField(max_length=64)),
                ("used_at", models.DateTimeField(null=True)),
                (
                    "account",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="recovery_codes",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("account", "digest"), name="recovery_code_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Session",
            fields=[
                (
                    "session_key",
                    models.CharField(
                        max_length=40, primary_key=True, serialize=False, verbose_name="session key"
                    ),
                ),
                ("session_data", models.TextField(verbose_name="session data")),
                ("expire_date", models.DateTimeField(db_index=True, verbose_name="expire date")),
                ("browser", models.CharField(db_default="", default="", max_length=300)),
                ("address", models.CharField(db_default="", default="", max_length=64)),
                ("signed_in_at", models.DateTimeField(null=True)),
                ("last_seen_at", models.DateTimeField(null=True)),
                ("provider_session", models.CharField(db_default="", default="", max_length=64)),
                (
                    "account",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sessions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "session",
                "verbose_name_plural": "sessions",
                "indexes": [
                    models.Index(
                        condition=models.Q(("provider_session", ""), _negated=True),
                        fields=["provider_session"],
                        name="session_of_provider",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="StoredFile",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("content_type", models.CharField(max_length=100)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("size", models.BigIntegerField(default=0)),
                ("is_whole", models.BooleanField(default=False)),
                ("form", models.CharField(blank=True, db_default="", default="", max_length=20)),
                ("time_zone", models.CharField(blank=True, db_default="", default="", max_length=64)),
                ("unit", models.CharField(blank=True, db_default="", default="", max_length=2)),
                ("problem", models.CharField(blank=True, db_default="", default="", max_length=500)),
                (
                    "account",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="stored_files",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["account", "-created_at"], name="stored_files_newest")],
            },
        ),
        migrations.CreateModel(
            name="FilePart",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("content", models.BinaryField()),
                (
                    "account",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="file_parts",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "file",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="accounts.storedfile",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("account", "file", "number"), name="one_file_part")
                ],
            },
        ),
        migrations.CreateModel(
            name="Task",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("import", "Import of a file"),
                            ("export", "Export"),
                            ("plan deletion", "Deletion of a plan"),
                            ("account deletion", "Deletion of the account"),
                        ],
                        max_length=20,
                    ),
                ),
                ("subject", models.CharField(blank=True, max_length=40)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("asked_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("turn_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("not_before", models.DateTimeField(default=django.utils.timezone.now)),
                ("holder", models.CharField(blank=True, max_length=100)),
                ("held_until", models.DateTimeField(default=django.utils.timezone.now)),
                ("done", models.BigIntegerField(default=0)),
                ("total", models.BigIntegerField(default=0)),
                ("failures", models.PositiveSmallIntegerField(default=0)),
                ("problem", models.CharField(blank=True, max_length=300)),
                (
                    "account",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tasks",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("account", "kind", "subject"), name="one_task")
                ],
            },
        ),
        migrations.CreateModel(
            name="Alarm",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("rest", "End of a rest"), ("reminder", "Reminder on planned days")],
                        max_length=10,
                    ),
                ),
                ("due_at", models.DateTimeField(db_index=True)),
                ("hour", models.PositiveSmallIntegerField(null=True)),
                (
                    "account",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="alarms",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("account", "kind"), name="one_alarm_of_a_kind")
                ],
            },
        ),
        migrations.CreateModel(
            name="AuditEvent",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("email", models.CharField(blank=True, db_default="", default="", max_length=254)),
                (
                    "event",
                    models.CharField(
                        choices=[
                            ("signed up", "Signed up"),
                            ("signed in", "Signed in"),
                            ("signed out by the proxy", "Signed out by the proxy"),
                            ("provider tied", "Provider tied"),
                            ("provider untied", "Provider untied"),
                            ("provider refused", "Provider refused"),
                            ("sign-in locked", "Sign-in locked"),
                            ("password changed", "Password changed"),
                            ("reset asked for", "Reset asked for"),
                            ("password reset", "Password reset"),
                            ("email change asked for", "Email change asked for"),
                            ("email changed", "Email changed"),
                            ("email confirmed", "Email confirmed"),
                            ("signed out elsewhere", "Signed out elsewhere"),
                            ("second factor added", "Second factor added"),
                            ("second factor removed", "Second factor removed"),
                            ("second factors reset", "Second factors reset"),
                            ("recovery codes made", "Recovery codes made"),
                            ("recovery code used", "Recovery code used"),
                            ("invited", "Invited"),
                            ("invitation used", "Invitation used"),
                            ("invitation withdrawn", "Invitation withdrawn"),
                            ("key created", "Key created"),
                            ("key revoked", "Key revoked"),
                            ("connection made", "Connection made"),
                            ("connection ended", "Connection ended"),
                            ("corrections allowed", "Corrections allowed"),
                            ("corrections ended", "Corrections ended"),
                            ("calendar address made", "Calendar address made"),
                            ("calendar address ended", "Calendar address ended"),
                            ("window opened", "Window opened"),
                            ("refresh token reused", "Refresh token reused"),
                            ("file read for import", "File read for import"),
                            ("file imported", "File imported"),
                            ("import undone", "Import undone"),
                            ("account deleted", "Account deleted"),
                            ("account added by staff", "Account added by staff"),
                            ("account changed by staff", "Account changed by staff"),
                            ("account deactivated", "Account deactivated"),
                            ("account reactivated", "Account reactivated"),
                            ("account deleted by staff", "Account deleted by staff"),
                            ("rights changed", "Rights changed"),
                            ("password set by staff", "Password set by staff"),
                            ("reset link made by staff", "Reset link made by staff"),
                            ("sign-in link made by staff", "Sign-in link made by staff"),
                            ("key issued by staff", "Key issued by staff"),
                            ("key revoked by staff", "Key revoked by staff"),
                            ("task ended by staff", "Task ended by staff"),
                            ("exercise added", "Exercise added"),
                            ("exercise changed", "Exercise changed"),
                            ("exercise merged", "Exercise merged"),
                            ("exercise retired", "Exercise retired"),
                            ("exercise taken back", "Exercise taken back"),
                            ("exercises imported", "Exercises imported"),
                            ("refused", "Refused"),
                        ],
                        max_length=40,
                    ),
                ),
                ("detail", models.TextField(blank=True, db_default="", default="")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="time (UTC)")),
                (
                    "actor_email",
                    models.CharField(
                        blank=True, db_default="", default="", max_length=254, verbose_name="staff"
                    ),
                ),
                ("address", models.CharField(blank=True, max_length=64)),
                ("key_hint", models.CharField(blank=True, max_length=20)),
                (
                    "account",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="audit_events",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "actor",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-at", "-id"],
                "indexes": [
                    models.Index(fields=["-at", "-id"], name="audit_newest"),
                    models.Index(fields=["event", "-at", "-id"], name="audit_of_event"),
                    models.Index(fields=["address", "-at", "-id"], name="audit_of_address"),
                    models.Index(
                        fields=["key_hint", "-at", "-id"],
                        name="audit_of_key",
                        opclasses=["varchar_pattern_ops", "timestamptz_ops", "uuid_ops"],
                    ),
                    models.Index(
                        fields=["email", "-at", "-id"],
                        name="audit_of_email",
                        opclasses=["varchar_pattern_ops", "timestamptz_ops", "uuid_ops"],
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="IdempotentRequest",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("idempotency_key", models.CharField(max_length=255)),
                ("request_digest", models.CharField(max_length=64)),
                ("status", models.PositiveSmallIntegerField(default=0)),
                ("instance_id", models.CharField(max_length=36)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "account",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="idempotent_requests",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "api_key",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="accounts.apikey",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["api_key", "created_at"], name="idempotent_request_age")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("api_key", "idempotency_key"), name="idempotent_request_once"
                    )
                ],
            },
        ),
    ]
