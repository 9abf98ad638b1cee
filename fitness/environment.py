"""Where settings come from: the environment, and what it names.

1. A file of settings, one NAME=value a line: the one that FITNESS_ENV names, else `fitness.env` beside
   manage.py where there is one. Each process of the service and each command reads it, so that none works on
   another database. Values may have `&`, `<`, `#` and blanks; what is in the environment already wins.
2. Files of secrets: NAME_FILE names a file whose text is the value of NAME, as containers mount them.

Without DATABASE_URL the database is SQLite in DATA_DIR. A command that lacks the settings of its service
would make an empty one there and succeed. `refuse_another_database` ends it where the service has another
database: by a note in DATA_DIR, which `prepare` and the start of the server write, or by a file of settings
in /etc that was not read.

Where the service is reached, its start notes as well, for what commands print.

Example of a failure: `/etc/fitness.env, line 3: is not NAME=value`, and the process ends.
"""

import os
import re
import sys
from contextlib import suppress
from pathlib import Path

from dj_database_url import DBConfig

DEFAULT = Path(__file__).resolve().parent.parent / "fitness.env"
SYSTEM = Path("/etc/fitness.env")  # of the units in docs/operations
is_for_person = False  # whether this process runs a command that somebody has typed; manage.py says so
SECRETS = (
    *("SECRET_KEY", "SECRET_KEY_FALLBACKS", "DATABASE_URL", "REDIS_URL", "EMAIL_URL", "METRICS_TOKEN"),
    "OIDC_CLIENT_SECRET",
)


def load() -> None:
    """Completes `os.environ`. Doing it again changes nothing. What is empty counts as not set."""
    if file := settings_file():
        for name, value in settings_of(file).items():
            plain = name.removesuffix("_FILE")
            if not os.environ.get(plain) and not os.environ.get(f"{plain}_FILE"):
                os.environ[name] = value
    for name in SECRETS:
        if secret := os.environ.pop(f"{name}_FILE", ""):
            if os.environ.get(name):
                sys.exit(f"{name}: is set, and so is {name}_FILE. Leave one out.")
            os.environ[name] = text_of(Path(secret), f"{name}_FILE").strip()
        if not os.environ.get(name):
            os.environ.pop(name, None)


def settings_file() -> Path | None:
    if named := os.environ.get("FITNESS_ENV"):
        return Path(named)
    return DEFAULT if DEFAULT.is_symlink() or DEFAULT.exists() else None


def settings_of(file: Path) -> dict[str, str]:
    """The values as written, without the quotes around them; lines that begin with # or ; are comments."""
    values = {}
    for number, line in enumerate(text_of(file, "FITNESS_ENV").split("\n"), 1):
        name, equals, value = (part.strip() for part in line.partition("="))
        if line.strip() == "" or name.startswith(("#", ";")):
            continue
        if not equals or not re.fullmatch(r"[A-Za-z_]\w*", name):
            sys.exit(f"{file}, line {number}: is not NAME=value.")
        is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
        values[name] = value[1:-1] if is_quoted else value
    return values


def text_of(file: Path, variable: str) -> str:
    try:
        return file.read_text()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is not text"
        sys.exit(f"{variable}: {file}: {reason}.")


def refuse_another_database(folder: Path) -> None:
    """Ends the process where it would use the SQLite of `folder` and the service has another database."""
    if os.environ.get("DATABASE_URL"):
        return
    note = folder / "database"
    if os.path.exists(note):  # Path.exists raises where the folder is closed to this user
        sys.exit(
            f"DATABASE_URL: is not set, but the service uses {text_of(note, 'DATA_DIR').strip()}. Set "
            f"FITNESS_ENV to the file of its settings; to move back to SQLite delete {note}."
        )
    where_data_is = {"DATABASE_URL", "DATABASE_URL_FILE", "DATA_DIR"}
    if not settings_file() and SYSTEM.exists() and where_data_is & settings_of(SYSTEM).keys():
        sys.exit(
            f"DATABASE_URL: is not set, but {SYSTEM} says where the data is. Set FITNESS_ENV={SYSTEM}, or "
            f"link it for each command: ln -s {SYSTEM} {DEFAULT}. FITNESS_ENV=/dev/null goes without it."
        )


def note_database(folder: Path, database: DBConfig) -> None:
    """Notes which database the service uses, for `refuse_another_database`: none for the SQLite there."""
    is_here = name_of(database) == f"sqlite:///{folder / 'fitness.sqlite3'}"
    note(folder / "database", "" if is_here else name_of(database))


def name_of(database: DBConfig) -> str:
    """The address of a database, without user and password."""
    engine, name = database["ENGINE"].rpartition(".")[2], str(database["NAME"])
    if engine == "sqlite":
        name = str(Path(name).absolute())
    host = database["HOST"] or database.get("OPTIONS", {}).get("host", "")
    return f"{engine}://{host}/{name}"


def note_address(folder: Path, address: str) -> None:
    """Notes where the service is reached, for commands: their PORT and PUBLIC_URL may be others."""
    note(folder / "address", address)


def note_first_link(folder: Path, link: str) -> None:
    """Notes where the first account is made, for the line with which the service starts."""
    note(folder / "first_link", link)


def note(file: Path, text: str) -> None:
    with suppress(OSError):  # a container with a database elsewhere need not have a folder for data
        file.parent.mkdir(parents=True, exist_ok=True)
        if text:
            file.write_text(f"{text}\n")
        else:
            file.unlink(missing_ok=True)


def noted_address(folder: Path) -> str:
    """Where the service was reached when it last began to serve; "" where nothing says so."""
    return noted(folder / "address")


def noted_first_link(folder: Path) -> str:
    return noted(folder / "first_link")


def noted(file: Path) -> str:
    try:
        return file.read_text().strip()
    except (OSError, UnicodeDecodeError):
        return ""
