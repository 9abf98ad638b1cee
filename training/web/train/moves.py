"""What a workout would do to targets, and which of these moves are so large that a number may be mistyped."""

from dataclasses import dataclass, replace
from uuid import UUID

from accounts.models import Account
from training.plans.loading import TOLERANCE_KG
from training.plans.rules import Wave, current_targets
from training.plans.updates import NextTarget, next_targets
from training.plans.workouts import LoggedWorkout, Origin

LARGE = 0.25  # of the weight that is usual


@dataclass(frozen=True)
class Move:
    """What becomes of one target; `is_large` where somebody is asked whether it is right."""

    next: NextTarget
    is_large: bool


def moves(account: Account, plan_id: UUID | None, workout: LoggedWorkout, origin: Origin) -> list[Move]:
    """What storing a workout would do to the targets of its plan and routine. Stores nothing."""
    rows = next_targets(account, plan_id, workout, origin)
    waves = waves_of(account, plan_id, origin) if any(map(may_be_of_wave, rows)) else {}
    return [Move(row, is_large(row, waves.get(row.rule_id, row.before.weight_kg))) for row in rows]


def is_large(row: NextTarget, usual_kg: float) -> bool:
    if row.before == row.after or usual_kg <= TOLERANCE_KG:
        return False
    return abs(row.after.weight_kg - usual_kg) > usual_kg * LARGE


def may_be_of_wave(row: NextTarget) -> bool:
    """Whether its rule has to be read: the weeks of a wave differ, so the target before says little."""
    return row.kind == "next_week" or row.before.open or is_large(row, row.before.weight_kg)


def waves_of(account: Account, plan_id: UUID | None, origin: Origin) -> dict[str, float]:
    """By the id of each wave what its next week asks with the training max of today."""
    plan = account.plans.filter(pk=plan_id).first() if plan_id else None
    routine = account.routines.filter(pk=origin.routine_id).first() if origin.routine_id else None
    found: dict[str, float] = {}
    for planning in filter(None, (plan, routine)):
        for one in planning.progressions.rules:
            if isinstance(one.rule, Wave):
                following = replace(one.state, week=(one.state.week + 1) % len(one.rule.weeks))
                found[one.id] = current_targets(one.rule, following, planning.week.loading(one))[-1].weight_kg
    return found
