"""Dockerfile and the files of compose have the properties that docs/install.md and SECURITY.md promise."""

import http.client
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from importlib.metadata import distribution
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml
from PIL import Image

from fitness import __version__
from fitness.api.middleware import is_api
from tests.citus import Node
from tests.operations.test_requirements import packages
from tests.server import PATIENCE_SECONDS, ROOT, free_port, listens, own_database, wait_until

ONE = yaml.safe_load((ROOT / "compose.yaml").read_text())  # on SQLite
COMPOSE = yaml.safe_load((ROOT / "compose.postgres.yaml").read_text())
SERVICES = {
    name: {**ONE["services"][service["extends"]["service"]], **service} if "extends" in service else service
    for name, service in COMPOSE["services"].items()
}
FILES = {"compose.yaml": ONE["services"], "compose.postgres.yaml": SERVICES}
EACH = [
    pytest.param(service, id=f"{file}:{name}")
    for file, services in FILES.items()
    for name, service in services.items()
]
DOCKERFILE = (ROOT / "Dockerfile").read_text().replace("\\\n", "")
VARIABLES = set(
    re.findall(r'(?:env\.\w+|environ\.get)\("(\w+)"', (ROOT / "fitness" / "settings.py").read_text())
)


def instruction(name):
    """The arguments of the last instruction of this name."""
    return re.findall(rf"^{name} (.*)$", DOCKERFILE, re.MULTILINE)[-1]


def image_environment():
    return dict(re.findall(r"([A-Z_]+)=(\S+)", instruction("ENV")))


# --- The image -------------------------------------------------------------------------------------


def test_the_image_is_pinned_and_does_not_run_as_root():
    assert re.findall(r"^(?:ARG|FROM) (\S+)", DOCKERFILE, re.MULTILINE) == [
        "PYTHON_IMAGE=python:3.13-slim-bookworm",
        "${PYTHON_IMAGE}",
    ]
    assert int(instruction("USER").split(":")[0]) > 0
    assert json.loads(instruction("CMD")) == ["docs/operations/serve"]
    assert "--require-hashes" in DOCKERFILE
    assert "/healthz" in instruction("HEALTHCHECK")


def patterns(file):
    return [line for line in (ROOT / file).read_text().splitlines() if line and not line.startswith("#")]


def expression(pattern):
    """A pattern of .dockerignore as a regular expression: `*` is part of a name, `**/` any folders."""
    parts = re.split(r"(\*\*/|\*)", pattern)
    return "".join({"**/": "(?:.*/)?", "*": "[^/]*"}.get(part, re.escape(part)) for part in parts)


LEFT_OUT = re.compile("|".join(map(expression, patterns(".dockerignore"))))


def is_left_out(name):
    """Whether .dockerignore keeps this path, or a folder that it is in, out of the image."""
    *folders, _ = Path(name).parents  # the last one is the checkout itself
    return any(LEFT_OUT.fullmatch(str(path)) for path in [name, *folders])


@pytest.mark.parametrize(
    "name",
    [
        *(".env", ".env.new", ".git/config", ".ssh/id_ed25519", ".venv/bin/python", "fitness.env"),
        *("secrets/secret_key", "secrets/database_url", "compose.override.yaml", "tls/fitness.key"),
        *(
            "var/fitness.sqlite3",
            "var/secret_key",
            "fitness.sqlite3-wal",
            "backups/fitness-2026-03-02T031500Z",
        ),
        # Of another DATA_DIR, and of a backup to another folder.
        *("data/secret_key", "data/fitness.sqlite3", "fitness-2026-03-02T031500Z", "b/fitness-2026.damaged"),
        *(
            "fitness.backup",
            "export.zip",
            "workouts.csv",
            "dump.sql",
            "fitness/server.log",
            "tests/server.py",
        ),
    ],
)
def test_no_secret_and_nobodys_data_gets_into_the_image(name):
    assert is_left_out(name)


def test_what_git_ignores_gets_into_no_image():
    names = [pattern.strip("/").replace("*", "x") for pattern in patterns(".gitignore")]
    assert [name for name in names if not is_left_out(name)] == []


def test_the_service_can_read_a_checkout_that_others_cannot(tmp_path):
    code = tmp_path / "app" / "code.py"
    code.parent.mkdir(mode=0o700)
    code.touch(0o600)
    (command,) = re.findall(r"^RUN (find .*)$", DOCKERFILE, re.MULTILINE)
    subprocess.run(command, cwd=tmp_path, shell=True, check=True)
    assert [path.stat().st_mode & 0o777 for path in (code.parent, code)] == [0o705, 0o604]


def test_the_health_check_of_the_image_fails_without_a_process(server):
    check = json.loads(instruction("HEALTHCHECK").partition("CMD ")[2])
    for port, code in [(server.port, 0), (free_port(), 1)]:
        environment = {**os.environ, "PORT": str(port)}
        done = subprocess.run(check, env=environment, capture_output=True)
        assert done.returncode == code


def test_the_files_of_the_image_serve_with_the_packages_of_its_list_and_write_only_their_data(
    tmp_path, prepared
):
    image, data, programs = tmp_path / "app", tmp_path / "data", tmp_path / "venv" / "bin"
    copy_context(image)
    link_packages(programs)
    picture = tmp_path / "pictures" / "exercises" / "Barbell_Bench_Press" / "0.jpg"
    picture.parent.mkdir(parents=True)
    data.mkdir()
    Image.new("RGB", (850, 567), "red").save(picture)
    with own_database(data, prepared) as database:
        environment = container(database, data)
        run(image, environment, "prepare", "--static-only", programs=programs)
        static = [image / "var", *(image / "var").rglob("*")]
        # Everybody can read them: they are built as root and served by another user.
        assert all(path.stat().st_mode & 0o004 for path in static)
        before = snapshot(image)
        run(image, environment, "load_images", str(tmp_path / "pictures"), programs=programs)
        with started(image, environment, programs) as port:
            key = run(image, environment, "issue_key", "me@example.org", programs=programs)
            assert_serves(port, {"Authorization": f"Bearer {key}", "Content-Type": "application/json"})
        assert snapshot(image) == before
    data_files = {re.sub("-(shm|wal)$", "", path.name) for path in data.glob("*")}
    stored = "database" if database.startswith("postgres") else "fitness.sqlite3"
    assert data_files == {"address", "first_link", "images", stored}


def link_packages(programs):
    """Makes an environment of links to the packages that requirements.txt names, and no others.

    That pip finds them by their hashes is shown below, and by .ci/image.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", programs.parent], check=True)
    (site,) = programs.parent.glob("lib/python*/site-packages")
    for package, (requirement, _, _) in packages("requirements").items():
        if requirement.marker and not requirement.marker.evaluate():
            continue
        for file in distribution(package).files:
            if file.parent.name == "bin" and file.parts[0] == "..":
                (programs / file.name).write_text(re.sub("^#!.*", f"#!{programs}/python", file.read_text()))
                (programs / file.name).chmod(0o755)
            elif file.parts[0] != ".." and not (link := site / file.parts[0]).exists():
                link.symlink_to(distribution(package).locate_file(file.parts[0]))


def copy_context(image):
    """Copies what .dockerignore leaves in, with what Python has compiled: the image may write none of it."""

    def left_out(folder, names):
        paths = {name: Path(folder, name).relative_to(ROOT) for name in names}
        return [name for name, path in paths.items() if "__pycache__" not in path.parts and is_left_out(path)]

    shutil.copytree(ROOT, image, ignore=left_out)


def container(database, data):
    """The environment of a container: that of the image, and the variables that say where the data is."""
    outside = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    database = {"DATABASE_URL": database} if database.startswith("postgres") else {}
    changes = {"BIND": "127.0.0.1", "PORT": str(free_port()), "DATA_DIR": str(data), "SECRET_KEY": "x" * 50}
    return {**outside, **image_environment(), **changes, **database}


PROGRAMS = Path(sys.executable).parent


def run(image, environment, *arguments, programs=PROGRAMS):
    """What a command of manage.py prints."""
    command = [programs / "python", "manage.py", *arguments]
    done = subprocess.run(
        command, cwd=image, env=environment, capture_output=True, text=True, timeout=PATIENCE_SECONDS
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def snapshot(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*")}


@contextmanager
def started(image, environment, programs=PROGRAMS):
    """Runs the command of CMD, which prepares and serves. Yields its port."""
    program = image / json.loads(instruction("CMD"))[0]
    port = int(environment["PORT"])
    environment = {**environment, "PATH": f"{programs}:{environment['PATH']}"}
    with subprocess.Popen([program], cwd=image, env=environment, stderr=subprocess.DEVNULL) as server:
        try:
            wait_until(lambda: listens(port))
            yield port
        finally:
            server.terminate()


def get(port, path, body=None, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    connection.request("POST" if body else "GET", path, body, headers)
    return connection.getresponse()


def pip(*command):
    """Runs pip as the Dockerfile does, for another platform."""
    (flags,) = re.findall(r"^RUN pip install (.*)$", DOCKERFILE, re.MULTILINE)
    command = [*command, *shlex.split(flags)]
    environment = {**os.environ, "PIP_RETRIES": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    if done.returncode and "after connection broken" in done.stderr:
        pytest.skip("needs an index of packages that pip can reach")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_every_package_has_a_wheel_for_the_python_of_the_image(tmp_path, machine):
    """Each with its hash, or pip takes none."""
    python = re.search(r"python:([\d.]+)-", DOCKERFILE)[1]
    platforms = [
        f"--platform={name}_{machine}" for name in ("manylinux2014", "manylinux_2_17", "manylinux_2_28")
    ]
    target = [
        f"--python-version={python}",
        f"--target={tmp_path}",
        "--no-deps",
        "--dry-run",
        "--ignore-installed",
    ]
    pip(sys.executable, "-m", "pip", "install", *target, *platforms)


def assert_serves(port, key):
    page = get(port, "/sign-in", **{"Accept-Language": "de"}).read().decode()
    assert '<html lang="de">' in page
    assert "Anmelden" in page
    assert get(port, re.search(r'"(/static/fitness\.\w+\.css)"', page)[1]).status == 200
    assert get(port, "/readyz").status == 200

    document = get(port, "/docs").read().decode()
    scripts = re.findall(r'src="(/static/[^"]+)"', document)
    assert scripts
    assert {get(port, script).status for script in scripts} == {200}

    listed = get(port, "/mcp", '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}', **key).read()
    assert len(json.loads(listed)["result"]["tools"]) == 22

    exercise = json.loads(get(port, "/api/v1/exercises/barbell-bench-press", **key).read())
    picture = get(port, urlsplit(exercise["images"][0]).path)
    assert (picture.status, picture.headers["Content-Type"]) == (200, "image/webp")


# --- The backup of every night ---------------------------------------------------------------------

BACKUP = SERVICES["backup"]


def in_folder(folder, text):
    assert "/backups" in text
    return text.replace("/backups", str(folder))


def health(folder):
    kind, check = BACKUP["healthcheck"]["test"]
    assert kind == "CMD-SHELL"
    return subprocess.run(["sh", "-c", in_folder(folder, check)]).returncode


def test_the_backup_of_every_night_runs_in_the_image(tmp_path, prepared):
    image, data = tmp_path / "app", tmp_path / "data"
    backups, programs = tmp_path / "backups", tmp_path / "programs"
    copy_context(image)
    for folder in (data, backups, programs):
        folder.mkdir()
    (programs / "sleep").write_text("#!/bin/sh\nkill $PPID\n")  # instead of waiting for the night
    (programs / "sleep").chmod(0o755)
    with own_database(data, prepared) as database:
        environment = container(database, data)
        run(image, environment, "prepare")
        before = snapshot(image)
        assert health(backups) == 1
        command = [*BACKUP["command"][:-1], in_folder(backups, BACKUP["command"][-1])]
        environment["PATH"] = f"{programs}:{Path(sys.executable).parent}:{environment['PATH']}"
        finished = subprocess.run(command, cwd=image, env=environment, capture_output=True, text=True)
        assert finished.returncode == -signal.SIGTERM, finished.stderr
        assert snapshot(image) == before
    assert len(list(backups.iterdir())) == 1, finished.stderr
    (file,) = backups.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert health(backups) == 0


@pytest.mark.machine_clock  # files have its times
@pytest.mark.parametrize(
    ("names", "hours", "code"),
    [
        ([], 0, 1),
        (["fitness-2026-03-02T031500Z"], 0, 0),
        (["fitness-2026-03-02T031500Z"], 25.9, 0),
        (["fitness-2026-03-02T031500Z"], 26.1, 1),
        (["fitness-2026-03-02T031500Z.damaged"], 0, 1),
        ([".work/fitness-2026-03-02T031500Z"], 0, 1),  # one that runs, or was killed
    ],
)
def test_the_backup_is_healthy_while_there_is_a_good_one_of_26_hours(tmp_path, names, hours, code):
    for name in names:
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("")
        os.utime(file, (time.time() - hours * 3600,) * 2)
    assert health(tmp_path) == code


# --- The services ----------------------------------------------------------------------------------


@pytest.mark.parametrize("service", EACH)
def test_each_service_runs_with_minimal_rights(service):
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]


@pytest.mark.parametrize("service", EACH)
def test_none_but_what_only_fetches_and_sends_has_the_user_root(service):
    """Caddy binds the ports of https; restic reads files that are for their owner alone."""
    assert service.get("user") not in ("root", "0")
    added = {"CADDY_IMAGE": ["NET_BIND_SERVICE"], "RESTIC_IMAGE": ["DAC_READ_SEARCH"]}
    of_root = next((added[name] for name in added if name in service.get("image", "")), None)
    assert service.get("cap_add") == of_root
    assert of_root or "user" in service or "build" in service


@pytest.mark.parametrize("service", EACH)
def test_each_service_has_a_health_check_and_is_restarted(service):
    command = service.get("command")
    if command == ["python", "manage.py", "prepare"]:
        assert service["restart"] == "no"
    elif command == ["python", "manage.py", "worker"]:  # no port; /readyz shows what it leaves
        assert service["restart"] == "unless-stopped"
        assert service["healthcheck"] == {"disable": True}
    else:
        assert service["restart"] == "unless-stopped"
        assert "healthcheck" in service or "build" in service


IMAGES = dict(re.findall(r"\$\{(\w+_IMAGE):-([^}]+)\}", "".join((ROOT / file).read_text() for file in FILES)))


@pytest.mark.parametrize("service", EACH)
def test_each_image_is_pinned(service):
    image = service["build"]["args"]["PYTHON_IMAGE"] if "build" in service else service["image"]
    variable, tag = re.fullmatch(r"\$\{(\w+_IMAGE):-(.+)\}", image).groups()
    assert IMAGES[variable] == tag
    assert re.fullmatch(r"[a-z/]+:\d+(\.\d+)*(-[a-z-]+)?", tag)


def test_the_image_of_a_plain_build_is_that_of_compose():
    assert f"ARG PYTHON_IMAGE={IMAGES['PYTHON_IMAGE']}\n" in DOCKERFILE


def test_the_workflow_pushes_where_the_guide_for_releases_says():
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    workflow, guide = yaml.safe_load(text), (ROOT / "docs" / "releasing.md").read_text()
    assert workflow["jobs"]["image"]["needs"] == ["tests", "newer"]
    assert "vars.IMAGE != '' && github.ref_type == 'tag'" in text
    named = set(re.findall(r"(?:vars|secrets)\.(\w+)", text))
    assert named == {"IMAGE", "REGISTRY_USER", "REGISTRY_PASSWORD"}
    assert [name for name in named if f"`{name}`" not in guide] == []


# --- A cluster ------------------------------------------------------------------------------------

CLUSTER = yaml.safe_load((ROOT / "compose.citus.yaml").read_text())["services"]
NODES = ["database", "worker-1", "worker-2"]


def test_every_service_that_reads_the_database_asks_the_cluster():
    asking = {name for name, one in SERVICES.items() if "DATABASE_URL" in one.get("environment", {})}
    assert {name for name, one in CLUSTER.items() if "DATABASE_URL" in one.get("environment", {})} == asking
    for name in asking:
        assert CLUSTER[name]["environment"]["DATABASE_URL"].startswith("citus://")


@pytest.mark.parametrize("name", NODES)
def test_a_node_is_as_closed_as_one_database(name):
    node = CLUSTER[name]
    for setting in ("read_only", "cap_drop", "security_opt", "restart", "user", "networks"):
        assert node[setting] == SERVICES["database"][setting]
    assert "ports" not in node
    volume = {"database": "coordinator"}.get(name, name)  # not that of the one database before
    assert node["volumes"] == [f"{volume}:/var/lib/postgresql/data"]


@pytest.mark.parametrize("name", NODES)
def test_a_node_has_the_timeouts_that_prepare_asks_for(name):
    settings = " ".join(CLUSTER[name]["command"])
    assert f"citus.node_connection_timeout={Node.SETTINGS['citus.node_connection_timeout']}" in settings
    for timeout in Node.SETTINGS["citus.node_conninfo"].split()[1:]:
        assert timeout in settings


def test_the_coordinator_is_told_of_each_worker():
    told = " ".join(CLUSTER["join"]["command"])
    assert all(f"citus_add_node('{name}', 5432)" in told for name in NODES[1:])
    assert CLUSTER["prepare"]["depends_on"]["join"] == {"condition": "service_completed_successfully"}


@pytest.fixture
def pin(tmp_path):
    """A function that runs pin-images beside a .env, with a `docker` that prints what a pull prints."""
    (tmp_path / "docs" / "operations").mkdir(parents=True)
    for name in [*FILES, "docs/operations/pin-images"]:
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / ".env").write_text(
        "COMPOSE_FILE=compose.postgres.yaml\nNGINX_IMAGE=nginx:1.26@sha256:old\nSIGN_UP=open\n"
    )
    (tmp_path / ".env").chmod(0o640)
    docker = tmp_path / "docker"
    docker.write_text(
        f"""#!/bin/sh
[ $1 = pull ] || exit 2
grep "^$2 " {tmp_path}/registry > {tmp_path}/found || {{ echo "no such host" >&2; exit 1; }}
echo "Pulling from $2"
sed 's/.* /Digest: /' {tmp_path}/found
echo "Status: Image is up to date for $2"
"""
    )
    docker.chmod(0o755)

    def run(registry):
        (tmp_path / "registry").write_text("".join(f"{tag} {digest}\n" for tag, digest in registry.items()))
        environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
        command = [tmp_path / "docs" / "operations" / "pin-images"]
        return subprocess.run(command, env=environment, capture_output=True, text=True)

    run.file = tmp_path / ".env"
    return run


DIGESTS = {tag: f"sha256:{number:064x}" for number, tag in enumerate(IMAGES.values())}


def test_images_are_pinned_by_the_digests_that_docker_pulls(pin):
    finished = pin(DIGESTS)
    assert finished.returncode == 0, finished.stderr
    lines = pin.file.read_text().splitlines()
    kept, pinned = lines[: -len(IMAGES)], lines[-len(IMAGES) :]
    assert kept == ["COMPOSE_FILE=compose.postgres.yaml", "SIGN_UP=open"]
    assert set(pinned) == {f"{name}={tag}@{DIGESTS[tag]}" for name, tag in IMAGES.items()}
    assert pin.file.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("problem", ["unreachable", "no digest"])
def test_nothing_is_pinned_where_one_image_has_no_digest(pin, problem):
    before = pin.file.read_text()
    *rest, (last, _) = DIGESTS.items()
    finished = pin(dict(rest) if problem == "unreachable" else {**DIGESTS, last: "none"})
    assert finished.returncode == 1
    assert last in finished.stderr
    assert pin.file.read_text() == before
    assert not [path for path in pin.file.parent.iterdir() if path.name == ".env.new"]


def test_one_service_on_sqlite_is_reached_from_this_machine_alone():
    """What else there is takes a profile; with https, Caddy is reached from outside."""
    by_default = [name for name, service in ONE["services"].items() if "profiles" not in service]
    assert by_default == ["fitness"]
    assert ONE["services"]["fitness"]["ports"] == ["127.0.0.1:8000:8000"]
    assert ONE["services"]["caddy"]["profiles"] == ["https"]
    assert "command" not in ONE["services"]["fitness"]  # that of the image, which does long work, too


def test_backups_are_copied_off_the_machine_enciphered():
    copies, of_postgres = ONE["services"]["offsite"], SERVICES["offsite"]
    assert copies["volumes"][1] == of_postgres["volumes"][1] == "${BACKUPS:-backups}:/backups:ro"
    assert "backups" in ONE["volumes"].keys() & COMPOSE["volumes"].keys()
    assert copies["profiles"][0] in ONE["services"]["backup"]["profiles"]
    assert {"RESTIC_REPOSITORY", "RESTIC_PASSWORD"} <= copies["environment"].keys()
    # Whoever breaks into the service cannot delete the copies.
    assert not copies["environment"].keys() & ONE["services"]["fitness"]["environment"].keys()


def test_only_the_proxy_publishes_a_port_which_is_local_by_default():
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]
    assert SERVICES["proxy"]["ports"] == ["${LISTEN:-127.0.0.1:8080}:8080"]
    assert [name for name, service in SERVICES.items() if "outside" in service["networks"]] == [
        "proxy",
        "offsite",
    ]
    assert COMPOSE["networks"]["inside"]["internal"] is True
    assert [name for name, service in SERVICES.items() if "mail" in service["networks"]] == ["web", "worker"]
    assert COMPOSE["networks"]["mail"]["internal"] == "${KEEP_WEB_INSIDE:-true}"


def test_the_service_waits_for_its_database_and_its_migrations():
    assert SERVICES["web"]["depends_on"]["prepare"] == {"condition": "service_completed_successfully"}
    assert SERVICES["prepare"]["depends_on"]["database"] == {"condition": "service_healthy"}
    assert SERVICES["prepare"]["command"] == ["python", "manage.py", "prepare"]


# Of these the image, the file or another setting decides.
NOT_FOR_OPERATORS = {"BIND", "PORT", "DATA_DIR", "DATABASE_URL", "REDIS_URL", "WEB_CONCURRENCY"}
OF_POSTGRESQL = {"STATEMENT_TIMEOUT", "PREPARED_STATEMENTS"}


def test_every_setting_of_the_service_can_be_in_the_file_of_compose():
    assert ONE["services"]["fitness"]["environment"].keys() == VARIABLES - NOT_FOR_OPERATORS - OF_POSTGRESQL
    assert SERVICES["web"]["environment"].keys() == VARIABLES - {"BIND", "PORT", "DATA_DIR"}
    interpreter = {"PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "MALLOC_ARENA_MAX"}
    assert set(image_environment()) - interpreter <= VARIABLES


def test_the_example_of_settings_is_short_and_each_line_is_read():
    lines = [line for line in (ROOT / ".env.example").read_text().splitlines() if line[0] != "#"]
    assert len(lines) <= 8
    read = {name for service in ONE["services"].values() for name in service.get("environment", {})}
    assert {line.partition("=")[0] for line in lines} <= read | {"COMPOSE_PROFILES"}
    (profiles,) = [line.partition("=")[2] for line in lines if line.startswith("COMPOSE_PROFILES=")]
    known = {profile for service in ONE["services"].values() for profile in service.get("profiles", [])}
    assert set(profiles.split(",")) <= known


def example(document, first_line):
    """The YAML in a document that has this line. The tags of compose are read as if they were not there."""
    blocks = re.findall(
        r"^```yaml\n(.*?)^```$", (ROOT / "docs" / document).read_text(), re.DOTALL | re.MULTILINE
    )
    (block,) = [block for block in blocks if first_line in block]
    return yaml.safe_load(block.replace("!override ", ""))


def test_secrets_are_not_set_where_they_are_in_files():
    """A secret that is set, and is in a file, stops the start."""
    documented = example("install.md", "secrets: [secret_key, database_url]")
    readers = {name for name, one in SERVICES.items() if "SECRET_KEY" in one.get("environment", {})}
    assert documented["services"].keys() == {*readers, "database"}
    for name, service in documented["services"].items():
        assert set(service["secrets"]) <= documented["secrets"].keys()
        for variable, file in service["environment"].items():
            plain = variable.removesuffix("_FILE")
            if plain != variable:
                assert file.removeprefix("/run/secrets/") in service["secrets"]
                value = {**SERVICES[name]["environment"], **service["environment"]}[plain]
                assert value in ("", f"${{{plain}?is missing in .env}}")


def test_the_page_about_updates_asks_for_the_version_where_http_is_answered(client):
    """On the machine itself; of a published service all else leads to https."""
    page = (ROOT / "docs" / "update.md").read_text()
    (path,) = re.findall(r"curl -s http://127\.0\.0\.1:8000(\S+) \| grep -o '\"version\"", page)
    assert is_api(client.get(path).wsgi_request)
    assert client.get(path).json()["info"]["version"] == __version__


def test_a_newer_postgresql_gets_a_volume_where_its_image_keeps_data():
    """Images from 18 on refuse one at /var/lib/postgresql/data, which those before need."""
    assert SERVICES["database"]["volumes"] == ["database:/var/lib/postgresql/data"]
    newer = example("backup.md", "image: postgres:18-bookworm")
    (volume,) = newer["services"]["database"]["volumes"]
    name, place = volume.split(":")
    assert place == "/var/lib/postgresql"
    assert name in newer["volumes"].keys() - COMPOSE["volumes"].keys()


@pytest.mark.parametrize("service", EACH)
def test_each_service_is_bounded(service):
    assert service["mem_limit"]
    assert service["pids_limit"] <= 256
    assert not [
        place for place in service.get("tmpfs", []) if place.startswith("/tmp:") and "size=" not in place
    ]


def test_long_work_has_a_container_of_its_own():
    assert SERVICES["worker"]["command"] == ["python", "manage.py", "worker"]
    assert SERVICES["worker"]["depends_on"]["prepare"] == {"condition": "service_completed_successfully"}


UNITS = ROOT / "docs" / "operations"


def unit(name):
    """The lines of a unit of systemd, without comments."""
    return {line for line in (UNITS / name).read_text().splitlines() if "=" in line and line[0] != "#"}


def test_the_unit_of_the_worker_is_as_closed_as_that_of_the_service():
    service, worker = unit("fitness.service"), unit("fitness-worker.service")
    bounds = ("User=", "Protect", "ReadWritePaths=", "PrivateTmp=", "NoNew")
    closed = {line for line in service if line.startswith(bounds)}
    assert len(closed) == 6
    assert closed <= worker
    assert "ExecStart=/srv/fitness/.venv/bin/python manage.py worker" in worker


def test_the_worker_starts_and_stops_with_the_service_and_again_where_it_dies():
    service, worker = unit("fitness.service"), unit("fitness-worker.service")
    assert "Wants=network-online.target fitness-worker.service" in service
    assert {"PartOf=fitness.service", "After=fitness.service"} <= worker
    # After five starts in ten seconds systemd would give up on a database that is not there yet.
    assert {"Restart=always", "RestartSec=2"} <= service & worker


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd-analyze")
@pytest.mark.parametrize("path", sorted(UNITS.glob("*.service")), ids=lambda path: path.name)
def test_systemd_understands_each_unit(path):
    done = subprocess.run(["systemd-analyze", "verify", path], capture_output=True, text=True)
    complaints = [line for line in done.stderr.splitlines() if f"{path.name}:" in line]
    assert [line for line in complaints if "/srv/fitness" not in line] == []  # which is not on this machine


def test_settings_of_the_database_reach_the_processes():
    environment = SERVICES["web"]["environment"]
    assert environment["STATEMENT_TIMEOUT"] == "${STATEMENT_TIMEOUT:-10}"
    assert "STATEMENT_TIMEOUT" not in SERVICES["backup"]["environment"]  # commands may take longer


def test_the_connections_of_all_processes_fit_into_those_of_the_database():
    text = (ROOT / "compose.postgres.yaml").read_text()
    replicas, processes = (
        int(re.search(rf"\$\{{{name}:-(\d+)\}}", text)[1]) for name in ("WEB_REPLICAS", "WEB_CONCURRENCY")
    )
    assert replicas * processes + 1 <= 9  # the worker; each pool has 10 connections, PostgreSQL 97 for all
