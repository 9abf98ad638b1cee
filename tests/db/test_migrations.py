"""The way back of each migration, and the way forward again, on a database with data."""

import json

import pytest
from django.conf import settings

from tests.server import Server, own_database

APPS = ("supplements", "nutrition", "body", "training", "accounts")

# Fills the database, goes back one migration at a time to the first of each app, and forward again.
THERE_AND_BACK = """
import gc
gc.set_threshold(10_000, 20, 50)  # Django makes all models again for most operations: a tenth of the CPU
import json
import re
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.test import Client
from accounts.models import Account
from tests.db.filling import fill
from training.drafts import start
from training.models import Workout

def stored():
    workouts = Workout.objects.order_by("id").values_list("id", "document", "volume_kg", "stored_bytes")
    return [[str(pk), document, volume, size] for pk, document, volume, size in workouts]

def answers():
    client = Client(HTTP_HOST="127.0.0.1", headers={"api-key": key})
    paths = client.get("/api/v1/openapi.json").json()["paths"]
    lists = [path for path in paths if "get" in paths[path] and not re.search("{|stats", path)]
    answers = {path: client.get("/api/v1" + path) for path in [*lists, "/exercises?q=military+press"]}
    return {path: (answer.status_code, answer.content.decode()) for path, answer in answers.items()}

call_command("seed_demo", email="demo@example.org", days=40)
account = Account.objects.get(email="demo@example.org")
key, _ = account.issue_key("a", "read_write", "never")
start.start(account, start.Template())
fill({apps}, account)
before, answered = stored(), answers()

names = []
while True:
    executor = MigrationExecutor(connection)
    graph, applied = executor.loader.graph, executor.loader.applied_migrations
    left = [key for key in applied if key[0] in {apps} and not key[1].startswith("0001")]
    if not left:
        break
    last = next(key for key in left if not set(graph.node_map[key].children) & applied.keys())
    executor.migrate([parent.key for parent in graph.node_map[last].parents if parent.key[0] == last[0]])
    names.append(".".join(last))
call_command("migrate", verbosity=0)
print(json.dumps([names, before, stored(), answered, answers()]))
"""


@pytest.mark.skipif(settings.CITUS, reason="a cluster begins with this version")
def test_each_migration_goes_back_and_forward_on_a_filled_database(tmp_path, prepared):
    with own_database(tmp_path, prepared) as database:
        server = Server(tmp_path, database)
        done = server.manage("shell", "--no-imports", "-c", THERE_AND_BACK.replace("{apps}", repr(APPS)))
    undone, before, after, answered, answers = json.loads(done.stdout.splitlines()[-1])
    assert "accounts.0005_kept_instances" in undone
    assert "training.0013_drop_training_month" in undone
    assert len(before) > 10
    assert after == before
    assert {status for status, _ in answered.values()} == {200}, done.stderr
    assert "Barbell Overhead Press" in answered["/exercises?q=military+press"][1]
    for path, answer in answered.items():
        assert answers[path] == answer, path
