"""Dockerfile and compose.yaml keep what docs/operations.md and SECURITY.md say of them."""

import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import yaml
from django.conf import settings

from tests.server import ROOT, free_port, own_database

COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]
DOCKERFILE = (ROOT / "Dockerfile").read_text().replace("\\\n", "")
IGNORED, *KEPT = [
    line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")
]
CONTEXT = [line.removeprefix("!") for line in KEPT if line.startswith("!")]
VARIABLES = set(
    re.findall(r'(?:env\.\w+|environ\.get)\("(\w+)"', (ROOT / "fitness" / "settings.py").read_text())
)


def instruction(name):
    """What stands behind the last instruction of this name."""
    return re.findall(rf"^{name} (.*)$", DOCKERFILE, re.MULTILINE)[-1]


def in_the_image():
    return dict(re.findall(r"([A-Z_]+)=(\S+)", instruction("ENV")))


# --- The image -------------------------------------------------------------------------------------


def test_the_image_is_pinned_and_runs_without_rights():
    assert set(re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)) == {"python:3.11-slim-bookworm"}
    assert int(instruction("USER").split(":")[0]) > 0
    assert json.loads(instruction("CMD")) == ["gunicorn"]
    assert "--no-index" in DOCKERFILE
    assert "/healthz" in instruction("HEALTHCHECK")


def test_the_image_holds_every_app_and_nothing_that_is_private():
    apps = {name.split(".")[0] for name in settings.INSTALLED_APPS}
    assert IGNORED == "*"
    assert {name for name in apps if (ROOT / name).is_dir()} <= set(CONTEXT)
    assert not {".env", ".git", "var", "tests"} & set(CONTEXT)


def test_the_health_check_of_the_image_tells_a_living_process(server):
    check = [sys.executable, *json.loads(instruction("HEALTHCHECK").partition("CMD ")[2])[1:]]
    for port, code in [(server.port, 0), (free_port(), 1)]:
        environment = {**os.environ, "PORT": str(port)}
        done = subprocess.run(check, env=environment, capture_output=True)
        assert done.returncode == code


def test_what_is_in_the_image_serves_and_writes_only_its_data(tmp_path):
    image, data = tmp_path / "app", tmp_path / "data"
    copy_context(image)
    with own_database(tmp_path) as database:
        environment = container(database, data)
        run(image, environment, "prepare", "--static-only")
        static = [image / "var", *(image / "var").rglob("*")]
        assert all(path.stat().st_mode & 0o004 for path in static)  # another user serves them
        before = snapshot(image)
        run(image, environment, "prepare")
        with started(image, environment) as port:
            page = get(port, "/")
            style = re.search(r'href="(/static/fitness\.\w+\.css)"', page.read().decode()).group(1)
            assert (page.status, get(port, style).status) == (200, 200)
            assert get(port, "/readyz").status == 200
        assert snapshot(image) == before
    kept = {path.name for path in data.glob("*")}
    assert kept == (set() if database.startswith("postgres") else {"fitness.sqlite3"})


def copy_context(image):
    image.mkdir()
    for name in CONTEXT:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        options = {"ignore": shutil.ignore_patterns("__pycache__")} if copy is shutil.copytree else {}
        copy(ROOT / name, image / name, **options)


def container(database, data):
    """The environment of a container: the image's own, and what names its data."""
    outside = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    database = {"DATABASE_URL": database} if database.startswith("postgres") else {}
    changes = {"BIND": "127.0.0.1", "PORT": str(free_port()), "DATA_DIR": str(data), "SECRET_KEY": "x" * 50}
    return {**outside, **in_the_image(), **changes, **database}


def run(image, environment, *arguments):
    command = [sys.executable, "manage.py", *arguments]
    subprocess.run(command, cwd=image, env=environment, check=True, capture_output=True, timeout=120)


def snapshot(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*")}


@contextmanager
def started(image, environment):
    """Runs what CMD says; yields the port."""
    program = Path(sys.executable).parent / json.loads(instruction("CMD"))[0]
    port = int(environment["PORT"])
    with subprocess.Popen([program], cwd=image, env=environment, stderr=subprocess.DEVNULL) as server:
        try:
            deadline = time.monotonic() + 30
            while time.monotonic() < deadline:
                with suppress(OSError):
                    get(port, "/healthz")
                    break
                time.sleep(0.1)
            yield port
        finally:
            server.terminate()


def get(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", path)
    return connection.getresponse()


# --- The services ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SERVICES)
def test_each_service_has_as_few_rights_as_it_can(name):
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "cap_add" not in service
    assert "no-new-privileges:true" in service["security_opt"]
    assert service.get("user") not in ("root", "0")
    assert "user" in service or "build" in service


@pytest.mark.parametrize("name", SERVICES)
def test_each_service_is_watched_and_comes_back(name):
    service = SERVICES[name]
    if name == "prepare":
        assert service["restart"] == "no"
    else:
        assert service["restart"] == "unless-stopped"
        assert "healthcheck" in service or "build" in service


@pytest.mark.parametrize("name", [name for name in SERVICES if "build" not in SERVICES[name]])
def test_each_image_is_pinned(name):
    assert re.fullmatch(r"[a-z/]+:\d+(\.\d+)?-[a-z]+", SERVICES[name]["image"])


def test_only_the_proxy_is_reached_from_outside_and_by_default_from_this_machine_alone():
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]
    assert SERVICES["proxy"]["ports"] == ["${LISTEN:-127.0.0.1:8080}:8080"]
    assert [name for name, service in SERVICES.items() if "outside" in service["networks"]] == ["proxy"]
    assert COMPOSE["networks"]["inside"]["internal"] is True


def test_the_service_waits_for_its_database_and_its_migrations():
    assert SERVICES["web"]["depends_on"]["prepare"] == {"condition": "service_completed_successfully"}
    assert SERVICES["prepare"]["depends_on"]["database"] == {"condition": "service_healthy"}
    assert SERVICES["prepare"]["command"] == ["python", "manage.py", "prepare"]


def test_every_variable_is_one_that_the_service_knows():
    assert set(SERVICES["web"]["environment"]) <= VARIABLES
    interpreter = {"PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "MALLOC_ARENA_MAX"}
    assert set(in_the_image()) - interpreter <= VARIABLES


def test_the_example_names_what_has_no_default():
    text = (ROOT / "compose.yaml").read_text()
    named = set(re.findall(r"^([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    assert set(re.findall(r"\$\{([A-Z_]+):\?", text)) <= named <= set(re.findall(r"\$\{([A-Z_]+)", text))


def test_the_processes_of_the_example_fit_into_the_databases_connections():
    example = dict(re.findall(r"^([A-Z_]+)=(\d+)$", (ROOT / ".env.example").read_text(), re.MULTILINE))
    processes = int(example["WEB_REPLICAS"]) * int(example["WEB_CONCURRENCY"])
    assert processes <= 9  # 10 connections of each pool, of PostgreSQL's 97 for everyone


def test_the_readme_names_every_setting():
    readme = (ROOT / "README.md").read_text()
    assert {name for name in VARIABLES if f"`{name}`" not in readme} == set()
