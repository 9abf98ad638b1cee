"""Race conditions: clients of two processes on one database. RACE_ROUNDS=200 is the full proof."""

import copy
import itertools
import json
import os
import re
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.error import HTTPError
from urllib.parse import urlencode, urlsplit
from urllib.request import Request, urlopen
from uuid import uuid4

import pytest
from django_otp.oath import totp

from tests.accounts.programs import CALLBACK, CHALLENGE, VERIFIER
from tests.conftest import a_set, a_workout
from tests.server import ROOT, Http, Newcomer, Server, running_server

ROUNDS = int(os.environ.get("RACE_ROUNDS", "3"))
CLIENTS = 20


pytestmark = pytest.mark.xdist_group("races")  # two processes of the service for all


@pytest.fixture(scope="module")
def twin(server):
    """A second process on the database of the server."""
    twin = server.twin().start()
    yield twin
    twin.stop()


@pytest.fixture(scope="module")
def crowd(server, twin):
    """Twenty clients of one account, spread over two processes."""
    key = server.key("crowd@example.org")
    return Crowd([Http(each, key) for each in [server, twin] * (CLIENTS // 2)])


class Crowd:
    def __init__(self, clients):
        self.clients = clients
        self.one = clients[0]
        self.pool = ThreadPoolExecutor(len(clients))

    def at_once(self, act, *arguments):
        """Runs act(client, number, *arguments) for every client at the same time, and returns the results."""
        barrier = threading.Barrier(len(self.clients))

        def run(number):
            barrier.wait()
            return act(self.clients[number], number, *arguments)

        return list(self.pool.map(run, range(len(self.clients))))


def a_plan(name):
    days = [{"weekday": day, "label": "Rest", "rest": True} for day in range(1, 8)]
    return {"name": name, "days": days}


def test_concurrent_activations_leave_one_plan_active(crowd):
    plans = [crowd.one.call("POST", "/plans", a_plan(f"{n}"))[1]["id"] for n in range(CLIENTS // 2)]

    def act(client, number):
        if number % 2:
            return [plan["active"] for plan in client.call("GET", "/plans?limit=100")[1]["plans"]].count(True)
        return client.call("POST", f"/plans/{plans[number // 2]}/activate")[0]

    for _ in range(ROUNDS):
        results = crowd.at_once(act)
        assert results[::2] == [200] * (CLIENTS // 2)
        assert max(results[1::2]) <= 1
        listed = crowd.one.call("GET", "/plans?limit=100")[1]["plans"]
        assert sum(plan["active"] for plan in listed) == 1


def test_of_concurrent_equal_ticks_one_is_created(crowd, server):
    supplement = server.manage(
        "shell",
        "--no-imports",
        "-c",
        "from accounts.models import Account\n"
        "account = Account.objects.get(email='crowd@example.org')\n"
        "print(account.supplements.create(name='Creatine', dosage='5 g', time='08:00').pk)",
    ).stdout.strip()

    def tick(client, number, day):
        return client.call("POST", f"/supplements/{supplement}/logs", {"day": day})

    for number in range(ROUNDS):
        day = f"{2000 + number // 28}-01-{number % 28 + 1:02}"
        results = crowd.at_once(tick, day)
        assert sorted(status for status, _ in results) == [200] * 19 + [201]
        assert len({tick["id"] for _, tick in results}) == 1


def test_concurrent_puts_of_a_nutrition_day_do_not_mix_their_bodies(crowd):
    macros = ("calories", "protein_g", "carbs_g", "fat_g")

    def put(client, number, path):
        return client.call("PUT", path, dict.fromkeys(macros, number))[0]

    for number in range(ROUNDS):
        path = f"/nutrition/{2000 + number // 28}-01-{number % 28 + 1:02}"
        assert sorted(crowd.at_once(put, path)) == [200] * 19 + [201]
        stored = crowd.one.call("GET", path)[1]
        assert len({stored[name] for name in macros}) == 1


def storage_totals_are_correct(server):
    """Whether the workout_count and stored_bytes of every account equal those of its workouts."""
    return server.manage("render_records").stdout.splitlines()[-1] == "accounts: 0 changed"


def test_concurrent_puts_of_a_workout_do_not_mix_their_bodies(crowd, server):
    path = f"/workouts/{crowd.one.call('POST', '/workouts', a_workout(a_set()))[1]['id']}"

    def replace(client, number):
        body = a_workout(*[a_set(number, 1)] * (number + 1), title=f"{number}", exercise_id="plank")
        return client.call("PUT", path, body)[0]

    for _ in range(ROUNDS):
        assert crowd.at_once(replace) == [200] * CLIENTS
        stored = crowd.one.call("GET", path)[1]
        winner = int(stored["title"])
        sessions = crowd.one.call("GET", "/exercises/plank/history")[1]["sessions"]
        (session,) = [one for one in sessions if one["workout_id"] == stored["id"]]
        assert [one["weight_kg"] for one in session["sets"]] == [winner] * (winner + 1)
        assert stored["exercises"][0]["sets"] == session["sets"]
        assert stored["volume_kg"] == winner * (winner + 1)
    assert storage_totals_are_correct(server)


def a_ruled_plan(client):
    """The path of a plan with a bench press of 60 kg, 2.5 kg more each session."""
    body = a_plan("Ruled")
    entry = {"exercise_id": "barbell-bench-press", "sets": 1, "reps": 5, "weight_kg": 60}
    body["days"][0] = {"weekday": 1, "label": "Bench", "exercises": [entry]}
    path = f"/plans/{client.call('POST', '/plans', body)[1]['id']}"
    place = {"weekday": 1, "position": 0, "exercise_id": entry["exercise_id"]}
    rule = {**place, "kind": "linear", "increment_kg": 2.5}
    assert client.call("PUT", f"{path}/progression", {"rules": [rule]})[0] == 200
    return path


def chained(client, path):
    """The steps of a plan, oldest first, after a check that each begins where the one before it ended."""
    steps = client.call("GET", f"{path}/progression/steps?limit=100")[1]["steps"][::-1]
    assert all(step["before"] == last["after"] for last, step in itertools.pairwise(steps))
    (entry,) = client.call("GET", path)[1]["days"][0]["exercises"]
    assert entry["weight_kg"] == (steps[-1]["after"]["weight_kg"] if steps else 60)
    return steps


def test_of_concurrent_workouts_of_a_plan_each_makes_one_step_at_most(crowd):
    def log(client, number, path):
        fields = {"plan_id": path.rpartition("/")[2], "started_at": f"2026-03-{number + 1:02}T10:00:00Z"}
        return client.call("POST", "/workouts", a_workout(a_set(60 + 2.5 * number, 5), **fields))

    def change(client, number, workouts):
        path = f"/workouts/{workouts[number]['id']}"
        if number % 2:
            return client.call("DELETE", path)[0]
        return client.call("PUT", path, {**workouts[number], "duration_seconds": 60})[0]

    for _ in range(ROUNDS):
        path = a_ruled_plan(crowd.one)
        results = crowd.at_once(log, path)
        assert [status for status, _ in results] == [201] * CLIENTS
        workouts = [workout for _, workout in results]
        steps = chained(crowd.one, path)  # one that is stored after a later one makes none
        assert len({step["workout_id"] for step in steps}) == len(steps)
        assert steps[-1]["workout_id"] == workouts[-1]["id"]
        assert steps[-1]["after"]["weight_kg"] == 60 + 2.5 * CLIENTS
        crowd.at_once(change, workouts)
        steps = crowd.one.call("GET", f"{path}/progression/steps?limit=100")[1]["steps"]
        stepped = [step["workout_id"] for step in steps]
        assert len(set(stepped)) == len(stepped)
        assert set(stepped) <= {workout["id"] for workout in workouts[::2]}


def test_of_concurrent_puts_over_one_version_one_is_stored(crowd):
    body = a_workout(a_set(), started_at="2026-02-01T10:00:00Z")
    path = f"/workouts/{crowd.one.call('POST', '/workouts', body)[1]['id']}"

    def replace(client, number, tag):
        client.headers["If-Match"] = tag
        status, answer = client.call("PUT", path, {**body, "title": f"{number}"})
        del client.headers["If-Match"]
        return status, answer

    for _ in range(ROUNDS):
        results = crowd.at_once(replace, crowd.one.tag_of(path))
        assert sorted(status for status, _ in results) == [200] + [412] * (CLIENTS - 1)
        assert [answer for status, answer in results if status == 200] == [crowd.one.call("GET", path)[1]]


@pytest.fixture
def correcting_key(server):
    """A key of the crowd's account that may also correct and delete."""
    options = ("--scope", "read_write", "--corrections")
    return server.manage("issue_key", "crowd@example.org", *options).stdout.strip()


def test_of_concurrent_corrections_of_one_version_one_is_stored(crowd, correcting_key):
    body = a_workout(a_set(), started_at="2026-02-02T10:00:00Z")
    workout = crowd.one.call("POST", "/workouts", body)[1]
    path = f"/workouts/{workout['id']}"

    def correct(client, number, turn, read_at):
        title = f"{turn}, {number}"
        arguments = {**body, "workout_id": workout["id"], "title": title, "if_updated_at": read_at}
        return called(client.server, correcting_key, "update_workout", arguments)

    for turn in range(ROUNDS):
        before = crowd.one.call("GET", path)[1]
        results = crowd.at_once(correct, turn, before["updated_at"])
        (answer,) = [result["structuredContent"] for result in results if not result["isError"]]
        assert answer.pop("before") == {"title": before["title"]}
        assert answer == crowd.one.call("GET", path)[1]
        refusals = [json.loads(result["content"][1]["text"]) for result in results if result["isError"]]
        assert {one["error"]["code"] for one in refusals} == {"precondition_failed"}
        assert all(one["stored"] == answer for one in refusals)


def called(server, key, tool, arguments):
    """The result of a tool call."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    body = json.dumps({**message, "params": {"name": tool, "arguments": arguments}}).encode()
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    with urlopen(Request(f"{server.url}/mcp", body, headers), timeout=60) as response:
        return json.loads(response.read())["result"]


def test_concurrent_deletions_by_a_tool_answer_with_the_record_once(crowd, correcting_key):
    for _ in range(ROUNDS):
        log = crowd.one.call("POST", "/body/weight", {"weight_kg": 80})[1]
        results = crowd.at_once(
            lambda client, _, log: called(
                client.server, correcting_key, "delete_weight", {"weight_id": log["id"]}
            ),
            log,
        )
        assert [one["structuredContent"] for one in results if not one["isError"]] == [{"deleted": log}]


def test_concurrent_retries_log_one_workout(server, twin):
    key = server.key("retries@example.org")
    crowd = Crowd([Http(each, key) for each in [server, twin] * 25])

    def log(client, number, idempotency_key):
        client.headers["Idempotency-Key"] = idempotency_key
        return client.call("POST", "/workouts", a_workout(a_set()))

    for number in range(ROUNDS):
        responses = crowd.at_once(log, f"round-{number}")
        assert {status for status, _ in responses} == {201}
        assert len({workout["id"] for _, workout in responses}) == 1
        assert crowd.one.call("GET", "/workouts/count")[1] == {"count": number + 1}


def test_a_delete_concurrent_with_reads_and_writes_leaves_no_orphan(crowd, server):
    body = a_workout(a_set(), exercise_id="band-dead-bug")

    def act(client, number, path):
        if number % 4 > 1:
            return client.call("PUT", path, body)[0]
        return client.call("GET" if number % 4 else "DELETE", path)[0]

    for _ in range(ROUNDS):
        path = f"/workouts/{crowd.one.call('POST', '/workouts', body)[1]['id']}"
        assert set(crowd.at_once(act, path)) <= {200, 204, 404}
        assert crowd.one.call("GET", path)[0] == 404
        assert crowd.one.call("GET", "/exercises/band-dead-bug/history")[1]["sessions"] == []
    assert storage_totals_are_correct(server)


BODIES = {
    "/workouts": a_workout(a_set()),
    "/routines": {"name": "A", "exercises": []},
    "/plans": a_plan("A"),
    "/body/weight": {"weight_kg": 80},
    "/body/measurements": {"waist_cm": 80},
}


@pytest.mark.parametrize("path", BODIES)
def test_of_concurrent_equal_deletions_one_succeeds(crowd, path):
    for _ in range(ROUNDS):
        item = f"{path}/{crowd.one.call('POST', path, BODIES[path])[1]['id']}"
        statuses = crowd.at_once(lambda client, number, item: client.call("DELETE", item)[0], item)
        assert sorted(statuses) == [204] + [404] * (CLIENTS - 1)


def test_of_concurrent_deletions_of_a_day_one_succeeds(crowd):
    path = "/nutrition/2001-02-03"
    macros = dict.fromkeys(("calories", "protein_g", "carbs_g", "fat_g"), 1)
    for _ in range(ROUNDS):
        crowd.one.call("PUT", path, macros)
        statuses = crowd.at_once(lambda client, number: client.call("DELETE", path)[0])
        assert sorted(statuses) == [204] + [404] * (CLIENTS - 1)


def test_no_workout_refers_to_a_plan_that_is_deleted_concurrently(crowd):
    def act(client, number, plan):
        if number == 0:
            return client.call("DELETE", f"/plans/{plan}")[0]
        return client.call("POST", "/workouts", a_workout(plan_id=plan))[0]

    for _ in range(ROUNDS):
        plan = crowd.one.call("POST", "/plans", a_plan("Going"))[1]["id"]
        statuses = crowd.at_once(act, plan)
        assert statuses[0] == 204
        assert set(statuses[1:]) <= {201, 400}
        newest = crowd.one.call("GET", "/workouts?limit=20")[1]["workouts"]
        assert plan not in {workout["plan_id"] for workout in newest}


def test_pages_neither_skip_nor_repeat_workouts_during_other_writes(crowd, server):
    reader = Http(server, server.key("pages@example.org"))
    staying = [reader.call("POST", "/workouts", a_workout(title="stays"))[1]["id"] for _ in range(30)]
    stop = threading.Event()

    def create_and_delete():
        client = Http(server, server.key("pages@example.org"))
        while not stop.is_set():
            stored = client.call("POST", "/workouts", a_workout())[1]
            client.call("DELETE", f"/workouts/{stored['id']}")

    writers = [threading.Thread(target=create_and_delete) for _ in range(3)]
    for writer in writers:
        writer.start()
    try:
        for _ in range(ROUNDS):
            listed = reader.items("/workouts", "workouts", limit=7)
            assert [one["id"] for one in listed if one["title"] == "stays"] == staying[::-1]
    finally:
        stop.set()
        for writer in writers:
            writer.join()


def test_concurrent_requests_never_create_an_eleventh_key(server):
    email = "keys@example.org"
    server.key(email, "read")
    arguments = [email, "10", str(time.time() + 4), str(ROUNDS)]
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.keys_at_once", *arguments, role],
            cwd=ROOT,
            env=server.environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        for role in ("sweeper", "other")
    ]
    counts, _ = (process.communicate(timeout=600)[0].split() for process in processes)
    assert counts == ["10"] * ROUNDS


@pytest.fixture
def by_invitation(tmp_path, prepared):
    """Two processes of a service without accounts, where signing up needs an invitation."""
    environment = {"SIGN_UP": "invite", "RATE_LIMIT_SIGN_UP": "1000000/h"}
    folder = tmp_path / "twin"
    folder.mkdir()
    with running_server(tmp_path, prepared, **environment) as server:
        twin = Server(folder, server.environment["DATABASE_URL"], **environment).start()
        yield [server, twin]
        twin.stop()


MAKE_THE_FIRST_ACCOUNT_SLOWLY = """
import time
from django.db import transaction
from accounts.models import Account
with transaction.atomic():
    assert Account.objects.still_may_sign_up()
    Account.objects.create_user("first@example.org")
    print("not yet committed", flush=True)
    time.sleep(3)
"""


def test_only_one_account_is_the_first_and_only_one_uses_an_invitation(by_invitation):
    one = by_invitation[0]

    def sign_up(newcomer, number, name):
        return newcomer.sign_up(f"{name}-{number}@example.org")

    def crowd_at(address):
        return Crowd([Newcomer(by_invitation[number % 2], address) for number in range(CLIENTS)])

    crowd = crowd_at("/sign-up")
    command = [sys.executable, "manage.py", "shell", "--no-imports", "-c", MAKE_THE_FIRST_ACCOUNT_SLOWLY]
    with subprocess.Popen(command, cwd=ROOT, env=one.environment, stdout=subprocess.PIPE) as first:
        first.stdout.readline()
        assert set(crowd.at_once(sign_up, "second")) == {403}
    for number, invitation in enumerate(links(one, [["invite"]] * ROUNDS)):
        crowd = crowd_at(invitation)
        assert sorted(crowd.at_once(sign_up, f"invited-{number}")) == [302] + [403] * (CLIENTS - 1)


def links(server, commands):
    """The paths of the links that these commands of manage.py print, in one process."""
    script = f"from django.core.management import call_command\nfor one in {commands}: call_command(*one)"
    printed = server.manage("shell", "--no-imports", "-c", script).stdout
    return [line.removeprefix(server.url) for line in printed.splitlines() if line.startswith(server.url)]


def test_a_link_to_a_new_password_works_once(server, twin):
    emails = [f"forgetful{number}@example.org" for number in range(ROUNDS)]
    commands = [[command, email] for email in emails for command in ("issue_key", "reset_link")]

    def set_password(newcomer, number):
        password = f"blue horse {number}{number}"
        return newcomer.post({"new_password1": password, "new_password2": password})

    for link in links(server, commands):
        browsers = Crowd([Newcomer((server, twin)[number % 2], link) for number in range(CLIENTS)])
        assert sorted(browsers.at_once(set_password)) == [302] + [403] * (CLIENTS - 1)


MAKE_CODES = f"""
from uuid import uuid4
from accounts.models import Account, OAuthClient
from accounts.oauth import tokens
tokens.CODE_LIFETIME *= 60  # for those of the last round
for _ in range({ROUNDS}):
    account = Account.objects.create_user(f"{{uuid4()}}@example.org")
    client = OAuthClient.objects.create(client_id=uuid4().hex, name="Claude", redirect_uris=["{CALLBACK}"])
    print(client.client_id, tokens.new_code(
        account, client=client, redirect_uri="{CALLBACK}", names_redirect_uri=True,
        code_challenge="{CHALLENGE}", scope="read_write", expires="never",
    ))
"""


class Grant:
    """A code that a person has allowed, and what the program does with it at two processes."""

    def __init__(self, servers, client_id, code):
        self.servers, self.client_id, self.code = servers, client_id, code

    def post(self, number, path, **parameters):
        """(status, decoded JSON) of a form that the program sends."""
        data = urlencode({"client_id": self.client_id, **parameters}).encode()
        try:
            with urlopen(f"{self.servers[number].url}{path}", data, timeout=60) as response:
                return response.status, json.loads(response.read())
        except HTTPError as error:
            return error.code, json.loads(error.read())

    def exchange(self, number):
        facts = {"redirect_uri": CALLBACK, "code_verifier": VERIFIER}
        return self.post(number, "/token", grant_type="authorization_code", code=self.code, **facts)

    def refresh(self, number, token):
        return self.post(number, "/token", grant_type="refresh_token", refresh_token=token)

    def opens(self, token):
        request = Request(f"{self.servers[0].url}/mcp", b"{}", {"Authorization": f"Bearer {token}"})
        with pytest.raises(HTTPError) as raised:
            urlopen(request, timeout=60)
        return raised.value.code != 401


@pytest.fixture
def grants(crowd):
    """One for each round: a process makes the codes of all."""
    servers = [client.server for client in crowd.clients]
    printed = servers[0].manage("shell", "-v", "0", "-c", MAKE_CODES).stdout
    return [Grant(servers, *line.split()) for line in printed.splitlines()]


def test_of_ten_exchanges_of_a_code_one_makes_a_pair(crowd, grants):
    for grant in grants:
        answers = crowd.at_once(lambda _, number: grant.exchange(number))  # noqa: B023  (done in this round)
        assert sorted(status for status, _ in answers) == [200] + [400] * (CLIENTS - 1)
        (tokens,) = [answer for status, answer in answers if status == 200]
        assert not grant.opens(tokens["access_token"])  # the second use has ended it


def test_two_renewals_at_once_both_work(grants):
    for grant in grants:
        token = grant.exchange(0)[1]["refresh_token"]
        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(lambda number: grant.refresh(number, token), range(2)))  # noqa: B023
        assert [status for status, _ in answers] == [200, 200]
        assert all(grant.opens(answer["access_token"]) for _, answer in answers)


def test_of_many_windows_at_once_five_open_and_none_ends_them(crowd, grants):
    for grant in grants:
        token = grant.exchange(0)[1]["refresh_token"]
        answers = crowd.at_once(lambda _, number: grant.refresh(number, token))  # noqa: B023
        assert sorted(status for status, _ in answers) == [200] * 5 + [400] * (CLIENTS - 5)
        assert all(grant.opens(answer["access_token"]) for status, answer in answers if status == 200)


@pytest.mark.parametrize("is_second_window", [False, True])
def test_nothing_is_open_after_a_revocation_during_a_renewal(grants, is_second_window):
    for grant in grants:
        token = grant.exchange(0)[1]["refresh_token"]
        if is_second_window:
            assert grant.refresh(0, token)[0] == 200
        with ThreadPoolExecutor(2) as pool:
            renewal = pool.submit(grant.refresh, 0, token)
            revocation = pool.submit(grant.post, 1, "/revoke", token=token)
        assert revocation.result()[0] == 200
        status, answer = renewal.result()
        assert status in (200, 400)
        assert status == 400 or not grant.opens(answer["access_token"])
        assert grant.refresh(1, token)[0] == 400


ISSUE_KEYS = """
from accounts.models import Account
for number in range({rounds}):
    account = Account.objects.create_user(f"limits{{number}}@example.org")
    print(account.issue_key("race", "read", "never")[0])
"""


@pytest.fixture
def rate_limited(server, tmp_path):
    """Processes with the default rate limit and shared counters: two with Redis, else one."""
    database, redis = server.environment["DATABASE_URL"], os.environ.get("REDIS_URL", "")
    folders = [tmp_path / f"{number}" for number in range(2 if redis else 1)]
    for folder in folders:
        folder.mkdir()
    processes = [Server(folder, database, RATE_LIMIT_KEY="120/m").start() for folder in folders]
    yield processes
    for process in processes:
        process.stop()


def test_of_32_threads_on_one_key_exactly_120_requests_pass(server, rate_limited):
    keys = server.manage("shell", "--no-imports", "-c", ISSUE_KEYS.format(rounds=ROUNDS)).stdout.split()

    def send_five_requests(client, number):
        return [client.call("GET", "/workouts/count")[0] for _ in range(5)]

    for key in keys:
        start_rate_limit_window(rate_limited[0], key)
        crowd = Crowd([Http(rate_limited[number % len(rate_limited)], key) for number in range(32)])
        statuses = [status for row in crowd.at_once(send_five_requests) for status in row]
        assert (statuses.count(200), statuses.count(429)) == (119, 41)


def start_rate_limit_window(server, key):
    """Sends the first request of a rate limit window that has at least five seconds left."""
    request = Request(f"{server.url}/api/v1/workouts/count", headers={"Authorization": f"Bearer {key}"})
    with urlopen(request) as response:
        seconds_left = int(re.search(r'"key";r=119;t=(\d+)', response.headers["RateLimit"])[1])
    if seconds_left < 5:
        time.sleep(seconds_left + 1)
        start_rate_limit_window(server, key)


A_FACTOR = """
from accounts.factors import add_authenticator
from accounts.factors.models import RecoveryCode
from accounts.models import Account
for email in {emails}:
    account = Account.objects.create_user(email, {password!r})
    print(add_authenticator(account, b"a secret of the tests", -1, session=None)[0])
"""


def waiting_for_a_factor(each, email, address):
    """A browser that has given the password of the account, and is at one of the pages of the second step."""
    browser = Newcomer(each, "/sign-in")
    assert browser.sign_in(email) == 302
    browser.cookie, browser.address = f"{browser.cookie}; session={browser.session}", address
    return browser


def statuses_at_once(browsers, fields):
    """The statuses, sorted, of a form that all browsers send at the same time."""
    with ThreadPoolExecutor(len(browsers)) as pool:
        return sorted(pool.map(lambda browser: browser.post(fields), browsers))


@pytest.mark.parametrize("address", ["/sign-in/factor", "/sign-in/recovery-code"])
def test_of_two_that_send_one_code_at_once_one_is_signed_in(server, twin, address):
    emails = [f"{address[9:]}{number}@example.org" for number in range(ROUNDS)]
    script = A_FACTOR.format(emails=emails, password=Newcomer.PASSWORD)
    recovery_codes = server.manage("shell", "--no-imports", "-c", script).stdout.split()
    for email, recovery_code in zip(emails, recovery_codes, strict=True):
        browsers = [waiting_for_a_factor(each, email, address) for each in (server, twin)]
        code = recovery_code if "recovery" in address else f"{totp(b'a secret of the tests'):06}"
        assert statuses_at_once(browsers, {"code": code}) == [200, 302]


MAKE_LINKS = """
from accounts.links import SIGN_IN
from accounts.models import Account
for number in range({rounds}):
    print(SIGN_IN.link(Account.objects.create_user(f"link{{number}}@example.org")))
"""


def test_of_two_that_use_a_link_at_once_one_is_signed_in(server, twin):
    script = MAKE_LINKS.format(rounds=ROUNDS)
    for link in server.manage("shell", "--no-imports", "-c", script).stdout.split():
        browsers = [Newcomer(each, f"/sign-in/link?{urlsplit(link).query}") for each in (server, twin)]
        assert statuses_at_once(browsers, {}) == [302, 403]


# --- The address of a calendar -----------------------------------------------------------------------

A_PASSWORD = "from accounts.models import Account; Account.objects.create_user({email!r}, {password!r})"


def test_of_those_that_make_a_calendar_address_at_once_one_gets_it(server, twin):
    email = "calendar@example.org"
    script = A_PASSWORD.format(email=email, password=Newcomer.PASSWORD)
    server.manage("shell", "--no-imports", "-c", script)
    browsers = [waiting_for_a_factor(each, email, "/settings/data/calendar") for each in (server, twin) * 3]
    for _ in range(ROUNDS):
        assert statuses_at_once(browsers, {}) == [200] + [302] * (len(browsers) - 1)
        browsers[0].address = "/settings/data/calendar/end"
        assert browsers[0].post({}) == 302
        browsers[0].address = "/settings/data/calendar"


# --- A workout under way --------------------------------------------------------------------------


class Device(Newcomer):
    """A browser with the workout under way of an account."""

    def __init__(self, server, email):
        super().__init__(server, "/sign-in")
        assert self.sign_in(email) == 302
        self.cookie += f"; session={self.session}"
        found = self.call("GET", "/train/draft")[1]
        self.cookie = re.sub(r"csrftoken=\w+", f"csrftoken={self.csrf_cookie}", self.cookie)
        self.token, self.document = found["csrf_token"], (found["draft"] or {}).get("document")

    def call(self, method, path, body=None, **headers):
        headers = {"Cookie": self.cookie, "Content-Type": "application/json", **headers}
        self.connection.request(method, path, body and json.dumps(body), headers)
        response = self.connection.getresponse()
        self.csrf_cookie = (re.search(r"csrftoken=(\w+)", str(response.headers)) or ["", ""])[1]
        return response.status, json.loads(response.read() or b"null")

    def put(self, document, **more):
        return self.send("PUT", f"/train/drafts/{document['id']}", {"document": document, **more})

    def send(self, method, path, body):
        return self.call(method, path, body, **{"X-CSRFToken": self.token})


def a_draft(sets):
    """A workout under way, with that many sets of an exercise."""
    at = "2026-03-02T10:00:00.000Z"
    one = {"type": "working", "weight_kg": 100, "reps": 5, "rpe": None, "done_at": None}
    parts = {"changed_at": at, "removed_at": None}
    habit = {"rest_seconds": 90, "rests_in_superset": False, "setup": ""}
    entry = {"exercise_id": "barbell-bench-press", "measure": "reps", "notes": "", "superset_id": None}
    rows = [{"uid": f"s{number}", "order": number, **one, **parts} for number in range(sets)]
    head = {"title": "", "notes": "", "started_at": at, "changed_at": at, "plan_id": None, "routine_id": None}
    return {
        "id": str(uuid4()),
        **head,
        "exercises": [{"uid": "e", "order": 0, **entry, **habit, **parts, "sets": rows}],
    }


def ticked(document, number):
    """The document, as changed by a tick of one set."""
    document = copy.deepcopy(document)
    at = "2026-03-02T10:30:00.000Z"
    document["exercises"][0]["sets"][number] |= {"done_at": at, "changed_at": at}
    return document


@pytest.fixture(scope="module")
def devices(server, twin):
    """Ten browsers of one account, spread over two processes."""
    server.manage("shell", "-c", MAKE_TRAINER.format(password=Newcomer.PASSWORD))
    return Crowd([Device(each, "trainer@example.org") for each in [server, twin] * 5])


MAKE_TRAINER = """
from accounts.models import Account
Account.objects.create_user("trainer@example.org", "{password}")
"""


def test_no_tick_of_devices_that_tick_at_once_is_lost_and_one_workout_is_stored(devices):
    for _ in range(ROUNDS):
        draft = a_draft(sets=len(devices.clients))
        assert devices.one.put(draft)[0] == 200
        results = devices.at_once(lambda device, number: device.put(ticked(draft, number)))  # noqa: B023
        assert [status for status, _ in results] == [200] * len(devices.clients)
        stored = devices.one.call("GET", "/train/draft")[1]["draft"]["document"]
        assert all(one["done_at"] for one in stored["exercises"][0]["sets"])
        finish = {"duration_seconds": 60}
        results = devices.at_once(lambda device, _: device.put(stored, finish=finish))  # noqa: B023
        assert sorted(status for status, _ in results) == [200] + [409] * (len(devices.clients) - 1)
        assert {answer["finished"]["id"] for _, answer in results} == {draft["id"]}


def test_a_workout_that_ten_devices_finish_at_once_makes_one_step_of_each_rule(devices, server):
    client = Http(server, server.key("trainer@example.org"))
    for _ in range(ROUNDS):
        plan, routine = a_ruled_plan(client), a_ruled_routine(client)
        ids = {"plan_id": plan.rpartition("/")[2], "routine_id": routine.rpartition("/")[2]}
        draft = ticked({**a_draft(sets=1), **ids}, 0)
        draft["exercises"][0]["sets"][0]["weight_kg"] = 70  # a larger move would be asked about
        assert devices.one.put(draft)[0] == 200
        results = devices.at_once(lambda device, _: device.put(draft, finish={"duration_seconds": 60}))  # noqa: B023
        assert sorted(status for status, _ in results) == [200] + [409] * (len(devices.clients) - 1)
        for path in (plan, routine):
            steps = client.call("GET", f"{path}/progression/steps")[1]["steps"]
            assert [(step["workout_id"], step["after"]["weight_kg"]) for step in steps] == [
                (draft["id"], 72.5)
            ]
        assert client.call("GET", routine)[1]["exercises"][0]["weight_kg"] == 72.5
        assert client.call("GET", routine)[1]["use_count"] == 1


def a_ruled_routine(client):
    """The path of a routine with a bench press of 60 kg, 2.5 kg more each session."""
    entry = {"exercise_id": "barbell-bench-press", "sets": 1, "reps": 5, "weight_kg": 60}
    path = f"/routines/{client.call('POST', '/routines', {'name': 'Ruled', 'exercises': [entry]})[1]['id']}"
    rule = {"position": 0, "exercise_id": entry["exercise_id"], "kind": "linear", "increment_kg": 2.5}
    assert client.call("PUT", f"{path}/progression", {"rules": [rule]})[0] == 200
    return path


# --- Exercises of an account's own ----------------------------------------------------------------


def test_of_forms_that_make_an_exercise_at_once_one_makes_it(devices):
    for number in range(ROUNDS):
        form = {"name": f"Pendulum Thing {number}", "muscle_group": "Legs", "equipment": "Machine"}
        results = devices.at_once(lambda device, _: device.send("POST", "/exercises/own/make", form))  # noqa: B023
        assert {status for status, _ in results} == {200}
        assert len({answer["id"] for _, answer in results}) == 1
