from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0018_sums_of_months'),
    ]

    operations = [
        migrations.RemoveField(
            model_name='accountstate',
            name='summed_until',
        ),
    ]
