"""What a rule would do, for the page of its form: the next sessions, and the past ones under it."""

import datetime
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.models import Account
from fitness.web.units import to_unit
from training.models.adapting import Adapting
from training.models.workout_exercise import first_sets
from training.progression import Rule, Session, Target, Tested, back_test, preview, store
from training.progression.plans import Followed, Place, Progression, Week
from training.progression.rearranging import follow_entries
from training.progression.reasons import local

YEARS = 2
MOST_SESSIONS = 800  # of these years: more than one a day
SHOWN = 100
FIRST = 12  # of these, before a fold
SETS = 60  # read of a session
TURNS = {
    "progressed": gettext_lazy("up"),
    "held": gettext_lazy("same again"),
    "moved": gettext_lazy("moved up"),
    "next_stage": gettext_lazy("next stage"),
    "next_week": gettext_lazy("next week"),
    "deloaded": gettext_lazy("stepped down"),
    "held_by_you": gettext_lazy("same again"),
}


@dataclass(frozen=True)
class ForecastRow:
    number: int
    done: list[str]  # what is asked, a line for each entry
    missed: list[str]
    is_missed: bool


@dataclass(frozen=True)
class ReplayedRow:
    at: datetime.datetime
    asked: list[str]
    lifted: list[str]
    turn: str
    is_down: bool


@dataclass(frozen=True)
class Replay:
    """The account's past sessions with an exercise under a rule, newest first: the `first` and the `rest`."""

    summary: str
    first: list[ReplayedRow]
    rest: list[ReplayedRow]


def candidate(plan: Adapting, rules: Mapping[Place, Rule], place: Place) -> tuple[Week, Followed]:
    """The rule at a place as `Plan.adapt` would store it, with the entries that would share its target."""
    week = plan.week
    places = {one: one for one in week.by_place}
    followed = follow_entries(week, rules, plan.progressions, timezone.now(), places)
    return week, next(one for one in followed if place in one.places)


def forecast(week: Week, one: Followed) -> list[ForecastRow]:
    loading = week.loading(one)
    done = preview(one.rule, one.state, loading)
    missed = preview(one.rule, one.state, loading, with_misses=True)
    return [
        ForecastRow(
            row.number, texts(row.targets, week.unit), texts(other.targets, week.unit), other.is_missed
        )
        for row, other in zip(done, missed, strict=True)
    ]


def replay(account: Account, plan: Adapting, week: Week, one: Followed) -> Replay | None:
    """None without a session in these years. Lighter weeks of the plan are left out: they move no target."""
    sessions = past_sessions(account, plan.progressions, week, week.exercise_of(one).id)
    tested = [row for row in back_test(one.rule, one.state, sessions, week.loading(one)) if row.step]
    if not tested:
        return None
    rows = [replayed(row, week.unit) for row in tested[: -SHOWN - 1 : -1]]
    return Replay(summary(tested, week.unit), rows[:FIRST], rows[FIRST:])


def past_sessions(
    account: Account, progression: Progression, week: Week, exercise_id: str
) -> Iterator[Session]:
    """What the account lifted in the last two years: one look-up in the index of its sessions."""
    since = timezone.now() - datetime.timedelta(days=365 * YEARS)
    rows = account.workout_exercises.sessions_with(exercise_id).started(since).with_first_sets(SETS)
    newest = rows.defer("sets", "session_sets").order_by("-started_at", "-workout_id")[:MOST_SESSIONS]
    for row in newest:
        sets = first_sets(row.first_sets, SETS)[0]  # type: ignore[attr-defined]  # an annotation
        at = row.started_at.astimezone(week.zone)
        yield Session(str(row.workout_id), at, sets, is_deload=progression.is_deload(at.date()))


def summary(tested: list[Tested], unit: str) -> str:
    more = sum(row.asked_for_more for row in tested)
    down = sum(row.steps_down for row in tested)
    last = tested[-1].step
    assert last  # those without a step are left out
    state = last.after
    stands = (
        _("a training max of %(weight)s")
        % {"weight": f"{local(to_unit(state.training_max_kg, unit))} {unit}"}
        if state.training_max_kg
        else store.target_text(state.target, unit)
    )
    said = ngettext(
        "Over %(count)s workout it would %(asked)s, and %(stepped)s; today it would stand at %(target)s.",
        "Over %(count)s workouts it would %(asked)s, and %(stepped)s; today it would stand at %(target)s.",
        len(tested),
    )
    return said % {"count": len(tested), "asked": asked(more), "stepped": stepped(down), "target": stands}


def asked(times: int) -> str:
    """How often a rule asked for more: a part of the sentence of `summary`."""
    words = {
        0: _("never have asked for more"),
        1: _("have asked for more than you lifted once"),
        2: _("have asked for more than you lifted twice"),
    }
    many = _("have asked for more than you lifted %(count)s times") % {"count": times}
    return words.get(times, many)


def stepped(times: int) -> str:
    """How often a rule stepped down: a part of the sentence of `summary`."""
    words = {0: _("never stepped down"), 1: _("stepped down once"), 2: _("stepped down twice")}
    return words.get(times, _("stepped down %(count)s times") % {"count": times})


def replayed(row: Tested, unit: str) -> ReplayedRow:
    assert row.step
    lifted: dict[float, list[str]] = {}
    for lift in row.step.lifts:
        lifted.setdefault(lift.weight_kg, []).append(str(lift.reps))
    shown = [with_weight(reps_text(reps), weight_kg, unit) for weight_kg, reps in lifted.items()]
    is_first = row.targets[0].is_weightless and any(lift.weight_kg for lift in row.step.lifts)
    targets = [] if is_first else texts(row.targets, unit)
    return ReplayedRow(row.session.at, targets, shown, str(TURNS[row.step.kind]), row.steps_down)


def reps_text(reps: list[str]) -> str:
    """As in "4 × 6" where all sets are alike, else each: "6, 6, 5"."""
    return f"{len(reps)} × {reps[0]}" if len(set(reps)) == 1 else ", ".join(reps)


def texts(targets: tuple[Target, ...], unit: str) -> list[str]:
    return [target_text(target, unit) for target in targets]


def target_text(target: Target, unit: str) -> str:
    """Such as "4 × 6 × 62.5"; a plus where the last set is open."""
    return with_weight(f"{target.sets} × {target.reps}{'+' * target.open}", target.weight_kg, unit)


def with_weight(reps: str, weight_kg: float, unit: str) -> str:
    return f"{reps} × {local(to_unit(weight_kg, unit))}" if weight_kg else reps
