import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Events keep emails, the member of staff who acted, and details; keys know whether staff issued them."""

    dependencies = [
        ("accounts", "0007_account_state"),
    ]

    operations = [
        migrations.AddField(
            model_name="apikey",
            name="issued_by_staff",
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.AddField(
            model_name="auditevent",
            name="actor",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="auditevent",
            name="actor_email",
            field=models.CharField(
                blank=True, db_default="", default="", max_length=254, verbose_name="staff"
            ),
        ),
        migrations.AddField(
            model_name="auditevent",
            name="detail",
            field=models.TextField(blank=True, db_default="", default=""),
        ),
        migrations.AddField(
            model_name="auditevent",
            name="email",
            field=models.CharField(blank=True, db_default="", default="", max_length=254),
        ),
        migrations.AlterField(
            model_name="auditevent",
            name="at",
            field=models.DateTimeField(default=django.utils.timezone.now, verbose_name="time (UTC)"),
        ),
        migrations.AlterField(
            model_name="auditevent",
            name="event",
            field=models.CharField(
                choices=[
                    ("signed up", "Signed up"),
                    ("signed in", "Signed in"),
                    ("sign-in locked", "Sign-in locked"),
                    ("password changed", "Password changed"),
                    ("invited", "Invited"),
                    ("invitation used", "Invitation used"),
                    ("invitation withdrawn", "Invitation withdrawn"),
                    ("key created", "Key created"),
                    ("key revoked", "Key revoked"),
                    ("account deleted", "Account deleted"),
                    ("account added by staff", "Account added by staff"),
                    ("account changed by staff", "Account changed by staff"),
                    ("account deactivated", "Account deactivated"),
                    ("account reactivated", "Account reactivated"),
                    ("account deleted by staff", "Account deleted by staff"),
                    ("rights changed", "Rights changed"),
                    ("password set by staff", "Password set by staff"),
                    ("key issued by staff", "Key issued by staff"),
                    ("key revoked by staff", "Key revoked by staff"),
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
    ]
