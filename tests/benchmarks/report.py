"""Prints figures as they are measured, saves them as JSON, and renders them as Markdown."""

import json

from tests.server import ROOT

FILE = ROOT / "var" / "bench.json"
TITLES = f"{'':40} {'goal':>6} {'figure':>9}   under gunicorn, CPU ms of both"
MERGED = {"by a tool: ": "a tool call against its REST twin, the worst of all"}
GROWTH_TITLE = "CPU ms with 1,000, 10,000 and 100,000 workouts; ratios to the first"


class Report:
    """One run: a column of the tables. Its rows replace those of an earlier run on the same database.

    A row is {"figure", "goal" (the maximum for the figure, or None), "unit", and further measurements};
    a growth is {"ms" (of each account), "ratios", "goal"};
    a throughput is {"floor", "service"}, each {"a_second", "p50_ms", "p99_ms", "failed"}.
    """

    def __init__(self, column):
        self.column = column
        print(f"{column}\n{TITLES}")

    def ratio(self, name, goal, in_process, gunicorn):
        """Reports a Comparison in this process, and the same Comparison under gunicorn if there is one."""
        seen = {"base_ms": in_process.base_ms, "measured_ms": in_process.measured_ms}
        details = f"{in_process.base_ms:.2f} -> {in_process.measured_ms:.2f}"
        if gunicorn:
            seen["gunicorn"] = gunicorn.ratio
            details = f"{gunicorn.ratio:.2f}, {details}"
        self.row(name, goal, in_process.ratio, "×", details, **seen)

    def figure(self, name, goal, figure, unit, note=""):
        """Reports a figure with what belongs beside it in the tables."""
        self.row(name, goal, figure, unit, note, note=note)

    def row(self, name, goal, figure, unit, details, **seen):
        missed = " missed" if is_missed(figure, goal) else ""
        print(f"{name:40} {goal or '':>6} {figure:6.2f} {unit:3}{details:>29}{missed}", flush=True)
        self.save("rows", name, {"goal": goal, "figure": figure, "unit": unit, **seen})

    def growth(self, growth, times_ms, ratios):
        """Reports the CPU time of a request in each account, and the ratios to the first."""
        row = {"ms": times_ms, "ratios": ratios[1:], "goal": growth.goal}
        print(f"growth of {growth.name:47} {growth_cell(row)}", flush=True)
        self.save("growth", growth.name, row)

    def throughput(self, name, **results):
        for side, result in results.items():
            details = f"{result.a_second:7.0f} /s  p50 {result.p50_ms:.1f}  p99 {result.p99_ms:.1f} ms"
            print(
                f"{name:40} {side:8} {details}{f'  {result.failed} FAILED' * bool(result.failed)}", flush=True
            )
        self.save("throughput", name, {side: vars(result) for side, result in results.items()})

    def save(self, kind, name, row):
        columns = saved_columns()
        columns.setdefault(self.column, {}).setdefault(kind, {})[name] = row
        FILE.write_text(json.dumps(columns, indent=1))


def saved_columns():
    """{column: {"rows" or "throughput": {name: row}}} of all runs."""
    return json.loads(FILE.read_text()) if FILE.exists() else {}


def markdown():
    """The tables of all runs, for docs/performance.md. A missed goal is printed beside its figure."""
    columns = saved_columns()
    figures = {name: worst_of_each(column.get("rows", {})) for name, column in columns.items()}
    ratios = {name: rows_where(rows, lambda unit: unit == "×") for name, rows in figures.items()}
    others = {name: rows_where(rows, lambda unit: unit != "×") for name, rows in figures.items()}
    growths = {name: column["growth"] for name, column in columns.items() if "growth" in column}
    speeds = {name: column.get("throughput", {}) for name, column in columns.items()}
    return "\n\n".join(
        [
            table("CPU per request", ratios, figure_cell),
            table("Times and sizes", others, figure_cell),
            table(GROWTH_TITLE, growths, growth_cell),
            table("Requests a second (p50, p99 in ms); of the floor", speeds, throughput_cell),
        ]
    )


def rows_where(rows, is_wanted):
    return {name: row for name, row in rows.items() if is_wanted(row["unit"])}


def worst_of_each(rows):
    """The rows, where those that compare the same for many requests are merged into the worst one."""
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
    cell = with_goal(shown(row["figure"], row["unit"]), row["figure"], row["goal"])
    return f"{cell}: {row['note']}" if row.get("note") else cell


def growth_cell(row):
    """For example: 1.92, 1.95, 1.97 ms; × 1.02, × 1.03."""
    times = [short(ms) for ms in row["ms"]]
    ratios = [with_goal(shown(ratio, "×"), ratio, row["goal"]) for ratio in row["ratios"]]
    return f"{', '.join(times)} ms; {', '.join(ratios)}"


def shown(figure, unit):
    return f"× {figure:.2f}" if unit == "×" else f"{short(figure)} {unit}"


def short(figure):
    """Three digits, or more where the number has no fraction with them."""
    return f"{figure:.0f}" if figure >= 100 else f"{figure:.3g}"


def with_goal(cell, figure, goal):
    return f"{cell} (goal {goal})" if is_missed(figure, goal) else cell


def is_missed(figure, goal):
    return goal is not None and figure > goal


def throughput_cell(results):
    service, floor = results["service"], results["floor"]
    times = f"({service['p50_ms']:.1f}, {service['p99_ms']:.1f})"
    failed = f", {service['failed']} failed" if service["failed"] else ""
    return f"{service['a_second']:.0f} {times}{failed}; {floor['a_second']:.0f}"
