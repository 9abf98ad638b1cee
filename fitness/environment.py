"""Where settings come from: the environment, and what it names.

1. A file of settings, one NAME=value a line: the one that FITNESS_ENV names, else `fitness.env` beside
   manage.py where there is one. Each process of the service and each command reads it, so that none works on
   another database. Values may have `&`, `<` and blanks; what is in the environment already wins.
2. Files of secrets: NAME_FILE names a file whose text is the value of NAME, as containers mount them.

Example of a failure: `/etc/fitness.env, line 3: is not NAME=value`, and the process ends.
"""

import os
import sys
from io import StringIO
from pathlib import Path

from dotenv.parser import parse_stream

DEFAULT = Path(__file__).resolve().parent.parent / "fitness.env"
SECRETS = ("SECRET_KEY", "SECRET_KEY_FALLBACKS", "DATABASE_URL", "REDIS_URL", "EMAIL_URL", "METRICS_TOKEN")


def load() -> None:
    """Completes `os.environ`. Doing it again changes nothing."""
    named = os.environ.get("FITNESS_ENV")
    if named or DEFAULT.is_symlink() or DEFAULT.exists():
        for name, value in settings_of(Path(named or DEFAULT)).items():
            if f"{name}_FILE" not in os.environ:
                os.environ.setdefault(name, value)
    for name in SECRETS:
        if file := os.environ.pop(f"{name}_FILE", ""):
            if os.environ.get(name):
                sys.exit(f"{name}: is set, and so is {name}_FILE. Leave one out.")
            os.environ[name] = text_of(Path(file), f"{name}_FILE").strip()


def settings_of(file: Path) -> dict[str, str]:
    values = {}
    for binding in parse_stream(StringIO(text_of(file, "FITNESS_ENV"))):
        if binding.error or (binding.key and binding.value is None):
            sys.exit(f"{file}, line {binding.original.line}: is not NAME=value.")
        if binding.key and binding.value is not None:
            values[binding.key] = binding.value
    return values


def text_of(file: Path, variable: str) -> str:
    try:
        return file.read_text()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is not text"
        sys.exit(f"{variable}: {file}: {reason}.")
