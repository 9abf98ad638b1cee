"""The lifts of /progress: their bests, how they change, and the charts of those that lead the page."""

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import gettext_lazy as _

from fitness.days import ONE_DAY, today
from fitness.web.charts import LineChart, Series
from fitness.web.units import to_unit
from training.models.exercise import MuscleGroup
from training.models.timed import KM_OF, distance_unit
from training.web.names import exercise_name
from training.web.progress import figures
from training.web.progress.figures import Best, Lift, Record, TrainedRow
from training.web.progress.headline import Change

# Measures of lifts: (label, what the best by it is called)
MEASURES = {
    "e1rm": (_("e1RM"), _("Best e1RM")),
    "heaviest": (_("Heaviest"), _("Heaviest set")),
    "volume": (_("Volume"), _("Best workout in a year")),
    "reps": (_("Reps"), _("Most reps of a top set in a year")),
}


@dataclass(frozen=True)
class ShownLift:
    """A lift on the page. `value` is in kg, or in the reps, seconds or km of its measure."""

    exercise_id: str
    name: str
    muscle_group: str
    is_pinned: bool
    value: float | None
    measure: str
    change: Change | None
    own_measure: str  # whatever is chosen for the page
    own_change: Change | None
    record: Record | None
    last_done: datetime.datetime
    last_workout: object
    lift: Lift

    @cached_property
    def line(self) -> list[tuple[datetime.date, float]]:
        """The best of each window and the one before it, at the middle of the window.

        So a light fortnight is no dent, nor are sets of many and of few reps that take turns.
        """
        days = figures.window_days(today())
        return [
            (days[number] + ONE_DAY * (figures.WINDOW_DAYS // 2), value)
            for number in sorted(self.lift.bests)
            if (value := best_of(self.lift, self.measure, number - figures.ENDS + 1)) is not None
        ]


def importance(row: TrainedRow, lift: Lift | None) -> tuple[bool, bool, int, float, datetime.datetime]:
    """What lifts are ordered by: pinned ones first, weights or reps before times, then most done in 90 days,
    then heaviest, then last done.
    """
    if lift is None:
        return (row.pinned, False, 0, 0, row.started_at)
    bests = lift.bests.values()
    is_lifted = any(best.weight_kg or best.reps for best in bests)
    heaviest = max((best.weight_kg or 0 for best in bests), default=0)
    return (row.pinned, is_lifted, lift.sessions, heaviest, row.started_at)


def shown_lift(row: TrainedRow, lifts: Mapping[str, Lift], record: Record | None, measure: str) -> ShownLift:
    lift = lifts.get(row.exercise_id) or Lift.of(row)
    own = lift.measure if record is None else measure_of(lift, record)
    shown_by = own or measure
    ever = None if record is None else record_value(record, lift, measure, shown_by)
    change = change_of(lift, shown_by)
    return ShownLift(
        exercise_id=row.exercise_id,
        name=row.exercise__name,
        muscle_group=row.exercise__muscle_group,
        is_pinned=row.pinned,
        value=best_value(lift.bests.values(), shown_by) if ever is None else ever,
        measure=shown_by,
        change=change,
        own_measure=own or "e1rm",
        own_change=change if shown_by == (own or "e1rm") else change_of(lift, own or "e1rm"),
        record=record,
        last_done=row.started_at,
        last_workout=row.workout_id,
        lift=lift,
    )


def by_muscle_group(lifts: Sequence[ShownLift]) -> list[tuple[str, list[ShownLift]]]:
    """(muscle group, its lifts) in the order of the catalogue."""
    found = [(group, [lift for lift in lifts if lift.muscle_group == group]) for group in MuscleGroup.values]
    return [(group, of_group) for group, of_group in found if of_group]


def measure_of(lift: Lift, record: Record) -> str | None:
    """As the measure of a Lift, by all of its history."""
    if lift.measure == "reps" and record.weight_kg:
        return "help" if lift.is_assisted else None
    return lift.measure


def record_value(record: Record, lift: Lift, measure: str, shown_by: str) -> float | None:
    """The best of all time where an index has it; None for measures whose best is that of a year.

    The highest estimate is that of the heaviest sessions of all, and of all sessions of a year.
    """
    if shown_by == "help":
        return record.weight_kg
    if shown_by in ("time", "distance"):
        return None
    if measure not in ("e1rm", "heaviest"):
        return None
    if shown_by == "reps":
        return record.reps
    if measure == "heaviest":
        return record.weight_kg
    return max(record.strongest_kg, best_value(lift.bests.values(), "e1rm") or 0)


# The name in a Best of what a measure compares.
COMPARED_BY = {
    "e1rm": "estimated_1rm_kg",
    "heaviest": "weight_kg",
    "volume": "volume_kg",
    "reps": "reps",
    "time": "time",
    "distance": "distance",
}


def best_value(bests: Iterable[Best], measure: str) -> float | None:
    """The best value of a measure in some windows; None where nothing of it was done in them."""
    if measure == "help":
        return min((best.help_kg for best in bests if best.help_kg is not None), default=None)
    best = max((getattr(best, COMPARED_BY[measure]) or 0 for best in bests), default=0)
    return (round(best, 1) if measure == "e1rm" else best) or None


def change_of(lift: Lift, measure: str) -> Change | None:
    """The best of the last 30 days against the best of the first 30 of 90."""
    first = figures.WINDOWS - figures.COMPARED
    then = best_of(lift, measure, first)
    now = best_of(lift, measure, figures.WINDOWS - figures.ENDS)
    return None if then is None or now is None else Change(then, now, measure)


def best_of(lift: Lift, measure: str, first: int, count: int = figures.ENDS) -> float | None:
    """The best of so many windows from the `first` on."""
    bests = [lift.bests[number] for number in range(first, first + count) if number in lift.bests]
    return best_value(bests, measure)


def with_charts(lifts: Sequence[ShownLift], units: str) -> list[tuple[ShownLift, LineChart]]:
    """The lifts with a chart of each, all with the same time axis."""
    since = min((lift.line[0][0] for lift in lifts if lift.line), default=None)
    return [(lift, chart_of(lift, since, units)) for lift in lifts]


def chart_of(lift: ShownLift, since: datetime.date | None, units: str) -> LineChart:
    points = [(day, in_units(value, lift.measure, units)) for day, value in lift.line]
    # Repetitions are counted: between two numbers of them there is none.
    name = exercise_name(lift.name)
    series = Series(name, points, "steps" if lift.measure == "reps" else "line")
    return LineChart(name, [series], since=since, until=today(), steps=2)


def in_units(value: float, measure: str, units: str) -> float:
    """A value as the axis of a chart has it."""
    if measure in ("reps", "time"):
        return value
    return value / KM_OF[distance_unit(units)] if measure == "distance" else to_unit(value, units)
