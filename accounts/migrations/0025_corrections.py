from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0024_exports_as_files'),
    ]

    operations = [
        migrations.AddField(
            model_name='apikey',
            name='may_correct',
            field=models.BooleanField(db_default=False, default=False, verbose_name='may also correct and delete'),
        ),
        migrations.AddField(
            model_name='authorizationcode',
            name='may_correct',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AlterField(
            model_name='auditevent',
            name='event',
            field=models.CharField(choices=[('signed up', 'Signed up'), ('signed in', 'Signed in'), ('sign-in locked', 'Sign-in locked'), ('password changed', 'Password changed'), ('reset asked for', 'Reset asked for'), ('password reset', 'Password reset'), ('email change asked for', 'Email change asked for'), ('email changed', 'Email changed'), ('email confirmed', 'Email confirmed'), ('signed out elsewhere', 'Signed out elsewhere'), ('second factor added', 'Second factor added'), ('second factor removed', 'Second factor removed'), ('second factors reset', 'Second factors reset'), ('recovery codes made', 'Recovery codes made'), ('recovery code used', 'Recovery code used'), ('invited', 'Invited'), ('invitation used', 'Invitation used'), ('invitation withdrawn', 'Invitation withdrawn'), ('key created', 'Key created'), ('key revoked', 'Key revoked'), ('connection made', 'Connection made'), ('connection ended', 'Connection ended'), ('corrections allowed', 'Corrections allowed'), ('corrections ended', 'Corrections ended'), ('refresh token reused', 'Refresh token reused'), ('file read for import', 'File read for import'), ('file imported', 'File imported'), ('import undone', 'Import undone'), ('account deleted', 'Account deleted'), ('account added by staff', 'Account added by staff'), ('account changed by staff', 'Account changed by staff'), ('account deactivated', 'Account deactivated'), ('account reactivated', 'Account reactivated'), ('account deleted by staff', 'Account deleted by staff'), ('rights changed', 'Rights changed'), ('password set by staff', 'Password set by staff'), ('reset link made by staff', 'Reset link made by staff'), ('key issued by staff', 'Key issued by staff'), ('key revoked by staff', 'Key revoked by staff'), ('task ended by staff', 'Task ended by staff'), ('exercise added', 'Exercise added'), ('exercise changed', 'Exercise changed'), ('exercise merged', 'Exercise merged'), ('exercise retired', 'Exercise retired'), ('exercise taken back', 'Exercise taken back'), ('exercises imported', 'Exercises imported'), ('refused', 'Refused')], max_length=40),
        ),
        migrations.AddConstraint(
            model_name='apikey',
            constraint=models.CheckConstraint(condition=models.Q(('may_correct', False), ('scope', 'read_write'), _connector='OR'), name='correcting_key_may_write'),
        ),
    ]
