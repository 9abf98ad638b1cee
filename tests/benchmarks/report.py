"""The figures: printed while they are measured, kept as JSON, and shown as Markdown."""

import json

from tests.server import ROOT

FILE = ROOT / "var" / "bench.json"
TITLES = f"{'':40} {'goal':>6} {'figure':>9}   under gunicorn, CPU ms of both"
MERGED = {
    "by a tool: ": "a tool call against its REST twin, the worst of all",
    "growth of ": "10,000 records against 1,000, the worst of all requests",
}


class Report:
    """The column of one run; its rows take the place of those of an earlier one.

    A row is {"figure", "goal" (at most what the figure should be), "unit", and what else was seen};
    a throughput is {"floor", "service"}, each {"a_second", "p50_ms", "p99_ms", "failed"}.
    """

    def __init__(self, column):
        self.column = column
        print(f"{column}\n{TITLES}")

    def ratio(self, name, goal, alone, served):
        """Tells of the Comparison in one process, and of the one under gunicorn."""
        seen = {"gunicorn": served.ratio, "base_ms": alone.base_ms, "measured_ms": alone.measured_ms}
        told = f"{served.ratio:14.2f}, {alone.base_ms:.2f} -> {alone.measured_ms:.2f}"
        self.figure(name, goal, alone.ratio, "×", told, **seen)

    def figure(self, name, goal, figure, unit, told="", **seen):
        late = " missed" if figure > goal else ""
        print(f"{name:40} {goal:>6} {figure:6.2f} {unit:3}{told}{late}", flush=True)
        self.keep("rows", name, {"goal": goal, "figure": figure, "unit": unit, **seen})

    def throughput(self, name, **found):
        for who, one in found.items():
            told = f"{one.a_second:7.0f} /s  p50 {one.p50_ms:.1f}  p99 {one.p99_ms:.1f} ms"
            print(f"{name:40} {who:8} {told}{f'  {one.failed} FAILED' * bool(one.failed)}", flush=True)
        self.keep("throughput", name, {who: vars(one) for who, one in found.items()})

    def keep(self, kind, name, row):
        columns = kept()
        columns.setdefault(self.column, {}).setdefault(kind, {})[name] = row
        FILE.write_text(json.dumps(columns, indent=1))


def kept():
    """{column: {"rows" or "throughput": {name: row}}} of all runs."""
    return json.loads(FILE.read_text()) if FILE.exists() else {}


def markdown():
    """The tables of all columns, for docs/performance.md; a goal that is missed is beside its figure."""
    columns = kept()
    figures = {name: together(column.get("rows", {})) for name, column in columns.items()}
    speeds = {name: column.get("throughput", {}) for name, column in columns.items()}
    return "\n\n".join(
        [
            table("CPU per request", figures, figure_cell),
            table("Requests a second (p50, p99 in ms); of the floor", speeds, throughput_cell),
        ]
    )


def together(rows):
    """The rows, with the worst alone of those that ask the same of many requests."""
    merged = {}
    for name, row in rows.items():
        title = next((title for prefix, title in MERGED.items() if name.startswith(prefix)), name)
        if title not in merged or row["figure"] > merged[title]["figure"]:
            merged[title] = row
    return merged


def table(title, columns, cell):
    """Markdown of {column: {name: row}}."""
    names = dict.fromkeys(name for rows in columns.values() for name in rows)
    lines = [[title, *columns], ["---"] * (len(columns) + 1)]
    for name in names:
        lines.append([name, *(cell(rows[name]) if name in rows else "" for rows in columns.values())])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def figure_cell(row):
    figure = f"× {row['figure']:.2f}" if row["unit"] == "×" else f"{row['figure']:.3g} {row['unit']}"
    return f"{figure} (goal {row['goal']})" if row["figure"] > row["goal"] else figure


def throughput_cell(found):
    service, floor = found["service"], found["floor"]
    times = f"({service['p50_ms']:.1f}, {service['p99_ms']:.1f})"
    failed = f", {service['failed']} failed" if service["failed"] else ""
    return f"{service['a_second']:.0f} {times}{failed}; {floor['a_second']:.0f}"
