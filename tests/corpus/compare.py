"""Shows what differs between two recordings, and what of it is meant.

1. Each answer becomes lines: status, headers, then JSON a value a line, HTML a tag a line.
2. What differs in one place of an answer is a change. Changes that are alike but for digits are one group.
3. A change is meant where a row of differs.toml names it. So is a request that one recording alone has.
"""

import difflib
import json
import re
import tomllib
from collections import defaultdict
from pathlib import Path

ROWS = Path(__file__).with_name("differs.toml")
SHOWN_LINES, SHOWN_NAMES = 30, 3


def main(before, after, rows=ROWS):
    """The exit code: 1 where a difference is not meant, or a row matches none."""
    old, new = read(before), read(after)
    changed = differences(old, new)
    meant = [Row(**row) for row in tomllib.loads(rows.read_text()).get("differs", [])]
    groups = defaultdict(list)
    for name, changes in changed.items():
        for lines in changes:
            explained = [row.explains(name, lines) for row in meant]  # each row counts what it explains
            if not any(explained):
                groups[shape(lines)].append((name, lines))
    for found in sorted(groups.values(), key=len, reverse=True):
        print(report(found))
    for row in meant:
        print(f"{row.found} differ on purpose: {row.reason}" if row.found else f"matches nothing: {row}")
    in_both = len(old.keys() & new.keys())
    differing = sum(name in old and name in new for name in changed)
    print(
        f"{in_both - differing} equal, {differing} different, {len(old) - in_both} only before, "
        f"{len(new) - in_both} only after; kinds of differences that are not meant: {len(groups)}"
    )
    return int(bool(groups) or any(not row.found for row in meant))


def read(path):
    with Path(path).open() as file:
        lines = map(json.loads, file)
        return {line["name"]: line for line in lines}


class Row:
    """A row of differs.toml: a pattern of names of requests, of changed lines, or both."""

    def __init__(self, reason, requests="", lines=""):
        self.reason, self.found = reason, 0
        self.requests, self.lines = re.compile(requests), re.compile(lines)

    def __str__(self):
        return f"requests {self.requests.pattern!r}, lines {self.lines.pattern!r} ({self.reason})"

    def explains(self, name, lines):
        """Whether it names the request and each of the changed lines."""
        found = bool(self.requests.search(name)) and all(map(self.lines.search, lines))
        self.found += found
        return found


def differences(old, new):
    """{name: [the changed lines of each place]}."""
    found = {}
    for name in {**old, **new}:
        if name not in new or name not in old:
            found[name] = [["-(not asked any more)" if name in old else "+(not asked before)"]]
        elif old[name] != new[name] and (changes := changes_of(lines_of(old[name]), lines_of(new[name]))):
            found[name] = changes
    return found


def changes_of(old, new):
    changes = []
    for line in difflib.unified_diff(old, new, n=0, lineterm=""):
        if line.startswith("@@"):
            changes.append([])
        elif changes:
            changes[-1].append(line)
    return changes


def lines_of(answer):
    lines = [f"sent {json.dumps(answer['sent'], ensure_ascii=False)}", f"status {answer['status']}"]
    lines += [f"{name}: {value}" for name, value in answer["headers"].items()]
    return [
        *lines,
        *body_lines(answer["body"]),
        *(line for mail in answer.get("mails", ()) for line in mail.splitlines()),
    ]


def body_lines(body):
    if body.startswith(("{", "[")):
        try:
            return list(json_lines(json.loads(body)))
        except ValueError:
            pass
    if body.lstrip().startswith("<"):
        body = re.sub(r"\s*<", "\n<", re.sub(r"\s+", " ", body))
    return [line.strip() for line in body.splitlines() if line.strip()]


def json_lines(value, before="", indent=""):
    """The value, a line for each of its parts; JSON inside of a text is shown likewise."""
    if isinstance(value, dict) and value:
        yield f"{indent}{before}{{"
        for key, one in value.items():
            yield from json_lines(one, f"{key}: ", f"{indent} ")
    elif isinstance(value, list) and value:
        yield f"{indent}{before}["
        for one in value:
            yield from json_lines(one, "", f"{indent} ")
    elif isinstance(value, str) and value.startswith("{") and value.endswith("}"):
        yield f"{indent}{before}JSON"
        yield from (f"{indent} {line}" for line in body_lines(value))
    else:
        yield f"{indent}{before}{json.dumps(value, ensure_ascii=False)}"


def shape(lines):
    """What groups changes: their lines without indents, names of ids and digits."""
    return tuple(
        re.sub(r"\d[\d.,]*", "0", re.sub("«.*»", "«»", f"{line[0]}{line[1:].strip()}")) for line in lines
    )


def report(found):
    lines = found[0][1]
    names = "\n".join(f"  {name}" for name, _ in found[:SHOWN_NAMES])
    more = f"\n  and {len(found) - SHOWN_NAMES} more" if len(found) > SHOWN_NAMES else ""
    cut = [f"… {len(lines) - SHOWN_LINES} more lines"] if len(lines) > SHOWN_LINES else []
    return "\n".join(
        [f"{len(found)} × in\n{names}{more}", *(line[:300] for line in lines[:SHOWN_LINES]), *cut, ""]
    )
