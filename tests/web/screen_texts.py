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
SPOKEN = ("alt", "title", "placeholder", "aria-label", "label")
UNREAD = ("script", "style", "code", "pre", "kbd", "samp", "svg")
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
    """(line, text) of what is between tags, but for those that nobody reads, and of attributes."""

    def __init__(
        self, html: str, attributes: tuple[str, ...] = SPOKEN, unread: tuple[str, ...] = UNREAD
    ) -> None:
        super().__init__()
        self.found: list[tuple[int, str]] = []
        self.attributes, self.unread = attributes, unread
        self.inside: list[str] = []
        self.feed(html)
        self.close()

    @property
    def texts(self) -> list[str]:
        return [text for _, text in self.found]

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag in self.unread:
            self.inside.append(tag)
        shown = [value for name, value in attributes if name in self.attributes and value]
        self.found += [(self.getpos()[0], value) for value in shown]

    def handle_endtag(self, tag: str) -> None:
        if tag in self.inside:
            self.inside.remove(tag)

    def handle_data(self, text: str) -> None:
        if not self.inside:
            before = text[: len(text) - len(text.lstrip())].count("\n")
            self.found.append((self.getpos()[0] + before, " ".join(text.split())))


def of_template(text: str) -> list[str]:
    text = MARKED.sub(lambda marked: escape(marked[1][1:-1]), text)
    return Shown(CODE.sub(" … ", text), ATTRIBUTES, unread=()).texts


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
