"""What a workout does to targets: before it is finished, and from its steps afterwards."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from accounts.models import Account
from fitness.web.local_time import zone_of
from fitness.web.units import group_thousands, in_local_form, to_unit
from training.models import Exercise, ProgressionStep, Workout
from training.models.workout_corrections import exercises_of
from training.plans import Step, Target, reason, wording
from training.plans.steps import STAYS
from training.plans.updates import unmoved_exercises
from training.plans.workouts import LoggedWorkout
from training.web.names import exercise_name
from training.web.train.finishing import Move


@dataclass(frozen=True)
class NextTime:
    """What becomes of one target, in words.

    `is_change`: the person may leave it as it is. With a `question` it stays so until they say otherwise.
    """

    rule_id: str
    exercise: str
    target: str
    reason: str
    is_change: bool
    question: str = ""


def foreseen(move: Move, units: str) -> NextTime:
    one = move.next
    target = target_text(one.kind, one.before, one.after, units)
    weight = f"{group_thousands(to_unit(one.after.weight_kg, units))} {units}"
    question = _("Is %(weight)s right?") % {"weight": weight} if move.is_large else ""
    is_change = one.kind not in STAYS
    return NextTime(one.rule_id, exercise_name(one.exercise), target, one.reason, is_change, question)


def steps_of(account: Account, workout: Workout) -> list[NextTime]:
    """What a stored workout did, from its steps."""
    steps = ProgressionStep.objects.of_workouts(account.pk, [workout.pk])
    rows = list(steps.order_by("weekday", "id"))
    exercises = Exercise.objects.seen_by(account).find_all({row.exercise for row in rows})
    names = {pk: exercise_name(one.name) for pk, one in exercises.items()}
    return [stored_step(account, row, names.get(row.exercise, row.exercise)) for row in rows]


def unmoved(
    account: Account, workout: Workout, weekday: int | None = None, moved: Collection[str] = ()
) -> str:
    """Says of which exercises a stored workout moves no target of its plan: a later one is stored.

    `weekday` is the day that it was begun from, `moved` are the rules that it has moved. Of a workout without
    a plan there is no statement.
    """
    plan = account.plans.with_rules().filter(pk=workout.plan_id).first() if workout.plan_id else None
    if plan is None:
        return ""
    plan.account = account
    entries = [row.parsed_entry for row in exercises_of(account, [workout])[workout.pk]]
    logged = LoggedWorkout.of(workout.pk, workout.started_at, workout.created_at, entries)
    names = ", ".join(exercise_name(name) for name in unmoved_exercises(plan, logged, weekday, moved))
    said = _("No target of %(names)s has moved: a later workout with it is stored.")
    return said % {"names": names} if names else ""


def stored_step(account: Account, row: Any, exercise: str) -> NextTime:
    step = Step.from_json(row.step)
    target = target_text(step.kind, step.before.target, step.after.target, account.units)
    why = reason(step, account.units, zone_of(account.time_zone))
    return NextTime(str(row.rule), exercise, target, why, step.kind not in STAYS)


def target_text(kind: str, before: Target, after: Target, units: str) -> str:
    """Such as "3 × 8 at 60 → 62.5 kg"; both targets whole where the repetitions change, too."""
    text, next_text = (wording.target_text(one, units) for one in (before, after))
    if kind in STAYS or text == next_text:
        return _("%(target)s again") % {"target": next_text}
    bare = [replace(one, weight_kg=0) for one in (before, after)]
    if bare[0] != bare[1] or before.is_weightless or after.is_weightless:
        return f"{text} → {next_text}"
    weights = " → ".join(in_local_form(str(to_unit(one.weight_kg, units))) for one in (before, after))
    reps = wording.target_text(bare[0], units)
    return _("%(reps)s at %(weight)s") % {"reps": reps, "weight": f"{weights} {units}"}
