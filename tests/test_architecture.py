"""Imports go one way: rules over the paths of files, and over every import in them."""

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
APPS = ("training", "body", "nutrition", "supplements")
OURS = ("fitness", "accounts", *APPS, "mcp_endpoint")

# What the files of a room may import of the project, besides their own room. The longest room that is the
# beginning of a file's path decides.
MAY_IMPORT = {
    "fitness": ("fitness",),
    "fitness/api": ("fitness",),
    "fitness/web": ("fitness",),
    # Where several apps meet: the site, addresses, commands, and what a process starts.
    "fitness/site": OURS[:-1],
    "fitness/management": OURS[:-1],
    "fitness/urls.py": OURS,
    "fitness/wsgi.py": OURS[:-1],
    "accounts": ("fitness",),
    **dict.fromkeys(APPS, ("fitness", "accounts")),
    "mcp_endpoint": ("fitness", "accounts", *APPS),
}
SITE_IMPORTED_BY = ("fitness/site", "fitness/management", "fitness/urls.py")
# Files of an app that wire its rooms together, so they may import its `api` and `web`.
WIRING = (
    *("admin.py", "admin_site.py", "apps.py", "urls.py", "management", "api", "web", "templatetags"),
    *("imports", "imports.py", "archives.py", "archived_rules.py"),  # validate as the API does
)

FILES = [path for ours in OURS for path in (ROOT / ours).rglob("*.py") if "migrations" not in path.parts]


@cache
def imports_of(path: Path) -> list[str]:
    return list(imported(path))


def imported(path: Path) -> Iterator[str]:
    """Every name that a file imports, as `package.module.name`."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_in(name: str, *packages: str) -> bool:
    return any(f"{name}.".startswith(f"{package}.") for package in packages)


def place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def broken(allowed) -> list[str]:
    """The imports of the project's own names that `allowed(place of the file, name)` denies."""
    return [
        f"{place(path)} imports {name}"
        for path in FILES
        for name in imports_of(path)
        if is_in(name, *OURS) and not allowed(place(path), name)
    ]


def test_imports_go_one_way():
    def allowed(path, name):
        room = max((room for room in MAY_IMPORT if f"{path}/".startswith(f"{room}/")), key=len)
        return is_in(name, room.split("/")[0], *MAY_IMPORT[room])

    assert broken(allowed) == []


def test_what_needs_several_apps_is_imported_by_addresses_and_commands_alone():
    def allowed(path, name):
        return not is_in(name, "fitness.site") or path.startswith(SITE_IMPORTED_BY)

    assert broken(allowed) == []


def test_nobody_imports_the_tool_endpoint():
    def allowed(path, name):
        return not is_in(name, "mcp_endpoint") or path.startswith(("mcp_endpoint/", "fitness/urls.py"))

    assert broken(allowed) == []


def test_access_to_databases_imports_no_other_room():
    def allowed(path, name):
        return not path.startswith("fitness/db/") or is_in(name, "fitness.db")

    assert broken(allowed) == []


def test_the_core_of_the_api_imports_no_web_code():
    def allowed(path, name):
        return not path.startswith("fitness/api/") or not is_in(name, "fitness.web", "fitness.urls")

    assert broken(allowed) == []


@pytest.mark.parametrize("app", ["accounts", *APPS])
class TestWithinAnApp:
    def test_models_import_neither_api_nor_web(self, app):
        def allowed(path, name):
            inner = path.removeprefix(f"{app}/").split("/")[0]
            return inner == path or inner in WIRING or not is_in(name, f"{app}.api", f"{app}.web")

        assert broken(lambda path, name: not path.startswith(f"{app}/") or allowed(path, name)) == []

    def test_web_and_api_views_do_not_import_each_other(self, app):
        def allowed(path, name):
            if path.startswith(f"{app}/web/"):
                return not is_in(name, f"{app}.api.views")
            return not path.startswith(f"{app}/api/") or not is_in(name, f"{app}.web")

        assert broken(allowed) == []


def test_no_files_import_each_other_in_a_circle():
    """Neither for types nor inside functions."""
    file_of = {name_of(path): path for path in FILES}
    graph = {
        name: {
            found for full in imports_of(path) if (found := longest_known(full, file_of)) not in (None, name)
        }
        for name, path in file_of.items()
    }
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


def name_of(path: Path) -> str:
    return place(path).removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def longest_known(full: str, known) -> str | None:
    """The module that an import such as `training.models.Plan` reads."""
    parts = full.split(".")
    names = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((name for name in names if name in known), None)


def test_the_rules_see_an_import_that_they_deny(tmp_path):
    """Each form of import is read, also one inside a function."""
    file = tmp_path / "file.py"
    file.write_text("import a.b\nfrom c import d, e\ndef f():\n    from g.h import i\n")
    assert list(imported(file)) == ["a.b", "c.d", "c.e", "g.h.i"]
