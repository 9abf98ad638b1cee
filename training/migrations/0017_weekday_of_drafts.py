from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('training', '0016_rules_of_routines'),
    ]

    operations = [
        migrations.AddField(
            model_name='trainingdraft',
            name='weekday',
            field=models.PositiveSmallIntegerField(null=True),
        ),
    ]
