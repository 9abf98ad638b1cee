"""Runs Node with the packages that a folder of tests pins, installed once into var/ for all processes."""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.server import ROOT

SOURCE = ROOT / "tests" / "typescript"
INSTALLED = ".installed"  # in node_modules: a copy of the lock file that was installed
INSTALL = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
INSTALL += ["--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-timeout=20000"]
QUIET = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "NO_UPDATE_NOTIFIER": "1"}


def packages(name: str = "typescript") -> Path:
    """The folder node_modules of what tests/NAME pins. Skips the test if Node or the packages are missing."""
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("Node and npm are not installed (Debian: apt install nodejs npm)")
    source, folder = ROOT / "tests" / name, ROOT / "var" / name
    installed = folder / "node_modules" / INSTALLED
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # parallel test processes wait for the one that installs
        if not installed.exists() or installed.read_bytes() != (source / "package-lock.json").read_bytes():
            install(source, folder)
    return installed.parent


def install(source: Path, folder: Path) -> None:
    for name in ("package.json", "package-lock.json"):
        shutil.copy(source / name, folder)
    done = subprocess.run(INSTALL, cwd=folder, env=environment(), capture_output=True, text=True, timeout=300)
    if done.returncode:
        reason = " ".join(done.stderr.split())[:200]
        pytest.skip(f"the packages of tests/{source.name} cannot be installed: {reason}")
    shutil.copy(folder / "package-lock.json", folder / "node_modules" / INSTALLED)


def run(*command: str | Path, cwd: Path, **variables: str) -> str:
    """Runs node or a command of the packages. Returns its output, or fails the test with it."""
    program, *arguments = command
    command = ["node" if program == "node" else packages() / ".bin" / program, *arguments]
    settings = {"cwd": cwd, "env": environment(**variables), "capture_output": True, "text": True}
    done = subprocess.run(command, **settings, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def environment(**variables: str) -> dict[str, str]:
    return {**os.environ, **QUIET, **variables}
