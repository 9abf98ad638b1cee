"""The import rule: apps never import each other, everything may import the core, the core no app."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
APPS = ("training", "body", "nutrition", "supplements")
ALLOWED = {
    "fitness/api": set(),
    "accounts": {"fitness"},
    **{app: {"fitness", "accounts"} for app in sorted(APPS)},
    "mcp_endpoint": {"fitness", "accounts", *APPS},
}
OURS = {"fitness", "accounts", "mcp_endpoint", *APPS}


def imported(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


@pytest.mark.parametrize("room", ALLOWED)
def test_imports_go_one_way(room):
    for path in (ROOT / room).rglob("*.py"):
        for module in imported(path):
            owner = module.split(".")[0]
            if owner in OURS and owner != room and not module.startswith(room.replace("/", ".")):
                assert owner in ALLOWED[room], f"{path.relative_to(ROOT)} imports {module}"


def test_nobody_imports_the_tool_endpoint():
    for path in ROOT.glob("[!.]*/**/*.py"):
        if path.parts[len(ROOT.parts)] in OURS - {"mcp_endpoint"} and path.name != "urls.py":
            assert not any(module.startswith("mcp_endpoint") for module in imported(path)), path
