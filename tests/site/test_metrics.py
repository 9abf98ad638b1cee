"""/metrics: who may read it, what it counts, and that several processes are added up."""

import os
import re
import signal
import time
import urllib.request

import pytest
from django.db import OperationalError
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from accounts.models import Task
from accounts.models.task import MAX_FAILURES
from fitness import __version__
from tests.conftest import a_set, a_workout
from tests.mcp_endpoint.conftest import ToolClient
from tests.server import ROOT, running_server

TOKEN = "t" * 32


@pytest.fixture
def scrape(db):
    """Reads /metrics as Prometheus on this machine does: {(sample, labels): value}."""

    def read(client=None, **headers):
        response = (client or Client(HTTP_HOST="127.0.0.1:8000")).get("/metrics", headers=headers)
        assert response.status_code == 200, response.content
        return parsed(response.content.decode())

    return read


def parsed(text):
    families = text_string_to_metric_families(text)
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
    }


def count(samples, name, **labels):
    return samples.get((name, frozenset(labels.items())), 0)


# --- Who may read ----------------------------------------------------------------------------------


def test_this_machine_may_read(scrape):
    assert count(scrape(), "fitness_accounts") == 0


@pytest.mark.parametrize("address", ["203.0.113.9", "10.0.0.1", "2001:db8::1"])
def test_another_machine_gets_the_404_of_an_unknown_address(db, address):
    stranger = Client(REMOTE_ADDR=address, HTTP_HOST="127.0.0.1:8000")
    assert stranger.get("/metrics").status_code == 404
    assert stranger.get("/metrics").content == stranger.get("/unknown").content


def test_a_token_opens_it_to_other_machines(scrape, settings):
    settings.METRICS_TOKEN = TOKEN
    stranger = Client(REMOTE_ADDR="203.0.113.9")
    assert stranger.get("/metrics").status_code == 404
    assert stranger.get("/metrics", headers={"Authorization": "Bearer wrong"}).status_code == 404
    assert scrape(stranger, Authorization=f"Bearer {TOKEN}")


@pytest.mark.parametrize("header", [{"X-Forwarded-For": "203.0.113.9"}, {"Host": "fitness.example.org"}])
def test_what_a_proxy_or_a_tunnel_passes_on_is_not_of_this_machine(db, settings, header):
    settings.ALLOWED_HOSTS = ["*"]
    local = Client(HTTP_HOST="127.0.0.1:8000")
    assert local.get("/metrics").status_code == 200
    assert local.get("/metrics", headers=header).status_code == 404


@pytest.mark.parametrize(
    ("setting", "value"), [("PUBLIC_URL", "https://fitness.example.org"), ("TRUSTED_PROXIES", 1)]
)
def test_a_published_service_opens_it_to_the_token_alone(scrape, settings, setting, value):
    """A bare `proxy_pass` sends its own Host and no address: everybody seems to be this machine."""
    settings.METRICS_TOKEN = TOKEN
    setattr(settings, setting, value)
    local = Client(HTTP_HOST="127.0.0.1:8000")
    assert local.get("/metrics").status_code == 404
    assert scrape(local, Authorization=f"Bearer {TOKEN}")


@pytest.mark.parametrize("path", ["/metrics", "/healthz", "/readyz"])
def test_a_machine_may_be_asked_by_its_own_address(db, settings, path):
    """Load balancers and Prometheus do; the other addresses are refused there."""
    settings.METRICS_TOKEN = TOKEN
    settings.ALLOWED_HOSTS = ["fitness.example.org"]
    machine = Client(HTTP_HOST="10.0.0.5:8000", REMOTE_ADDR="10.0.0.9")
    assert machine.get(path, headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert machine.get("/docs").status_code == 400


def test_it_answers_while_the_database_does_not(scrape, monkeypatch):
    def fail(*args, **kwargs):
        raise OperationalError

    monkeypatch.setattr("fitness.site.monitoring.Account.objects.count", fail)
    assert scrape()


# --- What it counts --------------------------------------------------------------------------------


def test_requests_are_counted_by_operation_and_status(api, reader, scrape):
    before = scrape()
    api.post("/workouts", a_workout(a_set()))
    api.post("/workouts", {})
    reader.post("/workouts", a_workout(a_set()))
    after = scrape()
    for status in ("201", "400", "403"):
        labels = {"operation": "log_workout", "status": status}
        name = "fitness_request_seconds_count"
        assert count(after, name, **labels) - count(before, name, **labels) == 1
    labels, name = {"operation": "log_workout"}, "fitness_database_seconds_total"
    assert count(after, name, **labels) > count(before, name, **labels)


def test_errors_are_counted_by_code(api, nobody, scrape):
    before = scrape()
    api.get("/workouts/nope")
    nobody.get("/workouts")
    after = scrape()
    for code in ("not_found", "invalid_key"):
        name = "fitness_errors_total"
        assert count(after, name, code=code) - count(before, name, code=code) == 1


def test_screens_are_counted_by_the_name_of_their_address(page, scrape):
    before = scrape()
    page.get("/workouts")
    labels = {"operation": "workouts", "status": "200"}
    assert (
        count(scrape(), "fitness_request_seconds_count", **labels)
        - count(before, "fitness_request_seconds_count", **labels)
        == 1
    )


def test_accounts_and_keys_are_counted(api, reader, stranger, scrape):
    samples = scrape()
    assert count(samples, "fitness_accounts") == 2
    assert count(samples, "fitness_active_keys") == 2


def test_long_work_that_waits_or_has_failed_is_counted_by_its_kind(account, stranger, scrape, time_machine):
    time_machine.move_to(timezone.now(), tick=False)
    assert count(scrape(), "fitness_tasks_waiting_seconds") == 0
    for subject in ("held", "free"):
        Task.objects.ask(account.pk, Task.Kind.IMPORT, subject)
    Task.objects.ask(stranger.pk, Task.Kind.EXPORT)
    Task.objects.filter(kind="export").update(failures=MAX_FAILURES)
    time_machine.shift(400)
    assert Task.objects.of(account.pk, Task.Kind.IMPORT, "held").hold("here:1")
    samples = scrape()
    assert [count(samples, "fitness_tasks_waiting", kind=kind) for kind in ("import", "export")] == [2, 0]
    assert [count(samples, "fitness_tasks_failed", kind=kind) for kind in ("import", "export")] == [0, 1]
    assert count(samples, "fitness_tasks_waiting_seconds") == 400


def test_what_has_just_had_a_turn_waits_since_then(account, scrape, time_machine):
    time_machine.move_to(timezone.now(), tick=False)
    Task.objects.ask(account.pk, Task.Kind.IMPORT)
    time_machine.shift(400)
    task = Task.objects.get()
    assert task.hold("here:1")
    task.release()
    time_machine.shift(1)
    assert count(scrape(), "fitness_tasks_waiting_seconds") == 1


def test_no_label_holds_an_id_or_an_email(api, page, scrape):
    workout = api.post("/workouts", a_workout(a_set())).json()["id"]
    api.get(f"/workouts/{workout}")
    page.get(f"/workouts/{workout}")
    page.get(f"/nowhere/{workout}")
    api.get(f"/nowhere/{workout}")
    labels = " ".join(f"{key}={value}" for _, pairs in scrape() for key, value in pairs)
    assert workout not in labels
    assert not re.search(r"@|[0-9a-f]{8}-[0-9a-f]{4}", labels)
    assert "operation=unmatched" in labels


def test_calls_of_tools_are_counted_by_outcome(tools, scrape):
    before = scrape()
    tools.call("get_profile", {})
    tools.call("get_workout", {"workout_id": "nope"})
    after, name = scrape(), "fitness_tool_calls_total"
    for labels in ({"tool": "get_profile", "outcome": "ok"}, {"tool": "get_workout", "outcome": "refused"}):
        assert count(after, name, **labels) - count(before, name, **labels) == 1


@pytest.fixture
def tools(api):
    return ToolClient(api.key)


def test_what_several_processes_counted_is_added_up(tmp_path, prepared):
    """Whichever of the two answers a request, and whichever the scrape; each has connections of its own."""
    with running_server(tmp_path, prepared, WEB_CONCURRENCY="2") as server:
        before = pages_read(server)
        for _ in range(30):
            read(server, "/docs")
        assert [pages_read(server) - before for _ in range(4)] == [30] * 4


def test_what_a_process_counted_stays_when_it_ends(tmp_path, prepared):
    """A process that ends leaves the files of the counts alone, which the others use as well."""
    with running_server(tmp_path, prepared, WEB_CONCURRENCY="2") as server:
        before = pages_read(server)
        for _ in range(10):
            read(server, "/docs")
        ended = server.workers[0]
        os.kill(ended, signal.SIGTERM)
        while ended in server.workers or len(server.workers) < 2:
            time.sleep(0.05)
        assert pages_read(server) - before == 10


def pages_read(server):
    labels = {"operation": "docs", "status": "200"}
    return count(parsed(read(server, "/metrics")), "fitness_request_seconds_count", **labels)


def read(server, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}{path}") as response:
        return response.read().decode()


@pytest.mark.parametrize("file", ["alerts.yml", "grafana.json"])
def test_dashboard_and_alerts_name_figures_that_exist(scrape, file):
    text = (ROOT / "docs" / "operations" / file).read_text()
    exported = {name for name, _ in scrape()} | {"fitness_pool_connections"}  # on PostgreSQL alone
    labelled = {"fitness_errors_total", "fitness_tool_calls_total", "fitness_database_seconds_total"}
    histogram = {f"fitness_request_seconds_{part}" for part in ("bucket", "count", "sum")}
    assert set(re.findall(r"fitness_\w+", text)) <= exported | labelled | histogram


@pytest.mark.parametrize(
    ("token", "expected"), [("", {}), ("a wrong token here", {}), (TOKEN, {"version": __version__})]
)
def test_the_version_is_named_to_who_has_the_token(client, settings, token, expected):
    settings.METRICS_TOKEN = TOKEN
    answer = client.get("/healthz", headers={"Authorization": f"Bearer {token}"} if token else {})
    assert answer.json() == {"status": "ok", **expected}
