"""The environment: a bad value stops the start with one line that names the variable."""

import os
import subprocess
import sys

import pytest

from fitness import environment
from tests.server import ROOT


def start(**environment):
    """Imports the settings in a process of their own. Returns (exit code, stderr lines)."""
    clean = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import fitness.settings as s; print(s.ALLOWED_HOSTS, s.SESSION_COOKIE_SECURE, s.SIGN_UP)",
        ],
        cwd=ROOT,
        env={**clean, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stderr.splitlines(), done.stdout.strip()


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
    {"EMAIL_FROM": "Fitness", "EMAIL_URL": "smtp://localhost"},
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
        "PUBLIC_URL=https://a.example.org\nSIGN_UP=closed\n"
    )
    code, _, printed = start(FITNESS_ENV=str(file), SIGN_UP="open")
    assert (code, printed) == (0, "['127.0.0.1', 'localhost', '[::1]', 'a.example.org'] True open")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("PORT=8000\nnot a setting\n", "{file}, line 2: is not NAME=value."),
        ("PORT=http\n", "PORT: Not a valid integer."),
        (None, "FITNESS_ENV: {file}: No such file or directory."),
    ],
)
def test_a_bad_file_of_settings_stops_the_start(tmp_path, text, message):
    file = tmp_path / "fitness.env"
    if text is not None:
        file.write_text(text)
    assert start(FITNESS_ENV=str(file))[:2] == (1, [message.format(file=file)])


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


def test_secrets_are_read_from_the_files_that_containers_mount(tmp_path):
    (tmp_path / "secret").write_text("from a file\n")
    code, lines, _ = start(METRICS_TOKEN_FILE=str(tmp_path / "secret"))
    assert (code, lines) == (1, ["METRICS_TOKEN: must be 16 to 255 visible ASCII characters."])
    both = start(SECRET_KEY_FILE=str(tmp_path / "secret"), SECRET_KEY="set")
    assert both[:2] == (1, ["SECRET_KEY: is set, and so is SECRET_KEY_FILE. Leave one out."])
    missing = start(DATABASE_URL_FILE=str(tmp_path / "none"))
    assert missing[1] == [f"DATABASE_URL_FILE: {tmp_path / 'none'}: No such file or directory."]


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


def test_a_folder_that_cannot_be_written_stops_the_start(tmp_path):
    (tmp_path / "file").touch()
    values = {"DATA_DIR": str(tmp_path / "file"), "DATABASE_URL": "postgres://127.0.0.1/x"}
    code, lines, _ = start(**values, SECRET_KEY="")
    assert (code, len(lines), lines[0].split(":")[0]) == (1, 1, "SECRET_KEY")


def test_hosts_and_secure_cookies_follow_from_the_public_address():
    _, _, printed = start(PUBLIC_URL="https://fitness.example.org")
    assert printed == "['127.0.0.1', 'localhost', '[::1]', 'fitness.example.org'] True invite"
    _, _, printed = start()
    assert printed == "['127.0.0.1', 'localhost', '[::1]'] False open"


@pytest.mark.parametrize(
    ("environment", "mode"),
    [
        ({}, "open"),
        ({"PUBLIC_URL": "https://fitness.example.org"}, "invite"),
        ({"PUBLIC_URL": "https://fitness.example.org", "SIGN_UP": "open"}, "open"),
        ({"SIGN_UP": "closed"}, "closed"),
    ],
)
def test_a_published_service_is_by_invitation_unless_it_is_set_otherwise(environment, mode):
    assert start(**environment)[2].endswith(mode)
