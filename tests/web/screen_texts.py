"""The texts that screens show, read from templates, forms and scripts."""

import ast
import re
from collections.abc import Iterator
from html import escape
from html.parser import HTMLParser
from pathlib import Path

ROOT = Path(__file__).parents[2]
APPS = ("accounts", "body", "fitness", "nutrition", "supplements", "training")
ATTRIBUTES = ("aria-label", "alt", "placeholder", "title", "content", "value")
CODE = re.compile(r"\{#.*?#\}|\{% comment %\}.*?\{% endcomment %\}|\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
MARKED = re.compile(r"""\{% translate ("[^"]*"|'[^']*').*?%\}""")
QUOTED = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`')
READABLE = re.compile(r"[A-Z].*[a-z]|[a-z] [a-z]")  # and no name of a class, an event or a field


def texts() -> Iterator[tuple[str, str]]:
    """Yields (file, text). Pages of staff are left out: they name what is stored."""
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.*")):
            name = str(path.relative_to(ROOT))
            if any(part in name for part in ("admin", "/vendor/", "/words/", "/management/", "/catalogue/")):
                continue
            if path.suffix in (".html", ".txt"):
                found = of_template(path.read_text())
            elif path.suffix == ".js":
                found = of_script(path.read_text())
            elif path.suffix == ".py" and is_of_screens(name):
                found = of_module(path.read_text())
            else:
                continue
            yield from ((name, text) for text in found if text.strip())


def is_of_screens(name: str) -> bool:
    return (
        "/web/" in name
        or "/templatetags/" in name
        or name.startswith("fitness/site/data/")
        or name == "fitness/site/views.py"
    )


class Shown(HTMLParser):
    """The texts between tags, and those of attributes that people see or hear."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attributes if name in ATTRIBUTES and value]

    def handle_data(self, text: str) -> None:
        self.found.append(" ".join(text.split()))


def of_template(text: str) -> list[str]:
    shown = Shown()
    text = MARKED.sub(lambda marked: escape(marked[1][1:-1]), text)
    shown.feed(CODE.sub(" … ", text))
    return shown.found


def of_script(text: str) -> list[str]:
    without_comments = re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)
    found = ["".join(groups) for groups in QUOTED.findall(without_comments)]
    return [re.sub(r"\$\{.*?\}", "…", one) for one in found if READABLE.search(one)]


def of_module(text: str) -> list[str]:
    tree = ast.parse(text)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in docstrings
        and READABLE.search(node.value)
    ]
