"""What can be planted, and the draw."""

import ast
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

from tests.server import APPS, ROOT

OF_EACH_KIND = 8


@dataclass(frozen=True)
class Fault:
    """What is between two places of a file becomes `after`."""

    kind: str
    file: str
    line: int
    start: int
    end: int
    before: str
    after: str

    @property
    def name(self) -> str:
        return f"{self.file}: {self.before} → {self.after}"

    @property
    def number(self) -> str:
        return hashlib.sha256(self.name.encode()).hexdigest()

    def written(self, text: str, instead: str) -> str:
        """The file's text with something instead of `before`."""
        assert text[self.start : self.end] == self.before, f"{self.file} has changes that are not committed"
        return text[: self.start] + instead + text[self.end :]


TURNED = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
BOUND = re.compile(r"^(MAX|MIN)_|_(MAX|MIN|LIMIT|BYTES|SECONDS|MINUTES|DAYS)$|^(max|min)_|^limit$")
STATUS = {200: 201, 201: 200, 204: 200, 400: 422, 401: 403, 403: 404, 404: 403, 409: 400, 412: 409, 429: 503}
ESCAPES = {"escape", "conditional_escape", "quote", "quote_plus", "urlencode", "escapejs", "iri_to_uri"}
MARKED = '__import__("django.utils.safestring", fromlist=["safe"]).mark_safe'
VALUE = re.compile(r"{{ ([\w.]+) }}")


def operators(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        turned = TURNED[type(node.ops[0])]()
        yield in_brackets(ast.Compare(node.left, [turned], node.comparators))
    elif isinstance(node, ast.BoolOp):
        yield in_brackets(ast.BoolOp(TURNED[type(node.op)](), node.values))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield f"bool({ast.unparse(node.operand)})"


def in_brackets(node: ast.expr) -> str:
    return f"({ast.unparse(node)})"


def is_number(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.value > 1


def bounds(node: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """Numbers that are named a bound, or that something is compared with."""
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        named = [(node.targets[0].id, node.value)]
    elif isinstance(node, ast.keyword):
        named = [(node.arg or "", node.value)]
    elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
        named = [("limit", node.comparators[0])]
    else:
        named = []
    for name, value in named:
        if is_number(value) and BOUND.search(name):
            yield value, str(value.value + 1)


def without_account(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        left = [one for one in node.keywords if one.arg not in ("account", "account_id")]
        if node.func.attr in ("filter", "exclude", "get") and len(left) < len(node.keywords):
            yield ast.unparse(ast.Call(node.func, node.args, left))


def statuses(node: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    if isinstance(node, ast.keyword):
        name, value = node.arg, node.value
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        name, value = node.targets[0].id, node.value
    else:
        return
    if name in ("status", "status_code") and isinstance(value, ast.Constant) and value.value in STATUS:
        yield value, str(STATUS[value.value])


def unescaped(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
        text = ast.unparse(node.args[0])
        if node.func.id in ESCAPES:
            yield f"str({text})"
        elif node.func.id == "format_html":
            values = ", ".join(ast.unparse(one) for one in (*node.args[1:], *node.keywords))
            yield f"{MARKED}(({text}).format({values}))"


KINDS = {
    "operator": operators,
    "bound": bounds,
    "account": without_account,
    "status": statuses,
    "escape": unescaped,
}


def sources(suffix: str) -> list[Path]:
    files = (file for app in APPS for file in (ROOT / app).rglob(f"*.{suffix}"))
    return sorted(file for file in files if "migrations" not in file.parts)


def in_modules() -> Iterator[Fault]:
    for file in sources("py"):
        text = file.read_text()
        for node in ast.walk(ast.parse(text)):
            for kind, find in KINDS.items():
                for found in find(node):
                    at, after = found if isinstance(found, tuple) else (node, found)
                    if where := span(at, text):
                        yield fault_at(kind, file, text, where, after)


def in_templates() -> Iterator[Fault]:
    for file in sources("html"):
        text = file.read_text()
        for match in VALUE.finditer(text):
            yield fault_at("escape", file, text, match.span(), f"{{{{ {match[1]}|safe }}}}")


def span(node: ast.expr, text: str) -> tuple[int, int] | None:
    """Where its source begins and ends. None in an f-string, whose parts Python 3.11 places elsewhere."""
    segment = ast.get_source_segment(text, node) or ""
    before = "".join(text.splitlines(keepends=True)[: node.lineno - 1])
    line = text.splitlines(keepends=True)[node.lineno - 1].encode()
    start = len(before) + len(line[: node.col_offset].decode(errors="ignore"))
    try:
        is_it = ast.unparse(ast.parse(f"({segment})", mode="eval")) == ast.unparse(node)
    except SyntaxError:
        return None
    return (start, start + len(segment)) if is_it and text.startswith(segment, start) else None


def fault_at(kind: str, file: Path, text: str, where: tuple[int, int], after: str) -> Fault:
    start, end = where
    name, line = str(file.relative_to(ROOT)), text.count("\n", 0, start) + 1
    return Fault(kind, name, line, start, end, text[start:end], after)


def drawn() -> list[Fault]:
    """At most one in a file; of what escapes, half are templates'."""
    found = list(in_modules())
    pools = [([fault for fault in found if fault.kind == kind], OF_EACH_KIND) for kind in KINDS]
    pools[-1:] = [(pools[-1][0], OF_EACH_KIND // 2), (list(in_templates()), OF_EACH_KIND // 2)]
    chosen: dict[str, Fault] = {}
    for pool, count in pools:
        of_each_file = {fault.file: fault for fault in sorted(pool, key=attrgetter("number"), reverse=True)}
        left = [fault for fault in of_each_file.values() if fault.file not in chosen]
        chosen |= {fault.file: fault for fault in sorted(left, key=attrgetter("number"))[:count]}
    return list(chosen.values())
