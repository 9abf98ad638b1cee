"""What the preview and the result of an import say: the `report` of an ImportRun, and its JSON form."""

import datetime
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, TypedDict

from django.db.models import Count

from accounts.imports.models import ImportFinding, ImportItem, ImportRun
from fitness.imports.findings import Findings, Rows
from fitness.imports.tables import counted
from training.imports.names import Names

MAX_NAMES = 300  # unknown names that the report has; the others are kept as notes
REPORTED = {"workout": "workouts"}  # kinds of records, where reports have another name
ALWAYS = ("workout", "weight", "nutrition")  # kinds that every report has
State = ImportItem.State
SUGGESTED = 60  # of them with suggestions, and with fields for an own exercise


class Reading(TypedDict):
    """What reading the file has found, whatever the answers are."""

    rows: dict[str, int]
    asks: list[str]
    heaviest: float  # of the weights without a unit
    more_problems: int
    left: list[str]  # members of an archive that nothing was read from
    formats: list[str]  # one, but in a ZIP of several apps


class Suggestion(TypedDict):
    id: str
    name: str


class UnknownName(TypedDict):
    name: str
    sets: int
    suggestions: list[Suggestion]


class Report(TypedDict):
    reading: Reading
    rows: dict[str, int]
    unknown_names: list[UnknownName]
    chosen_names: list[str]
    more_problems: int  # that are not kept
    since: str | None  # the first day of what is new, and the last
    until: str | None


def reading_of(findings: Findings, left: list[str], formats: list[str]) -> Reading:
    return {
        "rows": asdict(findings.rows),
        "asks": sorted(findings.asks),
        "heaviest": findings.heaviest,
        "more_problems": findings.more_problems,
        "left": left,
        "formats": formats,
    }


def report_of(run: ImportRun, reading: Reading, findings: Findings, days: Iterable[datetime.date]) -> Report:
    """What is known after all items of a run have been examined."""
    known_days = sorted(days)
    return {
        "reading": reading,
        "rows": asdict(added(Rows(**reading["rows"]), findings.rows)),
        "unknown_names": unknown_names(run, findings.unknown_names),
        "chosen_names": sorted(findings.chosen_names),
        "more_problems": reading["more_problems"] + findings.more_problems,
        "since": known_days[0].isoformat() if known_days else None,
        "until": known_days[-1].isoformat() if known_days else None,
    }


def added(one: Rows, other: Rows) -> Rows:
    return Rows(**{name: number + getattr(other, name) for name, number in asdict(one).items()})


def unknown_names(run: ImportRun, sets_of: Counter[str]) -> list[UnknownName]:
    """The names, those with the most sets first."""
    names = Names(run.account, run.source, {}) if sets_of else None
    return [
        {
            "name": name,
            "sets": sets,
            "suggestions": [
                {"id": exercise.pk, "name": exercise.name}
                for exercise in (names.suggestions(name) if names and index < SUGGESTED else [])
            ],
        }
        for index, (name, sets) in enumerate(sets_of.most_common(MAX_NAMES))
    ]


def whole(run: ImportRun) -> dict[str, Any]:
    """The report of a run as the command prints it (`--json`)."""
    report = run.report
    found = counts(run)
    return {
        "format": run.source,
        "id": str(run.pk),
        "rows": rows_in_all(report["rows"]),
        **{REPORTED.get(name, name): states_of(found.get(name, {})) for name in (*ALWAYS, *found)},
        "problems": [shown(one, "line", "column", "value", "code") for one in run.findings.problems()],
        "changed": [shown(one, "line", "column") for one in run.findings.changes()],
        "unknown_names": [
            {**one, "suggestions": [suggestion["id"] for suggestion in one["suggestions"]]}
            for one in report["unknown_names"]
        ],
        "asks": report["reading"]["asks"],
    }


def shown(finding: ImportFinding, *names: str) -> dict[str, Any]:
    return {**{name: getattr(finding, name) for name in names}, "text": finding.words}


def rows_in_all(rows: dict[str, int]) -> dict[str, int]:
    """The rows by what became of them, and how many these are. Files of workouts alone have no `records`."""
    fates = {name: number for name, number in rows.items() if number or name != "records"}
    return {"total": sum(fates.values()), **fates}


def states_of(found: dict[str, int]) -> dict[str, int]:
    """How many records of a kind are new, stored or not, and so on."""
    new = found.get(State.NEW, 0) + found.get(State.STORED, 0)
    return {
        "new": new,
        **{state.value: found.get(state, 0) for state in (State.THERE, State.DIFFERS, State.REFUSED)},
    }


def counts(run: ImportRun) -> dict[str, dict[str, int]]:
    """How many items of the run are in each state, by kind. What was deleted before an undo is in none."""
    found: dict[str, dict[str, int]] = {}
    items = run.items.exclude(state=State.UNDONE, record_id="")
    states = items.order_by().values("kind", "state")
    for row in states.annotate(items=Count("pk")):
        found.setdefault(row["kind"], {})[row["state"]] = row["items"]
    return found


def lines(report: dict[str, Any]) -> list[str]:
    """The report for people at a terminal."""
    said = [f"{report['format']}, import {report['id'] or 'not stored'}"]
    said += [f"rows: {', '.join(f'{number} {name}' for name, number in report['rows'].items())}"]
    said += [
        f"{name}: {', '.join(f'{number} {state}' for state, number in states.items())}"
        for name, states in report.items()
        if isinstance(states, dict) and name != "rows" and any(states.values())
    ]
    said += [
        f"unknown: {one['name']}, {counted(one['sets'], 'set')}, perhaps {', '.join(one['suggestions'])}"
        for one in report["unknown_names"]
    ]
    for one in (*report["problems"], *report["changed"]):
        said.append(": ".join(filter(None, [f"line {one['line']}", one["column"], one["text"]])))
    return [f"{line}\n" for line in said]
