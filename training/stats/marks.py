"""Which workouts are marked: those whose best set with an exercise beat all before it."""

import math
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Literal
from uuid import UUID

from django.db.models import Case, Exists, OuterRef, Q, QuerySet, Subquery, When

from accounts.models import Account
from fitness.db.owned import OfAccount
from training.models.exercise import Exercise
from training.models.sets import Lift, rank
from training.models.workout_exercise import WorkoutExercise, WorkoutExerciseQuerySet, best_set_columns
from training.stats.best_sets import SessionRow, best_set, best_set_on_screens

NO_LIFT: Lift = (-math.inf, -1)  # which any lift beats, whatever its rank
# In which half of a history, and the order in which an earlier, better session is then found soonest.
Half = Literal["older", "newer"]
LOOK_UP: dict[Half, Sequence[str]] = {
    "older": ("-started_at", "-workout_id"),
    "newer": ("-best_weight_kg", "-best_reps"),
}
LOOK_UP_HELP: dict[Half, Sequence[str]] = {**LOOK_UP, "newer": ("best_weight_kg", "best_reps")}


def personal_record_workouts(
    account: Account, exercise: Exercise, sessions: Sequence[SessionRow]
) -> dict[UUID, bool]:
    """The workouts whose best set beat all before it, heavier, or as heavy for more repetitions, and whether
    there was any before it.

    `sessions` are successive ones with the exercise, oldest first.
    """
    before = best_set(account, exercise, sessions[0]) if sessions else None
    found = record_workouts(sessions, before, exercise.is_assisted)
    return {
        session.workout_id: before is not None or number > 0
        for number, session in enumerate(one for one in sessions if one.workout_id in found)
    }


def record_workouts(sessions: Iterable[SessionRow], before: Lift | None, is_assisted: bool) -> set[UUID]:
    """The workouts of `personal_record_workouts`, of sessions `before` which this was the best lift."""
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


def workouts_with_records(account: Account, workout_ids: Collection[UUID], half: Half) -> dict[UUID, bool]:
    """Those of the workouts whose best set beat all earlier ones, and whether there was an earlier one.

    `half` is the one of the history in which the workouts began. Whether a session was beaten is looked up
    from the newest before it in the older half, and in the newer half from the heaviest of all, of assisted
    exercises from the one whose heaviest set has least: so a look-up passes over no more than half of the
    sessions, and over few near the ends.
    """
    rows = WorkoutExercise.objects.filter(OfAccount(account.pk), workout__in=workout_ids)
    rows = rows.filter(best_weight_kg__isnull=False).annotate(**best_set_on_screens())
    columns = ("id", "exercise_id", "exercise__is_assisted", "weight_kg", "reps")
    candidates = []
    best: dict[str, Lift] = {}
    for row in rows.order_by("started_at", "workout_id").values_list(*columns, named=True):
        ranked = rank((row.weight_kg, row.reps), is_assisted=row.exercise__is_assisted)
        if ranked > best.get(row.exercise_id, NO_LIFT):
            best[row.exercise_id] = ranked
            candidates.append(row.id)
    unbeaten = unbeaten_sessions(half, account.pk, candidates)
    found: dict[UUID, bool] = {}
    for one in unbeaten:
        found[one.workout_id] = found.get(one.workout_id, False) or one.beat_others
    return found


def unbeaten_sessions(half: Half, account: UUID, ids: Collection[int]) -> QuerySet[WorkoutExercise, Any]:
    """Those of the sessions before which none was as good."""
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
        When(exercise__is_assisted=True, then=Subquery(helped.values("workout")[:1])),
        default=Subquery(heavier.values("workout")[:1]),
    )
    records = WorkoutExercise.objects.filter(OfAccount(account), pk__in=ids)
    records = records.annotate(**best_set_columns(is_assisted=True))
    records = records.annotate(beaten_by=beaten_by).filter(beaten_by=None)
    earlier = sessions_before(account).filter(best_weight_kg__isnull=False)
    return records.annotate(beat_others=Exists(earlier)).values_list("workout_id", "beat_others", named=True)


def sessions_before(account: UUID) -> WorkoutExerciseQuerySet:
    """The sessions with the exercise of an outer row before it."""
    sessions = WorkoutExercise.objects.filter(account=account).sessions_with(OuterRef("exercise"))
    return sessions.filter(
        Q(started_at__lt=OuterRef("started_at")) | Q(workout_id__lt=OuterRef("workout_id")),
        started_at__lte=OuterRef("started_at"),
    )


def with_as_little_help(account: UUID, half: Half) -> WorkoutExerciseQuerySet:
    """The sessions before an outer row with as little help as its `weight_kg` and `reps`, or less."""
    before = sessions_before(account).filter(best_weight_kg__isnull=False)
    as_little = before.annotate(**best_set_columns(is_assisted=True)).filter(
        Q(weight_kg__lt=OuterRef("weight_kg"))
        | Q(weight_kg=OuterRef("weight_kg"), reps__gte=OuterRef("reps"))
    )
    return as_little.order_by(*LOOK_UP_HELP[half])
