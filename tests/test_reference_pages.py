"""docs/commands.md, docs/settings.md and docs/packages.md name all that there is, and nothing else."""

import argparse
import ast
import json
import re
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class
from django.core.management.base import BaseCommand

from fitness import environment
from tests.test_docs import APPS, ROOT

COMMANDS = (ROOT / "docs" / "commands.md").read_text()
SETTINGS = (ROOT / "docs" / "settings.md").read_text()
PACKAGES = (ROOT / "docs" / "packages.md").read_text()
# What a page says of a thing: `- `NAME`, default VALUE: …` or `- `NAME`: …`, at the beginning of a line.
ENTRY = re.compile(r"^- `([^`]+)`(?:, default ((?:`[^`]*`|[^:`])*))?:\s+(.+)", re.MULTILINE)


def section(text: str, title: str) -> str:
    """What is under a heading, up to the next of its level or of a higher one."""
    level = len(title) - len(title.lstrip("#"))
    found = re.search(rf"^{re.escape(title)}\n(.*?)(?=^#{{1,{level}}} |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"no {title}"
    return found[1]


def listed_twice(names: list[str]) -> set[str]:
    return {name for name in names if names.count(name) > 1}


def parsers() -> dict[str, argparse.ArgumentParser]:
    """The parser of each command of the apps; those of Django and of other packages are left out."""
    found = {}
    for name, app in get_commands().items():
        command = app if isinstance(app, BaseCommand) else load_command_class(app, name)
        if type(command).__module__.startswith(APPS):
            found[name] = command.create_parser("manage.py", name)
    return found


PARSERS = parsers()
OF_EVERY_COMMAND = {action.dest for action in BaseCommand().create_parser("manage.py", "any")._actions}


def own_actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [
        action
        for action in parser._actions
        if action.dest not in OF_EVERY_COMMAND and action.help != argparse.SUPPRESS
    ]


def value_in_words(action: argparse.Action) -> str:
    """How the usage writes a value: its few choices, else its name in capitals."""
    choices = list(action.choices or ())
    return "|".join(choices) if 0 < len(choices) < 5 else action.metavar or action.dest.upper()


def argument_in_words(action: argparse.Action) -> str:
    if not action.option_strings:
        return f"[{value_in_words(action)}]" if action.nargs == "?" else value_in_words(action)
    option = action.option_strings[-1]
    text = option if action.nargs == 0 else f"{option} {value_in_words(action)}"
    if action.required:
        return text
    return f"[{text}]…" if isinstance(action, argparse._AppendAction) else f"[{text}]"


def test_the_page_has_every_command_and_no_other():
    titles = re.findall(r"^### (\w+)$", COMMANDS, re.MULTILINE)
    assert listed_twice(titles) == set()
    assert set(titles) == set(PARSERS)


@pytest.mark.parametrize("name", sorted(PARSERS))
def test_the_usage_of_a_command_is_that_of_its_parser(name):
    actions = own_actions(PARSERS[name])
    [usage] = re.findall(r"```sh\n(.*?)```", section(COMMANDS, f"### {name}"), re.DOTALL)
    arguments = sorted(actions, key=lambda action: bool(action.option_strings))
    assert usage.split() == f"manage.py {name} {' '.join(map(argument_in_words, arguments))}".split()


@pytest.mark.parametrize("name", sorted(PARSERS))
def test_a_command_is_described_with_its_choices_and_defaults(name):
    """Fails with a default that was changed in the code: `{'1y'}` where the page says 90d."""
    text = section(COMMANDS, f"### {name}")
    description = " ".join(text.replace(",", "").split("```")[-1].split())
    assert len(description.split()) > 5
    wanted = set()
    for action in own_actions(PARSERS[name]):
        if action.nargs != 0 and action.default is not None:
            wanted.add(str(action.default))
        if (choices := list(action.choices or ())) and "|".join(choices) not in text:
            wanted |= {f"`{choice}`" for choice in choices}
    assert {word for word in wanted if word not in description} == set()


def test_the_page_has_every_target_of_make_and_no_other():
    [phony] = re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    targets = [name for name, _, _ in ENTRY.findall(section(COMMANDS, "## make"))]
    assert listed_twice(targets) == set()
    assert set(targets) == {f"make {target}" for target in phony.split()}


def test_a_command_that_others_call_is_called_by_them():
    callers = {"prepare": "docs/operations/serve", "script_words": "Makefile"}
    callers["load_catalogue"] = "fitness/management/commands/prepare.py"
    titles = re.findall(r"^### (\w+)$", section(COMMANDS, "## Called by others"), re.MULTILINE)
    assert set(titles) == set(callers)
    assert [name for name, caller in callers.items() if name not in (ROOT / caller).read_text()] == []


def variables() -> dict[str, ast.expr | None]:
    """What fitness/settings.py reads from the environment, with the expression of its default."""
    found: dict[str, ast.expr | None] = {}
    for node in ast.walk(ast.parse((ROOT / "fitness" / "settings.py").read_text())):
        match node:
            case ast.Call(func=function, args=[ast.Constant(value=str(name)), *rest]):
                if re.match(r"env\.\w+$|os\.environ\.get$", ast.unparse(function)):
                    found[name] = rest[0] if rest else found.get(name)
    return found


VARIABLES = variables()
MADE_BY_CODE = {"DATA_DIR": {"var/"}, "SECRET_KEY": set()}


def values_of(name: str) -> set[str]:
    """The values that a default of the code can have: `open` and `invite` where it depends on PUBLIC_URL."""
    default = VARIABLES[name]
    if default is None:
        return MADE_BY_CODE[name]
    values = {node.value for node in ast.walk(default) if isinstance(node, ast.Constant)} - {""}
    return {str(value).lower() if isinstance(value, bool) else str(value) for value in values}


def test_the_page_has_every_setting_and_no_other():
    names = [name for name, _, _ in ENTRY.findall(SETTINGS)]
    assert len(VARIABLES) > 30
    assert listed_twice(names) == set()
    assert set(names) == set(VARIABLES)


@pytest.mark.parametrize("name", sorted(VARIABLES))
def test_a_setting_has_the_default_of_the_code(name):
    [said] = [default for entry, default, _ in ENTRY.findall(SETTINGS) if entry == name]
    values = values_of(name)
    if name == "STATEMENT_TIMEOUT":  # gunicorn.conf.py has another one for requests
        values |= set(re.findall(rf'"{name}", "(\d+)"', (ROOT / "gunicorn.conf.py").read_text()))
    assert set(re.findall(r"`([^`]+)`", said)) - set(VARIABLES) == values
    assert said == "none" or values or name == "SECRET_KEY"


def test_the_page_names_the_secrets_that_can_be_in_files():
    [paragraph] = re.findall(r"^\*\*Secrets\.\*\*(.*?)can each be", SETTINGS, re.MULTILINE | re.DOTALL)
    assert set(re.findall(r"`(\w+)`", paragraph)) == set(environment.SECRETS)


def of_requirements(file: str) -> set[str]:
    lines = (ROOT / file).read_text().splitlines()
    return {re.split(r"[\[=]", line)[0] for line in lines if line and not line.startswith(("#", "-r"))}


def of_npm() -> set[str]:
    files = (ROOT / "tests").glob("*/package.json")
    return {name for file in files for name in json.loads(file.read_text())["dependencies"]}


def vendored() -> set[str]:
    folder: Path = ROOT / "fitness" / "web" / "static" / "vendor"
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("title", "packages"),
    [
        ("## To serve", of_requirements("requirements.in")),
        ("## Copied into the repository", vendored()),
        ("## To develop", of_requirements("requirements-dev.in")),
        ("## To develop, of npm", of_npm()),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_page_has_every_package_and_no_other(title, packages):
    names = [name for name, _, _ in ENTRY.findall(section(PACKAGES, title))]
    assert packages
    assert names == sorted(names), "the list is not in the order of names"
    assert set(names) == packages
    assert listed_twice(names) == set()
