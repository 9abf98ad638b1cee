"""python -m tests.planted: see the package."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable

from tests.planted.drawing import Fault, drawn
from tests.server import ROOT

FOLDER = ROOT / "var" / "planted"
TREE = FOLDER / "tree"  # of HEAD, in which faults are planted
TOUCHED = FOLDER / "touched"
NOTICED = FOLDER / "noticed.json"  # {name of a fault: the test of the last run}, which is tried first
MANY = 300  # tests: from there on their files are tried, whose list is shorter
HANGS_SECONDS = 1200

PROBE = '''
"""Writes down which test executes a probe, or renders a template."""

import os
from pathlib import Path

TEMPLATES = {templates!r}
seen = set()


def touched(number, value=None):
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
    if (number, test) not in seen:
        seen.add((number, test))
        with (Path({folder!r}) / str(os.getpid())).open("a") as file:
            print(number, test, file=file)
    return value


def rendered(template, **_):
    if template.name in TEMPLATES:
        touched(TEMPLATES[template.name])


def pytest_configure(config):
    from django.test.signals import template_rendered

    template_rendered.connect(rendered)
'''


def main() -> None:
    faults = drawn()
    made_tree()
    try:
        touch(faults)
        plant(faults)
    finally:
        removed_tree()


def plant(faults: list[Fault]) -> None:
    touched = tests_that_touch()
    before = json.loads(NOTICED.read_text()) if NOTICED.exists() else {}
    noticed = {}
    for number, fault in enumerate(faults):
        by = noticed[fault.name] = noticed_by(fault, touched[number], before.get(fault.name))
        print(f"{number:2} {fault.kind:8} {fault.file}:{fault.line}: {by or 'not noticed'}", flush=True)
    NOTICED.write_text(json.dumps(noticed, indent=1) + "\n")
    print(f"{sum(map(bool, noticed.values()))} of {len(faults)} noticed")


def made_tree() -> None:
    removed_tree()
    subprocess.run(["git", "worktree", "add", "--quiet", "--detach", TREE, "HEAD"], cwd=ROOT, check=True)
    (TREE / ".venv").symlink_to(ROOT / ".venv")


def removed_tree() -> None:
    subprocess.run(["git", "worktree", "remove", "--force", TREE], cwd=ROOT, capture_output=True)
    shutil.rmtree(TREE, ignore_errors=True)


def planted(fault: Fault, instead: str) -> None:
    file = TREE / fault.file
    file.write_text(fault.written(file.read_text(), instead))


def restored() -> None:
    subprocess.run(["git", "checkout", "--quiet", "."], cwd=TREE, check=True)


def touch(faults: list[Fault]) -> None:
    """Runs the suite with a probe in the place of each fault."""
    shutil.rmtree(TOUCHED, ignore_errors=True)
    TOUCHED.mkdir(parents=True)
    templates = {}
    for number, fault in enumerate(faults):
        if fault.file.endswith(".html"):
            templates[fault.file.partition("/templates/")[2]] = number
        else:
            planted(fault, f"__import__('planted_touch').touched({number}, {fault.before})")
    (TREE / "planted_touch.py").write_text(PROBE.format(templates=templates, folder=str(TOUCHED)))
    pytest(["-p", "planted_touch"])
    (TREE / "planted_touch.py").unlink()
    restored()


def tests_that_touch() -> dict[int, set[str]]:
    """{number of a fault: tests}. What ran at import has the name ""."""
    found = defaultdict(set)
    for line in (line for file in TOUCHED.iterdir() for line in file.read_text().splitlines()):
        number, _, test = line.partition(" ")
        found[int(number)].add(test.partition("[")[0].partition("@")[0])
    return found


def noticed_by(fault: Fault, tests: set[str], before: str | None) -> str:
    """The test that fails with the fault, or ""."""
    planted(fault, fault.after)
    try:
        for group in groups(fault, tests, before):
            if group and (by := first_failure(group)):
                return by
    finally:
        restored()
    return ""


def groups(fault: Fault, tests: set[str], before: str | None) -> Iterable[list[str]]:
    """What noticed it before, then tests without a browser, then those with one.

    A fault at import is of every test: those of its room are tried, of the API and of the tools.
    """
    if before and is_there(before):
        yield [before]
    if tests <= {""} or ("" in tests and not fault.file.endswith(".html")):
        rooms = [f"tests/{fault.file.partition('/')[0]}", "tests/api", "tests/mcp_endpoint"]
        yield [room for room in rooms if (TREE / room).exists()]
    for in_browser in (False, True):
        chosen = {test for test in tests - {""} if test.startswith("tests/screens/") == in_browser}
        yield sorted(chosen if len(chosen) < MANY else {test.partition("::")[0] for test in chosen})


def is_there(test: str) -> bool:
    file, _, name = test.partition("::")
    return (TREE / file).exists() and f"def {name}(" in (TREE / file).read_text()


def first_failure(tests: list[str]) -> str:
    arguments = FOLDER / "arguments"
    arguments.write_text("\n".join(tests))
    try:
        done = pytest(["-x", f"@{arguments}"], timeout=HANGS_SECONDS)
    except subprocess.TimeoutExpired:
        return "it hangs"
    if done.returncode in (0, 5):
        return ""
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED tests/", "ERROR tests/"))]
    return failed[0].split()[1].partition("[")[0].partition("@")[0] if failed else "nothing starts"


def pytest(arguments: list[str], timeout: float | None = None) -> subprocess.CompletedProcess[str]:
    """Raises subprocess.TimeoutExpired, after it has ended the processes of the tests as well."""
    named = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    environment = {**named, "DATA_DIR": str(FOLDER / "data")}
    command = [sys.executable, "-m", "pytest", "-m", "not faults and not large", *arguments]
    running = subprocess.Popen(
        command,
        cwd=TREE,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = running.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL)
        raise
    return subprocess.CompletedProcess(command, running.returncode, output)


main()
