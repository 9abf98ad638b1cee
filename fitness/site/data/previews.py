"""What the pages of an import show: what would become of a file, how far it is, and what became of it."""

import datetime
from collections.abc import Iterator
from typing import Any

from django.db.models import Count
from django.utils.text import get_text_list

from accounts.imports.kinds import Kind
from accounts.imports.models import ImportItem, ImportRun
from accounts.models import Account, Task
from fitness.imports.findings import Findings
from fitness.site.data import archive
from fitness.site.data.assessing import Assessment
from fitness.site.data.registry import KINDS, source_label
from fitness.site.data.reports import counts, rows_of_sets
from training.models.workout_values import WorkoutValues

SHOWN_FINDINGS, SHOWN_WORKOUTS, SHOWN_ITEMS, SHOWN_RUNS = 200, 10, 200, 50
State = ImportItem.State
# Where the result of an import leads to, by the kind of record.
SEEN_AT = {
    "workout": ("workouts", "your workouts"),
    "weight": ("body", "your weights"),
    "nutrition": ("nutrition", "your nutrition"),
}


def newest_runs(account: Account) -> list[tuple[ImportRun, int]]:
    """The newest imports of an account, each with the number of records that it could take back."""
    runs = list(account.import_runs.order_by("-created_at")[:SHOWN_RUNS])
    stored = ImportItem.objects.filter(account=account, run__in=runs).with_state(State.STORED)
    stored_of = dict(stored.order_by().values_list("run").annotate(Count("pk")))
    return [(run, stored_of.get(run.pk, 0)) for run in runs]


def preview(run: ImportRun) -> dict[str, Any]:
    """What the template of a preview needs besides its form and its names."""
    found = counts(run)
    return {
        "source": sources(run),
        "place": "Record" if run.source == archive.NAME else "Line",
        "since": run.report["since"] and datetime.date.fromisoformat(run.report["since"]),
        "until": run.report["until"] and datetime.date.fromisoformat(run.report["until"]),
        "kinds": kind_lines(found),
        "rows": rows_of_sets(run.report["rows"]),
        "new": [line for line in kind_lines(found) if line["new"]],
        "workouts": list(first_workouts(run)),
        "problems": run.findings.problems()[:SHOWN_FINDINGS],
        "refused": max(run.report["rows"]["refused"], run.findings.problems().count()),  # some are of no row
        "changes": run.findings.changes()[:SHOWN_FINDINGS],
        "differing": run.items.with_state(State.DIFFERS).in_order()[:SHOWN_ITEMS],
    }


def kind_lines(found: dict[str, dict[str, int]]) -> list[dict[str, str]]:
    """For each kind that a file has: its name, and how many records are in each state, in words or empty."""
    return [
        {"name": name, **states_in_words(kind, found[name])} for name, kind in KINDS.items() if name in found
    ]


def states_in_words(kind: Kind, found: dict[str, int]) -> dict[str, str]:
    return {state.value: kind.counted(found.get(state, 0)) for state in State}


def in_words(run: ImportRun, state: State) -> str:
    """What of a run is in a state: `2 workouts, 3 weights`; empty for nothing."""
    return ", ".join(filter(None, (line[state] for line in kind_lines(counts(run)))))


def sources(run: ImportRun) -> str:
    """The app that a file is of, or those of a ZIP; empty until it is read."""
    names = run.report.get("reading", {}).get("formats", [run.source] if run.source else [])
    return get_text_list(list(map(source_label, names)), "and")


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
        "says": run.problem or (task.says if task else ""),
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
        "kinds": kind_lines(found),
        "seen_at": next((seen for kind, seen in SEEN_AT.items() if kind in found), ("home", "what is new")),
        "progress": progress(run),
        "problem_count": run.findings.problems().count() + run.report.get("more_problems", 0),
        "kept": run.items.with_state(State.KEPT).in_order()[:SHOWN_ITEMS],
        "kept_count": run.items.with_state(State.KEPT).count(),
    }
