"""The fitness tracking service. Its version is in pyproject.toml alone."""

import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]

__version__: str = PROJECT["version"]
