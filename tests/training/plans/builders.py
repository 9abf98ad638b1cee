"""Sessions and states as tests write them: `lifted("60: 6, 6, 4")`."""

import datetime

from fitness.web.units import to_kg
from training.plans import Session, Target, begin, loading_of, reason, step

FIRST_DAY = datetime.datetime(2026, 11, 9, 18, tzinfo=datetime.UTC)


def sets(text, rpe=None, unit="kg", **changes):
    """Working sets: "60: 6, 6, 4", or with a weight of each "60×5, 65×5"."""
    weight, colon, reps = text.rpartition(":")
    pairs = (
        [(weight, count) for count in reps.split(",")] if colon else [p.split("×") for p in text.split(",")]
    )
    one = {"type": "working", "completed": True, "rpe": rpe, **changes}
    return [{**one, "weight_kg": to_kg(float(weight), unit), "reps": int(count)} for weight, count in pairs]


def lifted(text, rpe=None, day=0, **changes):
    """A session that many days after 9 November."""
    return Session(f"workout {day:03}", FIRST_DAY + datetime.timedelta(day), sets(text, rpe), **changes)


def of(rule, equipment="Barbell", unit="kg"):
    return loading_of(equipment, unit, rule.increment_kg)


def steps_of(rule, state, sessions, loading):
    """The steps of sessions in the order of their times, one after the other."""
    steps = []
    for session in sorted(sessions, key=lambda one: (one.at, one.workout_id)):
        if made := step(rule, state, session, loading):
            steps.append(made)
            state = made.after
    return steps


def course(rule, target, sessions, equipment="Barbell", unit="kg", **changes):
    """The steps of sessions, one a day, from a target (sets, reps, weight_kg) on."""
    loading = of(rule, equipment, unit)
    state = begin(rule, Target(*target), loading)
    return steps_of(
        rule,
        state,
        [
            lifted(*([one] if isinstance(one, str) else one), day=day, **changes)
            for day, one in enumerate(sessions)
        ],
        loading,
    )


def shown(target):
    """A target as "4×6 60"."""
    return f"{target.sets}×{target.reps}{'+' * target.open} {target.weight_kg:g}"


def texts(step, unit="kg"):
    """The kind, the target and the reason of a step."""
    return step.kind, shown(step.after.target), reason(step, unit)
