from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('training', '0012_training_month'),
    ]
    # Backwards the column must be there again before 0012 goes, which sets it.
    run_before = [
        ('accounts', '0019_drop_summed_until'),
    ]

    operations = [
        migrations.DeleteModel(
            name='TrainingMonth',
        ),
    ]
