"""Migrations on databases with data: the way back and forward again, and the update from before 1.0.0."""

import gzip
import json
from importlib import import_module
from pkgutil import iter_modules

import pytest
from django.conf import settings

from fitness.db.applied import LAST_COMMIT_BEFORE
from tests.server import Server, own_database

APPS = ("supplements", "nutrition", "body", "training", "accounts")
RELEASES = {app: import_module(f"{app}.migrations.0001_release").Migration for app in APPS}
LATER = [
    name
    for app in APPS
    for _, name, _ in iter_modules(import_module(f"{app}.migrations").__path__)
    if name != "0001_release"
]

# Fills the database, and asks it.
FILLED = """
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
from training.drafts.start import Template, start
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
start(account, Template())
fill({apps}, account)
before, answered = stored(), answers()
"""

# Goes back one migration at a time to the first of each app, and forward again.
THERE_AND_BACK = """
names = []
while True:
    executor = MigrationExecutor(connection)
    graph = executor.loader.graph
    applied = executor.loader.applied_migrations.keys() & graph.node_map.keys()  # not what a release replaces
    left = [key for key in applied if key[0] in {apps} and not key[1].startswith("0001")]
    if not left:
        break
    last = next(key for key in left if not applied & {child.key for child in graph.node_map[key].children})
    executor.migrate([parent.key for parent in graph.node_map[last].parents if parent.key[0] == last[0]])
    names.append(".".join(last))
call_command("migrate", verbosity=0)
print(json.dumps([names, before, stored(), answered, answers()]))
"""


def shell(server, script, **environment):
    """What the last line that a script printed holds."""
    server.environment |= environment
    printed = server.manage("shell", "--no-imports", "-c", script.replace("{apps}", repr(APPS))).stdout
    return json.loads(printed.splitlines()[-1])


@pytest.mark.skipif(settings.CITUS, reason="a cluster begins with this version")
@pytest.mark.skipif(not LATER, reason="each app has its first migration alone")
def test_each_migration_goes_back_and_forward_on_a_filled_database(tmp_path, prepared):
    with own_database(tmp_path, prepared) as database:
        undone, before, after, answered, answers = shell(Server(tmp_path, database), FILLED + THERE_AND_BACK)
    assert sorted(name.partition(".")[2] for name in undone) == sorted(LATER)
    assert len(before) > 10
    assert after == before
    assert {status for status, _ in answered.values()} == {200}
    for path, answer in answered.items():
        assert answers[path] == answer, path


# Back to meals and ticks, and forward again, with what only foods and entries can hold.
FOODS_THERE_AND_BACK = """
import json
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from accounts.models import Account
from nutrition.models import MAX_MACROS, FoodEntry, NutritionDay
call_command("seed_demo", email="demo@example.org", days=1)
account = Account.objects.get(email="demo@example.org")
oats = account.foods.create(name="Oats", calories=400, fat_g=8, portion=80, unit="g", is_meal=True)
for day in ("2020-03-02", "2020-03-03"):
    oats.tick(day)
oats.eat("2020-03-02", 40)
NutritionDay.objects.log(account, "2020-03-03", dict.fromkeys(MAX_MACROS, 1))
FoodEntry.objects.add(account, "2020-03-04", [FoodEntry(name="Lunch", calories=700)])
days = lambda: [[str(one.day), one.macros] for one in account.nutrition_days.order_by("day")]
before = days()
def migrate(name):
    executor = MigrationExecutor(connection)
    executor.migrate([("nutrition", name)])
    return MigrationExecutor(connection).loader.project_state([("nutrition", name)]).apps
old = migrate("0001_release")
tick_values = old.get_model("nutrition", "MealTick").objects.filter(account_id=account.pk).order_by("id")
ticks = list(tick_values.values_list("meal__name", "calories", "protein_g", "fat_g"))
migrate("0002_foods_and_entries")
names = ("name", "is_meal", "portion", "unit", "protein_g")
foods = list(account.foods.filter(pk=oats.pk).values_list(*names))
entries = account.food_entries.order_by("id").values_list("food__name", "is_tick", "amount", "is_included")
complete = [str(one.day) for one in account.nutrition_days.filter(is_complete=True, day__lt="2021-01-01")]
print(json.dumps([before, days(), ticks, foods, list(entries), complete]))
"""


@pytest.mark.skipif(settings.CITUS, reason="there a restored backup is the way back")
def test_meals_and_ticks_become_foods_and_entries(tmp_path, prepared):
    with own_database(tmp_path, prepared) as database:
        server = Server(tmp_path, database)
        if not prepared:
            server.manage("prepare")
        before, after, ticks, foods, entries, complete = shell(server, FOODS_THERE_AND_BACK)
    assert after == before  # not even the way back changes a total
    assert ticks == [["Oats", 400, 0, 8]] * 2  # what was not known is 0 there
    assert foods == [["Oats", True, 1, "piece", 0]]
    assert entries == [["Oats", True, 1, False]] * 2
    assert complete == ["2020-03-04"]


# --- The update from the last commit before 1.0.0 -----------------------------------------------

# Takes out the names of the releases, as that commit knows none: its tables are the same.
AS_BEFORE = """
from django.db import connection
def run(statement, *parameters):
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
run("DELETE FROM django_migrations WHERE name = '0001_release'")
"""
ONE_IS_MISSING = """
run("DELETE FROM django_migrations WHERE app = %s AND name = %s", *{missing})
"""
APPLIED = """
import json
from django.db.migrations.recorder import MigrationRecorder
print(json.dumps(sorted(MigrationRecorder(connection).applied_migrations())))
"""
PREPARED_AGAIN = """
import io
out = io.StringIO()
call_command("prepare", stdout=out)
print(json.dumps([before, stored(), answered, answers(), out.getvalue()]))
"""


@pytest.fixture
def server(tmp_path, prepared):
    """A service with a prepared database, not started."""
    with own_database(tmp_path, prepared) as database:
        server = Server(tmp_path, database)
        if not prepared:
            server.manage("prepare")
        yield server


def names_of_releases():
    return {(app, "0001_release") for app in APPS}


def replaced_by_releases():
    return {name for release in RELEASES.values() for name in release.replaces}


def test_the_last_version_before_is_taken_as_it_is(server):
    before, after, answered, answers, printed = shell(server, FILLED + AS_BEFORE + PREPARED_AGAIN)
    assert len(before) > 10
    assert (after, answers) == (before, answered)
    assert {status for status, _ in answered.values()} == {200}
    assert printed == ""  # nothing about tables that change
    applied = {tuple(each) for each in shell(server, "from django.db import connection" + APPLIED)}
    assert applied >= names_of_releases() | replaced_by_releases()


@pytest.mark.parametrize("app", [app for app in APPS if len(RELEASES[app].replaces) > 1])
def test_a_version_further_back_is_refused_and_left_as_it_is(server, app, tmp_path):
    missing = RELEASES[app].replaces[-1]
    before = shell(server, AS_BEFORE + ONE_IS_MISSING.replace("{missing}", repr(missing)) + APPLIED)
    for command in (["prepare"], ["backup", str(tmp_path / "file")]):
        refused = server.manage(*command, check=False)
        (line,) = refused.stderr.splitlines()
        assert refused.returncode == 1
        assert f"the database is of a version before 1.0.0, without migration {'.'.join(missing)}" in line
        assert line.endswith(f": let commit {LAST_COMMIT_BEFORE} bring it up to date first.")
    assert shell(server, "from django.db import connection" + APPLIED) == before


INTERRUPTED = """
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
record = MigrationRecorder.record_applied
def stopped(self, app, name):
    if app == "training":
        raise KeyboardInterrupt
    record(self, app, name)
MigrationRecorder.record_applied = stopped
try:
    call_command("prepare")
except KeyboardInterrupt:
    import json
    print(json.dumps(connection.introspection.table_names()))
"""


def test_a_first_start_that_is_interrupted_can_be_begun_again(tmp_path):
    with own_database(tmp_path) as database:
        server = Server(tmp_path, database)
        assert not {"accounts_account", "django_migrations"} & set(shell(server, INTERRUPTED))
        assert "864 entries" in server.manage("prepare").stdout


def with_names_of_before(file):
    """Writes a backup beside it whose first line is that of the last version before 1.0.0."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        first, *rows = lines
    document = json.loads(first)
    kept = {tuple(name) for name in document["migrations"]} - names_of_releases()
    document["migrations"] = sorted(kept | replaced_by_releases())
    return document, rows


def written(file, document, rows):
    with gzip.open(file, "wt", encoding="utf-8") as out:
        out.writelines([json.dumps(document) + "\n", *rows])
    return str(file)


def test_a_backup_of_the_last_version_before_is_restored_and_one_further_back_is_not(server, tmp_path):
    backup = tmp_path / "backup"
    server.manage("seed_demo", "--days", "20")
    server.manage("backup", str(backup))
    document, rows = with_names_of_before(backup)
    with own_database(tmp_path / "other") as database:
        other = Server(tmp_path / "other", database)
        missing = {**document, "migrations": document["migrations"][1:]}
        refused = other.manage("restore", written(tmp_path / "older", missing, rows), check=False)
        (line,) = refused.stderr.splitlines()
        assert "it is of a version before 1.0.0, without migration accounts.0001_initial: " in line
        assert f"let commit {LAST_COMMIT_BEFORE} " in line
        other.manage("restore", written(tmp_path / "before", document, rows))
        again = tmp_path / "again"
        other.manage("backup", str(again))
    assert rows_of(again) == rows_of(backup)


def rows_of(file):
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return sorted(list(lines)[1:])
