"""What the preview and the result of an import say.

`report_of` makes the `report` that an ImportRun keeps. `preview`, `progress` and `outcome` are for pages,
`whole` and `lines` for the command.
"""

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any, TypedDict

from django.db.models import Count
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from accounts.imports.kinds import Counted
from accounts.imports.models import ImportFinding, ImportItem, ImportRun
from accounts.models import Account, Task
from fitness.imports.findings import Findings, Rows
from fitness.imports.messages import worded
from fitness.imports.tables import counted
from fitness.site.data.archive import BY_NAME
from fitness.site.data.assessing import Assessment
from fitness.site.data.registry import STORED_KINDS, source_label
from fitness.site.data.waiting import what_keeps
from fitness.web.days import format_day
from fitness.web.units import group_thousands
from training.imports.names import Names
from training.models.workout_values import WorkoutValues

MAX_NAMES = 300  # unknown names that the report has; the others are kept as notes
REPORTED = {"workout": "workouts"}  # kinds of records, where reports have another name
ALWAYS = ("workout", "weight", "nutrition")  # kinds that every report has
State = ImportItem.State
SUGGESTED = 60  # of them with suggestions, and with fields for an own exercise
SHOWN_FINDINGS, SHOWN_WORKOUTS, SHOWN_ITEMS, SHOWN_RUNS = 200, 10, 200, 50
# Where the result of an import leads to, by the kind of record.
SEEN_AT = {
    "workout": ("workouts", gettext_noop("See your workouts")),
    "workouts": ("workouts", gettext_noop("See your workouts")),
    "weight": ("body", gettext_noop("See your weights")),
    "nutrition": ("nutrition", gettext_noop("See your nutrition")),
}
SEEN_AT_HOME = ("home", gettext_noop("See what is new"))


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


def newest_runs(account: Account) -> list[tuple[ImportRun, int]]:
    """The newest imports of an account, each with the number of records that it could take back.

    An archive takes none back: what can be done about one that stopped in the middle is on its own page.
    """
    runs = list(account.import_runs.order_by("-created_at")[:SHOWN_RUNS])
    stored = ImportItem.objects.filter(account=account, run__in=runs).with_state(State.STORED)
    stored_of = dict(stored.order_by().values_list("run").annotate(Count("pk")))
    waiting = (ImportRun.State.EXAMINING, ImportRun.State.READ)  # has own exercises at most
    has_none = {run.pk for run in runs if run.state in waiting or run.is_archive}
    return [(run, 0 if run.pk in has_none else stored_of.get(run.pk, 0)) for run in runs]


def preview(run: ImportRun) -> dict[str, Any]:
    """What the template of a preview needs besides its form and its names."""
    kinds, rows = kind_lines(run), rows_in_all(run.report["rows"])
    new = [line for line in kinds if line["new"]]
    return {
        "source": sources(run),
        "is_archive": run.is_archive,
        "found": found_in_words(run, kinds, rows),
        "kinds": kinds,
        "rows": rows,
        "fates": fates_in_words(rows),
        "new": new,
        "new_records": ", ".join(line["new"] for line in new),
        "workouts": [] if run.is_archive else list(first_workouts(run)),
        "problems": run.findings.problems()[:SHOWN_FINDINGS],
        "refused": max(run.report["rows"]["refused"], run.findings.problems().count()),  # some are of no row
        "changes": run.findings.changes()[:SHOWN_FINDINGS],
        "differing": run.items.with_state(State.DIFFERS).in_order()[:SHOWN_ITEMS],
    }


def found_in_words(run: ImportRun, kinds: list[dict[str, str]], rows: dict[str, int]) -> str:
    """Such as "New: 2 workouts with 12 sets, 2 March 2026 to 5 March 2026. Nothing is stored yet."."""
    new = [with_sets(line, rows["sets"]) for line in kinds if line["new"]]
    if new:
        what = _("New: %(records)s") % {"records": ", ".join(new)}
    else:
        what = _("Nothing in it is new") if kinds else _("There is no record in it")
    days = days_in_words(run.report["since"], run.report["until"])
    if days:
        return _("%(what)s, %(days)s. Nothing is stored yet.") % {"what": what, "days": days}
    return _("%(what)s. Nothing is stored yet.") % {"what": what}


def with_sets(line: dict[str, str], sets: int) -> str:
    if line["name"] != "workout" or not sets:
        return line["new"]
    text = ngettext("%(workouts)s with %(sets)s set", "%(workouts)s with %(sets)s sets", sets)
    return text % {"workouts": line["new"], "sets": group_thousands(sets)}


def days_in_words(since: str | None, until: str | None) -> str:
    if not since or not until:
        return ""
    first, last = (format_day(datetime.date.fromisoformat(day)) for day in (since, until))
    return first if first == last else _("%(first)s to %(last)s") % {"first": first, "last": last}


def fates_in_words(rows: dict[str, int]) -> str:
    """What became of the rows."""
    counts = {name: group_thousands(number) for name, number in rows.items()}
    parts = [
        ngettext("%(sets)s set", "%(sets)s sets", rows["sets"]),
        ngettext("%(notes)s kept as a note", "%(notes)s kept as notes", rows["notes"])
        if rows["notes"]
        else "",
        ngettext("%(ignored)s left out", "%(ignored)s left out", rows["ignored"]) if rows["ignored"] else "",
        ngettext(
            "%(duplicate)s there already or repeated",
            "%(duplicate)s there already or repeated",
            rows["duplicate"],
        )
        if rows["duplicate"]
        else "",
        ngettext("%(refused)s refused", "%(refused)s refused", rows["refused"]) if rows["refused"] else "",
        ngettext("%(records)s other", "%(records)s others", rows["records"]) if "records" in rows else "",
    ]
    said = ", ".join(part % counts for part in parts if part)
    return _("%(total)s in all: %(rows)s") % {"total": counts["total"], "rows": said}


def kind_lines(run: ImportRun) -> list[dict[str, str]]:
    """For each kind that a file has: its name, and how many records are in each state, in words or empty."""
    found = counts(run)
    kinds: dict[str, Counted] = {**BY_NAME} if run.is_archive else {**STORED_KINDS}
    return [
        {"name": name, **states_in_words(kind, found[name])} for name, kind in kinds.items() if name in found
    ]


def states_in_words(kind: Counted, found: dict[str, int]) -> dict[str, str]:
    return {state.value: kind.counted(found.get(state, 0)) for state in State}


def records_in_words(run: ImportRun, state: State) -> str:
    """What of a run is in a state: `2 workouts, 3 weights`; empty for nothing."""
    return ", ".join(filter(None, (line[state] for line in kind_lines(run))))


def sources(run: ImportRun) -> str:
    """The app that a file is of, or those of a ZIP; empty until it is read."""
    names = run.report["reading"]["formats"] if run.report else []
    return get_text_list([_(source_label(name)) for name in names], _("and"))


def first_workouts(run: ImportRun) -> Iterator[WorkoutValues]:
    """The first new workouts of a file as they will be stored."""
    assessment = Assessment(run, Findings())
    items = run.items.with_state(State.NEW).filter(kind="workout").in_order()[:SHOWN_WORKOUTS]
    for item in items:
        if record := assessment.record_of(item):
            yield record.values


def progress(run: ImportRun) -> dict[str, Any]:
    """How much is done of what is under way, and how much there is, with what is to be said."""
    task = Task.objects.of(run.account_id, Task.Kind.IMPORT, run.pk)
    is_read = run.state != ImportRun.State.EXAMINING or bool(run.report)
    done, total = records_done(run) if is_read else bytes_read(task)
    return {
        "under_way": run.is_under_way and not run.problem and task is not None and not task.has_failed,
        "done": done,
        "total": total,
        "unit": "" if is_read else "MB",
        "says": worded(run.problem) if run.problem else what_keeps(task),
    }


def bytes_read(task: Task | None) -> tuple[float, float]:
    """(megabytes read of a file, of how many)."""
    return (round(task.done / 1e6, 1), round(task.total / 1e6, 1)) if task else (0, 0)


def records_done(run: ImportRun) -> tuple[int, int]:
    if run.state == ImportRun.State.EXAMINING:
        return run.examined, run.items.count()
    found = counts(run)
    by_state = {state: sum(states.get(state, 0) for states in found.values()) for state in State}
    if run.state in (ImportRun.State.UNDOING, ImportRun.State.UNDONE):
        undone = by_state[State.UNDONE] + by_state[State.KEPT]
        return undone, undone + by_state[State.STORED]
    return by_state[State.STORED], by_state[State.STORED] + by_state[State.NEW]


def outcome(run: ImportRun) -> dict[str, Any]:
    """What the template of a run needs from its first step on."""
    found = counts(run)
    return {
        "source": sources(run),
        "kinds": kind_lines(run),
        "seen_at": next((seen for kind, seen in SEEN_AT.items() if kind in found), SEEN_AT_HOME),
        "progress": progress(run),
        "problem_count": run.findings.problems().count() + run.report.get("more_problems", 0),
        "kept": run.items.with_state(State.KEPT).in_order()[:SHOWN_ITEMS],
        "kept_count": run.items.with_state(State.KEPT).count(),
    }
