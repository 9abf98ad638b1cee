"""The lifts of /progress: their order, their bests, how they change, and the charts of those it shows."""

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from accounts.models import Account
from fitness.days import ONE_DAY, today
from fitness.web.svg_charts import Sparkline
from fitness.web.units import to_unit
from training import stats
from training.models.exercise import Equipment, Mechanic, MuscleGroup
from training.models.timed import KM_OF, distance_unit
from training.stats import Best, LiftOfYear, LiftRecord, TrainedRow
from training.web.progress.headline import Change

ENDS = 2  # windows of each point of a line, so that a light fortnight is no step back
# The last window of each point: a line and its change begin with the best of the first 30 of 90 days.
POINTS = range(stats.WINDOWS - stats.COMPARED + ENDS - 1, stats.WINDOWS)
BODY_KG = 75  # of somebody: what they weigh is another app's
# Measures of lifts: (label, what the best by it is called)
MEASURES = {
    "e1rm": (_("e1RM"), _("Best")),
    "heaviest": (_("Heaviest"), _("Heaviest set")),
    "volume": (_("Volume"), _("Best workout in a year")),
    "reps": (_("Reps"), _("Most reps of a top set in a year")),
}


@dataclass(frozen=True)
class ShownLift:
    """A lift on the page. Values are in kg, or in the reps, seconds or km of its measure."""

    exercise_id: str
    name: str
    muscle_group: str
    is_pinned: bool
    value: float | None  # the best of all
    measure: str
    own_measure: str  # whatever is chosen for the page
    bests: Sequence[float | None]  # of the 30 days up to the end of each of POINTS
    record: LiftRecord | None
    last_done: datetime.datetime
    last_workout: object

    @property
    def is_current(self) -> bool:
        """Whether it was done in the last 30 days."""
        return self.bests[-1] is not None

    @property
    def now(self) -> float | None:
        """The last point of the line; the best of all where it was not done in 90 days."""
        return next((best for best in reversed(self.bests) if best is not None), self.value)

    @property
    def change(self) -> Change | None:
        """From the first point of the line to the last, where it was done at both ends of the 90 days."""
        then, now = self.bests[0], self.bests[-1]
        return None if then is None or now is None else Change(then, now, self.measure)

    @property
    def line(self) -> list[tuple[datetime.date, float]]:
        """The bests, each at the end of its 30 days.

        So a light fortnight is no dent, nor are sets of many and of few reps that take turns.
        """
        points = zip(days_of_points(), self.bests, strict=True)
        return [(day, best) for day, best in points if best is not None]


def days_of_points() -> list[datetime.date]:
    """The last day of each of POINTS, the last of all today."""
    days = stats.window_days(today())
    return [days[number] + ONE_DAY * (stats.WINDOW_DAYS - 1) for number in POINTS]


def by_importance(account: Account, *, with_volume: bool) -> tuple[list[TrainedRow], dict[str, LiftOfYear]]:
    """The newest session with each exercise that the account has done, the most important exercise first, and
    what was done with those of the last year.
    """
    trained = stats.trained_rows(account)
    lifts = stats.lifts_of_year(account, trained, with_volume=with_volume)
    trained.sort(key=lambda row: importance(row, lifts.get(row.exercise_id)), reverse=True)
    return trained, lifts


def importance(row: TrainedRow, lift: LiftOfYear | None) -> tuple[bool, bool, float, int, datetime.datetime]:
    """What lifts are ordered by: pinned ones first, weights or reps before times, then sessions in 90 days
    times the load, then most sessions, then last done.
    """
    if lift is None:
        return (row.pinned, False, 0, 0, row.started_at)
    is_lifted = any(best.weight_kg or best.reps for best in lift.bests.values())
    return (row.pinned, is_lifted, lift.sessions * load_kg(row, lift), lift.sessions, row.started_at)


def load_kg(row: TrainedRow, lift: LiftOfYear) -> float:
    """The highest estimate of a year, with the body where that is lifted as well.

    Half of it on machines, whose levers carry a part, and a quarter for isolations: more weight on a calf
    raise is less than what somebody squats.
    """
    estimate = max((best.estimated_1rm_kg or 0 for best in lift.bests.values()), default=0)
    if row.exercise__is_assisted:
        return BODY_KG / 2
    if row.exercise__equipment == Equipment.BODYWEIGHT:
        estimate += BODY_KG
    by_machine = 1 / 2 if row.exercise__equipment == Equipment.MACHINE else 1
    by_joints = 1 / 4 if row.exercise__mechanic == Mechanic.ISOLATION else 1
    return estimate * by_machine * by_joints


def shown_lifts(
    account: Account, rows: Sequence[TrainedRow], lifts: Mapping[str, LiftOfYear], measure: str
) -> list[ShownLift]:
    records = stats.lift_records(account, [row.exercise_id for row in rows])
    return [shown_lift(row, lifts, records.get(row.exercise_id), measure) for row in rows]


def shown_lift(
    row: TrainedRow, lifts: Mapping[str, LiftOfYear], record: LiftRecord | None, measure: str
) -> ShownLift:
    lift = lifts.get(row.exercise_id) or LiftOfYear(row.exercise__is_assisted)
    own = lift.measure if record is None else measure_of(lift, record)
    shown_by = own or measure
    ever = None if record is None else record_value(record, lift, measure, shown_by)
    return ShownLift(
        exercise_id=row.exercise_id,
        name=row.exercise__name,
        muscle_group=row.exercise__muscle_group,
        is_pinned=row.pinned,
        value=best_value(lift.bests.values(), shown_by) if ever is None else ever,
        measure=shown_by,
        own_measure=own or "e1rm",
        bests=[best_of(lift, shown_by, number - ENDS + 1) for number in POINTS],
        record=record,
        last_done=row.started_at,
        last_workout=row.workout_id,
    )


def by_muscle_group(lifts: Sequence[ShownLift]) -> list[tuple[str, list[ShownLift]]]:
    """(muscle group, its lifts) in the order of the catalogue."""
    found = [(group, [lift for lift in lifts if lift.muscle_group == group]) for group in MuscleGroup.values]
    return [(group, of_group) for group, of_group in found if of_group]


def measure_of(lift: LiftOfYear, record: LiftRecord) -> str | None:
    """As `LiftOfYear.measure`, by all of its history."""
    if lift.measure == "reps" and record.weight_kg:
        return "help" if lift.is_assisted else None
    return lift.measure


def record_value(record: LiftRecord, lift: LiftOfYear, measure: str, shown_by: str) -> float | None:
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


def best_of(lift: LiftOfYear, measure: str, first: int) -> float | None:
    """The best of ENDS windows from the `first` on."""
    bests = [lift.bests[number] for number in range(first, first + ENDS) if number in lift.bests]
    return best_value(bests, measure)


def with_charts(lifts: Sequence[ShownLift], units: str) -> list[tuple[ShownLift, Sparkline]]:
    """The lifts with a chart of each, all with the same time axis."""
    return [(lift, chart_of(lift, units)) for lift in lifts]


def chart_of(lift: ShownLift, units: str) -> Sparkline:
    points = [(day, in_units(value, lift.measure, units)) for day, value in lift.line]
    # Repetitions are counted: between two numbers of them there is none.
    return Sparkline(points, days_of_points()[0], today(), in_steps=lift.measure == "reps")


def in_units(value: float, measure: str, units: str) -> float:
    """A value as the axis of a chart has it."""
    if measure in ("reps", "time"):
        return value
    return value / KM_OF[distance_unit(units)] if measure == "distance" else to_unit(value, units)
