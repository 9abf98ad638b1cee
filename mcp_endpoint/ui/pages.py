"""The pages: which tool has which, and their HTML. Each is one document without a request to anywhere."""

from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path

from django.conf import settings

from fitness.json import JsonObject

MIME_TYPE = "text/html;profile=mcp-app"
FILES = Path(__file__).parent / "files"
UPLOT = settings.BASE_DIR / "fitness" / "web" / "static" / "vendor" / "uplot"


@dataclass(frozen=True)
class Page:
    """A page, which is drawn by files/<name>.js; `has_chart` is whether it needs uPlot."""

    name: str
    title: str
    description: str
    has_chart: bool = False

    @property
    def uri(self) -> str:
        return f"ui://fitness/{self.name}.html"

    @property
    def definition(self) -> JsonObject:
        """The page's item in the result of resources/list."""
        return {
            "uri": self.uri,
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "mimeType": MIME_TYPE,
        }

    @property
    def contents(self) -> JsonObject:
        """The page's item in the result of resources/read. Without `csp` a host allows no connections."""
        return {
            "uri": self.uri,
            "mimeType": MIME_TYPE,
            "text": html(self),
            "_meta": {"ui": {"prefersBorder": True}},
        }


# By the names of the tools whose results they show.
PAGES = {
    "get_exercise_history": Page(
        "exercise_history",
        "Exercise history",
        "The line of estimated one-rep maxima of an exercise, with the best set of each session.",
        has_chart=True,
    ),
    "get_body_metrics": Page(
        "body_weight", "Body weight", "Weight logs and their trend over time.", has_chart=True
    ),
    "log_workout": Page(
        "workout", "Logged workout", "The workout that was saved, with a button that takes it back."
    ),
    "create_training_plan": Page(
        "plan", "Weekly plan", "The seven days of a plan, with buttons to follow it and to take it back."
    ),
}
BY_URI = {page.uri: page for page in PAGES.values()}


@cache
def html(page: Page) -> str:
    styles, scripts = [text("page.css")], [text("host.js"), text("dom.js"), text(f"{page.name}.js")]
    if page.has_chart:
        styles.insert(0, (UPLOT / "uPlot.min.css").read_text())
        scripts[:0] = [(UPLOT / "uPlot.iife.min.js").read_text(), text("chart.js")]
    return text("page.html").format(
        title=escape(page.title), style="\n".join(styles), script="\n".join(scripts)
    )


def text(name: str) -> str:
    return (FILES / name).read_text()
