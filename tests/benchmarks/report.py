"""Prints figures as they are measured, as rows of a table for docs/performance.md, and saves them as JSON."""

import json

from tests.server import ROOT

FILE = ROOT / "var" / "bench.json"


class Report:
    """One run. What is over its bound is named."""

    def __init__(self, database):
        self.database, self.rows = database, {}
        print(f"| {database} | Figure | |\n| --- | --- | --- |")

    def figure(self, name, figure, unit, bound=None, note=""):
        self.add(name, with_bound(shown(figure, unit), figure, bound), note)
        self.rows[name] = {"figure": figure, "unit": unit, "bound": bound, "note": note}

    def growth(self, name, times_ms, ratios, bound):
        """The CPU time of a request in each account, and the ratios of the larger ones to the first."""
        cells = [with_bound(shown(ratio, "×"), ratio, bound) for ratio in ratios]
        self.add(name, ", ".join(cells), f"{', '.join(map(short, times_ms))} ms")
        self.rows[name] = {"ratios": ratios, "unit": "×", "bound": bound, "ms": times_ms}

    def add(self, *cells):
        print(f"| {' | '.join(cells)} |", flush=True)

    def save(self):
        FILE.write_text(json.dumps({"database": self.database, "rows": self.rows}, indent=1))


def shown(figure, unit):
    return f"× {figure:.2f}" if unit == "×" else f"{short(figure)} {unit}"


def short(figure):
    """Three digits, or more where the number has no fraction with them."""
    return f"{figure:.0f}" if figure >= 100 else f"{figure:.3g}"


def with_bound(cell, figure, bound):
    return f"{cell} (over {bound})" if bound is not None and figure > bound else cell
