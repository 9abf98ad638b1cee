"""manage.py backup and restore: the database in one file, and from it in an empty database."""

import gzip
import http.cookiejar
import json
import os
import re
import stat
import subprocess
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request
from base64 import b32encode, b64decode
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import product
from pathlib import Path

import pytest
from django.conf import settings

from tests.accounts.programs import CALLBACK, CHALLENGE
from tests.conftest import a_set, a_workout
from tests.mcp_endpoint.conftest import request as message
from tests.server import PATIENCE_SECONDS, ROOT, Http, Server, own_database, running_server, sqlite_database
from tests.training.test_plans import a_day, a_plan, an_exercise

KINDS = ["sqlite"] if settings.SQLITE else ["sqlite", "server"]


# Tests that share a service run in one process, which makes it once.
of_original = {kind: pytest.mark.xdist_group(f"backup of {kind}") for kind in KINDS}
of_weighed = pytest.mark.xdist_group("backup of one weight")
# For tests of files and options, which are read alike for every database.
once = pytest.mark.skipif(not settings.SQLITE, reason="files and options are read alike for every database")


def moves():
    """Parameters (kind of the original's database, kind of the restored one's), which differ if they can."""
    return [
        pytest.param(kind, other, marks=of_original[kind])
        for kind, other in product(KINDS, KINDS)
        if settings.SQLITE or kind != other
    ]


@pytest.fixture(scope="module")
def services(tmp_path_factory):
    """A function that makes services, each with an empty database or a copy of one; they are not started."""
    with ExitStack() as stack:

        def make(kind=KINDS[-1], copy_of="", **environment):
            folder = tmp_path_factory.mktemp("service")
            if kind == "sqlite":
                return Server(folder, sqlite_database(folder, copy_of), **environment)
            return Server(folder, stack.enter_context(own_database(folder, copy_of)), **environment)

        yield make


@pytest.fixture(scope="module")
def prepared_services(services, prepared):
    """A function that makes services as `manage.py prepare` leaves them."""

    def make(kind=KINDS[-1], **environment):
        if prepared and kind == KINDS[-1]:
            return services(kind, prepared, **environment)
        service = services(kind, **environment)
        service.manage("prepare")
        return service

    return make


@pytest.fixture
def started():
    """A function that starts a service until the end of the test."""
    with ExitStack() as stack:

        def start(service):
            stack.callback(service.start().stop)
            return service

        yield start


@pytest.fixture(scope="module")
def weighed(prepared_services, tmp_path_factory):
    """A service with one account that has logged a weight, and its backup."""
    service = prepared_services()
    service.api_key = service.key()
    service.start()
    try:
        assert Http(service, service.api_key).call("POST", "/body/weight", {"weight_kg": 81.5})[0] == 201
    finally:
        service.stop()
    service.archive = tmp_path_factory.mktemp("archive") / "weighed.backup"
    service.manage("backup", str(service.archive))
    return service


@pytest.fixture
def file(tmp_path):
    return tmp_path / "fitness.backup"


STATE = "accounts.accountstate"
NEWER = "tests.newer.settings"


def documents(file):
    with gzip.open(file, "rt", encoding="utf-8", newline="\n") as lines:
        return [json.loads(line) for line in lines]


def contents(file):
    """{model: its rows, sorted} of a backup, without the line with its time."""
    found = {}
    for document in documents(file)[1:-1]:
        if isinstance(document, dict):
            rows = found.setdefault(document["model"], [document["columns"]])
        else:
            rows.append(document)
    return {
        model: [columns, *sorted(json.dumps(row, sort_keys=True) for row in rows)]
        for model, (columns, *rows) in found.items()
    }


def rewritten(file, lines):
    """Writes a backup with these lines."""
    with gzip.open(file, "wt", encoding="utf-8", newline="\n") as out:
        out.writelines(json.dumps(line) + "\n" for line in lines)


def error_line(service, *arguments):
    """The error of a command, which is one line."""
    done = service.manage(*arguments, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    return line.removeprefix("CommandError: ")


# --- What comes back ----------------------------------------------------------------------------

ODD_FLOATS = [0.1 + 0.2, 1 / 3, 102.05828325, 0.25]
ODD_TEXT = "Späte Einheit 💪 \u2028\u202e\x85 \"'\\ <b> {{7*7}}\r\n\tund \ufdd0 Schluss"


APP_SECRET = b"the secret of an app"
UPLOAD_TIMES = 2100  # which makes two parts of it
UPLOAD = bytes(range(256)) * UPLOAD_TIMES
TWO_KEYS_AND_FACTORS = f"""
import io
from accounts.factors import add_authenticator
from accounts.models import Account, OAuthClient
from accounts.oauth.tokens import issue, new_code
from training.models.own_exercise import make
demo, odd = Account.objects.get(), Account.objects.create_user("odd@example.org")
add_authenticator(odd, {APP_SECRET}, 1, session=None)
make(odd, "Pendulum Thing", "Legs", "Machine")
upload = odd.stored_files.create(name="a file", content_type="text/csv")
upload.write(io.BytesIO(bytes(range(256)) * {UPLOAD_TIMES}))
odd.passkeys.create(name={ODD_TEXT!r}, credential_id="id", public_key="key", sign_count=2**32 - 1)
for account in (demo, odd):
    print(account.issue_key("test", "read_write", "never")[0])
client = OAuthClient.objects.create(client_id="claude", name="Claude", redirect_uris=["{CALLBACK}"])
new_code(
    odd, client=client, scope="read", expires="never",
    redirect_uri="{CALLBACK}", names_redirect_uri=True, code_challenge="{CHALLENGE}",
)
print(issue(odd.connect(client, "read", "never", "claude.ai"), 1)["access_token"])
"""


@pytest.fixture(scope="module")
def original(request, prepared_services, tmp_path_factory):
    """A service with a demo account and an account of odd values and two factors, with its backup."""
    service = prepared_services(request.param)
    service.kind = request.param
    service.password = re.search(r"password (\S+)", service.manage("seed_demo", "--days", "60").stdout)[1]
    printed = service.manage("shell", "--no-imports", "-c", TWO_KEYS_AND_FACTORS).stdout.split()
    service.keys, service.token = printed[:2], printed[2]
    service.start()
    try:
        odd = Http(service, service.keys[1])
        sets = [a_set(weight_kg) for weight_kg in ODD_FLOATS]
        ruled = {"weekday": 1, "position": 0, "exercise_id": "barbell-bench-press", "kind": "linear"}
        plan = odd.call("POST", "/plans", a_plan(days=[a_day(1, an_exercise()), *map(a_day, range(2, 8))]))[1]
        assert odd.call("PUT", f"/plans/{plan['id']}/progression", {"rules": [ruled]})[0] == 200
        assert odd.call("POST", "/workouts", a_workout(*[a_set(60, 8)] * 3, plan_id=plan["id"]))[0] == 201
        for number in range(3):
            body = a_workout(*sets, title=ODD_TEXT, notes=ODD_TEXT * 20, duration_seconds=number)
            status, service.last = odd.call("POST", "/workouts", body)
            assert status == 201
        service.responses = responses(service)
    finally:
        service.stop()
    service.archive = tmp_path_factory.mktemp("archive") / "fitness.backup"
    service.manage("backup", str(service.archive))
    return service


def responses(service):
    """{address: (status, bytes)} of every list, sum and statistic, read with the keys of the service."""
    with urllib.request.urlopen(f"{service.url}/api/v1/openapi.json") as response:
        described = json.load(response)["paths"]
    paths = [path for path, operations in described.items() if "get" in operations and "{" not in path]
    for path in ("/stats/training", "/stats/body"):  # without a window they would end now
        paths[paths.index(path)] += "?since=2026-01-01T00:00:00Z&until=2026-12-31T00:00:00Z"
    paths += ["/workouts?limit=100", "/workouts/events?limit=100", "/exercises/barbell-bench-press/history"]
    paths += ["/exercises?q=pendulum%20thing"]
    return {(key, path): fetch(service, key, path) for key in service.keys for path in paths}


def fetch(service, key, path):
    request = urllib.request.Request(f"{service.url}/api/v1{path}", headers={"api-key": key})
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)["error"]["details"]


def signs_in(service, email, password):
    """Whether the sign-in form accepts the email and the password."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
    page = browser.open(f"{service.url}/sign-in").read().decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)[1]
    fields = {"csrfmiddlewaretoken": token, "username": email, "password": password}
    form = urllib.parse.urlencode(fields).encode()
    return not browser.open(f"{service.url}/sign-in", form).url.endswith("/sign-in")


@pytest.fixture(scope="module")
def restored(request, original, services):
    """The original's backup, restored in an empty database of the kind."""
    restored = services(request.param)
    restored.keys = original.keys
    restored.manage("restore", str(original.archive))
    return restored


@pytest.mark.parametrize(("original", "restored"), moves(), indirect=True)
def test_a_restored_service_is_the_same(original, restored, started, file):
    restored.manage("backup", str(file))
    assert contents(file) == contents(original.archive)

    started(restored)
    assert responses(restored) == original.responses
    assert signs_in(restored, "demo@example.org", original.password)
    assert not signs_in(restored, "demo@example.org", original.password + "x")
    ping = urllib.request.Request(f"{restored.url}/mcp", json.dumps(message("ping")).encode())
    ping.add_header("Content-Type", "application/json")
    ping.add_header("Authorization", f"Bearer {original.token}")
    assert urllib.request.urlopen(ping).status == 200


@pytest.mark.parametrize(("original", "restored"), moves(), indirect=True)
def test_a_restored_service_can_be_used_and_changed(original, restored, started):
    restored.manage("prepare")
    assert "workouts: 0 changed" in restored.manage("render_records").stdout
    another_key = restored.key("odd@example.org", "read")  # its id comes from the database

    started(restored)
    odd = Http(restored, original.keys[1])
    status, workout = odd.call("POST", "/workouts", a_workout(a_set()))
    assert (status, workout["updated_at"] > original.last["updated_at"]) == (201, True)
    since = f"/workouts/events?since={original.last['updated_at']}"
    events = Http(restored, another_key).call("GET", since)[1]["events"]
    assert events[-1]["workout"] == workout


@of_weighed
def test_event_stamps_increase_even_if_the_clock_was_ahead(weighed, prepared_services, started, file):
    lines = documents(weighed.archive)
    heading = next(line for line in lines if isinstance(line, dict) and line.get("model") == STATE)
    place, last_change = lines.index(heading) + 1, heading["columns"].index("last_change")
    lines[place][last_change] = 4_000_000_000_000_000  # microseconds since 1970: in 2096
    rewritten(file, lines)
    restored = prepared_services()
    restored.manage("restore", str(file))

    workout = Http(started(restored), weighed.api_key).call("POST", "/workouts", a_workout())[1]
    assert workout["updated_at"] == "2096-10-02T07:06:40.000001Z"


@of_original[KINDS[-1]]
@pytest.mark.parametrize("original", KINDS[-1:], indirect=True)
def test_what_is_in_a_backup_and_what_is_not(original):
    found = contents(original.archive)
    kinds = ("authenticator", "passkey", "recoverycode")
    assert [len(found[f"accounts.{kind}"]) - 1 for kind in kinds] == [1, 1, 10]
    forms = (APP_SECRET.decode(), APP_SECRET.hex(), b32encode(APP_SECRET).decode())
    assert not [form for form in forms if form in json.dumps(found)]

    columns, *parts = found["accounts.filepart"]
    assert b"".join(b64decode(json.loads(part)[columns.index("content")]) for part in parts) == UPLOAD

    columns, *plans = found["training.plan"]
    rules = [json.loads(row)[columns.index("rules")] for row in plans]
    assert any(one and one["followed"] for one in rules)
    assert len(found["training.progressionstep"]) > 1

    assert not {"sessions.session", "accounts.session", "accounts.authorizationcode"} & found.keys()


def piped(service, command, **streams):
    command = [sys.executable, "manage.py", command, "-"]
    subprocess.run(
        command, cwd=ROOT, env=service.environment, check=True, timeout=PATIENCE_SECONDS, **streams
    )


@of_weighed
def test_a_backup_can_be_piped_and_replaces_the_rows_of_a_new_service(weighed, prepared_services, file):
    target = prepared_services()
    with weighed.archive.open("rb") as archive:
        piped(target, "restore", stdin=archive)
    with file.open("wb") as out:
        piped(target, "backup", stdout=out)
    assert contents(file) == contents(weighed.archive)


# --- Other versions -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def newer(weighed, prepared_services, tmp_path_factory):
    """A service of a newer version in which the backup of a weight is restored, and its own backup."""
    newer = prepared_services(DJANGO_SETTINGS_MODULE=NEWER)
    newer.manage("restore", str(weighed.archive))
    newer.archive = tmp_path_factory.mktemp("archive") / "newer.backup"
    newer.manage("backup", str(newer.archive))
    return newer


@of_weighed
def test_a_backup_of_an_older_version_is_migrated_with_its_rows(newer):
    columns, goal = contents(newer.archive)["body.goal"]
    goal = dict(zip(columns, json.loads(goal), strict=True))
    assert (goal["target_weight_kg"], goal["reason"]) == (81.5, "health")


@of_weighed
def test_a_database_of_an_older_version_is_backed_up_before_it_is_migrated(weighed, services, file):
    older = services(KINDS[-1], weighed.environment["DATABASE_URL"], DJANGO_SETTINGS_MODULE=NEWER)
    older.manage("backup", str(file))
    assert "reason" not in contents(file)["body.goal"][0]
    target = services(DJANGO_SETTINGS_MODULE=NEWER)
    target.manage("restore", str(file))
    file.unlink()
    target.manage("backup", str(file))
    columns, goal = contents(file)["body.goal"]
    assert json.loads(goal)[columns.index("reason")] == "health"


@once
@of_weighed
def test_a_newer_version_is_rejected(newer, nothing, tmp_path):
    file = newer.archive
    complaint = (
        "is of a newer version of the service, with migration body.9001_goal_from_weight: "
        "use that version, or a backup of this one."
    )
    assert error_line(nothing, "restore", str(file)) == f"{file} was not restored: it {complaint}"

    older = Server(tmp_path, newer.environment["DATABASE_URL"])  # the older code, with the newer database
    again = tmp_path / "again"
    assert error_line(older, "backup", str(again)) == f"{again} was not written: the database {complaint}"
    assert not again.exists()


# --- Refusals -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def nothing(services):
    """A service whose database has no tables."""
    return services()


def is_empty(service, file):
    """Whether the database has no tables. The backup fails then and leaves no file."""
    unwritten = file.parent / "unwritten"
    refused = "the database has no tables" in error_line(service, "backup", str(unwritten))
    return refused and not list(file.parent.glob("unwritten*"))


def without_the_account(lines):
    place = next(place for place, line in enumerate(lines) if "lifter@example.org" in line)
    heading = {**lines[place - 1], "rows": 0}
    return [*lines[: place - 1], heading, *lines[place + 1 : -1], {"rows": lines[-1]["rows"] - 1}]


def without_a_migration(lines):
    lost = ["accounts", "0001_release"]
    return [{**lines[0], "migrations": [one for one in lines[0]["migrations"] if one != lost]}, *lines[1:]]


def with_a_huge_number(lines):
    place = 1 + next(
        i for i, line in enumerate(lines) if isinstance(line, dict) and line.get("model") == STATE
    )
    row = list(lines[place])
    row[lines[place - 1]["columns"].index("last_change")] = 10**40
    return [*lines[:place], row, *lines[place + 1 :]]


DAMAGED = "it is damaged or was cut off: "
DAMAGE = {
    "cut": (lambda data: data[:-100], DAMAGED),
    "a wrong byte": (lambda data: data[:-5] + bytes([data[-5] ^ 1]) + data[-4:], DAMAGED),
    "another file": (lambda data: b"SQLite format 3\0", "it is not a backup of this service"),
    "another document": (lambda data: gzip.compress(b"[1]"), "it is not a backup of this service"),
}
WRONG_LINES = {
    "no last line": (lambda lines: lines[:-1], f"{DAMAGED}its last line is missing"),
    "a row lost": (lambda lines: [line for line in lines if 81.5 not in line], DAMAGED),
    "something behind": (lambda lines: [*lines, lines[1]], f"{DAMAGED}its last line does not follow after"),
    "no migration": (
        lambda lines: [{**lines[0], "migrations": []}, {"rows": 0}],
        f"{DAMAGED}some migrations",
    ),
    "a migration lost": (without_a_migration, f"{DAMAGED}some migrations are missing"),
    "migrations of numbers": (
        lambda lines: [{**lines[0], "migrations": [[1, 2]]}, *lines[1:]],
        "it is not a backup of this service",
    ),
    "an unknown app": (
        lambda lines: [{**lines[0], "migrations": [["diary", "0001_initial"]]}, *lines[1:]],
        "it is of a newer version of the service, with migration diary.0001_initial",
    ),
    "a missing key": (lambda lines: [lines[0], {"model": "accounts.account"}, *lines[1:]], DAMAGED),
    "a number for a heading": (lambda lines: [lines[0], 1, *lines[1:]], DAMAGED),
    "a number that no column holds": (with_a_huge_number, DAMAGED),
    "a newer format": (lambda lines: [{**lines[0], "format": 2}, *lines[1:]], "it is of a newer version"),
    "a reference to nothing": (without_the_account, ".*(violates foreign key|invalid foreign key)"),
}
# Files that are small, and unpack to gigabytes.
BOMBS = {
    "a line without an end": (b"a" * 2**20, f"{DAMAGED}a line has more than 2,097,152 bytes"),
    "blanks without an end": (b" " * 2**20, f"{DAMAGED}a line has more than 2,097,152 bytes"),
    "lists in lists": (b"[" * 2**20 + b"\n", f"{DAMAGED}maximum recursion depth exceeded"),
}
REFUSED = {
    name: complaint for table in (DAMAGE, WRONG_LINES, BOMBS) for name, (_, complaint) in table.items()
}


def write_refused_files(folder, archive):
    """Writes a file for each line of the tables."""
    lines = documents(archive)
    for name, (damage, _) in DAMAGE.items():
        (folder / name).write_bytes(damage(archive.read_bytes()))
    for name, (change, _) in WRONG_LINES.items():
        rewritten(folder / name, change(lines))
    first_line = gzip.compress(json.dumps(lines[0]).encode() + b"\n")
    for name, (megabyte, _) in BOMBS.items():
        (folder / name).write_bytes(first_line + gzip.compress(megabyte) * 1000)
        assert (folder / name).stat().st_size < 2_000_000


RESTORE_EACH = """
import json, resource
from django.core.management import CommandError, call_command
for file in {files}:
    try:
        call_command("restore", file)
    except CommandError as error:
        memory_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000
        print(json.dumps([str(error), memory_mb]))
"""


@pytest.fixture(scope="module")
def refusals(weighed, prepared_services, tmp_path_factory):
    """{name of a file: (message, MB of memory at most)}; the database stays as it was.

    One process refuses them all: to start one takes longer than most refusals.
    """
    folder = tmp_path_factory.mktemp("refused")
    write_refused_files(folder, weighed.archive)
    files = [str(folder / name) for name in REFUSED]
    target = prepared_services()
    before, after = folder / "before", folder / "after"
    target.manage("backup", str(before))
    told = target.manage("shell", "--no-imports", "-c", RESTORE_EACH.format(files=files)).stdout
    target.manage("backup", str(after))
    assert contents(after) == contents(before)
    found = zip(files, map(json.loads, told.splitlines()), strict=True)
    return {
        Path(file).name: (message.removeprefix(f"{file} was not restored: "), *rest)
        for file, (message, *rest) in found
    }


@once
@of_weighed
@pytest.mark.parametrize(("name", "complaint"), REFUSED.items(), ids=REFUSED.keys())
def test_a_file_that_is_not_a_whole_backup_is_rejected_in_little_memory(name, complaint, refusals):
    message, memory_mb = refusals[name]
    assert re.match(complaint, message)
    assert memory_mb < 400  # an empty service takes 100


ONE_OF_STAFF = """
from accounts.models import Account
Account.objects.create_user("lifter@example.org")
Account.objects.create_superuser("root@example.org", "correct horse")
"""


@once
def test_staff_are_only_restored_with_an_option(prepared_services, file):
    origin, target = prepared_services(), prepared_services()
    origin.manage("shell", "--no-imports", "-c", ONE_OF_STAFF)
    origin.manage("backup", str(file))
    complaint = "it holds staff (1), who can open everybody's records."
    assert f"{file} was not restored: {complaint}" in error_line(target, "restore", str(file))
    told = target.manage("restore", "--with-staff", str(file)).stdout
    assert told.endswith("rows restored, staff among them: 1\n")


@of_weighed
def test_a_database_with_accounts_is_rejected_and_stays_as_it_was(weighed, file):
    line = error_line(weighed, "restore", str(weighed.archive))
    assert line.endswith("the database has accounts; a backup is only restored into one without.")
    weighed.manage("backup", str(file))
    assert contents(file) == contents(weighed.archive)


@pytest.mark.skipif(settings.SQLITE, reason="`refusals` shows it")
@of_weighed
def test_a_failed_restore_leaves_a_prepared_service_as_it_was(weighed, prepared_services, file, tmp_path):
    target = prepared_services()
    before, after = tmp_path / "before", tmp_path / "after"
    target.manage("backup", str(before))
    rewritten(file, documents(weighed.archive)[:-1])
    error_line(target, "restore", str(file))
    target.manage("backup", str(after))
    assert contents(after) == contents(before)


@once
@of_weighed
def test_a_failed_restore_leaves_an_empty_database_empty(weighed, nothing, file):
    rewritten(file, without_the_account(documents(weighed.archive)))
    error_line(nothing, "restore", str(file))
    assert is_empty(nothing, file)


@of_weighed
@pytest.mark.parametrize(
    ("command", "path", "complaint"),
    [
        ("restore", "nothing.backup", "No such file or directory"),
        ("restore", "", "Is a directory"),
        ("backup", "nowhere/fitness.backup", "No such file or directory"),
    ],
)
def test_an_unusable_path_is_rejected(command, path, complaint, weighed, tmp_path):
    assert error_line(weighed, command, str(tmp_path / path)) == f"{tmp_path / path}: {complaint}"


@once
@of_weighed
def test_only_the_owner_can_read_a_backup_and_it_never_replaces_a_file(weighed):
    before = weighed.archive.read_bytes()
    assert stat.S_IMODE(weighed.archive.stat().st_mode) == 0o600
    assert error_line(weighed, "backup", str(weighed.archive)).endswith(
        "there is such a file, and it stays as it is"
    )
    assert weighed.archive.read_bytes() == before
    assert os.listdir(weighed.archive.parent) == [weighed.archive.name]


# --- While the service runs ---------------------------------------------------------------------


@pytest.fixture
def busy(tmp_path, prepared):
    with running_server(tmp_path, prepared) as server:
        yield server


def test_a_backup_is_of_one_point_in_time_and_blocks_no_writer(busy, file):
    http = Http(busy, busy.key())
    before = http.call("POST", "/workouts", a_workout(a_set()))[1]["id"]
    command = [sys.executable, "manage.py", "backup", "-"]
    with subprocess.Popen(command, cwd=ROOT, env=busy.environment, stdout=subprocess.PIPE) as backup:
        beginning = backup.stdout.read(1000)  # it waits until more than a pipe holds is read
        after = http.call("POST", "/workouts", a_workout(a_set()))[1]["id"]
        assert backup.poll() is None
        file.write_bytes(beginning + backup.stdout.read())
    text = gzip.decompress(file.read_bytes()).decode()
    assert (before in text, after in text) == (True, False)


def test_every_acknowledged_workout_of_several_writers_is_in_the_backup(
    busy, prepared_services, started, file
):
    key = busy.key()
    acknowledged, enough, done = [], threading.Event(), threading.Event()

    def write(worker):
        http = Http(busy, key)
        while not done.is_set():
            sets = [a_set(50 + worker, reps) for reps in range(1, 9)]
            status, workout = http.call("POST", "/workouts", a_workout(*sets))
            assert status == 201
            acknowledged.append(workout["id"])
            if len(acknowledged) > 50:
                enough.set()

    with ThreadPoolExecutor(4) as pool:
        writers = [pool.submit(write, worker) for worker in range(4)]
        assert enough.wait(60)
        known_before = list(acknowledged)
        try:
            busy.manage("backup", str(file))
        finally:
            done.set()
        for writer in writers:
            writer.result(timeout=60)
    assert len(acknowledged) > len(known_before)

    restored = prepared_services()
    restored.manage("restore", str(file))
    http = Http(started(restored), key)
    workouts = {workout["id"]: workout for workout in http.items("/workouts", "workouts")}
    sessions = http.items("/exercises/barbell-bench-press/history", "sessions")
    assert set(known_before) <= set(workouts) <= set(acknowledged)
    assert {session["workout_id"]: session["sets"] for session in sessions} == {
        workout_id: workout["exercises"][0]["sets"] for workout_id, workout in workouts.items()
    }
    for workout in workouts.values():
        sets = workout["exercises"][0]["sets"]
        assert workout["volume_kg"] == sum(one["weight_kg"] * one["reps"] for one in sets)
