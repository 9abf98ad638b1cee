import datetime

import accounts.models

from django.db import migrations, models
from django.utils import timezone


def shorten(apps, schema_editor):
    """Sessions of staff end after 12 hours from now on: these, too, also when they are saved again."""
    from accounts.sessions import SessionStore

    end = timezone.now() + datetime.timedelta(hours=12)
    sessions = apps.get_model("accounts", "Session").objects.filter(expire_date__gt=end)
    for session in sessions.filter(account__is_staff=True):
        data = {**SessionStore().decode(session.session_data), "_session_expiry": end.isoformat()}
        session.session_data, session.expire_date = SessionStore().encode(data), end
        session.save(update_fields=["session_data", "expire_date"])


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0011_session'),
    ]

    operations = [
        migrations.AlterField(
            model_name='account',
            name='email',
            field=models.EmailField(error_messages={'unique': 'There is an account with this email.'}, max_length=254, unique=True, validators=[accounts.models.has_domain]),
        ),
        migrations.AddField(
            model_name='account',
            name='email_confirmed_at',
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name='session',
            name='address',
            field=models.CharField(db_default='', default='', max_length=64),
        ),
        migrations.AddField(
            model_name='session',
            name='browser',
            field=models.CharField(db_default='', default='', max_length=300),
        ),
        migrations.AddField(
            model_name='session',
            name='last_seen_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='session',
            name='signed_in_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.RunPython(shorten, migrations.RunPython.noop),
        migrations.AlterField(
            model_name='auditevent',
            name='event',
            field=models.CharField(choices=[('signed up', 'Signed up'), ('signed in', 'Signed in'), ('sign-in locked', 'Sign-in locked'), ('password changed', 'Password changed'), ('reset asked for', 'Reset asked for'), ('password reset', 'Password reset'), ('email change asked for', 'Email change asked for'), ('email changed', 'Email changed'), ('email confirmed', 'Email confirmed'), ('signed out elsewhere', 'Signed out elsewhere'), ('invited', 'Invited'), ('invitation used', 'Invitation used'), ('invitation withdrawn', 'Invitation withdrawn'), ('key created', 'Key created'), ('key revoked', 'Key revoked'), ('account deleted', 'Account deleted'), ('account added by staff', 'Account added by staff'), ('account changed by staff', 'Account changed by staff'), ('account deactivated', 'Account deactivated'), ('account reactivated', 'Account reactivated'), ('account deleted by staff', 'Account deleted by staff'), ('rights changed', 'Rights changed'), ('password set by staff', 'Password set by staff'), ('reset link made by staff', 'Reset link made by staff'), ('key issued by staff', 'Key issued by staff'), ('key revoked by staff', 'Key revoked by staff'), ('exercise added', 'Exercise added'), ('exercise changed', 'Exercise changed'), ('exercise merged', 'Exercise merged'), ('exercise retired', 'Exercise retired'), ('exercise taken back', 'Exercise taken back'), ('exercises imported', 'Exercises imported'), ('refused', 'Refused')], max_length=40),
        ),
    ]
