"""The environment: a bad value stops the start with one line that names the variable."""

import os
import runpy
import subprocess
import sys
from pathlib import Path
from unittest import mock

import dj_database_url
import pytest
from django.test import override_settings

from fitness import addresses, environment
from fitness.db import postgresql  # noqa: F401  (settings of PostgreSQL load it: once is enough)
from tests.server import ROOT, own_database, sqlite_database


def settings_of(**environment):
    """The settings as a new process would read them, or SystemExit."""
    clean = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    with mock.patch.dict(os.environ, {**clean, **environment}, clear=True), mock.patch.dict(sys.modules):
        return runpy.run_path(str(ROOT / "fitness" / "settings.py"))


def start(**environment):
    """(exit code, stderr lines, what some settings are). Commands below show what `sys.exit` makes of it."""
    try:
        found = settings_of(**environment)
    except SystemExit as error:
        return 1, str(error.code).splitlines(), ""
    return 0, [], f"{found['ALLOWED_HOSTS']} {found['SESSION_COOKIE_SECURE']} {found['SIGN_UP']}"


BAD = [
    {"PORT": "abc"},
    {"PORT": "70000"},
    {"DATABASE_URL": "nonsense"},
    {"DATABASE_URL": "mysql://root@127.0.0.1/x"},
    {"REDIS_URL": "http://127.0.0.1"},
    {"DATABASE_URL": "sqlite:////proc/nowhere/fitness.sqlite3"},
    {"REDIS_URL": "redis://127.0.0.1:port/0"},
    {"PUBLIC_URL": "fitness.example.org"},
    {"PUBLIC_URL": "https://fitness.example.org:99999"},
    {"PUBLIC_URL": "https://fitness.example.org?x=1"},
    {"PUBLIC_URL": "https://fitness.example.org/app"},
    {"TRUSTED_PROXIES": "-1"},
    {"BIND": "everywhere"},
    {"WEB_CONCURRENCY": "0"},
    {"RATE_LIMIT_KEY": "120"},
    {"RATE_LIMIT_IP": "lots"},
    {"RATE_LIMIT_KEY": "120/h"},
    {"RATE_LIMIT_PAGES": "often"},
    {"RATE_LIMIT_SIGN_UP": "60/d"},
    {"ACCOUNT_STORAGE_MB": "-1"},
    {"SIGN_UP": "friends"},
    {"REQUIRE_SECOND_FACTOR": "members"},
    {"LOG_LEVEL": "LOUD"},
    {"EMAIL_URL": "mail.example.org"},
    {"EMAIL_URL": "smtp://localhost:port", "EMAIL_FROM": "fit@example.org"},
    {"OIDC_ISSUER": "auth.example.org"},
    {"OIDC_ISSUER": "http://auth.example.org"},
    {"OIDC_ISSUER": "https://auth.example.org?realm=x"},
    {"OIDC_ISSUER": "https://user@auth.example.org"},
    {"OIDC_CLIENT_ID": "", "OIDC_ISSUER": "https://auth.example.org"},
    {"PUBLIC_URL": "", "OIDC_CLIENT_ID": "fitness", "OIDC_ISSUER": "https://auth.example.org"},
    {"OIDC_SIGN_UP": "friends"},
    {"OIDC_STAFF_GROUP": "admins"},
    {"OIDC_TRUST_EMAIL": "perhaps"},
    {"OIDC_NAME": "a" * 51},
    {"EMAIL_FROM": "Fitness", "EMAIL_URL": "smtp://localhost"},
    {"AUTH_PROXIES": "", "AUTH_HEADER": "Remote-Email"},
    {"AUTH_PROXIES": "proxy", "AUTH_HEADER": "Remote-Email"},
    {"AUTH_PROXIES": "10.0.0.1/8", "AUTH_HEADER": "Remote-Email"},
    {"AUTH_PROXIES": "0.0.0.0/0", "AUTH_HEADER": "Remote-Email"},
    {"AUTH_HEADER": "Remote_Email", "AUTH_PROXIES": "127.0.0.1"},
    {"AUTH_LOGOUT_URL": "/logout"},
]


@pytest.mark.parametrize("environment", BAD, ids=str)
def test_a_bad_value_stops_the_start_with_a_line_that_names_it(environment):
    code, lines, _ = start(**environment)
    assert code == 1
    assert len(lines) == 1
    assert lines[0].startswith(f"{next(iter(environment))}: ")


def test_a_file_of_settings_is_read_as_it_stands(tmp_path):
    """What sh would break: blanks, `<`, `&` and `$`. The environment wins."""
    file = tmp_path / "fitness.env"
    file.write_text(
        "# of the service\n"
        "EMAIL_URL=smtp://user:a$b&c@localhost\nEMAIL_FROM=Fitness <fit@example.org>\n"
        "\n; as systemd has it\nPUBLIC_URL = 'https://a.example.org'\r\nSIGN_UP=closed\n"
    )
    code, _, printed = start(FITNESS_ENV=str(file), SIGN_UP="open")
    assert (code, printed) == (0, "['127.0.0.1', 'localhost', '[::1]', 'a.example.org'] True open")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("PORT=8000\nnot a setting\n", "{file}, line 2: is not NAME=value."),
        ("export PORT=8000\n", "{file}, line 1: is not NAME=value."),
        ("PORT=http\n", "PORT: Not a valid integer."),
        (None, "FITNESS_ENV: {file}: No such file or directory."),
    ],
)
def test_a_bad_file_of_settings_stops_the_start(tmp_path, text, message):
    file = tmp_path / "fitness.env"
    if text is not None:
        file.write_text(text)
    assert start(FITNESS_ENV=str(file))[:2] == (1, [message.format(file=file)])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("abc #def", "abc #def"),
        ("a=b", "a=b"),
        ("a\x0cb\x85c", "a\x0cb\x85c"),
        ('"a b "', "a b "),
        ("' # '", " # "),
        ('"a', '"a'),
        (r"a\tb$HOME", r"a\tb$HOME"),
        ("", ""),
    ],
)
def test_a_value_is_all_that_is_behind_the_equals_sign(tmp_path, text, value):
    (tmp_path / "fitness.env").write_text(f"SECRET_KEY={text}\n")
    assert environment.settings_of(tmp_path / "fitness.env") == {"SECRET_KEY": value}


def test_a_file_of_settings_may_name_files_of_secrets(tmp_path, monkeypatch):
    """gunicorn reads it twice: for itself and for the application."""
    (tmp_path / "secret").write_text("from a file\n")
    (tmp_path / "fitness.env").write_text(f"SECRET_KEY_FILE={tmp_path / 'secret'}\nREDIS_URL=redis://a\n")
    monkeypatch.setattr(os, "environ", {"FITNESS_ENV": str(tmp_path / "fitness.env"), "REDIS_URL": ""})
    environment.load()
    once = dict(os.environ)
    environment.load()
    assert os.environ == once
    assert (once["SECRET_KEY"], once["REDIS_URL"]) == ("from a file", "redis://a")


def test_a_command_without_the_environment_of_the_service_reads_its_file(tmp_path, monkeypatch):
    """Otherwise it would work on an empty SQLite database, and say that all is well."""
    monkeypatch.setattr(environment, "DEFAULT", tmp_path / "fitness.env")
    monkeypatch.setattr(os, "environ", {})
    environment.load()
    assert os.environ == {}
    (tmp_path / "fitness.env").symlink_to(tmp_path / "unreadable")
    with pytest.raises(SystemExit, match="No such file"):
        environment.load()
    (tmp_path / "unreadable").write_text("DATABASE_URL=citus://a:b@c/d?x=1&y=2\n")
    environment.load()
    assert os.environ == {"DATABASE_URL": "citus://a:b@c/d?x=1&y=2"}


# --- A command on another database than the service ------------------------------------------------


def manage(*arguments, **environment):
    """Runs a command with nothing but this environment. Returns (exit code, stdout, stderr).

    It takes two seconds of CPU: what the settings refuse is the same in this process, by `start`.
    """
    command = [sys.executable, "manage.py", *arguments]
    environment["PATH"] = os.environ["PATH"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def elsewhere(tmp_path, prepared):
    """The environment of a service with a prepared database elsewhere, in a file of settings."""
    (tmp_path / "elsewhere").mkdir()
    with own_database(tmp_path / "elsewhere", prepared) as database:
        file = tmp_path / "fitness.env"
        file.write_text(f"DATABASE_URL={database}\nSECRET_KEY=a key for tests only\n")
        service = {"FITNESS_ENV": str(file), "DATA_DIR": str(tmp_path / "data")}
        if prepared:
            environment.note_database(tmp_path / "data", dj_database_url.parse(database))
        else:
            assert manage("prepare", **service)[0] == 0
        yield service


def test_no_command_works_on_sqlite_where_the_service_has_another_database(elsewhere):
    data = elsewhere["DATA_DIR"]
    code, printed, error = manage("issue_key", "a@example.org", DATA_DIR=data)
    assert (code, printed, error.count("\n")) == (1, "", 1)
    assert error.startswith("DATABASE_URL: is not set, but the service uses ")
    way_back = f"to move back to SQLite delete {data}/database."
    assert f"Set FITNESS_ENV to the file of its settings; {way_back}" in error
    assert "a key for tests only" not in error
    assert [path.name for path in Path(data).iterdir()] == ["database"]
    assert start(**elsewhere)[:2] == (0, [])


DEAD = "postgres://fit:a-password@127.0.0.1:1/fitness"


@pytest.mark.parametrize("command", [("prepare",), ("issue_key", "a@example.org"), ("migrate",)])
def test_a_database_that_does_not_answer_is_one_line_with_the_way_out(tmp_path, command):
    dead = {"DATABASE_URL": DEAD, "SECRET_KEY": "a key for tests only", "DATA_DIR": str(tmp_path)}
    code, printed, error = manage(*command, **dead)
    assert (code, printed, error.count("\n")) == (1, "", 1)
    assert error.startswith("The database postgresql://127.0.0.1/fitness fails: connection failed: ")
    assert "Start it or set DATABASE_URL" in error
    assert "a-password" not in error


def test_a_database_that_is_not_prepared_is_one_line_with_the_way_out(tmp_path):
    code, printed, error = manage("issue_key", "a@example.org", DATA_DIR=str(tmp_path))
    assert (code, printed, error.count("\n")) == (1, "", 1)
    assert "run manage.py prepare" in error
    assert "Traceback" in manage("accounts", "--traceback", DATA_DIR=str(tmp_path))[2]


def test_a_command_prints_what_it_does_and_no_lines_of_the_log(elsewhere):
    """LOG_LEVEL is INFO, also where the settings of the service say so."""
    code, key, said = manage("issue_key", "a@example.org", LOG_LEVEL="INFO", **elsewhere)
    assert (code, key[:4]) == (0, "svc_")
    assert [line for line in said.splitlines() if line.startswith("{")] == []


def test_commands_name_the_address_where_the_service_was_last_reached(elsewhere, monkeypatch):
    """The server's PORT was in its own environment."""
    environment.note_address(Path(elsewhere["DATA_DIR"]), "http://localhost:9000")
    assert manage("invite", **elsewhere)[1].startswith("http://localhost:9000/sign-up?")
    monkeypatch.setattr(environment, "is_for_person", True)  # as manage.py sets it
    assert address_by(**elsewhere) == "http://localhost:9000"
    assert address_by(**elsewhere, PORT="9100") == "http://localhost:9100"
    (Path(elsewhere["DATA_DIR"]) / "address").unlink()
    assert address_by(**elsewhere) == "http://localhost:8000"


def address_by(**environment):
    """The address that commands name with the settings of an environment."""
    found = settings_of(**environment)
    names = ("PUBLIC_URL", "NOTED_ADDRESS", "PORT")
    with override_settings(**{name: found[name] for name in names}):
        return addresses.public_address()


def test_the_server_does_not_start_on_sqlite_where_the_service_has_another_database(elsewhere):
    command = [sys.executable, "-m", "gunicorn", "--check-config"]
    environment = {"PATH": os.environ["PATH"], "DATA_DIR": elsewhere["DATA_DIR"]}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("DATABASE_URL: is not set, but the service uses ")


def test_a_database_that_is_named_is_used_and_noted(elsewhere, prepared):
    data = Path(elsewhere["DATA_DIR"])
    (data / "database").unlink()
    assert manage("prepare", **elsewhere)[0] == 0
    assert start(DATA_DIR=str(data))[0] == 1
    copied = prepared if prepared.startswith("sqlite") else ""
    back = {"DATA_DIR": str(data), "DATABASE_URL": sqlite_database(data, copied)}
    assert manage("prepare", **back)[0] == 0
    assert not (data / "database").exists()
    assert start(DATA_DIR=str(data))[0] == 0


@pytest.mark.parametrize(
    ("url", "noted"),
    [
        ("postgres://fit:secret@10.0.0.5:5433/fitness", "postgresql://10.0.0.5/fitness"),
        ("citus://fit:secret@/fitness?host=10.0.0.1,10.0.0.2", "citus://10.0.0.1,10.0.0.2/fitness"),
        ("sqlite:////srv/other.sqlite3", "sqlite:////srv/other.sqlite3"),
    ],
)
def test_the_note_names_the_database_without_its_password(tmp_path, url, noted):
    database = dj_database_url.parse(url)
    environment.note_database(tmp_path / "data", database)
    assert (tmp_path / "data" / "database").read_text() == f"{noted}\n"


def test_a_command_names_the_settings_in_etc_that_it_did_not_read(tmp_path, monkeypatch):
    """The operator's shell in the folder of a service whose unit names a file, which names its data."""
    monkeypatch.setattr(environment, "DEFAULT", tmp_path / "fitness.env")
    monkeypatch.setattr(environment, "SYSTEM", tmp_path / "system.env")
    monkeypatch.setattr(os, "environ", {})
    (tmp_path / "system.env").write_text("PUBLIC_URL=https://fitness.example.org\n")
    environment.refuse_another_database(tmp_path)
    (tmp_path / "system.env").write_text("DATA_DIR=/var/lib/fitness\n")
    with pytest.raises(SystemExit, match=f"Set FITNESS_ENV={tmp_path}/system.env, or link it"):
        environment.refuse_another_database(tmp_path)
    monkeypatch.setattr(os, "environ", {"FITNESS_ENV": "/dev/null"})
    environment.refuse_another_database(tmp_path)
    monkeypatch.setattr(os, "environ", {"DATABASE_URL": "sqlite:////srv/other.sqlite3"})
    environment.refuse_another_database(tmp_path)


def test_secrets_are_read_from_the_files_that_containers_mount(tmp_path):
    (tmp_path / "secret").write_text("from a file\n")
    code, lines, _ = start(METRICS_TOKEN_FILE=str(tmp_path / "secret"))
    assert (code, lines) == (1, ["METRICS_TOKEN: must be 16 to 255 visible ASCII characters."])
    both = start(SECRET_KEY_FILE=str(tmp_path / "secret"), SECRET_KEY="set")
    assert both[:2] == (1, ["SECRET_KEY: is set, and so is SECRET_KEY_FILE. Leave one out."])
    missing = start(DATABASE_URL_FILE=str(tmp_path / "none"))
    assert missing[1] == [f"DATABASE_URL_FILE: {tmp_path / 'none'}: No such file or directory."]


def test_what_is_empty_counts_as_not_set(tmp_path):
    """Compose passes what .env sets to nothing as an empty variable."""
    (tmp_path / "key").write_text("from a file\n")
    (tmp_path / "url").write_text("postgres://fitness:secret@127.0.0.1/fitness\n")
    files = {"SECRET_KEY_FILE": str(tmp_path / "key"), "DATABASE_URL_FILE": str(tmp_path / "url")}
    empty = {"SECRET_KEY": "", "DATABASE_URL": "", "PUBLIC_URL": "https://fitness.example.org"}
    assert start(**empty, **files)[:2] == (0, [])
    del files["SECRET_KEY_FILE"]
    code, lines, _ = start(**empty, **files)
    assert (code, len(lines), lines[0].split(":")[0]) == (1, 1, "SECRET_KEY")
    assert start(DATABASE_URL="", DATABASE_URL_FILE="", DATA_DIR=str(tmp_path))[0] == 0


def test_a_published_service_on_a_server_must_bring_its_secret():
    environment = {"PUBLIC_URL": "https://fitness.example.org", "DATABASE_URL": "postgres://127.0.0.1/x"}
    code, lines, _ = start(**environment, SECRET_KEY="")
    assert (code, lines[0].split(":")[0]) == (1, "SECRET_KEY")
    assert start(**environment, SECRET_KEY="something long and random")[0] == 0


def test_mail_needs_a_sender():
    code, lines, _ = start(EMAIL_URL="submission://user:secret@mail.example.org")
    assert (code, len(lines), lines[0].split(":")[0]) == (1, 1, "EMAIL_FROM")
    assert "secret" not in lines[0]
    assert start(EMAIL_URL="smtp://localhost:25", EMAIL_FROM="Fitness <fit@example.org>")[0] == 0


def test_all_data_is_stored_in_one_folder(tmp_path):
    folder = tmp_path / "data"
    assert start(DATA_DIR=str(folder), SECRET_KEY="")[0] == 0
    assert [path.name for path in folder.iterdir()] == ["secret_key"]
    assert (folder / "secret_key").stat().st_mode & 0o777 == 0o600


def test_a_secret_key_is_written_once_and_kept(tmp_path):
    """Another process may have made the file and not have written its key yet, or have ended before it."""
    path = tmp_path / "secret_key"
    path.touch()
    assert start(DATA_DIR=str(tmp_path), SECRET_KEY="")[0] == 0
    key = path.read_text()
    assert len(key) == 50
    assert start(DATA_DIR=str(tmp_path), SECRET_KEY="")[0] == 0
    assert path.read_text() == key


def test_a_folder_that_cannot_be_written_stops_the_start(tmp_path):
    (tmp_path / "file").touch()
    values = {"DATA_DIR": str(tmp_path / "file"), "DATABASE_URL": "postgres://127.0.0.1/x"}
    code, lines, _ = start(**values, SECRET_KEY="")
    assert (code, len(lines), lines[0].split(":")[0]) == (1, 1, "SECRET_KEY")


@pytest.mark.parametrize(
    ("environment", "printed"),
    [
        ({}, "['127.0.0.1', 'localhost', '[::1]'] False open"),
        ({"SIGN_UP": "closed"}, "['127.0.0.1', 'localhost', '[::1]'] False closed"),
        (
            {"PUBLIC_URL": "https://fitness.example.org"},
            "['127.0.0.1', 'localhost', '[::1]', 'fitness.example.org'] True invite",
        ),
        (
            {"PUBLIC_URL": "http://192.168.1.5", "SIGN_UP": "open"},
            "['127.0.0.1', 'localhost', '[::1]', '192.168.1.5'] False open",
        ),
    ],
)
def test_hosts_and_cookies_and_who_may_sign_up_follow_from_the_public_address(environment, printed):
    assert start(**environment)[2] == printed
