"""Which workouts are marked: those whose best set with an exercise beat all before it."""

import math
from collections.abc import Collection, Iterable, Sequence
from typing import Literal
from uuid import UUID

from django.db.models import Case, OuterRef, Q, Subquery, When

from accounts.models import Account
from fitness.db.owned import OfAccount
from training.models.exercise import Exercise, is_assisted
from training.models.sets import Lift, rank
from training.models.workout_exercise import WorkoutExercise, WorkoutExerciseQuerySet, best_set_columns
from training.stats.best_sets import SessionRow, best_before, best_set_on_screens

NO_LIFT: Lift = (-math.inf, -1)  # which any lift beats, whatever its rank
LISTED = ("pk", "exercise_id", "exercise__name", "weight_kg", "reps")
# In which half of a history, and the order in which an earlier, better session is then found soonest.
Half = Literal["older", "newer"]
LOOK_UP: dict[Half, Sequence[str]] = {
    "older": ("-started_at", "-workout_id"),
    "newer": ("-best_weight_kg", "-best_reps"),
}
LOOK_UP_HELP: dict[Half, Sequence[str]] = {**LOOK_UP, "newer": ("best_weight_kg", "best_reps")}


def personal_record_workouts(
    account: Account, exercise: Exercise, sessions: Sequence[SessionRow]
) -> set[UUID]:
    """Ids of the workouts whose best set beat all before it: heavier, or as heavy for more repetitions.

    `sessions` are successive ones with the exercise, oldest first.
    """
    before = best_before(account, exercise, sessions[0]) if sessions else None
    return record_workouts(sessions, before, exercise.is_assisted)


def record_workouts(sessions: Iterable[SessionRow], before: Lift | None, is_assisted: bool) -> set[UUID]:
    """As `personal_record_workouts`, of sessions `before` which this was the best lift."""
    personal_record = rank(before, is_assisted=is_assisted) if before else NO_LIFT
    workouts = set()
    for session in sessions:
        if session.weight_kg is None or session.reps is None:
            continue
        lift = rank((session.weight_kg, session.reps), is_assisted=is_assisted)
        if lift > personal_record:
            personal_record = lift
            workouts.add(session.workout_id)
    return workouts


def workouts_with_records(account: Account, workout_ids: Collection[UUID], half: Half) -> set[UUID]:
    """Those of the workouts with a set that beat all before it; see `personal_record_workouts`.

    `half` is the one of the history in which the workouts began. Whether a session was beaten is looked up
    from the newest before it in the older half, and in the newer half from the heaviest of all, of assisted
    exercises from the one whose heaviest set has least: so a look-up passes over no more than half of the
    sessions, and over few near the ends.
    """
    rows = WorkoutExercise.objects.filter(OfAccount(account.db_pk), workout__in=workout_ids)
    rows = rows.filter(best_weight_kg__isnull=False).annotate(**best_set_on_screens())
    candidates = []
    best: dict[str, Lift] = {}
    for pk, exercise_id, name, *lift in rows.order_by("started_at", "workout_id").values_list(*LISTED):
        ranked = rank((lift[0], lift[1]), is_assisted=is_assisted(name))
        if ranked > best.get(exercise_id, NO_LIFT):
            best[exercise_id] = ranked
            candidates.append(pk)
    heavier = (
        sessions_before(account)
        .filter(
            Q(best_weight_kg__gt=OuterRef("best_weight_kg")) | Q(best_reps__gte=OuterRef("best_reps")),
            best_weight_kg__gte=OuterRef("best_weight_kg"),
        )
        .order_by(*LOOK_UP[half])
    )
    helped = with_as_little_help(account, half)
    beaten_by = Case(
        When(exercise__name__icontains="assisted", then=Subquery(helped.values("workout")[:1])),
        default=Subquery(heavier.values("workout")[:1]),
    )
    records = WorkoutExercise.objects.filter(OfAccount(account.db_pk), pk__in=candidates)
    records = records.annotate(**best_set_columns(is_assisted=True))
    records = records.annotate(beaten_by=beaten_by).filter(beaten_by=None)
    return set(records.values_list("workout_id", flat=True))


def sessions_before(account: Account) -> WorkoutExerciseQuerySet:
    """The sessions with the exercise of an outer row before it."""
    return account.workout_exercises.sessions_with(OuterRef("exercise")).filter(
        Q(started_at__lt=OuterRef("started_at")) | Q(workout_id__lt=OuterRef("workout_id")),
        started_at__lte=OuterRef("started_at"),
    )


def with_as_little_help(account: Account, half: Half) -> WorkoutExerciseQuerySet:
    """The sessions before an outer row with as little help as its `weight_kg` and `reps`, or less."""
    before = sessions_before(account).filter(best_weight_kg__isnull=False)
    as_little = before.annotate(**best_set_columns(is_assisted=True)).filter(
        Q(weight_kg__lt=OuterRef("weight_kg"))
        | Q(weight_kg=OuterRef("weight_kg"), reps__gte=OuterRef("reps"))
    )
    return as_little.order_by(*LOOK_UP_HELP[half])
