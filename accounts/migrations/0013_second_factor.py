import django.db.models.deletion
import django.utils.timezone
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0012_mail_and_browsers'),
    ]

    operations = [
        migrations.CreateModel(
            name='Authenticator',
            fields=[
                ('throttling_failure_timestamp', models.DateTimeField(blank=True, default=None, help_text='A timestamp of the last failed verification attempt. Null if last attempt succeeded.', null=True)),
                ('throttling_failure_count', models.PositiveIntegerField(default=0, help_text='Number of successive failed attempts.')),
                ('last_used_at', models.DateTimeField(blank=True, help_text='The most recent date and time this device was used.', null=True)),
                ('account', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='authenticator', serialize=False, to=settings.AUTH_USER_MODEL)),
                ('sealed_secret', models.CharField(max_length=200)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('last_step', models.BigIntegerField()),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.AlterField(
            model_name='auditevent',
            name='event',
            field=models.CharField(choices=[('signed up', 'Signed up'), ('signed in', 'Signed in'), ('sign-in locked', 'Sign-in locked'), ('password changed', 'Password changed'), ('reset asked for', 'Reset asked for'), ('password reset', 'Password reset'), ('email change asked for', 'Email change asked for'), ('email changed', 'Email changed'), ('email confirmed', 'Email confirmed'), ('signed out elsewhere', 'Signed out elsewhere'), ('second factor added', 'Second factor added'), ('second factor removed', 'Second factor removed'), ('second factors reset', 'Second factors reset'), ('recovery codes made', 'Recovery codes made'), ('recovery code used', 'Recovery code used'), ('invited', 'Invited'), ('invitation used', 'Invitation used'), ('invitation withdrawn', 'Invitation withdrawn'), ('key created', 'Key created'), ('key revoked', 'Key revoked'), ('account deleted', 'Account deleted'), ('account added by staff', 'Account added by staff'), ('account changed by staff', 'Account changed by staff'), ('account deactivated', 'Account deactivated'), ('account reactivated', 'Account reactivated'), ('account deleted by staff', 'Account deleted by staff'), ('rights changed', 'Rights changed'), ('password set by staff', 'Password set by staff'), ('reset link made by staff', 'Reset link made by staff'), ('key issued by staff', 'Key issued by staff'), ('key revoked by staff', 'Key revoked by staff'), ('exercise added', 'Exercise added'), ('exercise changed', 'Exercise changed'), ('exercise merged', 'Exercise merged'), ('exercise retired', 'Exercise retired'), ('exercise taken back', 'Exercise taken back'), ('exercises imported', 'Exercises imported'), ('refused', 'Refused')], max_length=40),
        ),
        migrations.CreateModel(
            name='Passkey',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=100)),
                ('credential_id', models.CharField(max_length=1400)),
                ('public_key', models.TextField()),
                ('transports', models.JSONField(default=list)),
                ('sign_count', models.BigIntegerField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('last_used_at', models.DateTimeField(null=True)),
                ('account', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='passkeys', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['created_at', 'id'],
                'constraints': [models.UniqueConstraint(fields=('account', 'credential_id'), name='passkey_once')],
            },
        ),
        migrations.CreateModel(
            name='RecoveryCode',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64)),
                ('used_at', models.DateTimeField(null=True)),
                ('account', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='recovery_codes', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('account', 'digest'), name='recovery_code_once')],
            },
        ),
    ]
