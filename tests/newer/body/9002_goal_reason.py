from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("body", "9001_goal_from_weight")]
    operations = [migrations.AddField("goal", "reason", models.TextField(default="health"))]
